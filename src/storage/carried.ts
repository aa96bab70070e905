import { crc32 } from 'node:zlib';
import { fail } from '../base/errors.js';
import { CARRIED_FROM, CARRIED_TO } from './buckets.js';
import { STORAGE_ERRORS } from './errors.js';
import type { CarriedEntries, KeyValue, KeyValueStore } from './kv.js';

/**
 * What a snapshot carries for followers of the chain, beside the objects: format 1. Of each follower a head, under the
 * bucket's byte, the length of its name, its name and 0: a checksum, then JSON; and pieces, under the same with 1 instead
 * of 0 and a number (4 bytes): a checksum over key and content, then entries as length of key, length of value (2 bytes
 * each), key, value. All integers are big-endian. The head is written last and knows how many pieces and entries there
 * are, so that what is missing is found.
 */
const FORMAT = 1;

interface Head {
  readonly format: number;
  /** The block that the entries are as of. */
  readonly number: number;
  readonly id: string;
  readonly about: CarriedEntries['about'];
  readonly pieces: number;
  readonly entries: number;
}

interface Place {
  readonly number: number;
  readonly id: string;
}

const HEAD = 0;
const PIECE = 1;
const CHECKSUM_BYTES = 4;
const LENGTHS_BYTES = 4;
const PIECE_BYTES = 64 << 10;

const encoder = new TextEncoder();

function keyOf(name: string, kind: typeof HEAD | typeof PIECE, piece?: number): Uint8Array {
  const text = encoder.encode(name);
  const key = Buffer.alloc(CARRIED_FROM.length + 1 + text.length + 1 + (piece === undefined ? 0 : 4));
  key.set(CARRIED_FROM);
  let at = CARRIED_FROM.length;
  key[at++] = text.length;
  key.set(text, at);
  at += text.length;
  key[at++] = kind;
  if (piece !== undefined) key.writeUInt32BE(piece, at);
  return new Uint8Array(key.buffer, key.byteOffset, key.length);
}

function sealed(key: Uint8Array, content: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(CHECKSUM_BYTES + content.length);
  bytes.writeUInt32BE(crc32(content, crc32(key)));
  bytes.set(content, CHECKSUM_BYTES);
  return bytes;
}

function damaged(kv: KeyValueStore, name: string, reason: string): never {
  fail(STORAGE_ERRORS.object_store_corrupt, { path: kv.path, what: `what the snapshot carries for ${name}`, reason });
}

/** Undefined where there is nothing under the key. */
function opened(kv: KeyValueStore, name: string, key: Uint8Array): Buffer | undefined {
  const value = kv.get(key);
  if (value === undefined) return undefined;
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
  const content = bytes.subarray(CHECKSUM_BYTES);
  const isIntact = bytes.length >= CHECKSUM_BYTES && bytes.readUInt32BE(0) === crc32(content, crc32(key));
  return isIntact ? content : damaged(kv, name, 'its checksum differs');
}

/** Begins to read the entries before it returns: they are as they are now. */
export async function writeCarried(
  kv: KeyValueStore,
  name: string,
  { number, id }: Place,
  { about, entries }: CarriedEntries,
): Promise<void> {
  let [pieces, count, bytes] = [0, 0, 0];
  let parts: Uint8Array[] = [];
  const writePiece = async (): Promise<void> => {
    const key = keyOf(name, PIECE, pieces++);
    await kv.write([{ key, value: sealed(key, Buffer.concat(parts)) }]);
    [parts, bytes] = [[], 0];
  };
  for await (const some of entries) {
    for (const [key, value] of some) {
      const lengths = Buffer.alloc(LENGTHS_BYTES);
      lengths.writeUInt16BE(key.length, 0);
      lengths.writeUInt16BE(value.length, LENGTHS_BYTES / 2);
      parts.push(lengths, key, value);
      bytes += LENGTHS_BYTES + key.length + value.length;
      count++;
    }
    if (bytes >= PIECE_BYTES) await writePiece();
  }
  if (bytes > 0) await writePiece();
  const head: Head = { format: FORMAT, number, id, about, pieces, entries: count };
  const key = keyOf(name, HEAD);
  await kv.write([{ key, value: sealed(key, encoder.encode(JSON.stringify(head))) }]);
}

/** What is carried for this follower as of this block; undefined where nothing is, or of another block. */
export function readCarried(kv: KeyValueStore, name: string, place: Place): CarriedEntries | undefined {
  const head = readHead(kv, name);
  if (head?.number !== place.number || head.id !== place.id) return undefined;
  return { about: head.about, entries: entriesOf(kv, name, head) };
}

function readHead(kv: KeyValueStore, name: string): Head | undefined {
  const content = opened(kv, name, keyOf(name, HEAD));
  if (content === undefined) return undefined;
  const head = JSON.parse(content.toString('utf8')) as Head;
  if (head.format <= FORMAT) return head;
  return fail(STORAGE_ERRORS.storage_newer_version, { path: kv.path, found: head.format, known: FORMAT });
}

async function* entriesOf(kv: KeyValueStore, name: string, head: Head): AsyncGenerator<readonly KeyValue[]> {
  let count = 0;
  for (let piece = 0; piece < head.pieces; piece++) {
    const content = opened(kv, name, keyOf(name, PIECE, piece));
    if (content === undefined) damaged(kv, name, `piece ${piece} of ${head.pieces} is missing`);
    const some = unpackPiece(content);
    count += some.length;
    yield some;
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (count !== head.entries) damaged(kv, name, `${count} entries found, ${head.entries} stored`);
}

function unpackPiece(content: Buffer): KeyValue[] {
  const entries: KeyValue[] = [];
  for (let at = 0; at < content.length; ) {
    const keyEnd = at + LENGTHS_BYTES + content.readUInt16BE(at);
    const end = keyEnd + content.readUInt16BE(at + LENGTHS_BYTES / 2);
    entries.push([content.subarray(at + LENGTHS_BYTES, keyEnd), content.subarray(keyEnd, end)]);
    at = end;
  }
  return entries;
}

/** Reads all that is carried, for whoever wants to know before it is used; the followers it is carried for. */
export async function checkCarried(kv: KeyValueStore): Promise<string[]> {
  const names = new Set<string>();
  for await (const some of kv.walk(CARRIED_FROM, CARRIED_TO)) {
    for (const [key] of some) {
      const start = CARRIED_FROM.length + 1;
      names.add(new TextDecoder().decode(key.subarray(start, start + (key[CARRIED_FROM.length] ?? 0))));
    }
  }
  for (const name of names) {
    const head = readHead(kv, name);
    if (head === undefined) damaged(kv, name, 'its head is missing');
    for await (const _ of entriesOf(kv, name, head));
  }
  return [...names];
}
