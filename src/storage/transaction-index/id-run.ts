import * as fs from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { getBigEndian } from '../../base/big-endian.js';
import { fromHex, toHex } from '../../base/bytes.js';
import { check, fail } from '../../base/errors.js';
import { guarded, guardedLater, STORAGE_ERRORS } from '../errors.js';
import { renameLater } from '../files-later.js';
import {
  compareIds,
  ENTRY_BYTES,
  type EntrySource,
  entriesOfPage,
  ID_BYTES,
  PAGE_BYTES,
  PAGE_ENTRIES,
  PageBlock,
  placeAt,
  sealPage,
  type TransactionPlace,
} from './id-page.js';

/**
 * Format 3 of the transaction index; up to 2 it was a LevelDB. A run is a file with the transactions of some blocks in the
 * order of their ids. Its first page: magic (8 bytes), format (u32), level (u32), chain id (32), the first block that the
 * index knows of, the first and the last one of this run (u32 each), the id of the last one (20), the number of entries
 * (u64), all big-endian, and a page's checksum. Then the entries in pages (id-page.ts), then how each page's first id begins
 * (u32 each) and a CRC-32 of these (u32).
 */
const FORMAT = 3;
const MAGIC = 'TNTXRUN\n';
const LEVEL_AT = 12;
const CHAIN_AT = 16;
const BLOCKS_AT = 48;
const LAST_ID_AT = 60;
const ENTRIES_AT = 80;
const HEAD_BYTES = 4;

/** Whoever finds a damaged file removes it. */
const ADVICE = 'Start again: the index is rebuilt from the block log then';

/** Behind the name of a run that is being written. */
export const TEMPORARY = '.tmp';

export interface AboutRun {
  readonly chainId: string;
  /** 0 for what was written at once, one more than theirs for what others were merged into. */
  readonly level: number;
  /** The first block that the index knows of. */
  readonly begin: number;
  readonly first: number;
  readonly last: number;
  readonly lastId: string;
}

function headerOf(about: AboutRun, entries: number): Uint8Array {
  const page = new Uint8Array(PAGE_BYTES);
  const view = new DataView(page.buffer);
  page.set(Buffer.from(MAGIC, 'latin1'));
  view.setUint32(MAGIC.length, FORMAT);
  view.setUint32(LEVEL_AT, about.level);
  page.set(fromHex(about.chainId), CHAIN_AT);
  [about.begin, about.first, about.last].forEach((number, i) => {
    view.setUint32(BLOCKS_AT + 4 * i, number);
  });
  page.set(fromHex(about.lastId), LAST_ID_AT);
  view.setBigUint64(ENTRIES_AT, BigInt(entries));
  sealPage(page, 0, 0);
  return page;
}

function sealedHeads(heads: readonly number[]): Uint8Array {
  const bytes = new Uint8Array((heads.length + 1) * HEAD_BYTES);
  const view = new DataView(bytes.buffer);
  heads.forEach((head, page) => {
    view.setUint32(page * HEAD_BYTES, head);
  });
  view.setUint32(heads.length * HEAD_BYTES, crc32(bytes.subarray(0, -HEAD_BYTES)));
  return bytes;
}

async function writeAll(file: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) done += (await file.write(bytes, done, bytes.length - done, offset + done)).bytesWritten;
}

async function writeTemporary(path: string, about: AboutRun, source: EntrySource): Promise<void> {
  const file = await open(path, 'w');
  try {
    const pages = new PageBlock();
    const heads: number[] = [];
    let [entries, offset, isMore] = [0, PAGE_BYTES, true];
    while (isMore) {
      isMore = await source.fill(pages);
      const taken = pages.take();
      await writeAll(file, taken.bytes, offset);
      for (let at = 0; at < taken.bytes.length; at += PAGE_BYTES) heads.push(getBigEndian(taken.bytes, at, HEAD_BYTES));
      entries += taken.entries;
      offset += taken.bytes.length;
    }
    await writeAll(file, sealedHeads(heads), offset);
    await writeAll(file, headerOf(about, entries), 0);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Appears as a whole or not at all; on the medium when it settles. */
export async function writeRun(path: string, about: AboutRun, source: EntrySource): Promise<void> {
  const temporary = `${path}${TEMPORARY}`;
  try {
    await guardedLater(path, () => writeTemporary(temporary, about, source));
    await renameLater(temporary, path);
  } catch (error) {
    // A full disk gets its room back; what cannot be removed goes with the next start.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

const read = promisify(fs.read);

/** A run on the disk. */
export class IdRun {
  readonly path: string;
  readonly about: AboutRun;
  readonly entries: number;
  readonly pages: number;
  readonly #descriptor: number;
  readonly #page = new Uint8Array(PAGE_BYTES);
  /** How the first id of each page begins: in memory, so that a look reads one page. */
  readonly #heads: Uint32Array;

  constructor(path: string) {
    this.path = path;
    this.#descriptor = guarded(path, () => fs.openSync(path, 'r'));
    try {
      const { about, entries } = this.#readHeader();
      this.about = about;
      this.entries = entries;
      this.pages = Math.ceil(entries / PAGE_ENTRIES);
      this.#heads = this.#readHeads();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  #readHeader(): { readonly about: AboutRun; readonly entries: number } {
    const { path } = this;
    this.#readPage(-1);
    const page = Buffer.from(this.#page.buffer);
    const kind = 'transaction index';
    check(page.toString('latin1', 0, MAGIC.length) === MAGIC, STORAGE_ERRORS.storage_not_ours, { path, kind });
    const found = page.readUInt32BE(MAGIC.length);
    check(found <= FORMAT, STORAGE_ERRORS.storage_newer_version, { path, found, known: FORMAT });
    const block = (i: number): number => page.readUInt32BE(BLOCKS_AT + 4 * i);
    const about = {
      chainId: toHex(page.subarray(CHAIN_AT, BLOCKS_AT)),
      level: page.readUInt32BE(LEVEL_AT),
      begin: block(0),
      first: block(1),
      last: block(2),
      lastId: toHex(page.subarray(LAST_ID_AT, LAST_ID_AT + ID_BYTES)),
    };
    return { about, entries: Number(page.readBigUInt64BE(ENTRIES_AT)) };
  }

  #readHeads(): Uint32Array {
    const end = (1 + this.pages) * PAGE_BYTES;
    const bytes = new Uint8Array((this.pages + 1) * HEAD_BYTES);
    const { size } = guarded(this.path, () => fs.fstatSync(this.#descriptor));
    if (size !== end + bytes.length) this.#damaged('its length is wrong');
    guarded(this.path, () => fs.readSync(this.#descriptor, bytes, 0, bytes.length, end));
    const view = new DataView(bytes.buffer);
    const isWhole = view.getUint32(this.pages * HEAD_BYTES) === crc32(bytes.subarray(0, -HEAD_BYTES));
    if (!isWhole) this.#damaged('its list of pages is not what was written');
    const heads = new Uint32Array(this.pages);
    for (let page = 0; page < this.pages; page++) heads[page] = view.getUint32(page * HEAD_BYTES);
    return heads;
  }

  /** All of it can be read from the block log: with the file gone, the next start does. */
  #damaged(reason: string): never {
    guarded(this.path, () => fs.rmSync(this.path, { force: true }));
    return fail(STORAGE_ERRORS.database_damaged, { path: this.path, reason, advice: ADVICE });
  }

  /** The page that comes after `number` pages of entries; how many it has. */
  #readPage(number: number): number {
    const at = (1 + number) * PAGE_BYTES;
    const length = guarded(this.path, () => fs.readSync(this.#descriptor, this.#page, 0, PAGE_BYTES, at));
    return this.#checked(length === PAGE_BYTES ? entriesOfPage(this.#page, 0) : undefined, number);
  }

  #checked(entries: number | undefined, page: number): number {
    return entries ?? this.#damaged(`page ${page + 1} is not what was written`);
  }

  /** Some pages from `page` on; how many entries they have. Settles when they are read. */
  async readPages(page: number, into: Uint8Array): Promise<number> {
    const count = Math.min(this.pages - page, into.length / PAGE_BYTES);
    let done = 0;
    while (done < count * PAGE_BYTES) {
      const at = (1 + page) * PAGE_BYTES + done;
      const { bytesRead } = await guardedLater(this.path, () =>
        read(this.#descriptor, into, done, count * PAGE_BYTES - done, at),
      );
      // What was in memory before may look as if it were this.
      if (bytesRead === 0) this.#damaged('its length is wrong');
      done += bytesRead;
    }
    let entries = 0;
    for (let i = 0; i < count; i++) entries += this.#checked(entriesOfPage(into, i * PAGE_BYTES), page + i);
    return entries;
  }

  find(id: Uint8Array): TransactionPlace | undefined {
    const head = getBigEndian(id, 0, HEAD_BYTES);
    // It is in the last page that begins with no later id; of pages that begin like it only their ids say which that is.
    let high = this.#pagesBefore(head + 1) - 1;
    if (high < 0) return undefined;
    let low = Math.max(0, this.#pagesBefore(head) - 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      this.#readPage(middle);
      if (compareIds(id, 0, this.#page, 0) < 0) high = middle - 1;
      else low = middle;
    }
    return this.#findInPage(id, this.#readPage(low));
  }

  /** So many pages begin with a lower head. */
  #pagesBefore(head: number): number {
    let [low, high] = [0, this.pages];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#heads[middle] as number) < head) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #findInPage(id: Uint8Array, count: number): TransactionPlace | undefined {
    let [low, high] = [0, count - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const at = middle * ENTRY_BYTES;
      const order = compareIds(id, 0, this.#page, at);
      if (order === 0) return placeAt(this.#page, at);
      if (order < 0) high = middle - 1;
      else low = middle + 1;
    }
    return undefined;
  }

  close(): void {
    guarded(this.path, () => fs.closeSync(this.#descriptor));
  }
}
