import { crc32 } from 'node:zlib';
import { fromHex, toHex } from '../base/bytes.js';
import { check, fail } from '../base/errors.js';
import { STORAGE_ERRORS } from './errors.js';
import type { LogKind } from './log-kind.js';

/**
 * Format 1 of the block log, and of the operation journal with other names (log-kind.ts). Both files start with the same 48 bytes: magic (8), format (u32), checksum of this header
 * with zeros in its place (u32), chain id (32). Integers are little-endian, checksums are CRC-32.
 *
 * `blocks`, per block: marker `TNBR` (4), length of the block (u32), number (u32), id (20), checksum of the block
 * (u32), checksum of the 36 bytes before it (u32), then the packed signed block.
 * `index`, per block from the first one on: position of the record (u64), length of the block (u32), id (20), checksum
 * of the 32 bytes before it (u32). The index holds nothing that the log does not; it is rebuilt when
 * it is lost.
 */
export const FILE_HEADER_BYTES = 48;
export const RECORD_HEADER_BYTES = 40;
export const INDEX_ENTRY_BYTES = 36;
/**
 * What contracts write into memos and send to each other stands in no transaction, so that nothing but the time of its calls
 * bounds what one block did. A record is as long as a system reads and writes at once; a larger length is damage.
 */
export const RECORDED_BYTES_MAX = 2 ** 31 - 1 - RECORD_HEADER_BYTES;

export const RECORD_MARKER: Uint8Array = Buffer.from('TNBR', 'latin1');
const MARKER = Buffer.from(RECORD_MARKER).readUInt32LE();

export function fileHeader(magic: string, chainId: string, format: number): Uint8Array {
  const bytes = Buffer.alloc(FILE_HEADER_BYTES);
  bytes.write(magic, 0, 'latin1');
  bytes.writeUInt32LE(format, 8);
  bytes.set(fromHex(chainId), 16);
  bytes.writeUInt32LE(crc32(bytes), 12);
  return bytes;
}

/** Refuses a file of another kind, chain or future. */
export function checkFileHeader(
  bytes: Uint8Array,
  kind: LogKind,
  file: 'log' | 'index',
  chainId: string,
  path: string,
): void {
  const header = Buffer.from(bytes);
  const [magic, name] = file === 'log' ? [kind.magic, kind.name] : [kind.indexMagic, kind.indexName];
  check(header.toString('latin1', 0, 8) === magic, STORAGE_ERRORS.storage_not_ours, { path, kind: name });
  const format = header.readUInt32LE(8);
  const stored = header.readUInt32LE(12);
  header.writeUInt32LE(0, 12);
  const intact = crc32(header) === stored;
  if (intact && format > kind.format) {
    fail(STORAGE_ERRORS.storage_newer_version, { path, found: format, known: kind.format });
  }
  if (!intact || format !== kind.format) {
    fail(kind.errors.corrupt, { path, number: 0, offset: 0, reason: 'the header of the file is changed' });
  }
  const found = toHex(header.subarray(16, 48));
  check(found === chainId, STORAGE_ERRORS.storage_other_chain, { path, found, wanted: chainId });
}

/** As it stands there; whether it holds together is for `checkFileHeader` to say. */
export function chainOfHeader(bytes: Uint8Array): string {
  return toHex(bytes.subarray(16, FILE_HEADER_BYTES));
}

export interface RecordHeader {
  readonly length: number;
  readonly number: number;
  readonly id: string;
  readonly blockChecksum: number;
}

/** A block's number stands in the first four bytes of its id. */
export function numberOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8), 16);
}

/** Writes header and block to `out` at `at`. */
export function writeRecord(out: Buffer, at: number, id: string, block: Uint8Array): void {
  out.set(RECORD_MARKER, at);
  out.writeUInt32LE(block.length, at + 4);
  out.writeUInt32LE(numberOfId(id), at + 8);
  out.write(id, at + 12, 'hex');
  out.writeUInt32LE(crc32(block), at + 32);
  out.writeUInt32LE(crc32(out.subarray(at, at + 36)), at + 36);
  out.set(block, at + RECORD_HEADER_BYTES);
}

/** Undefined when the bytes are no record header. */
export function readRecordHeader(bytes: Buffer, at: number): RecordHeader | undefined {
  if (bytes.length < at + RECORD_HEADER_BYTES) return undefined;
  if (bytes.readUInt32LE(at) !== MARKER) return undefined;
  if (crc32(bytes.subarray(at, at + 36)) !== bytes.readUInt32LE(at + 36)) return undefined;
  const length = bytes.readUInt32LE(at + 4);
  const number = bytes.readUInt32LE(at + 8);
  if (length > RECORDED_BYTES_MAX || number !== bytes.readUInt32BE(at + 12)) return undefined;
  const id = bytes.toString('hex', at + 12, at + 32);
  return { length, number, id, blockChecksum: bytes.readUInt32LE(at + 32) };
}

export function blockIsIntact(header: RecordHeader, block: Uint8Array): boolean {
  return crc32(block) === header.blockChecksum;
}

const WORD = 2 ** 32;

export interface IndexEntry {
  readonly position: number;
  readonly length: number;
  readonly id: string;
}

export function writeIndexEntry(out: Buffer, at: number, entry: IndexEntry): void {
  out.writeUInt32LE(entry.position % WORD, at);
  out.writeUInt32LE(Math.floor(entry.position / WORD), at + 4);
  out.writeUInt32LE(entry.length, at + 8);
  out.write(entry.id, at + 12, 'hex');
  out.writeUInt32LE(crc32(out.subarray(at, at + 32)), at + 32);
}

/** Undefined when the entry is damaged or another block's. */
export function readIndexEntry(bytes: Buffer, at: number, number: number): IndexEntry | undefined {
  if (crc32(bytes.subarray(at, at + 32)) !== bytes.readUInt32LE(at + 32)) return undefined;
  const entry = {
    position: bytes.readUInt32LE(at + 4) * WORD + bytes.readUInt32LE(at),
    length: bytes.readUInt32LE(at + 8),
    id: bytes.toString('hex', at + 12, at + 32),
  };
  return numberOfId(entry.id) === number ? entry : undefined;
}
