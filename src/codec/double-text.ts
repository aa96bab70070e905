const FRACTION_BITS = 52n;
const FRACTION = (1n << FRACTION_BITS) - 1n;
const EXPONENT_END = 0x7ffn;
/** Of the lowest bit of a number's fraction. */
const LEAST_EXPONENT = -1074n;
const DECIMALS = 17;

/**
 * A double as the reference prints it: 17 decimals, exact, and what lies in the middle goes to the even digit.
 * JavaScript's own notation goes up there (every second 32-bit float from 32 to 64 has such a middle), knows no sign of
 * zero, and ends at 10^21.
 */
export function doubleBitsToText(bits: bigint): string {
  const sign = bits >> 63n === 0n ? '' : '-';
  const biased = (bits >> FRACTION_BITS) & EXPONENT_END;
  const fraction = bits & FRACTION;
  if (biased === EXPONENT_END) return sign + (fraction === 0n ? 'inf' : 'nan');
  const mantissa = biased === 0n ? fraction : fraction | (1n << FRACTION_BITS);
  const exponent = LEAST_EXPONENT + (biased === 0n ? 0n : biased - 1n);
  const scaled = mantissa * 10n ** BigInt(DECIMALS);
  const digits = exponent >= 0n ? scaled << exponent : shiftedToEven(scaled, -exponent);
  const text = digits.toString().padStart(DECIMALS + 1, '0');
  return `${sign}${text.slice(0, -DECIMALS)}.${text.slice(-DECIMALS)}`;
}

function shiftedToEven(value: bigint, shift: bigint): bigint {
  const floor = value >> shift;
  const twice = (value - (floor << shift)) << 1n;
  const unit = 1n << shift;
  return twice > unit || (twice === unit && (floor & 1n) === 1n) ? floor + 1n : floor;
}

export function doubleToText(value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return doubleBitsToText(view.getBigUint64(0));
}
