import { fromHex, toHex } from '../base/bytes.js';
import { check, defineErrors } from '../base/errors.js';
import { U64_MAX } from '../base/int.js';
import {
  G,
  H,
  modOrder,
  ORDER,
  POINT_BYTES,
  type Point,
  readNumber,
  readPoint,
  SCALAR_BYTES,
  times,
  writePoint,
  writeScalar,
} from './curve.js';

/**
 * Commitments of the confidential operations: blinding factor × G + value × H. They add up like their values,
 * so the chain can see that a transfer balances without seeing what it moves.
 */

export const BLIND_ERRORS = defineErrors({
  blinding_factor_invalid: { text: 'blinding factor must be 32 bytes below the order of the curve' },
  blinded_value_invalid: { text: 'blinded value ${value} is outside of 0 to 2^64 - 1' },
  commitment_is_nothing: { text: 'a commitment to nothing, by nothing, has no form' },
});

/** 33 bytes of a compressed point as lower-case hex. */
export type Commitment = string;

const COMMITMENT_CHARS = 2 * POINT_BYTES;

export function blindingScalar(factor: Uint8Array): bigint {
  check(factor.length === SCALAR_BYTES, BLIND_ERRORS.blinding_factor_invalid);
  const scalar = readNumber(factor);
  check(scalar < ORDER, BLIND_ERRORS.blinding_factor_invalid);
  return scalar;
}

/** Commitment to `value` under a blinding factor. */
export function blind(factor: Uint8Array, value: bigint): Commitment {
  check(value >= 0n && value <= U64_MAX, BLIND_ERRORS.blinded_value_invalid, { value });
  const point = times(G, blindingScalar(factor)).add(times(H, value));
  check(!point.is0(), BLIND_ERRORS.commitment_is_nothing);
  return toHex(writePoint(point));
}

/** The first `positives` factors less all others: the factor that makes a set of commitments balance. */
export function blindSum(factors: readonly Uint8Array[], positives: number): Uint8Array {
  let sum = 0n;
  factors.forEach((factor, i) => {
    sum += i < positives ? blindingScalar(factor) : -blindingScalar(factor);
  });
  return writeScalar(modOrder(sum));
}

/** Whether positives − negatives − excess × H is nothing. False, too, where a commitment is no point. */
export function verifySum(positives: readonly Commitment[], negatives: readonly Commitment[], excess: bigint): boolean {
  let sum = times(H, modOrder(-excess));
  for (const commitment of positives) {
    const point = commitmentPoint(commitment);
    if (point === undefined) return false;
    sum = sum.add(point);
  }
  for (const commitment of negatives) {
    const point = commitmentPoint(commitment);
    if (point === undefined) return false;
    sum = sum.subtract(point);
  }
  return sum.is0();
}

export function commitmentPoint(commitment: Commitment): Point | undefined {
  return commitment.length === COMMITMENT_CHARS ? readPoint(fromHex(commitment)) : undefined;
}
