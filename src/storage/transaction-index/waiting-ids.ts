import { fromHexInto } from '../../base/bytes.js';
import {
  compareIds,
  ENTRY_BYTES,
  ENTRY_WORDS,
  type EntrySource,
  ID_BYTES,
  type PageBlock,
  placeAt,
  type TransactionPlace,
} from './id-page.js';

/** An entry's place in the list, in the low bits of what is sorted, below as much of its id as has room. */
const PLACES = 2 ** 24;
const HEAD_SHIFT = 3;
const FEWEST = 1024;

/** Entries that are not written yet, in the order of the chain. In bytes: texts, and a map of them, would be garbage by the million. */
export class WaitingIds {
  #bytes = new Uint8Array(FEWEST * ENTRY_BYTES);
  #view = new DataView(this.#bytes.buffer);
  /** The first 4 bytes of each, for whoever looks for one. */
  #heads = new Int32Array(FEWEST);
  #count = 0;

  push(block: number, ids: readonly string[]): void {
    this.#makeRoom(this.#count + ids.length);
    for (let position = 0; position < ids.length; position++) {
      const at = this.#count * ENTRY_BYTES;
      fromHexInto(ids[position] as string, this.#bytes, at);
      this.#view.setUint32(at + ID_BYTES, block);
      this.#view.setUint32(at + ID_BYTES + 4, position);
      this.#heads[this.#count++] = this.#view.getInt32(at);
    }
  }

  #makeRoom(count: number): void {
    if (count <= this.#heads.length) return;
    const room = Math.max(count, 2 * this.#heads.length);
    const [bytes, heads] = [this.#bytes, this.#heads];
    this.#bytes = new Uint8Array(room * ENTRY_BYTES);
    this.#bytes.set(bytes);
    this.#view = new DataView(this.#bytes.buffer);
    this.#heads = new Int32Array(room);
    this.#heads.set(heads);
  }

  /** Without the newest ones. */
  pop(count: number): void {
    this.#count -= count;
  }

  /** Without the oldest ones. */
  shift(count: number): void {
    this.#bytes.copyWithin(0, count * ENTRY_BYTES, this.#count * ENTRY_BYTES);
    this.#heads.copyWithin(0, count, this.#count);
    this.#count -= count;
  }

  /** What stands behind the newest entry with that id. */
  find(id: Uint8Array): TransactionPlace | undefined {
    const head = new DataView(id.buffer, id.byteOffset).getInt32(0);
    const heads = this.#heads.subarray(0, this.#count);
    for (let i = heads.lastIndexOf(head); i >= 0; i = i === 0 ? -1 : heads.lastIndexOf(head, i - 1)) {
      const at = i * ENTRY_BYTES;
      if (compareIds(this.#bytes, at, id, 0) === 0) return placeAt(this.#bytes, at);
    }
    return undefined;
  }

  /** The oldest ones, at most 2^24. Nothing that comes or goes behind them changes what the source has. */
  sorted(count: number): EntrySource {
    return new SortedIds(this.#bytes, count);
  }
}

class SortedIds implements EntrySource {
  readonly #bytes: Uint8Array;
  readonly #words: Int32Array;
  /** Places, in the order of the ids; those with the same id as they came. */
  readonly #order: Int32Array;
  #next = 0;

  constructor(bytes: Uint8Array, count: number) {
    this.#bytes = bytes;
    this.#words = new Int32Array(bytes.buffer);
    const view = new DataView(bytes.buffer);
    // The engine sorts numbers that need no function to compare them by itself.
    const keys = new Float64Array(count);
    for (let i = 0; i < count; i++) keys[i] = (view.getUint32(i * ENTRY_BYTES) >>> HEAD_SHIFT) * PLACES + i;
    keys.sort();
    this.#order = new Int32Array(count);
    for (let i = 0; i < count; i++) this.#order[i] = (keys[i] as number) % PLACES;
    for (let i = 1; i < count; i++) this.#settle(i);
  }

  /** Those before are in order but for ids that begin alike. */
  #settle(i: number): void {
    for (let at = i; at > 0 && this.#compare(at - 1, at) > 0; at--) {
      const place = this.#order[at] as number;
      this.#order[at] = this.#order[at - 1] as number;
      this.#order[at - 1] = place;
    }
  }

  #compare(a: number, b: number): number {
    const [atA, atB] = [this.#order[a] as number, this.#order[b] as number];
    return compareIds(this.#bytes, atA * ENTRY_BYTES, this.#bytes, atB * ENTRY_BYTES);
  }

  fill(pages: PageBlock): boolean {
    const { length } = this.#order;
    for (; this.#next < length && !pages.isFull; this.#next++) {
      const isLast = this.#next === length - 1 || this.#compare(this.#next, this.#next + 1) !== 0;
      // Of two with the same id the newer one counts.
      if (isLast) pages.add(this.#words, (this.#order[this.#next] as number) * ENTRY_WORDS);
    }
    return this.#next < length;
  }
}
