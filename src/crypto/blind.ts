import { Point } from '@noble/secp256k1';
import { fromHex, toHex } from '../base/bytes.js';
import { check, defineErrors, fail } from '../base/errors.js';
import { U64_MAX } from '../base/int.js';

/**
 * Commitments of the confidential operations: blinding factor × G + value × H. They add up like their values,
 * so the chain can see that a transfer balances without seeing what it moves.
 */

export const BLIND_ERRORS = defineErrors({
  blinding_factor_invalid: { text: 'blinding factor must be 32 bytes below the order of the curve' },
  blinded_value_invalid: { text: 'blinded value ${value} is outside of 0 to 2^64 - 1' },
  commitment_is_nothing: { text: 'a commitment to nothing, by nothing, has no form' },
  range_proof_invalid: { text: 'range proof is malformed' },
});

/** 33 bytes of a compressed point as lower-case hex. */
export type Commitment = string;

const COMMITMENT_CHARS = 66;
const FACTOR_BYTES = 32;
const ORDER = Point.CURVE().n;

/** The second generator: nobody knows its logarithm, for its x is the sha256 of the uncompressed first one. */
const H = Point.fromHex('0250929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0');

function times(point: Point, scalar: bigint): Point {
  return scalar === 0n ? Point.ZERO : point.multiplyUnsafe(scalar);
}

function toScalar(factor: Uint8Array): bigint {
  check(factor.length === FACTOR_BYTES, BLIND_ERRORS.blinding_factor_invalid);
  const scalar = BigInt(`0x${toHex(factor)}`);
  check(scalar < ORDER, BLIND_ERRORS.blinding_factor_invalid);
  return scalar;
}

/** Commitment to `value` under a blinding factor. */
export function blind(factor: Uint8Array, value: bigint): Commitment {
  check(value >= 0n && value <= U64_MAX, BLIND_ERRORS.blinded_value_invalid, { value });
  const point = times(Point.BASE, toScalar(factor)).add(times(H, value));
  check(!point.is0(), BLIND_ERRORS.commitment_is_nothing);
  return point.toHex(true);
}

/** The first `positives` factors less all others: the factor that makes a set of commitments balance. */
export function blindSum(factors: readonly Uint8Array[], positives: number): Uint8Array {
  let sum = 0n;
  factors.forEach((factor, i) => {
    sum += i < positives ? toScalar(factor) : ORDER - toScalar(factor);
  });
  return fromHex((sum % ORDER).toString(16).padStart(2 * FACTOR_BYTES, '0'));
}

/** Whether positives − negatives − excess × H is nothing. False, too, where a commitment is no point. */
export function verifySum(positives: readonly Commitment[], negatives: readonly Commitment[], excess: bigint): boolean {
  let sum = times(H, ((-excess % ORDER) + ORDER) % ORDER);
  for (const commitment of positives) {
    const point = toPoint(commitment);
    if (point === undefined) return false;
    sum = sum.add(point);
  }
  for (const commitment of negatives) {
    const point = toPoint(commitment);
    if (point === undefined) return false;
    sum = sum.subtract(point);
  }
  return sum.is0();
}

function toPoint(commitment: Commitment): Point | undefined {
  if (commitment.length !== COMMITMENT_CHARS) return undefined;
  try {
    return Point.fromHex(commitment);
  } catch {
    // Not on the curve: an answer, not a failure.
    return undefined;
  }
}

export interface RangeInfo {
  /** Power of ten that the value is a multiple of; -1 where the proof shows the value itself. */
  readonly exponent: number;
  /** Bits of the hidden part. */
  readonly mantissa: number;
  readonly minValue: bigint;
  readonly maxValue: bigint;
}

const PROOF_BYTES_MIN = 65;
const RESERVED_BIT = 0x80;
const RANGE_BIT = 0x40;
const MIN_BIT = 0x20;
const EXPONENT_BITS = 0x1f;
const EXPONENT_MAX = 18;
const MANTISSA_MAX = 64;

/** What the header of a range proof says. The chain reads no more of it: the proof itself is never checked there. */
export function rangeInfo(proof: Uint8Array): RangeInfo {
  const flags = proof[0] ?? RESERVED_BIT;
  check(proof.length >= PROOF_BYTES_MIN && (flags & RESERVED_BIT) === 0, BLIND_ERRORS.range_proof_invalid);
  let at = 1;
  let exponent = -1;
  let mantissa = 0;
  let maxValue = 0n;
  if ((flags & RANGE_BIT) !== 0) {
    exponent = flags & EXPONENT_BITS;
    mantissa = (proof[at++] as number) + 1;
    check(exponent <= EXPONENT_MAX && mantissa <= MANTISSA_MAX, BLIND_ERRORS.range_proof_invalid);
    maxValue = (1n << BigInt(mantissa)) - 1n;
    for (let i = 0; i < exponent; i++) maxValue *= 10n;
  }
  let minValue = 0n;
  if ((flags & MIN_BIT) !== 0) {
    minValue = new DataView(proof.buffer, proof.byteOffset).getBigUint64(at);
  }
  maxValue += minValue;
  if (maxValue > U64_MAX) fail(BLIND_ERRORS.range_proof_invalid);
  return { exponent, mantissa, minValue, maxValue };
}
