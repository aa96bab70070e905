import type { Clock } from '../base/world.js';

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Keys whose rate is remembered. The fullest buckets are forgotten first: they lose nothing. */
const KEYS_MAX = 50_000;

export interface Rate {
  /** On average; 0: no limit. */
  readonly perSecond: number;
  /** At once. */
  readonly burst: number;
}

/** How much each of many may ask for: addresses, accounts, whatever has a name. */
export class RateBuckets {
  readonly #rate: Rate;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** Takes what is asked for; false, and nothing taken, when there is not so much. */
  take(key: string, tokens = 1): boolean {
    const { perSecond, burst } = this.#rate;
    if (perSecond === 0) return true;
    const now = this.#clock.monotonicMs();
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      if (this.#buckets.size >= KEYS_MAX) this.#forgetFull(now);
      bucket = { tokens: burst, atMs: now };
      this.#buckets.set(key, bucket);
    }
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.atMs) * perSecond) / 1000);
    bucket.atMs = now;
    if (bucket.tokens < tokens) return false;
    bucket.tokens -= tokens;
    return true;
  }

  #forgetFull(now: number): void {
    const { perSecond, burst } = this.#rate;
    for (const [key, { tokens, atMs }] of this.#buckets) {
      if (tokens + ((now - atMs) * perSecond) / 1000 >= burst) this.#buckets.delete(key);
    }
    // A flood from many keys at once: start over rather than grow.
    if (this.#buckets.size >= KEYS_MAX) this.#buckets.clear();
  }
}
