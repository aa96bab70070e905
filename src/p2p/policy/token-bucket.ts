/** So much per second on average, and a burst from time to time. */
export class TokenBucket {
  readonly #perMs: number;
  readonly #burst: number;
  #tokens: number;
  #atMs: number;

  constructor(perSecond: number, burst: number, nowMs: number) {
    this.#perMs = perSecond / 1000;
    this.#burst = burst;
    this.#tokens = burst;
    this.#atMs = nowMs;
  }

  /** False where there is not enough left; then nothing is taken. */
  take(count: number, nowMs: number): boolean {
    this.#tokens = Math.min(this.#burst, this.#tokens + Math.max(0, nowMs - this.#atMs) * this.#perMs);
    this.#atMs = nowMs;
    if (count > this.#tokens) return false;
    this.#tokens -= count;
    return true;
  }
}
