import type { Clock } from '../base/world.js';
import { inlineVerifier } from './inline.js';
import { type PoolOptions, PoolVerifier } from './pool.js';
import { countBatch, type RecoveredKeys, type SignatureBatch, type SignatureVerifier } from './verify.js';

/** So many signatures within so long are checked where they are asked for: half a millisecond of each second. */
const ALONE_MAX = 16;
const ALONE_MS = 1000;

/**
 * Threads that begin with the first work worth them, and stay: each takes 20 MB, and a node on which nothing happens
 * checks one signature per block.
 */
export class RestingPool implements SignatureVerifier {
  readonly workers: number;
  readonly backend: string;
  readonly #options: PoolOptions;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #alone: SignatureVerifier;
  #pool: PoolVerifier | undefined;
  #sinceMs = Number.NEGATIVE_INFINITY;
  #count = 0;
  #isClosed = false;

  constructor(options: PoolOptions, clock: Pick<Clock, 'monotonicMs'>) {
    this.#options = options;
    this.#clock = clock;
    this.#alone = inlineVerifier(options.choice);
    this.workers = options.workers;
    this.backend = this.#alone.backend;
  }

  get isAwake(): boolean {
    return this.#pool !== undefined;
  }

  get waiting(): number {
    return this.#pool?.waiting ?? 0;
  }

  async recover(batch: SignatureBatch): Promise<RecoveredKeys> {
    return this.#verifierFor(countBatch(batch)).recover(batch);
  }

  #verifierFor(count: number): SignatureVerifier {
    // What comes too late is refused by whoever is closed.
    if (this.#pool !== undefined || this.#isClosed) return this.#pool ?? this.#alone;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#sinceMs >= ALONE_MS) {
      this.#sinceMs = nowMs;
      this.#count = 0;
    }
    this.#count += count;
    if (this.#count > ALONE_MAX) this.#pool = new PoolVerifier(this.#options);
    return this.#pool ?? this.#alone;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#alone.close();
    await this.#pool?.close();
  }
}
