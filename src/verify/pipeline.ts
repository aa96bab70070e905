export interface LookAhead {
  /** Blocks whose signatures are being recovered while an earlier one is applied. */
  readonly blocks: number;
  /** Transactions of these blocks together. */
  readonly transactions: number;
  /** Their bytes together. */
  readonly bytes: number;
}

/** What of one block counts. */
export type BlockLoad = Omit<LookAhead, 'blocks'>;

/**
 * Enough for all threads while the main thread applies what has come back to it, and collects garbage: with a third of it
 * they were idle for a tenth of the time.
 */
export const LOOK_AHEAD: LookAhead = { blocks: 768, transactions: 6144, bytes: 32 * 1024 * 1024 };

/** However large they are, so that the threads have the next one while the first is applied. */
const ALWAYS = 2;

/** What has been given to the threads and has not been applied. */
export class Ahead {
  readonly #limit: LookAhead;
  #blocks = 0;
  #transactions = 0;
  #bytes = 0;

  constructor(limit: LookAhead) {
    this.#limit = limit;
  }

  get blocks(): number {
    return this.#blocks;
  }

  /** Time for more: the threads get many small blocks at once, not each by itself. */
  get isHalfUsed(): boolean {
    const { blocks, transactions, bytes } = this.#limit;
    return (
      this.#blocks < ALWAYS ||
      (this.#blocks <= blocks / 2 && this.#transactions <= transactions / 2 && this.#bytes <= bytes / 2)
    );
  }

  get hasRoom(): boolean {
    const { blocks, transactions, bytes } = this.#limit;
    return this.#blocks < ALWAYS || (this.#blocks < blocks && this.#transactions < transactions && this.#bytes < bytes);
  }

  add({ transactions, bytes }: BlockLoad): void {
    this.#blocks++;
    this.#transactions += transactions;
    this.#bytes += bytes;
  }

  remove({ transactions, bytes }: BlockLoad): void {
    this.#blocks--;
    this.#transactions -= transactions;
    this.#bytes -= bytes;
  }
}

/**
 * Yields blocks in their order while the work on the next ones is under way: the threads recover signatures as the
 * caller applies a block. The queue is bounded, so a fast source waits for a slow chain. An error of one block comes
 * out at its turn.
 */
export async function* aheadOf<B, V>(
  blocks: AsyncIterable<B> | Iterable<B>,
  work: (block: B) => Promise<V>,
  loadOf: (block: B) => BlockLoad,
  limit: LookAhead,
): AsyncGenerator<V> {
  const queue: { readonly result: Promise<V>; readonly load: BlockLoad }[] = [];
  const ahead = new Ahead(limit);
  const source = Symbol.asyncIterator in blocks ? blocks[Symbol.asyncIterator]() : blocks[Symbol.iterator]();
  let isDone = false;
  let failure: { readonly error: unknown } | undefined;
  try {
    for (;;) {
      const isTime = ahead.isHalfUsed;
      while (isTime && !isDone && ahead.hasRoom) {
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
        const load = loadOf(next.value);
        queue.push({ result, load });
        ahead.add(load);
      }
      const first = queue.shift();
      if (first === undefined) break;
      ahead.remove(first.load);
      yield await first.result;
    }
    if (failure !== undefined) throw failure.error;
  } finally {
    if (!isDone) await source.return?.();
  }
}
