import { crc32 } from 'node:zlib';
import { varintBytes } from '../codec/writer.js';

/**
 * Neighbouring objects of a type share one entry of the database: an entry costs as much as ten small objects.
 * A page is a checksum (u32) over key and entries, then the entries in ascending order: place within the page (u8),
 * length (varint), record.
 */
const HEADER_BYTES = 4;

export interface PageEntry {
  readonly place: number;
  /** Undefined when the object is gone. */
  readonly record: Uint8Array | undefined;
}

function checksumOf(key: Uint8Array, page: Uint8Array): number {
  return crc32(page.subarray(HEADER_BYTES), crc32(key));
}

export function storedChecksum(page: Uint8Array): number {
  return page.length < HEADER_BYTES ? 0 : new DataView(page.buffer, page.byteOffset).getUint32(0, true);
}

export function pageIsIntact(key: Uint8Array, page: Uint8Array): boolean {
  return page.length > HEADER_BYTES && checksumOf(key, page) === storedChecksum(page);
}

/** Calls `visit` with the bounds of every record. The page must be intact. */
export function walkPage(page: Uint8Array, visit: (place: number, start: number, end: number) => void): number {
  let at = HEADER_BYTES;
  let count = 0;
  while (at < page.length) {
    const place = page[at++] as number;
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = page[at++] as number;
      length += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    visit(place, at, at + length);
    at += length;
    count++;
  }
  return count;
}

let scratch = new Uint8Array(64 * 1024);

/**
 * The page with `changes` (ascending places) put in; undefined when nothing is left. It is valid until the next call: a
 * flush makes very many, and each of them is copied at once.
 */
export function mergePage(
  key: Uint8Array,
  old: Uint8Array | undefined,
  changes: readonly PageEntry[],
): { page: Uint8Array | undefined; count: number; countBefore: number } {
  const pieces: { place: number; source: Uint8Array; start: number; end: number }[] = [];
  let next = 0;
  let total = HEADER_BYTES;
  const add = (place: number, source: Uint8Array, start: number, end: number): void => {
    pieces.push({ place, source, start, end });
    total += 1 + varintBytes(end - start) + (end - start);
  };
  const addChangesBelow = (place: number): void => {
    for (; next < changes.length && (changes[next] as PageEntry).place < place; next++) {
      const { record, place: own } = changes[next] as PageEntry;
      if (record !== undefined) add(own, record, 0, record.length);
    }
  };
  let countBefore = 0;
  if (old !== undefined) {
    countBefore = walkPage(old, (place, start, end) => {
      addChangesBelow(place);
      if (changes[next]?.place === place) addChangesBelow(place + 1);
      else add(place, old, start, end);
    });
  }
  addChangesBelow(Number.POSITIVE_INFINITY);
  if (pieces.length === 0) return { page: undefined, count: 0, countBefore };
  if (total > scratch.length) scratch = new Uint8Array(total * 2);
  const page = scratch.subarray(0, total);
  let at = HEADER_BYTES;
  for (const { place, source, start, end } of pieces) {
    page[at++] = place;
    let length = end - start;
    for (; length >= 0x80; length = Math.floor(length / 0x80)) page[at++] = (length % 0x80) + 0x80;
    page[at++] = length;
    page.set(source.subarray(start, end), at);
    at += end - start;
  }
  new DataView(page.buffer, page.byteOffset).setUint32(0, checksumOf(key, page), true);
  return { page, count: pieces.length, countBefore };
}
