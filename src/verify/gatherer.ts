import { ITEMS_PER_GRAB, SharedBatch } from './shared-batch.js';
import { RecoveredKeys, type SignatureBatch } from './verify.js';

/** Items per thread with which none of them is idle before the main thread hears that a batch is done. */
const ITEMS_AHEAD = 4 * ITEMS_PER_GRAB;
/** Gathered items that the threads get whatever they have: the main thread may be busy with blocks for long. */
const GATHERED_MAX = 512;

interface Caller {
  readonly batch: SignatureBatch;
  readonly count: number;
  readonly resolve: (keys: RecoveredKeys) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches of several callers become one while the threads have enough to do: a message to a thread costs the main thread
 * about as much as a recovery, and a small block holds eight of them. Who comes to idle threads waits for nobody.
 */
export class Gatherer {
  readonly #work: (shared: SharedBatch) => Promise<void>;
  readonly #enough: number;
  #callers: Caller[] = [];
  /** Items of these callers. */
  #gathered = 0;
  /** Items that the threads have. */
  #underWay = 0;

  constructor(workers: number, work: (shared: SharedBatch) => Promise<void>) {
    this.#enough = workers * ITEMS_AHEAD;
    this.#work = work;
  }

  recover(batch: SignatureBatch, count: number): Promise<RecoveredKeys> {
    return new Promise((resolve, reject) => {
      this.#callers.push({ batch, count, resolve, reject });
      this.#gathered += count;
      if (this.#underWay < this.#enough || this.#gathered >= GATHERED_MAX) void this.#handOver();
    });
  }

  async #handOver(): Promise<void> {
    const [callers, count] = [this.#callers, this.#gathered];
    this.#callers = [];
    this.#gathered = 0;
    this.#underWay += count;
    const shared = SharedBatch.of(callers, count);
    try {
      await this.#work(shared);
      answer(callers, shared);
    } catch (error) {
      for (const { reject } of callers) reject(error);
    } finally {
      this.#underWay -= count;
      if (this.#callers.length > 0 && this.#underWay < this.#enough) void this.#handOver();
    }
  }
}

function answer(callers: readonly Caller[], shared: SharedBatch): void {
  let from = 0;
  for (const { count, resolve } of callers) {
    resolve(new RecoveredKeys(shared, from, count));
    from += count;
  }
}
