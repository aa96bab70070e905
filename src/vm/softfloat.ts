/**
 * Binary floating point of any width on bigints, round to nearest even, with the NaN rules of the reference's
 * software floats. Only host functions use it, above all those for 128-bit floats; speed does not matter here.
 */
export interface FloatFormat {
  readonly bits: bigint;
  /** Stored mantissa bits, without the leading one. */
  readonly mantissaBits: bigint;
  readonly exponentBits: bigint;
}

export const FLOAT32: FloatFormat = { bits: 32n, mantissaBits: 23n, exponentBits: 8n };
export const FLOAT64: FloatFormat = { bits: 64n, mantissaBits: 52n, exponentBits: 11n };
export const FLOAT128: FloatFormat = { bits: 128n, mantissaBits: 112n, exponentBits: 15n };

interface Parts {
  readonly negative: boolean;
  /** `nan` and `infinite` have no value; a finite number is `mantissa * 2 ** exponent`. */
  readonly kind: 'nan' | 'infinite' | 'finite';
  readonly mantissa: bigint;
  readonly exponent: bigint;
}

const mask = (bits: bigint): bigint => (1n << bits) - 1n;
const signBit = (f: FloatFormat): bigint => 1n << (f.bits - 1n);
const quietBit = (f: FloatFormat): bigint => 1n << (f.mantissaBits - 1n);
const infinityBits = (f: FloatFormat): bigint => mask(f.exponentBits) << f.mantissaBits;
const bias = (f: FloatFormat): bigint => mask(f.exponentBits - 1n);

/** What invalid operations yield: quiet, sign set, no payload. */
export function generatedNaN(f: FloatFormat): bigint {
  return signBit(f) | infinityBits(f) | quietBit(f);
}

export function isNaNBits(f: FloatFormat, bits: bigint): boolean {
  return (bits & mask(f.bits - 1n)) > infinityBits(f);
}

function unpack(f: FloatFormat, bits: bigint): Parts {
  const negative = (bits & signBit(f)) !== 0n;
  const biased = (bits >> f.mantissaBits) & mask(f.exponentBits);
  const fraction = bits & mask(f.mantissaBits);
  if (biased === mask(f.exponentBits)) {
    return { negative, kind: fraction === 0n ? 'infinite' : 'nan', mantissa: 0n, exponent: 0n };
  }
  const subnormal = biased === 0n;
  const mantissa = subnormal ? fraction : fraction | (1n << f.mantissaBits);
  return { negative, kind: 'finite', mantissa, exponent: (subnormal ? 1n : biased) - bias(f) - f.mantissaBits };
}

function least(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

function bitLength(value: bigint): bigint {
  return BigInt(value.toString(2).length);
}

/** `mantissa >> shift` rounded to nearest, ties to even; a negative shift is exact. */
function shiftRightRounded(mantissa: bigint, shift: bigint): bigint {
  if (shift <= 0n) return mantissa << -shift;
  if (shift > bitLength(mantissa) + 1n) return 0n;
  const floor = mantissa >> shift;
  const rest = mantissa & mask(shift);
  const half = 1n << (shift - 1n);
  return rest > half || (rest === half && (floor & 1n) === 1n) ? floor + 1n : floor;
}

/** Nearest number of the format to `mantissa * 2 ** exponent`. */
function pack(f: FloatFormat, negative: boolean, mantissa: bigint, exponent: bigint): bigint {
  const sign = negative ? signBit(f) : 0n;
  if (mantissa === 0n) return sign;
  const leastExponent = 1n - bias(f) - f.mantissaBits;
  let target = exponent + bitLength(mantissa) - 1n - f.mantissaBits;
  if (target < leastExponent) target = leastExponent;
  let rounded = shiftRightRounded(mantissa, target - exponent);
  if (rounded >> (f.mantissaBits + 1n) !== 0n) {
    rounded >>= 1n;
    target++;
  }
  // A rounded mantissa without the leading one is subnormal and has the biased exponent 0.
  const normal = rounded >> f.mantissaBits !== 0n;
  const biased = normal ? target + f.mantissaBits + bias(f) : 0n;
  if (biased >= mask(f.exponentBits)) return sign | infinityBits(f);
  return sign | (biased << f.mantissaBits) | (rounded & mask(f.mantissaBits));
}

/** The first operand if it is a NaN, else the second; quiet. */
function propagate(f: FloatFormat, a: bigint, b: bigint): bigint {
  return (isNaNBits(f, a) ? a : b) | quietBit(f);
}

export function addFloat(f: FloatFormat, a: bigint, b: bigint): bigint {
  if (isNaNBits(f, a) || isNaNBits(f, b)) return propagate(f, a, b);
  const [x, y] = [unpack(f, a), unpack(f, b)];
  if (x.kind === 'infinite') return y.kind === 'infinite' && x.negative !== y.negative ? generatedNaN(f) : a;
  if (y.kind === 'infinite') return b;
  // Beside a number that is this much larger, the other is less than a quarter of what decides how its last bit is rounded.
  const distance = x.exponent - y.exponent;
  const most = f.mantissaBits + 4n;
  if (distance > most) return a;
  if (distance < -most) return b;
  const exponent = least(x.exponent, y.exponent);
  const signed = (p: Parts): bigint => (p.negative ? -p.mantissa : p.mantissa) << (p.exponent - exponent);
  const sum = signed(x) + signed(y);
  // An exact zero is positive, unless both operands are negative zeros.
  if (sum === 0n) return x.negative && y.negative ? signBit(f) : 0n;
  return pack(f, sum < 0n, sum < 0n ? -sum : sum, exponent);
}

export function subFloat(f: FloatFormat, a: bigint, b: bigint): bigint {
  if (isNaNBits(f, a) || isNaNBits(f, b)) return propagate(f, a, b);
  return addFloat(f, a, b ^ signBit(f));
}

export function mulFloat(f: FloatFormat, a: bigint, b: bigint): bigint {
  if (isNaNBits(f, a) || isNaNBits(f, b)) return propagate(f, a, b);
  const [x, y] = [unpack(f, a), unpack(f, b)];
  const negative = x.negative !== y.negative;
  if (x.kind === 'infinite' || y.kind === 'infinite') {
    const zero = (x.kind === 'finite' && x.mantissa === 0n) || (y.kind === 'finite' && y.mantissa === 0n);
    return zero ? generatedNaN(f) : infinityBits(f) | (negative ? signBit(f) : 0n);
  }
  return pack(f, negative, x.mantissa * y.mantissa, x.exponent + y.exponent);
}

export function divFloat(f: FloatFormat, a: bigint, b: bigint): bigint {
  if (isNaNBits(f, a) || isNaNBits(f, b)) return propagate(f, a, b);
  const [x, y] = [unpack(f, a), unpack(f, b)];
  const negative = x.negative !== y.negative;
  const sign = negative ? signBit(f) : 0n;
  if (x.kind === 'infinite') return y.kind === 'infinite' ? generatedNaN(f) : infinityBits(f) | sign;
  if (y.kind === 'infinite') return sign;
  if (y.mantissa === 0n) return x.mantissa === 0n ? generatedNaN(f) : infinityBits(f) | sign;
  // Enough quotient bits for any operands, subnormal ones included, and one more that says "not exact".
  const scale = 2n * f.mantissaBits + 8n;
  const quotient = (x.mantissa << scale) / y.mantissa;
  const inexact = (x.mantissa << scale) % y.mantissa === 0n ? 0n : 1n;
  return pack(f, negative, (quotient << 1n) | inexact, x.exponent - y.exponent - scale - 1n);
}

/** -1, 0, 1, or undefined when an operand is a NaN. */
export function compareFloat(f: FloatFormat, a: bigint, b: bigint): -1 | 0 | 1 | undefined {
  if (isNaNBits(f, a) || isNaNBits(f, b)) return undefined;
  const ordered = (bits: bigint): bigint => (bits & signBit(f) ? -(bits & mask(f.bits - 1n)) : bits);
  const [x, y] = [ordered(a), ordered(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** To another width; a NaN keeps its sign and the upper bits of its payload, and becomes quiet. */
export function convertFloat(from: FloatFormat, to: FloatFormat, bits: bigint): bigint {
  const { negative, kind, mantissa, exponent } = unpack(from, bits);
  const sign = negative ? signBit(to) : 0n;
  if (kind === 'infinite') return sign | infinityBits(to);
  if (kind === 'nan') {
    const payload = bits & mask(from.mantissaBits);
    const shift = to.mantissaBits - from.mantissaBits;
    const moved = shift >= 0n ? payload << shift : payload >> -shift;
    return sign | infinityBits(to) | quietBit(to) | moved;
  }
  return pack(to, negative, mantissa, exponent);
}

export function floatFromInt(f: FloatFormat, value: bigint): bigint {
  return value < 0n ? pack(f, true, -value, 0n) : pack(f, false, value, 0n);
}

/** Value as an integer, or undefined for NaN; infinities come out larger than any integer type. */
export function intFromFloat(f: FloatFormat, bits: bigint, rounding: 'nearest' | 'truncate'): bigint | undefined {
  const { negative, kind, mantissa, exponent } = unpack(f, bits);
  if (kind === 'nan') return undefined;
  // No integer type here has more than 128 bits, so larger exponents need not be built.
  const huge = 1n << 200n;
  let magnitude = huge;
  if (kind === 'finite' && exponent < 200n) {
    if (exponent >= 0n) magnitude = mantissa << exponent;
    else if (rounding === 'nearest') magnitude = shiftRightRounded(mantissa, -exponent);
    else magnitude = mantissa >> -exponent;
  }
  return negative ? -magnitude : magnitude;
}

export function isNegativeBits(f: FloatFormat, bits: bigint): boolean {
  return (bits & signBit(f)) !== 0n;
}

export function negateFloat(f: FloatFormat, bits: bigint): bigint {
  return bits ^ signBit(f);
}

/** Rounded to `precision` significant bits in the same exponent range, as a wider register would hold it. */
export function roundPrecision(f: FloatFormat, bits: bigint, precision: bigint): bigint {
  const { negative, kind, mantissa, exponent } = unpack(f, bits);
  if (kind !== 'finite' || mantissa === 0n) return bits;
  const excess = bitLength(mantissa) - precision;
  if (excess <= 0n) return bits;
  return pack(f, negative, shiftRightRounded(mantissa, excess), exponent + excess);
}

/** Scientific notation as C prints it, correctly rounded: `-1.500000e+00`, `inf`, `nan`. */
export function formatFloat(f: FloatFormat, bits: bigint, digits: number): string {
  const { negative, kind, mantissa, exponent } = unpack(f, bits);
  const sign = negative ? '-' : '';
  if (kind !== 'finite') return sign + (kind === 'nan' ? 'nan' : 'inf');
  const places = BigInt(digits);
  if (mantissa === 0n) return `${sign}0.${'0'.repeat(digits)}e+00`;
  const [top, bottom] = exponent >= 0n ? [mantissa << exponent, 1n] : [mantissa, 1n << -exponent];
  // 0.30103 is log10(2) from below; the estimate is at most one off and corrected.
  let power = ((bitLength(mantissa) + exponent - 1n) * 30103n) / 100000n - 1n;
  const scaled = (at: bigint): bigint => {
    const shift = places - at;
    return shift >= 0n ? divideRounded(top * 10n ** shift, bottom) : divideRounded(top, bottom * 10n ** -shift);
  };
  let text = scaled(power).toString();
  while (text.length > digits + 1) text = scaled(++power).toString();
  while (text.length < digits + 1) text = scaled(--power).toString();
  const magnitude = (power < 0n ? -power : power).toString().padStart(2, '0');
  return `${sign}${text[0]}.${text.slice(1)}e${power < 0n ? '-' : '+'}${magnitude}`;
}

function divideRounded(top: bigint, bottom: bigint): bigint {
  const quotient = top / bottom;
  const twice = (top % bottom) * 2n;
  return twice > bottom || (twice === bottom && (quotient & 1n) === 1n) ? quotient + 1n : quotient;
}
