/** The first `count` elements of the sorted list, for a small count; no list of all others is made. */
export class Smallest<T> {
  readonly #count: number;
  readonly #compare: (a: T, b: T) => number;
  readonly #sorted: T[] = [];

  constructor(count: number, compare: (a: T, b: T) => number) {
    this.#count = count;
    this.#compare = compare;
  }

  put(value: T): void {
    const sorted = this.#sorted;
    const last = sorted[this.#count - 1];
    if (this.#count === 0 || (last !== undefined && this.#compare(last, value) <= 0)) return;
    let [from, to] = [0, sorted.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.#compare(sorted[middle] as T, value) > 0) to = middle;
      else from = middle + 1;
    }
    sorted.splice(from, 0, value);
    if (sorted.length > this.#count) sorted.pop();
  }

  values(): T[] {
    return this.#sorted;
  }
}
