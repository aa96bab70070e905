import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { fromHex, toHex } from '../../base/bytes.js';
import { check, defineErrors, FAMILY, fail } from '../../base/errors.js';
import { CARRIED_TO, META_KEY } from '../../storage/buckets.js';
import { guardedLater } from '../../storage/errors.js';
import type { KeyValueChange, KeyValueStore } from '../../storage/kv.js';

/**
 * Format 1 of a packed snapshot, gzipped: a line of JSON that says what it is, then every record of the snapshot as
 * length of key, length of value, key, value (lengths are 4 bytes, big-endian), then two zero lengths and the SHA-256 of
 * everything before it.
 */
export const SNAPSHOT_FORMAT = 1;

export const SNAPSHOT_FILE_ERRORS = defineErrors(
  {
    snapshot_not_one: { text: '${path} is no packed snapshot of a trustnode' },
    snapshot_newer: { text: '${path} is a snapshot of format ${found}, and this program reads formats up to ${known}' },
    snapshot_damaged: { text: 'the snapshot ${path} is damaged: ${reason}' },
    snapshot_other_chain: { text: 'the snapshot ${path} is of chain ${found}, and wanted is chain ${wanted}' },
    snapshot_other_hash: { text: 'the snapshot ${path} has the state hash ${found}, and given is ${wanted}' },
  },
  'environment',
);

export const SNAPSHOT_ADDRESS_ERRORS = defineErrors({
  snapshot_fetch: { ...FAMILY.invalidArgument, text: '${url} answers with status ${status}' },
});

/** What a packed snapshot says of itself. */
export interface SnapshotHead {
  readonly format: number;
  readonly chain_id: string;
  readonly block: number;
  readonly block_id: string;
  readonly state_hash: string;
  /** The packed block, in hex: the block log of whoever begins with the snapshot begins with it. */
  readonly packed_block: string;
}

const MARK = 'trustnode snapshot ';
const LENGTHS_BYTES = 8;
const HASH_BYTES = 32;
const HEAD_BYTES_MAX = 64 << 20;
const RECORD_BYTES_MAX = 256 << 20;
const BATCH_BYTES = 4 << 20;

/** It is renamed to what it is to be called when it is whole, so it has to be on the medium before. */
const ON_DISK = { flush: true };

/** Everything of the store, with a head that whoever calls knows to be true of it. */
export async function packSnapshot(kv: KeyValueStore, head: SnapshotHead, path: string): Promise<void> {
  const hash = createHash('sha256');
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for await (const piece of records(kv, head)) {
      hash.update(piece);
      yield piece;
    }
    yield hash.digest();
  }
  await guardedLater(path, () => pipeline(Readable.from(bytes()), createGzip(), createWriteStream(path, ON_DISK)));
}

async function* records(kv: KeyValueStore, head: SnapshotHead): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${MARK}${JSON.stringify(head)}\n`);
  for await (const piece of kv.walk(META_KEY, CARRIED_TO)) {
    const parts: Uint8Array[] = [];
    for (const [key, value] of piece) parts.push(lengths(key.length, value.length), key, value);
    yield Buffer.concat(parts);
  }
  yield lengths(0, 0);
}

function lengths(key: number, value: number): Uint8Array {
  const bytes = Buffer.alloc(LENGTHS_BYTES);
  bytes.writeUInt32BE(key, 0);
  bytes.writeUInt32BE(value, LENGTHS_BYTES / 2);
  return bytes;
}

/** Reads exact counts of bytes out of a stream and hashes what has gone by. */
class ByteReader {
  readonly hash = createHash('sha256');
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #path: string;
  #rest: Buffer = Buffer.alloc(0);
  #hasBegun = false;

  constructor(source: AsyncIterable<Uint8Array>, path: string) {
    this.#source = source[Symbol.asyncIterator]();
    this.#path = path;
  }

  async #more(): Promise<void> {
    let next: IteratorResult<Uint8Array>;
    try {
      next = await this.#source.next();
    } catch (error) {
      // Any other file: it does not even begin as one.
      const isOther = !this.#hasBegun && (error as NodeJS.ErrnoException).code === 'Z_DATA_ERROR';
      if (isOther) fail(SNAPSHOT_FILE_ERRORS.snapshot_not_one, { path: this.#path });
      fail(SNAPSHOT_FILE_ERRORS.snapshot_damaged, { path: this.#path, reason: String(error) });
    }
    this.#hasBegun = true;
    if (next.done === true)
      fail(SNAPSHOT_FILE_ERRORS.snapshot_damaged, { path: this.#path, reason: 'it ends too early' });
    this.#rest = Buffer.concat([this.#rest, next.value]);
  }

  async take(count: number): Promise<Buffer> {
    while (this.#rest.length < count) await this.#more();
    const taken = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(count);
    this.hash.update(taken);
    return taken;
  }

  /** Up to the next line feed, without it. */
  async line(bytesMax: number): Promise<string> {
    let end = this.#rest.indexOf(0x0a);
    while (end < 0) {
      if (this.#rest.length > bytesMax) fail(SNAPSHOT_FILE_ERRORS.snapshot_not_one, { path: this.#path });
      await this.#more();
      end = this.#rest.indexOf(0x0a);
    }
    const taken = await this.take(end + 1);
    return taken.toString('utf8', 0, end);
  }
}

function parseHead(line: string, path: string): SnapshotHead {
  check(line.startsWith(MARK), SNAPSHOT_FILE_ERRORS.snapshot_not_one, { path });
  let head: SnapshotHead;
  try {
    head = JSON.parse(line.slice(MARK.length)) as SnapshotHead;
  } catch (error) {
    fail(SNAPSHOT_FILE_ERRORS.snapshot_damaged, { path, reason: String(error) });
  }
  check(head.format <= SNAPSHOT_FORMAT, SNAPSHOT_FILE_ERRORS.snapshot_newer, {
    path,
    found: head.format,
    known: SNAPSHOT_FORMAT,
  });
  return head;
}

/** A file, or what a server sends. */
async function openSource(source: string): Promise<Readable> {
  if (!/^https?:\/\//.test(source)) {
    const stream = createReadStream(source);
    await guardedLater(
      source,
      () => new Promise((resolve, reject) => stream.once('open', resolve).once('error', reject)),
    );
    return stream;
  }
  const answer = await guardedLater(source, () => fetch(source));
  const { body, ok, status } = answer;
  if (!ok || body === null) fail(SNAPSHOT_ADDRESS_ERRORS.snapshot_fetch, { url: source, status });
  return Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
}

/** The line at the beginning. */
export async function readSnapshotHead(path: string): Promise<SnapshotHead> {
  return open(path, async (reader) => parseHead(await reader.line(HEAD_BYTES_MAX), path));
}

async function open<T>(path: string, work: (reader: ByteReader) => Promise<T>): Promise<T> {
  const source = await openSource(path);
  const unzipped = createGunzip();
  // The error comes out of the reader.
  source.on('error', (error) => unzipped.destroy(error));
  source.pipe(unzipped);
  try {
    return await work(new ByteReader(unzipped, path));
  } finally {
    source.destroy();
    unzipped.destroy();
  }
}

/** Into an empty store. What comes out is to be loaded before it is believed. */
export function unpackSnapshot(path: string, kv: KeyValueStore): Promise<SnapshotHead> {
  return open(path, async (reader) => {
    const head = parseHead(await reader.line(HEAD_BYTES_MAX), path);
    let batch: KeyValueChange[] = [];
    let bytes = 0;
    for (;;) {
      const sizes = await reader.take(LENGTHS_BYTES);
      const [key, value] = [sizes.readUInt32BE(0), sizes.readUInt32BE(LENGTHS_BYTES / 2)];
      if (key === 0) break;
      const fits = key + value <= RECORD_BYTES_MAX;
      check(fits, SNAPSHOT_FILE_ERRORS.snapshot_damaged, { path, reason: 'a record without end' });
      const record = Uint8Array.from(await reader.take(key + value));
      batch.push({ key: record.subarray(0, key), value: record.subarray(key) });
      bytes += record.length;
      if (bytes < BATCH_BYTES) continue;
      await kv.write(batch);
      [batch, bytes] = [[], 0];
    }
    if (batch.length > 0) await kv.write(batch);
    const sum = reader.hash.copy().digest();
    const stored = await reader.take(HASH_BYTES);
    check(stored.equals(sum), SNAPSHOT_FILE_ERRORS.snapshot_damaged, { path, reason: 'its sum differs' });
    return head;
  });
}

export const packedBlock = (head: SnapshotHead): Uint8Array => fromHex(head.packed_block);
export const packedBlockText = (bytes: Uint8Array): string => toHex(bytes);
