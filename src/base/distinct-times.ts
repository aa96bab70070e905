/**
 * Times as names of things: whatever is made at one moment of the clock gets one each, the next ones that are free. A
 * clock that is behind the newest of them by `span` or more was set back, and is believed.
 */
export class DistinctTimes {
  readonly #span: number;
  #newest = Number.NEGATIVE_INFINITY;

  constructor(span: number) {
    this.#span = span;
  }

  take(now: number): number {
    const isTaken = now <= this.#newest && this.#newest - now < this.#span;
    this.#newest = isTaken ? this.#newest + 1 : now;
    return this.#newest;
  }
}
