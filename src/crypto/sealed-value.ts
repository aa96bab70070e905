import { equalBytes } from '../base/bytes.js';

/**
 * The maker of a range proof leaves the hidden value to the owner of the nonce, under the mask of a member of the last
 * ring: 0x80, seven zeros, and the value three times, 8 bytes each with the high byte first. The member is the last
 * one of the ring, or the one before it where the last one is the true digit.
 */

const MARK = 0x80;
const VALUE_BYTES = 8;
const BLOCK_BYTES = 32;

export function sealedIndex(ringSize: number, digit: number): number {
  return digit === ringSize - 1 ? ringSize - 2 : ringSize - 1;
}

export function sealedBlock(hidden: bigint): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES);
  block[0] = MARK;
  const view = new DataView(block.buffer);
  for (let at = VALUE_BYTES; at < BLOCK_BYTES; at += VALUE_BYTES) view.setBigUint64(at, hidden);
  return block;
}

export interface SealedValue {
  readonly hidden: bigint;
  /** Member of the last ring that it was found at; -1 where nothing is hidden. */
  readonly index: number;
}

/** Undefined: the mask is not the maker's. `blockOf` uncovers what is under a member of the last ring. */
export function readSealedValue(
  ringSize: number,
  mantissa: number,
  blockOf: (member: number) => Uint8Array,
): SealedValue | undefined {
  if (mantissa === 0) return { hidden: 0n, index: -1 };
  const topDigitShift = BigInt((mantissa - 1) >> 1) * 2n;
  for (const index of [ringSize - 1, ringSize - 2]) {
    const block = blockOf(index);
    const copies = [1, 2, 3].map((i) => block.subarray(i * VALUE_BYTES, (i + 1) * VALUE_BYTES));
    const [first, second, third] = copies as [Uint8Array, Uint8Array, Uint8Array];
    const isMarked = ((block[0] as number) & MARK) !== 0;
    if (!isMarked || !equalBytes(first, second) || !equalBytes(second, third)) continue;
    const hidden = new DataView(block.buffer, block.byteOffset).getBigUint64(VALUE_BYTES);
    const isInRange = hidden >> BigInt(mantissa) === 0n;
    return isInRange && Number(hidden >> topDigitShift) !== index ? { hidden, index } : undefined;
  }
  return undefined;
}
