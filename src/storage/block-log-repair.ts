import { ChainError, fail } from '../base/errors.js';
import {
  blockIsIntact,
  checkFileHeader,
  FILE_HEADER_BYTES,
  fileHeader,
  INDEX_ENTRY_BYTES,
  type IndexEntry,
  numberOfId,
  RECORD_HEADER_BYTES,
  RECORD_MARKER,
  type RecordHeader,
  readIndexEntry,
  readRecordHeader,
  writeIndexEntry,
} from './block-record.js';
import type { OpenFile } from './files.js';
import type { LogKind } from './log-kind.js';

/** Where the log ends: the blocks `first .. first + count - 1`, the file's used bytes, the last block's id. */
export interface Tail {
  readonly first: number;
  readonly count: number;
  readonly end: number;
  readonly id: string;
}

/** What opening found besides an intact log. */
export interface BlockLogRepair {
  /** An unfinished record was cut from the end of the log. */
  readonly cut?: { readonly offset: number; readonly bytes: number; readonly number: number; readonly reason: string };
  /** Entries of the index that were written again. */
  readonly indexed: number;
}

/** Last entries of the index that may be wrong before it is built anew. */
const TRUSTED_BACK_MAX = 8;
const SEARCH_BYTES = 1024 * 1024;
const INDEX_WRITE_ENTRIES = 16_384;

/**
 * Finds the last block that index and log agree on, walks the log from there, and makes both end with the last intact
 * record. What follows the last intact record is cut when it is an unfinished write, that is when no intact record
 * follows it; otherwise it is damage and refused.
 */
export function repairIndex(
  log: OpenFile,
  index: OpenFile,
  kind: LogKind,
  chainId: string,
): { readonly tail: Tail; readonly repair: BlockLogRepair } {
  const logSize = log.size();
  const known = trustedTail(log, logSize, index, kind, chainId);
  if (known.count === 0) {
    index.truncate(0);
    index.write(fileHeader(kind.indexMagic, chainId, kind.format), 0);
  }
  const writer = new EntryWriter(index, known.count);
  let tail = known;
  for (;;) {
    const found = recordAt(log, tail.end, logSize);
    if (found === undefined) break;
    const { number, id, length } = found;
    if (tail.count > 0 && number !== tail.first + tail.count) {
      damaged(kind, log, tail.first + tail.count, tail.end, `it is followed by block ${number}`);
    }
    writer.add({ position: tail.end, length, id });
    const end = tail.end + RECORD_HEADER_BYTES + length;
    tail = { first: tail.count === 0 ? number : tail.first, count: tail.count + 1, end, id };
  }
  writer.finish(tail.count);
  const indexed = tail.count - known.count;
  if (tail.end === logSize) return { tail, repair: { indexed } };
  const cut = unfinishedTail(kind, log, tail, logSize);
  log.truncate(tail.end);
  return { tail, repair: { indexed, cut } };
}

/** Reads and compares one whole record; undefined when there is none that is intact. */
function recordAt(log: OpenFile, position: number, size: number): RecordHeader | undefined {
  const bytes = Buffer.allocUnsafe(RECORD_HEADER_BYTES);
  if (position + RECORD_HEADER_BYTES > size || log.read(bytes, position) < bytes.length) return undefined;
  const header = readRecordHeader(bytes, 0);
  if (header === undefined || position + RECORD_HEADER_BYTES + header.length > size) return undefined;
  const block = Buffer.allocUnsafe(header.length);
  log.read(block, position + RECORD_HEADER_BYTES);
  return blockIsIntact(header, block) ? header : undefined;
}

/** The tail by the last entry of the index whose record is intact; empty when the index is of no use. */
function trustedTail(log: OpenFile, logSize: number, index: OpenFile, kind: LogKind, chainId: string): Tail {
  const none: Tail = { first: 0, count: 0, end: FILE_HEADER_BYTES, id: '' };
  const header = Buffer.alloc(FILE_HEADER_BYTES);
  if (index.read(header, 0) < FILE_HEADER_BYTES) return none;
  try {
    checkFileHeader(header, kind, 'index', chainId, index.path);
  } catch (error) {
    // The index of another chain or version beside a log of ours: worthless, like a damaged one.
    if (error instanceof ChainError) return none;
    throw error;
  }
  const entryAt = (i: number): { entry: IndexEntry; number: number } | undefined => {
    const bytes = Buffer.allocUnsafe(INDEX_ENTRY_BYTES);
    if (index.read(bytes, FILE_HEADER_BYTES + i * INDEX_ENTRY_BYTES) < bytes.length) return undefined;
    const number = numberOfId(bytes.toString('hex', 12, 16));
    const entry = readIndexEntry(bytes, 0, number);
    return entry === undefined ? undefined : { entry, number };
  };
  const first = entryAt(0)?.number;
  if (first === undefined) return none;
  const written = Math.floor((index.size() - FILE_HEADER_BYTES) / INDEX_ENTRY_BYTES);
  let count = written;
  let wrong = 0;
  while (count > 0 && wrong < TRUSTED_BACK_MAX) {
    const found = entryAt(count - 1);
    const end = found === undefined ? 0 : found.entry.position + RECORD_HEADER_BYTES + found.entry.length;
    if (found !== undefined && end > logSize && found.number === first + count - 1) {
      // The log is shorter than the index: go on below its end.
      count = firstBeyond(entryAt, count, logSize);
      continue;
    }
    const record = found === undefined ? undefined : recordAt(log, found.entry.position, logSize);
    if (found !== undefined && record?.id === found.entry.id && found.number === first + count - 1) {
      return { first, count, end, id: found.entry.id };
    }
    count--;
    wrong++;
  }
  return none;
}

/** Number of entries whose records lie within the log. */
function firstBeyond(
  entryAt: (i: number) => { entry: IndexEntry } | undefined,
  count: number,
  logSize: number,
): number {
  let [low, high] = [0, count - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = entryAt(middle)?.entry;
    if (entry !== undefined && entry.position + RECORD_HEADER_BYTES + entry.length <= logSize) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Describes what is cut. Refuses when an intact record lies behind it: then it is not the end of the log. */
function unfinishedTail(kind: LogKind, log: OpenFile, tail: Tail, logSize: number): NonNullable<BlockLogRepair['cut']> {
  const bytes = Buffer.allocUnsafe(RECORD_HEADER_BYTES);
  const header = log.read(bytes, tail.end) === bytes.length ? readRecordHeader(bytes, 0) : undefined;
  const number = header?.number ?? (tail.count === 0 ? 1 : tail.first + tail.count);
  const complete = header !== undefined && tail.end + RECORD_HEADER_BYTES + header.length <= logSize;
  const reason = complete
    ? 'its checksum differs'
    : header === undefined
      ? 'its header does not hold together'
      : 'it ends too early';
  if (hasRecordBehind(log, tail.end + 1, logSize, number)) damaged(kind, log, number, tail.end, reason);
  return { offset: tail.end, bytes: logSize - tail.end, number, reason };
}

/** Looks for an intact record of a later block anywhere behind the damage. */
function hasRecordBehind(log: OpenFile, from: number, size: number, number: number): boolean {
  const overlap = RECORD_HEADER_BYTES - 1;
  const buffer = Buffer.allocUnsafe(SEARCH_BYTES);
  for (let position = from; position < size; position += SEARCH_BYTES - overlap) {
    const count = log.read(buffer.subarray(0, Math.min(SEARCH_BYTES, size - position)), position);
    const piece = buffer.subarray(0, count);
    for (let at = piece.indexOf(RECORD_MARKER); at >= 0; at = piece.indexOf(RECORD_MARKER, at + 1)) {
      const header = readRecordHeader(piece, at);
      if (header === undefined || header.number < number) continue;
      if (recordAt(log, position + at, size) !== undefined) return true;
    }
    if (count < SEARCH_BYTES) return false;
  }
  return false;
}

function damaged(kind: LogKind, log: OpenFile, number: number, offset: number, reason: string): never {
  fail(kind.errors.corrupt, { path: log.path, number, offset, reason });
}

/** Writes entries in large pieces behind the trusted ones. */
class EntryWriter {
  readonly #index: OpenFile;
  #written: number;
  #buffer: Buffer = Buffer.alloc(0);
  #filled = 0;

  constructor(index: OpenFile, written: number) {
    this.#index = index;
    this.#written = written;
  }

  add(entry: IndexEntry): void {
    if (this.#buffer.length === 0) this.#buffer = Buffer.allocUnsafe(INDEX_WRITE_ENTRIES * INDEX_ENTRY_BYTES);
    writeIndexEntry(this.#buffer, this.#filled * INDEX_ENTRY_BYTES, entry);
    if (++this.#filled === INDEX_WRITE_ENTRIES) this.#flush();
  }

  /** Cuts what a longer index held. */
  finish(count: number): void {
    this.#flush();
    this.#index.truncate(FILE_HEADER_BYTES + count * INDEX_ENTRY_BYTES);
  }

  #flush(): void {
    const bytes = this.#buffer.subarray(0, this.#filled * INDEX_ENTRY_BYTES);
    this.#index.write(bytes, FILE_HEADER_BYTES + this.#written * INDEX_ENTRY_BYTES);
    this.#written += this.#filled;
    this.#filled = 0;
  }
}
