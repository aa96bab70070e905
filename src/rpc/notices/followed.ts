import { forgetOldest } from '../../base/forget-oldest.js';

/**
 * What clients follow, in sets of keys, with a limit for each and one for all together: a connection can have several
 * sets, and anybody can have many connections. Above the limit for all those forget their oldest that have the most, so
 * that a client with an ordinary number keeps its own whatever others ask for.
 */
export class FollowedKeys {
  readonly #max: number;
  readonly #sets = new Set<Followed<unknown>>();
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get count(): number {
    return this.#count;
  }

  /** A set that follows at most so many. */
  open<K>(max: number): Followed<K> {
    const set: Followed<K> = new Followed<K>(max, (more) => {
      this.#count += more;
      if (set.size === 0) this.#sets.delete(set as Followed<unknown>);
      else this.#sets.add(set as Followed<unknown>);
      if (more > 0 && this.#count > this.#max) this.#makeRoom();
    });
    return set;
  }

  /** Down to three quarters, so that it is not done again for the next one. */
  #makeRoom(): void {
    const most = levelOf(
      [...this.#sets].map(({ size }) => size),
      Math.ceil(this.#max * KEPT),
    );
    for (const set of [...this.#sets]) set.cutTo(most);
  }
}

const KEPT = 0.75;

/** The size down to which the larger ones are cut, so that all together are as many as `room`. */
function levelOf(sizes: readonly number[], room: number): number {
  const sorted = [...sizes].sort((a, b) => a - b);
  let left = room;
  for (const [i, size] of sorted.entries()) {
    const share = left / (sorted.length - i);
    if (size > share) return Math.floor(share);
    left -= size;
  }
  return room;
}

export class Followed<K> {
  readonly #max: number;
  readonly #keys = new Set<K>();
  readonly #changed: (more: number) => void;

  constructor(max: number, changed: (more: number) => void) {
    this.#max = max;
    this.#changed = changed;
  }

  get size(): number {
    return this.#keys.size;
  }

  has(key: K): boolean {
    return this.#keys.has(key);
  }

  /** Who follows more and more forgets what came first, and keeps what came last. */
  add(key: K): void {
    const before = this.size;
    this.#keys.add(key);
    forgetOldest(this.#keys, this.#max);
    if (this.size !== before) this.#changed(this.size - before);
  }

  cutTo(count: number): void {
    const before = this.size;
    for (const key of this.#keys) {
      if (this.size <= count) break;
      this.#keys.delete(key);
    }
    if (this.size !== before) this.#changed(this.size - before);
  }

  [Symbol.iterator](): Iterator<K> {
    return this.#keys.values();
  }

  end(): void {
    this.cutTo(0);
  }
}
