import { forgetOldest } from '../../base/forget-oldest.js';

/** Hashes and when they came, oldest first: what one side has announced lately. */
export class HashLog {
  readonly #times = new Map<string, number>();

  get size(): number {
    return this.#times.size;
  }

  has(hash: string): boolean {
    return this.#times.has(hash);
  }

  /** One that is there already becomes young again. */
  add(hash: string, nowMs: number): void {
    this.#times.delete(hash);
    this.#times.set(hash, nowMs);
  }

  delete(hash: string): void {
    this.#times.delete(hash);
  }

  dropBefore(ms: number): void {
    for (const [hash, at] of this.#times) {
      if (at >= ms) return;
      this.#times.delete(hash);
    }
  }

  /** At most so many: where there are more, the oldest go. */
  keep(count: number): void {
    forgetOldest(this.#times, count);
  }

  keys(): IterableIterator<string> {
    return this.#times.keys();
  }
}
