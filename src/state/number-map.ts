import { invariant } from '../base/errors.js';

const INITIAL_SLOTS = 16;
const HIGH = 2 ** 21;
const ID_END = 2 ** 32;

/**
 * A map from numbers to instances for unique indexes. The built-in map boxes numbers above 2^31, and such keys cost it
 * four times as much per look-up at a million entries (431 ns against 100 ns): every transfer looks up balances by keys
 * of 53 bits.
 *
 * Open addressing with linear probing; at most half of the slots are taken. Key and instance of a slot lie side by
 * side, so that a look-up in a large map waits for memory once, and the garbage collector finds no pointers to follow.
 * Order of the slots is never visible.
 */
export class NumberMap {
  /** Two numbers per slot, a key and room for an instance. A NaN key marks a free slot. */
  private keys = new Float64Array(0);
  /** The same memory: the instance of slot n is number 4n + 2. */
  private ids = new Uint32Array(0);
  private mask = 0;
  private count = 0;
  /** Of no meaning: what nobody keeps, the engine would not look at. */
  protected looked = 0;

  constructor() {
    this.allocate(INITIAL_SLOTS);
  }

  get size(): number {
    return this.count;
  }

  private home(key: number): number {
    const high = Math.floor(key / HIGH);
    const hash = Math.imul(high, 0x9e3779b1) ^ Math.imul(key - high * HIGH, 0x85ebca6b);
    return (hash ^ (hash >>> 15)) & this.mask;
  }

  /** -1 when there is none. */
  get(key: number): number {
    const { keys, mask } = this;
    let slot = this.home(key);
    for (;;) {
      const found = keys[2 * slot] as number;
      if (found === key) return this.ids[4 * slot + 2] as number;
      if (Number.isNaN(found)) return -1;
      slot = (slot + 1) & mask;
    }
  }

  /**
   * The instances of the first `count` keys that are there, one after the other into `into`; says how many. Their home slots are
   * looked at before anything is decided by them, so that memory is waited for once and not for each key.
   */
  getAll(wanted: readonly number[], count: number, into: number[]): number {
    const { keys } = this;
    let free = 0;
    for (let i = 0; i < count; i++) free += keys[2 * this.home(wanted[i] as number)] as number;
    this.looked = free;
    let found = 0;
    for (let i = 0; i < count; i++) {
      const id = this.get(wanted[i] as number);
      if (id >= 0) into[found++] = id;
    }
    return found;
  }

  set(key: number, id: number): void {
    invariant(id < ID_END, 'an indexed object has an instance below 2^32');
    if ((this.count + 1) * 2 > this.mask + 1) this.grow(2 * (this.mask + 1));
    let slot = this.home(key);
    for (;;) {
      const found = this.keys[2 * slot] as number;
      if (found === key) break;
      if (Number.isNaN(found)) {
        this.keys[2 * slot] = key;
        this.count++;
        break;
      }
      slot = (slot + 1) & this.mask;
    }
    this.ids[4 * slot + 2] = id;
  }

  delete(key: number): void {
    const { keys, ids, mask } = this;
    let free = this.home(key);
    for (;;) {
      const found = keys[2 * free] as number;
      if (found === key) break;
      if (Number.isNaN(found)) return;
      free = (free + 1) & mask;
    }
    this.count--;
    // Entries behind the gap move up, unless that put them before their home slot: no search may end too early.
    let slot = free;
    for (;;) {
      slot = (slot + 1) & mask;
      const moved = keys[2 * slot] as number;
      if (Number.isNaN(moved)) break;
      const distance = (slot - this.home(moved)) & mask;
      if (distance < ((slot - free) & mask)) continue;
      keys[2 * free] = moved;
      ids[4 * free + 2] = ids[4 * slot + 2] as number;
      free = slot;
    }
    keys[2 * free] = Number.NaN;
  }

  clear(): void {
    this.allocate(INITIAL_SLOTS);
  }

  /** Room for so many from now on: a map that is filled from empty to a million is laid out anew sixteen times. */
  reserve(count: number): void {
    let slots = this.mask + 1;
    while (slots < 2 * count) slots *= 2;
    if (slots > this.mask + 1) this.grow(slots);
  }

  private allocate(slots: number): void {
    this.keys = new Float64Array(2 * slots).fill(Number.NaN);
    this.ids = new Uint32Array(this.keys.buffer);
    this.mask = slots - 1;
    this.count = 0;
  }

  private grow(slots: number): void {
    const { keys, ids } = this;
    this.allocate(slots);
    for (let slot = 0; 2 * slot < keys.length; slot++) {
      const key = keys[2 * slot] as number;
      if (!Number.isNaN(key)) this.set(key, ids[4 * slot + 2] as number);
    }
  }
}
