import { concatBytes, fromHex } from '../base/bytes.js';
import { check, defineErrors } from '../base/errors.js';
import { I64_MAX, U64_MAX } from '../base/int.js';
import { blindingScalar, type Commitment } from './blind.js';
import { type RingSecret, signRings } from './borromean.js';
import { G, H, isScalar, modOrder, readNumber, times, writePoint, writeScalar } from './curve.js';
import type { CurveBackend } from './curve-backend.js';
import { EXPONENT_MAX, MANTISSA_MAX, type RangeInfo, rangeScale, writeRangeHeader } from './range-header.js';
import { isCommitmentTo, rangeMessage } from './range-proof.js';
import { digitsOf, digitUnit, drawRings, ringMembers, ringSizes, xorBytes } from './range-rings.js';
import { sealedBlock, sealedIndex } from './sealed-value.js';

export const RANGE_SIGN_ERRORS = defineErrors({
  range_value_below_min: { text: 'value ${value} is below the least value ${min}' },
  range_exponent_invalid: { text: 'exponent ${exponent} is outside of -1 to 18' },
  range_bits_invalid: { text: '${bits} bits are outside of 0 to 64' },
  range_value_too_high: { text: 'a least value is below 2^63 - 1, and 0 where the value is 2^63 or more' },
  range_commitment_differs: { text: 'the commitment is not one to this value by this blinding factor' },
  range_factor_needed: { text: 'a proof of one digit needs a blinding factor other than 0' },
  range_nonce_unfit: { text: 'no proof can be made with this nonce' },
});

export interface RangeRequest {
  /** Tells nothing, but who knows it can rewind the proof: use it once. */
  readonly nonce: Uint8Array;
  readonly commitment: Commitment;
  readonly factor: Uint8Array;
  readonly value: bigint;
  /** Shown to everybody, and raised to what the exponent cuts off. */
  readonly minValue: bigint;
  /** Digits after the first `exponent` are shown; -1 shows the value itself. Lowered where there is no room for it. */
  readonly exponent: number;
  /** Bits to hide at least; 0 hides as many as the value has, which tells its size. */
  readonly minBits: number;
}

/** A proof for a commitment. It is the same one for the same request. */
export function signRange(curve: CurveBackend, request: RangeRequest): Uint8Array {
  const { nonce, commitment, value } = request;
  const factor = blindingScalar(request.factor);
  const { info, hidden } = chooseRange(request);
  check(isCommitmentTo(commitment, request.factor, value), RANGE_SIGN_ERRORS.range_commitment_differs);
  const sizes = ringSizes(info.mantissa);
  const last = sizes.length - 1;
  const scale = rangeScale(info.exponent);
  const digits = digitsOf(hidden, sizes.length);
  const header = writeRangeHeader(info);

  const draws = drawRings(sizes, nonce, fromHex(commitment), header);
  const factors = draws.factors.map((drawn, ring) => (ring === last ? modOrder(drawn + factor) : drawn));
  check(factors[last] !== 0n, RANGE_SIGN_ERRORS.range_factor_needed);
  const firsts = factors.map((one, ring) =>
    times(G, one).add(times(H, BigInt(digits[ring] as number) * digitUnit(scale, ring))),
  );
  const members = ringMembers(firsts, sizes, scale);
  check(members !== undefined, RANGE_SIGN_ERRORS.range_nonce_unfit);

  const coveredIndex = info.mantissa > 0 ? sealedIndex(sizes[last] as number, digits[last] as number) : -1;
  const secrets: RingSecret[] = draws.masks.map((masks, ring) => {
    const decoys = masks.map((mask, i) =>
      readNumber(ring === last && i === coveredIndex ? xorBytes(mask, sealedBlock(hidden)) : mask),
    );
    const index = digits[ring] as number;
    return { index, secret: factors[ring] as bigint, nonce: decoys[index] as bigint, decoys };
  });
  const areFit = secrets.every(({ decoys }) => decoys.every(isScalar));
  check(areFit, RANGE_SIGN_ERRORS.range_nonce_unfit);

  const coded = firsts.slice(0, last).map(writePoint);
  const signature = signRings(curve, { members, message: rangeMessage(commitment, header, coded) }, secrets);
  check(signature !== undefined, RANGE_SIGN_ERRORS.range_nonce_unfit);
  return concatBytes(
    header,
    signBits(coded),
    ...coded.map((point) => point.subarray(1)),
    signature.seal,
    ...signature.responses.flat().map(writeScalar),
  );
}

/** The header for a request, and what stays hidden under it: value = least value + hidden × 10^exponent. */
function chooseRange({ value, minValue, exponent, minBits }: RangeRequest): { info: RangeInfo; hidden: bigint } {
  const rows = RANGE_SIGN_ERRORS;
  check(exponent >= -1 && exponent <= EXPONENT_MAX, rows.range_exponent_invalid, { exponent });
  check(minBits >= 0 && minBits <= MANTISSA_MAX, rows.range_bits_invalid, { bits: minBits });
  check(minValue <= value, rows.range_value_below_min, { value, min: minValue });
  if (exponent < 0 || minValue === U64_MAX) {
    return { info: { exponent: -1, mantissa: 0, minValue: value, maxValue: value }, hidden: 0n };
  }
  const isTooHigh = (minValue > 0n && value > I64_MAX) || (value > 0n && minValue >= I64_MAX);
  check(!isTooHigh, rows.range_value_too_high);
  // A least value takes room from the top of the range.
  const bits = minValue > 0n ? Math.min(minBits, MANTISSA_MAX - bitLength(minValue)) : minBits;
  const exponentMax = bits > 61 || value > I64_MAX ? 0 : exponent;
  let fitting = 0;
  let reach = (1n << BigInt(bits)) - 1n;
  while (fitting < exponentMax && reach <= U64_MAX / 10n) {
    reach *= 10n;
    fitting++;
  }
  const scale = rangeScale(fitting);
  const hidden = (value - minValue) / scale;
  const mantissa = Math.max(bits, bitLength(hidden), 1);
  const least = value - hidden * scale;
  const maxValue = least + ((1n << BigInt(mantissa)) - 1n) * scale;
  return { info: { exponent: fitting, mantissa, minValue: least, maxValue }, hidden };
}

function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}

function signBits(points: readonly Uint8Array[]): Uint8Array {
  const bits = new Uint8Array((points.length + 7) >> 3);
  for (const [i, point] of points.entries()) {
    if (point[0] === 3) bits[i >> 3] = (bits[i >> 3] as number) | (1 << (i & 7));
  }
  return bits;
}
