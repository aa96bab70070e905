import type { BlockId } from '../../crypto/digests.js';

/** A few ids of a chain by which somebody else finds where the common part ends: sparse in the past, dense at the end. */

/** The own part, from which ids are chosen, and what a peer has listed beyond it. */
export interface SynopsisRange {
  /** 0: the chain is empty. */
  readonly high: number;
  readonly low: number;
  /** Number of the first listed block. */
  readonly pendingFirst: number;
  readonly pendingCount: number;
}

export interface SynopsisNumbers {
  readonly own: readonly number[];
  /** Positions in the list of pending ids. */
  readonly pending: readonly number[];
}

/** Half of what is left is passed over each time. */
const step = (from: number, top: number): number => Math.floor((top - from + 2) / 2);

export function synopsisNumbers({ high, low, pendingFirst, pendingCount }: SynopsisRange): SynopsisNumbers {
  const own: number[] = [];
  if (high > 0) {
    const top = high + pendingCount;
    for (let l = Math.max(low, 1); ; l += step(l, top)) {
      own.push(l);
      if (l + step(l, top) > high) break;
    }
  }
  const pending: number[] = [];
  if (pendingCount > 0) {
    const top = pendingFirst + pendingCount - 1;
    for (let l = own[0] ?? 1; l <= top; l += step(l, top)) if (l >= pendingFirst) pending.push(l - pendingFirst);
  }
  return { own, pending };
}

export interface BlockIdsReply {
  readonly ids: BlockId[];
  readonly remaining: number;
}

/** Consecutive ids of the chain from `start` on, so many at most. */
export function replyFrom(
  start: number,
  head: number,
  max: number,
  blockIdOf: (number: number) => BlockId | undefined,
): BlockIdsReply {
  const ids: BlockId[] = [];
  let number = start;
  for (; number <= head && ids.length < max; number++) {
    const id = blockIdOf(number);
    if (id === undefined) break;
    ids.push(id);
  }
  return { ids, remaining: ids.length === 0 ? 0 : head - (number - 1) };
}
