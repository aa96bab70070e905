import { crc32 } from 'node:zlib';
import { getBigEndian } from '../../base/big-endian.js';

/**
 * Entries of the transaction index: 20 bytes of a transaction's id, 4 bytes of its block's number and 4 of its position
 * there, big-endian. 146 of them, sorted, are a page; behind them are their number (u32) and a CRC-32 of all before it.
 */
export const ID_BYTES = 20;
export const ENTRY_BYTES = 28;
export const ENTRY_WORDS = ENTRY_BYTES / 4;
export const PAGE_BYTES = 4096;
export const PAGE_ENTRIES = Math.floor((PAGE_BYTES - 8) / ENTRY_BYTES);
export const PAGE_WORDS = PAGE_BYTES / 4;
const COUNT_AT = PAGE_BYTES - 8;
const CHECKSUM_AT = PAGE_BYTES - 4;

export interface TransactionPlace {
  readonly block: number;
  /** Of the transaction in its block, from 0. */
  readonly position: number;
}

/** Of the entry that begins at `at`. */
export function placeAt(bytes: Uint8Array, at: number): TransactionPlace {
  return { block: getBigEndian(bytes, at + ID_BYTES, 4), position: getBigEndian(bytes, at + ID_BYTES + 4, 4) };
}

/** Pages that are read and written together while runs are merged. */
const BLOCK_PAGES = 64;

/** The first 6 bytes of an id: ids are hashes, so hardly two of them have the same. */
export const headOf = (bytes: Uint8Array, at: number): number => getBigEndian(bytes, at, 6);

export function compareIds(a: Uint8Array, atA: number, b: Uint8Array, atB: number): number {
  for (let i = 0; i < ID_BYTES; i++) {
    const difference = (a[atA + i] as number) - (b[atB + i] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

export function sealPage(bytes: Uint8Array, at: number, count: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, PAGE_BYTES);
  view.setUint32(COUNT_AT, count);
  view.setUint32(CHECKSUM_AT, crc32(bytes.subarray(at, at + CHECKSUM_AT)));
}

/** How many entries it has; undefined for one that is damaged. */
export function entriesOfPage(bytes: Uint8Array, at: number): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, PAGE_BYTES);
  if (view.getUint32(CHECKSUM_AT) !== crc32(bytes.subarray(at, at + CHECKSUM_AT))) return undefined;
  return view.getUint32(COUNT_AT);
}

/** Some pages one behind the other, on their way to or from a file. */
export class PageBlock {
  readonly bytes = new Uint8Array(BLOCK_PAGES * PAGE_BYTES);
  /** The same memory, for whoever copies entries. */
  readonly words = new Int32Array(this.bytes.buffer);
  #page = 0;
  #inPage = 0;

  get isFull(): boolean {
    return this.#page === BLOCK_PAGES;
  }

  /** One more entry, which begins at the word `at` of others. */
  add(words: Int32Array, at: number): void {
    const to = this.#page * PAGE_WORDS + this.#inPage * ENTRY_WORDS;
    for (let i = 0; i < ENTRY_WORDS; i++) this.words[to + i] = words[at + i] as number;
    if (++this.#inPage === PAGE_ENTRIES) this.#seal();
  }

  #seal(): void {
    sealPage(this.bytes, this.#page * PAGE_BYTES, this.#inPage);
    this.#page++;
    this.#inPage = 0;
  }

  /** All that was added, in whole pages, and how many entries that are; room for others afterwards. */
  take(): { readonly bytes: Uint8Array; readonly entries: number } {
    const entries = this.#page * PAGE_ENTRIES + this.#inPage;
    if (this.#inPage > 0) {
      this.bytes.fill(0, this.#page * PAGE_BYTES + this.#inPage * ENTRY_BYTES, (this.#page + 1) * PAGE_BYTES);
      this.#seal();
    }
    const bytes = this.bytes.subarray(0, this.#page * PAGE_BYTES);
    this.#page = 0;
    return { bytes, entries };
  }
}

/** Entries in the order of their ids, no id twice. */
export interface EntrySource {
  /** Adds entries until the block is full or none is left; says whether some are. */
  fill(pages: PageBlock): boolean | Promise<boolean>;
}
