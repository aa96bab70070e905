import type { Action, Host } from './action.js';
import { give, join } from './wide-numbers.js';

/** Floats as fractions that are exact, rounded once; of what their bits mean nothing is left to the machine. */

interface Format {
  readonly fraction: bigint;
  readonly exponent: bigint;
}

interface Unpacked {
  readonly kind: 'nan' | 'infinite' | 'finite';
  readonly negative: boolean;
  /** The value is so many times two to the power. */
  readonly times: bigint;
  readonly power: bigint;
  readonly bits: bigint;
}

const SINGLE: Format = { fraction: 23n, exponent: 8n };
const DOUBLE: Format = { fraction: 52n, exponent: 11n };
const QUAD: Format = { fraction: 112n, exponent: 15n };
/** More than any quotient needs before the bit that stands for all the rest. */
const QUOTIENT_BITS = 260n;

const ones = (count: bigint): bigint => (1n << count) - 1n;
const signBit = (f: Format, negative: boolean): bigint => (negative ? 1n << (f.fraction + f.exponent) : 0n);
const lengthOf = (value: bigint): bigint => BigInt(value.toString(2).length);
const biasOf = (f: Format): bigint => ones(f.exponent - 1n);
const infinity = (f: Format, negative: boolean): bigint => signBit(f, negative) | (ones(f.exponent) << f.fraction);
const noNumber = (f: Format): bigint => infinity(f, true) | (1n << (f.fraction - 1n));

function unpack(f: Format, bits: bigint): Unpacked {
  const fraction = bits & ones(f.fraction);
  const exponent = (bits >> f.fraction) & ones(f.exponent);
  const negative = (bits & signBit(f, true)) !== 0n;
  const isSpecial = exponent === ones(f.exponent);
  const kind = isSpecial ? (fraction === 0n ? 'infinite' : 'nan') : 'finite';
  const times = exponent === 0n ? fraction : fraction | (1n << f.fraction);
  const power = (exponent === 0n ? 1n : exponent) - biasOf(f) - f.fraction;
  return { kind, negative, times, power, bits };
}

/** To the nearest, and of two that are as near to the even one. */
function shiftRounded(value: bigint, bits: bigint): bigint {
  if (bits <= 0n) return value << -bits;
  const down = value >> bits;
  const rest = (value & ones(bits)) << 1n;
  const half = 1n << bits;
  return rest > half || (rest === half && (down & 1n) === 1n) ? down + 1n : down;
}

function pack(f: Format, negative: boolean, times: bigint, power: bigint): bigint {
  if (times === 0n) return signBit(f, negative);
  const least = 1n - biasOf(f) - f.fraction;
  const wanted = lengthOf(times) + power - f.fraction - 1n;
  const last = wanted > least ? wanted : least;
  const rounded = shiftRounded(times, last - power);
  // A carry into the next exponent, and out of the numbers below all of them, comes by itself.
  const exponent = rounded >> f.fraction === 0n ? 0n : last + f.fraction + biasOf(f) - 1n;
  const bits = (exponent << f.fraction) + rounded;
  return bits >> f.fraction >= ones(f.exponent) ? infinity(f, negative) : signBit(f, negative) | bits;
}

function quiet(f: Format, bits: bigint): bigint {
  return bits | (1n << (f.fraction - 1n));
}

function convert(from: Format, to: Format, bits: bigint): bigint {
  const { kind, negative, times, power } = unpack(from, bits);
  if (kind === 'infinite') return infinity(to, negative);
  if (kind === 'finite') return pack(to, negative, times, power);
  const payload = bits & ones(from.fraction);
  const wider = to.fraction - from.fraction;
  return infinity(to, negative) | quiet(to, wider >= 0n ? payload << wider : payload >> -wider);
}

type Work = (a: Unpacked, b: Unpacked) => bigint;

const withTwo =
  (work: Work): Host =>
  (a, at = 0n, low, high, otherLow, otherHigh) => {
    const [one, other] = [unpack(QUAD, join(low, high)), unpack(QUAD, join(otherLow, otherHigh))];
    const nan = [one, other].find(({ kind }) => kind === 'nan');
    give(a, at, nan === undefined ? work(one, other) : quiet(QUAD, nan.bits));
  };

function add(a: Unpacked, b: Unpacked): bigint {
  if (a.kind === 'infinite') return b.kind === 'infinite' && a.negative !== b.negative ? noNumber(QUAD) : a.bits;
  if (b.kind === 'infinite') return b.bits;
  const power = a.power < b.power ? a.power : b.power;
  const [one, other] = [a, b].map((x) => (x.times << (x.power - power)) * (x.negative ? -1n : 1n)) as [bigint, bigint];
  const sum = one + other;
  const negative = sum === 0n ? a.negative && b.negative : sum < 0n;
  return pack(QUAD, negative, sum < 0n ? -sum : sum, power);
}

function multiply(a: Unpacked, b: Unpacked): bigint {
  const negative = a.negative !== b.negative;
  const isInfinite = a.kind === 'infinite' || b.kind === 'infinite';
  const isZero = [a, b].some(({ kind, times }) => kind === 'finite' && times === 0n);
  if (isInfinite) return isZero ? noNumber(QUAD) : infinity(QUAD, negative);
  return pack(QUAD, negative, a.times * b.times, a.power + b.power);
}

function divide(a: Unpacked, b: Unpacked): bigint {
  const negative = a.negative !== b.negative;
  if (a.kind === 'infinite') return b.kind === 'infinite' ? noNumber(QUAD) : infinity(QUAD, negative);
  if (b.kind === 'infinite') return signBit(QUAD, negative);
  if (b.times === 0n) return a.times === 0n ? noNumber(QUAD) : infinity(QUAD, negative);
  const dividend = a.times << QUOTIENT_BITS;
  const rest = dividend % b.times === 0n ? 0n : 1n;
  return pack(QUAD, negative, ((dividend / b.times) << 1n) | rest, a.power - b.power - QUOTIENT_BITS - 1n);
}

const negated = (x: Unpacked): Unpacked => unpack(QUAD, x.bits ^ signBit(QUAD, true));

/** Nothing where one of them is no number. */
function order(a: Unpacked, b: Unpacked): number | undefined {
  if (a.kind === 'nan' || b.kind === 'nan') return undefined;
  const isZero = (x: Unpacked) => x.kind === 'finite' && x.times === 0n;
  if (isZero(a) && isZero(b)) return 0;
  const rank = (x: Unpacked) => (x.negative ? -1n : 1n) * (x.bits & ones(QUAD.fraction + QUAD.exponent));
  return rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0;
}

const compare =
  (otherwise: number): Host =>
  (_, low, high, otherLow, otherHigh) =>
    BigInt(order(unpack(QUAD, join(low, high)), unpack(QUAD, join(otherLow, otherHigh))) ?? otherwise);

/** Toward zero, or to the nearest; nothing where there is no such integer. */
function integerOf(x: Unpacked, isNearest: boolean): bigint | undefined {
  if (x.kind !== 'finite') return undefined;
  const size = isNearest || x.power >= 0n ? shiftRounded(x.times, -x.power) : x.times >> -x.power;
  return x.negative ? -size : size;
}

function fix(bits: bigint, isSigned: boolean, low = 0n, high = 0n): bigint {
  const value = integerOf(unpack(QUAD, join(low, high)), true);
  const [least, most] = isSigned ? [-(1n << (bits - 1n)), ones(bits - 1n)] : [0n, ones(bits)];
  if (value !== undefined && value >= least && value <= most) return value;
  return isSigned ? least : most;
}

/** What is 2^127 or more, but less than twice that, loses its highest bit where there is a sign. */
function fixWide(a: Action, at: bigint, x: Unpacked, isSigned: boolean): void {
  const value = integerOf(x, false);
  const isTooLarge = value === undefined || value > ones(128n) || value < -ones(128n);
  const end = x.negative ? 1n << 127n : ones(127n);
  if (isSigned) give(a, at, isTooLarge ? end : BigInt.asUintN(128, value));
  else give(a, at, x.negative ? 0n : isTooLarge ? ones(128n) : value);
}

const fixFrom =
  (f: Format, isSigned: boolean): Host =>
  (a, at = 0n, low = 0n, high) =>
    fixWide(a, at, unpack(f, high === undefined ? low : join(low, high)), isSigned);

const integer = (f: Format, value: bigint): bigint => pack(f, value < 0n, value < 0n ? -value : value, 0n);

const fromInteger =
  (width: number, isSigned: boolean): Host =>
  (a, at = 0n, value = 0n) =>
    give(a, at, integer(QUAD, isSigned ? BigInt.asIntN(width, value) : value));

export const FLOATS = {
  __addtf3: withTwo(add),
  __subtf3: withTwo((a, b) => add(a, negated(b))),
  __multf3: withTwo(multiply),
  __divtf3: withTwo(divide),
  __negtf2: (a, at = 0n, low, high) => give(a, at, join(low, high) ^ signBit(QUAD, true)),
  __eqtf2: compare(1),
  __netf2: compare(1),
  __letf2: compare(1),
  __cmptf2: compare(1),
  __lttf2: compare(0),
  __gttf2: compare(0),
  __getf2: compare(-1),
  __unordtf2: (_, low, high, otherLow, otherHigh) =>
    order(unpack(QUAD, join(low, high)), unpack(QUAD, join(otherLow, otherHigh))) === undefined ? 1n : 0n,
  __floatsitf: fromInteger(32, true),
  __floatunsitf: fromInteger(32, false),
  __floatditf: fromInteger(64, true),
  __floatunditf: fromInteger(64, false),
  __floattidf: (_, low, high) => integer(DOUBLE, BigInt.asIntN(128, join(low, high))),
  __floatuntidf: (_, low, high) => integer(DOUBLE, join(low, high)),
  __floatsidf: (_, value = 0n) => integer(DOUBLE, BigInt.asIntN(32, value)),
  __extendsftf2: (a, at = 0n, value = 0n) => give(a, at, convert(SINGLE, QUAD, value)),
  __extenddftf2: (a, at = 0n, value = 0n) => give(a, at, convert(DOUBLE, QUAD, value)),
  __trunctfdf2: (_, low, high) => convert(QUAD, DOUBLE, join(low, high)),
  __trunctfsf2: (_, low, high) => convert(QUAD, SINGLE, join(low, high)),
  __fixtfsi: (_, low, high) => fix(32n, true, low, high),
  __fixtfdi: (_, low, high) => fix(64n, true, low, high),
  __fixunstfsi: (_, low, high) => fix(32n, false, low, high),
  __fixunstfdi: (_, low, high) => fix(64n, false, low, high),
  __fixtfti: fixFrom(QUAD, true),
  __fixunstfti: fixFrom(QUAD, false),
  __fixsfti: fixFrom(SINGLE, true),
  __fixdfti: fixFrom(DOUBLE, true),
  __fixunssfti: fixFrom(SINGLE, false),
  __fixunsdfti: fixFrom(DOUBLE, false),
} satisfies Readonly<Record<string, Host>>;
