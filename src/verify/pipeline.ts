export interface LookAhead {
  /** Blocks whose signatures are being recovered while an earlier one is applied. */
  readonly blocks: number;
  /** Transactions of these blocks together. */
  readonly transactions: number;
}

/** Half of what was ahead is used before more is begun: the threads get many small blocks at once, not each by itself. */
export const isHalfUsed = (limit: LookAhead, { blocks, transactions }: LookAhead): boolean =>
  blocks <= limit.blocks / 2 && transactions <= limit.transactions / 2;

/** One block is always begun, however large it is. */
export const hasRoom = (limit: LookAhead, { blocks, transactions }: LookAhead): boolean =>
  blocks < limit.blocks && (blocks === 0 || transactions < limit.transactions);

/** Enough for all threads while the main thread collects garbage; what waits here is copied by each collection. */
export const LOOK_AHEAD: LookAhead = { blocks: 256, transactions: 2048 };

/**
 * Yields blocks in their order while the work on the next ones is under way: the threads recover signatures as the
 * caller applies a block. The queue is bounded, so a fast source waits for a slow chain. An error of one block comes
 * out at its turn. `countOf`: how many transactions one has.
 */
export async function* aheadOf<B, V>(
  blocks: AsyncIterable<B> | Iterable<B>,
  work: (block: B) => Promise<V>,
  countOf: (block: B) => number,
  limit: LookAhead,
): AsyncGenerator<V> {
  const queue: { readonly result: Promise<V>; readonly transactions: number }[] = [];
  let transactions = 0;
  const source = Symbol.asyncIterator in blocks ? blocks[Symbol.asyncIterator]() : blocks[Symbol.iterator]();
  let isDone = false;
  let failure: { readonly error: unknown } | undefined;
  try {
    for (;;) {
      const isTime = isHalfUsed(limit, { blocks: queue.length, transactions });
      while (isTime && !isDone && hasRoom(limit, { blocks: queue.length, transactions })) {
        let next: IteratorResult<B>;
        try {
          next = await source.next();
        } catch (error) {
          // The blocks read before it are still good.
          failure = { error };
          isDone = true;
          break;
        }
        if (next.done === true) {
          isDone = true;
          break;
        }
        const result = work(next.value);
        // It is awaited below; until then a refusal must not count as nobody's.
        result.catch(() => undefined);
        const count = countOf(next.value);
        queue.push({ result, transactions: count });
        transactions += count;
      }
      const first = queue.shift();
      if (first === undefined) break;
      transactions -= first.transactions;
      yield await first.result;
    }
    if (failure !== undefined) throw failure.error;
  } finally {
    if (!isDone) await source.return?.();
  }
}
