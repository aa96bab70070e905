import { join } from 'node:path';
import { type CrashPoint, crashIsDue, crashPoint } from '../base/crash-point.js';
import { check, fail, invariant } from '../base/errors.js';
import { type BlockLogRepair, repairIndex, type Tail } from './block-log-repair.js';
import {
  blockIsIntact,
  chainOfHeader,
  checkFileHeader,
  FILE_HEADER_BYTES,
  fileHeader,
  INDEX_ENTRY_BYTES,
  type IndexEntry,
  numberOfId,
  RECORD_HEADER_BYTES,
  RECORDED_BYTES_MAX,
  readIndexEntry,
  readRecordHeader,
  writeIndexEntry,
  writeRecord,
} from './block-record.js';
import type { Files, OpenFile } from './files.js';
import { BLOCKS, type LogKind } from './log-kind.js';

/** Bytes read at once while walking the log; large enough that the calls do not matter. */
const WALK_BYTES = 4 * 1024 * 1024;
/** No more bytes than these are kept back, but for a single record. */
const KEPT_BACK_BYTES = 1024 * 1024;

/**
 * Which records are collected and written together: none; those of blocks that can still be undone, while old blocks stream in,
 * which others have too; or all, where the source still has them.
 */
export type KeptBack = 'nothing' | 'undoable' | 'everything';

interface Waiting {
  readonly id: string;
  /** With its header. */
  readonly record: Buffer;
}

export interface LoggedBlock {
  readonly number: number;
  readonly id: string;
  /** The packed signed block. Only valid until the next step of a walk. */
  readonly bytes: Uint8Array;
}

/**
 * Blocks of the current branch, one record after another, with an index beside them: appended, cut at a fork switch,
 * never changed in between. Everything is synchronous, as the chain that it serves; one append costs two writes, unless
 * records are kept back: those are read from memory, and stay there until a write succeeds. The operation journal is such
 * a log too, with what a block did in place of the block.
 */
export class BlockLog {
  readonly path: string;
  readonly indexPath: string;
  readonly repair: BlockLogRepair;
  readonly #kind: LogKind;
  readonly #log: OpenFile;
  readonly #index: OpenFile;
  #tail: Tail;
  /** The block that was read last on a walk: whoever walks asks for it next. */
  #walkedNumber = 0;
  #walkedId = '';
  #keepsBack: KeptBack = 'nothing';
  /** Those of the last blocks that are not written yet. */
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #isClosed = false;

  constructor(files: Files, folder: string, chainId: string, kind: LogKind = BLOCKS) {
    this.#kind = kind;
    files.makeFolder(folder);
    this.path = join(folder, kind.file);
    this.indexPath = join(folder, kind.indexFile);
    this.#log = files.open(this.path);
    let index: OpenFile | undefined;
    try {
      openHeader(this.#log, kind, chainId);
      index = files.open(this.indexPath);
      const { tail, repair } = repairIndex(this.#log, index, kind, chainId);
      this.#index = index;
      this.#tail = tail;
      this.repair = repair;
    } catch (error) {
      this.#log.close();
      index?.close();
      throw error;
    }
  }

  /** Opens a log of whatever chain, to take blocks out of it; the chain that gets them checks that they are its own. */
  static openAsSource(files: Files, folder: string): BlockLog {
    const log = files.open(join(folder, BLOCKS.file));
    const header = new Uint8Array(FILE_HEADER_BYTES);
    log.read(header, 0);
    log.close();
    return new BlockLog(files, folder, chainOfHeader(header));
  }

  /** Zero when the log is empty. */
  get headNumber(): number {
    return this.#tail.count === 0 ? 0 : this.#tail.first + this.#tail.count - 1;
  }

  get headId(): string {
    return this.#tail.id;
  }

  /** Number of the first block; a log that was started behind a snapshot does not begin with block 1. */
  get firstNumber(): number {
    return this.#tail.first;
  }

  /** Bytes of the log file. */
  get size(): number {
    return this.#tail.end;
  }

  set keepsBack(what: KeptBack) {
    if (what === this.#keepsBack) return;
    if (what === 'nothing') this.writeOut();
    this.#keepsBack = what;
  }

  append(id: string, block: Uint8Array): void {
    const number = numberOfId(id);
    const tail = this.#tail;
    check(tail.count === 0 || number === this.headNumber + 1, this.#kind.errors.order, {
      number,
      head: this.headNumber,
    });
    invariant(block.length <= RECORDED_BYTES_MAX, 'a block fits into a record of the block log');
    crashPoint(this.#kind.crashPoints.beforeAppend);
    const record = Buffer.allocUnsafe(RECORD_HEADER_BYTES + block.length);
    writeRecord(record, 0, id, block);
    if (this.#keepsBack === 'nothing') {
      this.#write([{ id, record }], record, tail);
    } else {
      if (this.#waitingBytes + record.length > KEPT_BACK_BYTES) this.writeOut();
      this.#waiting.push({ id, record });
      this.#waitingBytes += record.length;
    }
    const first = tail.count === 0 ? number : tail.first;
    this.#tail = { first, count: tail.count + 1, end: tail.end + record.length, id };
  }

  /** Blocks up to this one can not be undone any more: from now on others may rely on them. */
  settle(number: number): void {
    if (this.#keepsBack === 'undoable' && number > this.headNumber - this.#waiting.length) this.writeOut();
  }

  /** All that is kept back. What a refused write would have written waits on. */
  writeOut(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0 || this.#isClosed) return;
    const { count, end } = this.#tail;
    const before = { count: count - waiting.length, end: end - this.#waitingBytes };
    const [first] = waiting as [Waiting, ...Waiting[]];
    // A large one is alone, and is not copied.
    const bytes = waiting.length === 1 ? first.record : Buffer.concat(waiting.map(({ record }) => record));
    this.#write(waiting, bytes, before);
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  /** Removes all blocks above `number`. The index goes first: what the log still holds then is found again. */
  cut(number: number): void {
    if (number >= this.headNumber) return;
    this.#walkedNumber = 0;
    this.#dropWaiting(number);
    if (number < this.headNumber) this.#cutFiles(number);
  }

  #dropWaiting(above: number): void {
    const dropped = this.#waiting.splice(Math.max(0, this.#waiting.length - (this.headNumber - above)));
    if (dropped.length === 0) return;
    let bytes = 0;
    for (const { record } of dropped) bytes += record.length;
    this.#waitingBytes -= bytes;
    this.#endAt(this.#tail.count - dropped.length, this.#tail.end - bytes);
  }

  #cutFiles(number: number): void {
    const count = Math.max(0, number - this.#tail.first + 1);
    const last = count === 0 ? undefined : this.#entry(number);
    const end = last === undefined ? FILE_HEADER_BYTES : last.position + RECORD_HEADER_BYTES + last.length;
    this.#index.truncate(FILE_HEADER_BYTES + count * INDEX_ENTRY_BYTES);
    crashPoint(this.#kind.crashPoints.afterIndexCut);
    this.#log.truncate(end);
    crashPoint(this.#kind.crashPoints.afterCut);
    this.#endAt(count, end);
  }

  #endAt(count: number, end: number): void {
    const first = count === 0 ? 0 : this.#tail.first;
    const id = count === 0 ? '' : (this.#waiting.at(-1)?.id ?? this.#entry(first + count - 1).id);
    this.#tail = { first, count, end, id };
  }

  /** The packed block, or undefined when the log does not have it. Damage is refused, never returned. */
  read(number: number): Uint8Array | undefined {
    if (!this.has(number)) return undefined;
    const kept = this.#waitingOf(number);
    if (kept !== undefined) return blockIn(kept.record);
    const entry = this.#entry(number);
    const record = Buffer.allocUnsafe(RECORD_HEADER_BYTES + entry.length);
    const count = this.#log.read(record, entry.position);
    const header = count === record.length ? readRecordHeader(record, 0) : undefined;
    if (header === undefined || header.number !== number || header.id !== entry.id || header.length !== entry.length) {
      this.#damaged(number, entry.position, 'its header does not hold together');
    }
    const block = blockIn(record);
    if (!blockIsIntact(header, block)) this.#damaged(number, entry.position, 'its checksum differs');
    return block;
  }

  has(number: number): boolean {
    const { first, count } = this.#tail;
    return number >= first && number < first + count;
  }

  idOf(number: number): string | undefined {
    if (!this.has(number)) return undefined;
    if (number === this.headNumber) return this.headId;
    if (number === this.#walkedNumber) return this.#walkedId;
    return (this.#waitingOf(number) ?? this.#entry(number)).id;
  }

  /** All blocks from `from` to `to` in order, read in large pieces; every checksum is compared. */
  *walk(from: number, to: number = this.headNumber, pieceBytes = WALK_BYTES): Generator<LoggedBlock> {
    this.writeOut();
    const last = Math.min(to, this.headNumber);
    let number = Math.max(from, this.firstNumber);
    if (number > last || number === 0) return;
    let position = this.#entry(number).position;
    let buffer = Buffer.allocUnsafe(pieceBytes);
    let [at, filled] = [0, 0];
    /** Makes `count` bytes at `at` available. */
    const fill = (count: number): boolean => {
      if (filled - at >= count) return true;
      if (count > buffer.length) {
        const larger = Buffer.allocUnsafe(count);
        buffer.copy(larger, 0, at, filled);
        buffer = larger;
      } else {
        buffer.copy(buffer, 0, at, filled);
      }
      filled -= at;
      at = 0;
      const room = buffer.subarray(filled, Math.min(buffer.length, filled + this.size - (position + filled)));
      filled += this.#log.read(room, position + filled);
      return filled >= count;
    };
    for (; number <= last; number++) {
      const header = fill(RECORD_HEADER_BYTES) ? readRecordHeader(buffer, at) : undefined;
      if (header === undefined || header.number !== number) {
        this.#damaged(number, position, 'its header does not hold together');
      }
      const bytes = RECORD_HEADER_BYTES + header.length;
      if (!fill(bytes)) this.#damaged(number, position, 'it ends too early');
      const block = new Uint8Array(buffer.buffer, buffer.byteOffset + at + RECORD_HEADER_BYTES, header.length);
      if (!blockIsIntact(header, block)) this.#damaged(number, position, 'its checksum differs');
      this.#walkedNumber = number;
      this.#walkedId = header.id;
      yield { number, id: header.id, bytes: block };
      at += bytes;
      position += bytes;
    }
  }

  /** Returns when everything appended so far is on the medium. */
  sync(): void {
    this.writeOut();
    this.#log.sync();
    this.#index.sync();
  }

  /** Settles when everything appended before the call is on the medium; blocks may come and go meanwhile. */
  async syncLater(): Promise<void> {
    this.writeOut();
    await this.#log.syncLater();
    await this.#index.syncLater();
  }

  close(): void {
    if (this.#isClosed) return;
    try {
      this.sync();
    } finally {
      this.abandon();
    }
  }

  /** Closes without writing what is kept back. */
  abandon(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#log.close();
    this.#index.close();
  }

  #entry(number: number): IndexEntry {
    const offset = FILE_HEADER_BYTES + (number - this.#tail.first) * INDEX_ENTRY_BYTES;
    const bytes = Buffer.allocUnsafe(INDEX_ENTRY_BYTES);
    const entry = this.#index.read(bytes, offset) === bytes.length ? readIndexEntry(bytes, 0, number) : undefined;
    if (entry === undefined) fail(this.#kind.errors.indexCorrupt, { path: this.indexPath, number, offset });
    return entry;
  }

  #waitingOf(number: number): Waiting | undefined {
    return this.#waiting[number - (this.headNumber - this.#waiting.length + 1)];
  }

  /** A refused write leaves both files as they were: what was written of it is cut again. `bytes`: all records. */
  #write(records: readonly Waiting[], bytes: Buffer, before: Pick<Tail, 'count' | 'end'>): void {
    const indexEnd = FILE_HEADER_BYTES + before.count * INDEX_ENTRY_BYTES;
    const points = this.#kind.crashPoints;
    const entries = Buffer.allocUnsafe(records.length * INDEX_ENTRY_BYTES);
    let position = before.end;
    for (const [i, { id, record }] of records.entries()) {
      const length = record.length - RECORD_HEADER_BYTES;
      writeIndexEntry(entries, i * INDEX_ENTRY_BYTES, { position, length, id });
      position += record.length;
    }
    try {
      writeWithCrash(this.#log, bytes, before.end, points.halfAppend);
      crashPoint(points.beforeIndex);
      writeWithCrash(this.#index, entries, indexEnd, points.halfIndex);
    } catch (error) {
      this.#index.truncate(indexEnd);
      this.#log.truncate(before.end);
      throw error;
    }
  }

  #damaged(number: number, offset: number, reason: string): never {
    fail(this.#kind.errors.corrupt, { path: this.path, number, offset, reason });
  }
}

const blockIn = (record: Buffer): Uint8Array =>
  new Uint8Array(record.buffer, record.byteOffset + RECORD_HEADER_BYTES, record.length - RECORD_HEADER_BYTES);

/** A new file gets its header; so does one whose creation was cut off, since nothing can follow a part of a header. */
function openHeader(file: OpenFile, kind: LogKind, chainId: string): void {
  const size = file.size();
  const wanted = fileHeader(kind.magic, chainId, kind.format);
  const found = Buffer.alloc(Math.min(size, FILE_HEADER_BYTES));
  file.read(found, 0);
  if (size < FILE_HEADER_BYTES && found.equals(wanted.subarray(0, size))) file.write(wanted, 0);
  else {
    const header = size < FILE_HEADER_BYTES ? Buffer.alloc(FILE_HEADER_BYTES) : found;
    checkFileHeader(header, kind, 'log', chainId, file.path);
  }
}

function writeWithCrash(file: OpenFile, bytes: Buffer, offset: number, point: CrashPoint): void {
  if (!crashIsDue(point)) {
    crashPoint(point);
    file.write(bytes, offset);
    return;
  }
  const half = bytes.length >> 1;
  file.write(bytes.subarray(0, half), offset);
  crashPoint(point);
  file.write(bytes.subarray(half), offset + half);
}
