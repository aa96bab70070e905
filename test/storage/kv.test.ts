import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { pageKey, readPageKey } from '../../src/storage/buckets.js';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import type { KeyValueStore } from '../../src/storage/kv.js';
import { LevelKv } from '../../src/storage/level-kv.js';
import { MemoryKv } from '../../src/storage/memory-kv.js';
import { refusedLater } from '../support/refused.js';

/** One suite for every store: the rest of the node must not be able to tell them apart. */

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const FIRST = bytes();
const LAST = bytes(0xff, 0xff, 0xff);

async function entries(kv: KeyValueStore, from = FIRST, to = LAST): Promise<[number[], number[]][]> {
  const out: [number[], number[]][] = [];
  for await (const piece of kv.walk(from, to)) for (const [key, value] of piece) out.push([[...key], [...value]]);
  return out;
}

function conformance(name: string, open: (t: Test) => Promise<KeyValueStore>): void {
  t.test(`${name}: reads what was written, in byte order`, async (t) => {
    const kv = await open(t);
    t.equal(kv.get(bytes(1)), undefined);
    t.strictSame(await entries(kv), []);
    await kv.write([
      { key: bytes(2), value: bytes(20) },
      { key: bytes(0xf0), value: bytes(0) },
      { key: bytes(1, 0), value: bytes(10) },
      { key: bytes(1), value: bytes(1) },
      { key: bytes(1, 0xff), value: bytes(9, 9) },
    ]);
    t.strictSame([...(kv.get(bytes(1, 0)) ?? [])], [10]);
    const isEmpty = /no value is empty/;
    await t.rejects(kv.write([{ key: bytes(4), value: bytes() }]), isEmpty, 'a library loses memory for each such one');
    const batch = kv.batch();
    t.throws(() => batch.add({ key: bytes(4), value: bytes() }), isEmpty);
    await batch.close();
    t.equal(kv.get(bytes(3)), undefined);
    const expected = [
      [[1], [1]],
      [[1, 0], [10]],
      [
        [1, 0xff],
        [9, 9],
      ],
      [[2], [20]],
      [[0xf0], [0]],
    ];
    t.strictSame(await entries(kv), expected);
    t.strictSame(await entries(kv, bytes(1, 0), bytes(2)), expected.slice(1, 3), 'from is in, to is not');
    await kv.close();
  });

  t.test(`${name}: what is held stays as it was`, async (t) => {
    const kv = await open(t);
    await kv.write([{ key: bytes(1), value: bytes(1) }]);
    const held = kv.hold();
    await kv.write([
      { key: bytes(1), value: undefined },
      { key: bytes(2), value: bytes(2) },
    ]);
    t.strictSame([...(held.get(bytes(1)) ?? [])], [1]);
    t.equal(held.get(bytes(2)), undefined);
    t.strictSame(
      (await held.newest(FIRST, LAST, 5)).map(([key]) => [...key]),
      [[1]],
    );
    await held.release();
    t.equal(kv.get(bytes(1)), undefined);
    t.strictSame([...(kv.get(bytes(2)) ?? [])], [2]);
    await kv.close();
  });

  t.test(`${name}: a batch changes, adds and removes`, async (t) => {
    const kv = await open(t);
    await kv.write([
      { key: bytes(1), value: bytes(1) },
      { key: bytes(2), value: bytes(2) },
    ]);
    await kv.write([
      { key: bytes(1), value: undefined },
      { key: bytes(2), value: bytes(22) },
      { key: bytes(3), value: bytes(3) },
      { key: bytes(4), value: undefined },
    ]);
    t.strictSame(await entries(kv), [
      [[2], [22]],
      [[3], [3]],
    ]);
    t.equal(kv.get(bytes(1)), undefined);
    await kv.write([]);
    await kv.close();
  });

  t.test(`${name}: keeps nothing of the caller's memory`, async (t) => {
    const kv = await open(t);
    const [key, value] = [bytes(5), bytes(50)];
    await kv.write([{ key, value }]);
    key[0] = 6;
    value[0] = 60;
    t.strictSame(await entries(kv), [[[5], [50]]]);
    await kv.close();
  });

  t.test(`${name}: thousands of entries come in order and in pieces`, async (t) => {
    const kv = await open(t);
    const count = 3000;
    const batch = Array.from({ length: count }, (_, i) => ({
      key: bytes(((i * 7919) % count) >> 8, ((i * 7919) % count) & 0xff),
      value: bytes(i & 0xff),
    }));
    await kv.write(batch);
    const found = await entries(kv);
    t.equal(found.length, count);
    const numbers = found.map(([[high = 0, low = 0]]) => high * 256 + low);
    t.ok(numbers.every((number, i) => number === i));
    for await (const piece of kv.walk(FIRST, LAST)) {
      t.ok(piece.length > 0 && piece.length < count, 'whoever stops early closes the walk');
      break;
    }
    await kv.close();
  });
}

function folder(t: Test): string {
  const path = mkdtempSync(join(tmpdir(), 'trustnode-kv-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

conformance('memory', async () => new MemoryKv());
conformance('LevelDB', (t) => LevelKv.open(folder(t)));

t.test('LevelDB: what was written is there after reopening', async (t) => {
  const path = folder(t);
  let kv = await LevelKv.open(path);
  await kv.write([{ key: bytes(1), value: bytes(1, 2, 3) }]);
  await kv.close();
  kv = await LevelKv.open(path);
  t.strictSame([...(kv.get(bytes(1)) ?? [])], [1, 2, 3]);
  await refusedLater(t, STORAGE_ERRORS.storage_in_use, LevelKv.open(path), 'a second one in the same folder');
  await kv.close();
});

t.test('keys of pages sort by type and number', (t) => {
  const keys = [
    pageKey(1, 2, 0),
    pageKey(1, 2, 255),
    pageKey(1, 2, 256),
    pageKey(1, 2, 2 ** 42),
    pageKey(1, 3, 0),
    pageKey(2, 0, 1),
  ];
  const sorted = [...keys].sort(Buffer.compare);
  t.strictSame(sorted, keys);
  t.strictSame(readPageKey(pageKey(2, 7, 2 ** 42 + 5)), { space: 2, type: 7, page: 2 ** 42 + 5 });
  t.end();
});
