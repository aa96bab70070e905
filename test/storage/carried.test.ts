import { crc32 } from 'node:zlib';
import t from 'tap';
import { CARRIED_FROM, CARRIED_TO } from '../../src/storage/buckets.js';
import { readCarried, writeCarried } from '../../src/storage/carried.js';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import type { KeyValue, KeyValueStore } from '../../src/storage/kv.js';
import { MemoryKv } from '../../src/storage/memory-kv.js';
import { refused, refusedLater } from '../support/refused.js';

/** What a snapshot carries for a follower: more than one piece of it, whole, and named when something is missing. */

const PLACE = { number: 7, id: '07'.repeat(20) };
const VALUE_BYTES = 30_000;
/** Three pieces of 64 KiB and more. */
const COUNT = 7;

const given: KeyValue[] = Array.from({ length: COUNT }, (_, i) => [
  Uint8Array.of(1, i),
  new Uint8Array(VALUE_BYTES).fill(i),
]);

async function* oneByOne(): AsyncGenerator<readonly KeyValue[]> {
  for (const entry of given) yield [entry];
}

async function written(): Promise<MemoryKv> {
  const kv = new MemoryKv();
  await writeCarried(kv, 'history', PLACE, { about: { format: 3, options: 'x' }, entries: oneByOne() });
  return kv;
}

async function read(kv: KeyValueStore, name = 'history', place = PLACE): Promise<KeyValue[] | undefined> {
  const carried = readCarried(kv, name, place);
  if (carried === undefined) return undefined;
  const all: KeyValue[] = [];
  for await (const some of carried.entries) all.push(...some);
  return all;
}

async function keysOf(kv: KeyValueStore): Promise<Uint8Array[]> {
  const keys: Uint8Array[] = [];
  for await (const some of kv.walk(CARRIED_FROM, CARRIED_TO)) keys.push(...some.map(([key]) => key.slice()));
  return keys;
}

t.test('all of it comes back, in order', async (t) => {
  const kv = await written();
  t.equal((await keysOf(kv)).length, 4, 'a head and three pieces');
  t.same(readCarried(kv, 'history', PLACE)?.about, { format: 3, options: 'x' });
  const found = await read(kv);
  t.equal(found?.length, COUNT);
  for (const [i, [key, value]] of (found ?? []).entries()) {
    t.same([...key], [1, i]);
    t.ok(value.length === VALUE_BYTES && value.every((byte) => byte === i), `value ${i}`);
  }
  t.equal(await read(kv, 'other'), undefined, 'nothing is carried for another one');
  t.equal(await read(kv, 'history', { ...PLACE, number: 8 }), undefined, 'nor as of another block');
  t.equal(await read(kv, 'history', { ...PLACE, id: '08'.repeat(20) }), undefined, 'of the same number neither');
});

t.test('a head of a newer format is not read', async (t) => {
  const kv = await written();
  const [head] = (await keysOf(kv)) as [Uint8Array];
  const content = Buffer.from(kv.get(head)?.subarray(4) ?? []);
  const newer = Buffer.from(content.toString('utf8').replace('"format":1', '"format":2'));
  const value = Buffer.alloc(4 + newer.length);
  value.writeUInt32BE(crc32(newer, crc32(head)));
  value.set(newer, 4);
  await kv.write([{ key: head, value }]);
  refused(t, STORAGE_ERRORS.storage_newer_version, () => readCarried(kv, 'history', PLACE), {
    data: { found: 2, known: 1 },
  });
});

t.test('a piece that is missing, or that of another place, is named', async (t) => {
  const [, first, second] = (await keysOf(await written())) as [Uint8Array, Uint8Array, Uint8Array];
  const without = await written();
  await without.write([{ key: second, value: undefined }]);
  await refusedLater(t, STORAGE_ERRORS.object_store_corrupt, read(without), 'missing');
  const moved = await written();
  const value = moved.get(first)?.slice();
  if (value === undefined) throw new Error('the first piece is there');
  await moved.write([{ key: second, value }]);
  await refusedLater(t, STORAGE_ERRORS.object_store_corrupt, read(moved), 'twice the same');
});
