import { check, defineErrors } from '../base/errors.js';
import { U64_MAX } from '../base/int.js';

/**
 * The first bytes of a range proof. They say which values the proof allows: least value + v × 10^exponent, where v
 * has `mantissa` bits.
 *
 *     flags (0x40: hidden part, with the exponent in the low bits; 0x20: least value)
 *     [mantissa − 1]       with a hidden part
 *     [least value, 8 B]   where it is not 0, high byte first
 */

export const RANGE_HEADER_ERRORS = defineErrors({
  range_proof_invalid: { text: 'range proof is malformed' },
});

export interface RangeInfo {
  /** Power of ten that the value is a multiple of; -1 where the proof shows the value itself. */
  readonly exponent: number;
  /** Bits of the hidden part. */
  readonly mantissa: number;
  readonly minValue: bigint;
  readonly maxValue: bigint;
}

export interface RangeHeader {
  readonly info: RangeInfo;
  /** How many bytes of the proof it takes. */
  readonly length: number;
}

export const EXPONENT_MAX = 18;
export const MANTISSA_MAX = 64;

const PROOF_BYTES_MIN = 65;
const RESERVED_BIT = 0x80;
const HIDDEN_BIT = 0x40;
const MIN_BIT = 0x20;
const EXPONENT_BITS = 0x1f;
const MIN_VALUE_BYTES = 8;

/** What one unit of the hidden part is worth. */
export function rangeScale(exponent: number): bigint {
  return exponent > 0 ? 10n ** BigInt(exponent) : 1n;
}

/** Undefined: these bytes are the beginning of no range proof. */
export function readRangeHeader(proof: Uint8Array): RangeHeader | undefined {
  const flags = proof[0] ?? RESERVED_BIT;
  if (proof.length < PROOF_BYTES_MIN || (flags & RESERVED_BIT) !== 0) return undefined;
  let length = 1;
  let exponent = -1;
  let mantissa = 0;
  let maxValue = 0n;
  if ((flags & HIDDEN_BIT) !== 0) {
    exponent = flags & EXPONENT_BITS;
    mantissa = (proof[length++] as number) + 1;
    if (exponent > EXPONENT_MAX || mantissa > MANTISSA_MAX) return undefined;
    maxValue = ((1n << BigInt(mantissa)) - 1n) * rangeScale(exponent);
  }
  let minValue = 0n;
  if ((flags & MIN_BIT) !== 0) {
    minValue = new DataView(proof.buffer, proof.byteOffset).getBigUint64(length);
    length += MIN_VALUE_BYTES;
  }
  maxValue += minValue;
  return maxValue > U64_MAX ? undefined : { info: { exponent, mantissa, minValue, maxValue }, length };
}

export function writeRangeHeader({ exponent, mantissa, minValue }: RangeInfo): Uint8Array {
  const bytes: number[] = [(mantissa > 0 ? HIDDEN_BIT | exponent : 0) | (minValue > 0n ? MIN_BIT : 0)];
  if (mantissa > 0) bytes.push(mantissa - 1);
  if (minValue > 0n) {
    for (let bits = 56n; bits >= 0n; bits -= 8n) bytes.push(Number((minValue >> bits) & 0xffn));
  }
  return Uint8Array.from(bytes);
}

/** What the header of a range proof says. The chain reads no more of it: the proof itself is never checked there. */
export function rangeInfo(proof: Uint8Array): RangeInfo {
  const header = readRangeHeader(proof);
  check(header !== undefined, RANGE_HEADER_ERRORS.range_proof_invalid);
  return header.info;
}
