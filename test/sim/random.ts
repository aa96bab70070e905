/** A stream of numbers that one seed decides. Everything in a simulation that is left to chance comes from here. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let value = this.#state;
    value = Math.imul(value ^ (value >>> 15), value | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  }

  /** 0 to count - 1. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** Both ends included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    const item = list[this.below(list.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  shuffle<T>(list: readonly T[]): T[] {
    const out = [...list];
    for (let i = out.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [out[i], out[j]] = [out[j] as T, out[i] as T];
    }
    return out;
  }

  /** By weight. */
  pickWeighted<T extends { readonly weight: number }>(list: readonly T[]): T {
    const total = list.reduce((sum, { weight }) => sum + weight, 0);
    let rest = this.next() * total;
    for (const item of list) {
      rest -= item.weight;
      if (rest < 0) return item;
    }
    return list[list.length - 1] as T;
  }

  /** An independent stream: what one part draws does not shift what another one gets. */
  fork(): SeededRandom {
    return new SeededRandom(this.below(2 ** 32));
  }
}
