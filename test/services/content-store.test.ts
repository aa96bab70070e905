import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decode } from '@ipld/dag-pb';
import type { Kysely } from 'kysely';
import { CID } from 'multiformats/cid';
import t, { type Test } from 'tap';
import { concatBytes } from '../../src/base/bytes.js';
import { sha256Hex } from '../../src/crypto/hash.js';
import { systemClock } from '../../src/node/runtime/clock.js';
import { systemRandom } from '../../src/node/runtime/random.js';
import { openDatabase } from '../../src/services/common/database.js';
import { BlockFiles } from '../../src/services/content/block-files.js';
import { carOf } from '../../src/services/content/car.js';
import { CONTENT_ERRORS, ContentStore, type Damage, parseCid } from '../../src/services/content/content-store.js';
import { CONTENT_TABLES, type ContentTables } from '../../src/services/content/tables.js';
import { refusedLater } from '../support/refused.js';
import { emptyDatabaseFor } from './support/databases.js';

/** Contents without a service: ids of public tools, shared blocks, what is damaged, what is nobody's. */

interface Opened {
  readonly store: ContentStore;
  readonly db: Kysely<ContentTables>;
  readonly blocks: string;
}

async function open(t: Test): Promise<Opened> {
  const folder = t.testdir();
  const file = join(folder, 'content.db');
  const db = await openDatabase<ContentTables>((await emptyDatabaseFor(file)) ?? file, [CONTENT_TABLES]);
  t.teardown(() => db.destroy());
  const blocks = join(folder, 'blocks');
  return { store: new ContentStore(blocks, db, systemClock), db, blocks };
}

async function* pieces(bytes: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function all(source: AsyncIterable<Uint8Array> | undefined): Promise<Buffer> {
  const found: Uint8Array[] = [];
  for await (const piece of source ?? []) found.push(piece);
  return Buffer.from(concatBytes(...found));
}

const hashOf = (cid: string): string => Buffer.from(CID.parse(cid).multihash.digest).toString('hex');

const unpin = (db: Kysely<ContentTables>, store: ContentStore, owner: string): Promise<void> =>
  db.transaction().execute((trx) => store.unpin(owner, trx));

const ascii = (text: string): Uint8Array => Buffer.from(text);
const filled = (bytes: number, value: number): Uint8Array => new Uint8Array(bytes).fill(value);
/** Bytes without a pattern, so that no two blocks are equal. */
function noise(bytes: number): Uint8Array {
  const out = new Uint8Array(bytes);
  let state = 1;
  for (let i = 0; i < bytes; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    out[i] = state >>> 24;
  }
  return out;
}

const files = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('/'));

t.test('ids are those of public tools', async (t) => {
  const { store } = await open(t);
  for (const [name, bytes, cid] of [
    ['nothing', new Uint8Array(), 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH'],
    ['a greeting', ascii('Hello GXChain!'), 'QmSJhEQDiAR5FmJE1BgSUfDU6bjNRENbu3LJnFMR64ciyR'],
    ['hello world', ascii('hello world'), 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD'],
    ['with its line', ascii('hello world\n'), 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o'],
    ['two blocks', filled(300_000, 0x61), 'QmYCTciJdFNMNUPCHSNS6dKMmUAqkGQ9tQQeGgbELhQQcn'],
    ['3,000,000 bytes', filled(3_000_000, 7), 'QmXUv2cjKyEGqMN1aQqYueLy75dSH8YdJiHtj72TVUawEH'],
    ['40 blocks', filled(10_485_760, 0), 'QmaJ6kN9fW3TKpVkpf1NuW7cjhHjNp5Jwr3cQuHzsoZWkJ'],
  ] as const) {
    t.same(await store.add(pieces(bytes), name), { cid, bytes: bytes.length }, name);
    t.equal(await store.find(cid), undefined, 'nobody may have it yet');
    await store.release(name);
    const found = await store.find(cid);
    t.equal(sha256Hex(await all(found?.read(0, bytes.length))), sha256Hex(bytes), 'read back');
  }
  const damages: Damage[] = [];
  t.match(await store.verify((damage) => void damages.push(damage)), { contents: 7, unused: 0 });
  t.same(damages, []);
});

t.test('any part of a file of several blocks, by any form of its id', async (t) => {
  const { store, blocks } = await open(t);
  const bytes = noise(600_000);
  const { cid } = await store.add(pieces(bytes, 1000), 'one');
  await store.release('one');
  const found = await store.find(CID.parse(cid).toV1().toString());
  for (const [from, to] of [
    [0, 1],
    [262_143, 262_145],
    [100, 599_999],
    [524_288, 600_000],
    [5, 5],
  ] as const) {
    const part = await all(found?.read(from, to));
    t.equal(Buffer.compare(part, bytes.subarray(from, to)), 0, `${from} to ${to}`);
  }
  const [first] = decode(await store.readBlock(CID.parse(cid))).Links;
  rmSync(join(blocks, hashOf(String(first?.Hash)).slice(0, 2), hashOf(String(first?.Hash))));
  t.equal((await all(found?.read(262_144, 262_145))).length, 1, 'blocks that nobody wants to see are not read');
  for (const text of ['', 'Qm', '../../etc/passwd', `${cid}x`, 'x'.repeat(1000)]) t.equal(parseCid(text), undefined);
  t.ok(parseCid('QmSJhEQDiAR5FmJE1BgSUfDU6bjNRENbu3LJnFMR64ciyR'));
  t.equal(parseCid('QmSJhEQDiAR5FmJEłBgSUfDU6bjNRENbu3LJnFMR64ciyR'), undefined, 'another letter in the place of a 1');
  t.equal(await store.find('QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH'), undefined, 'never stored');
  t.equal(await store.find('bafkqaaa'), undefined, 'of another kind');
});

t.test('a CAR has each block once', async (t) => {
  const { store } = await open(t);
  const { cid } = await store.add(pieces(filled(600_000, 1)), 'one');
  const root = CID.parse(cid);
  const seen: string[] = [];
  for await (const { cid: one, bytes } of store.walk(root)) {
    t.equal(sha256Hex(bytes), Buffer.from(one.multihash.digest).toString('hex'));
    seen.push(one.toString());
  }
  // Two whole chunks are equal, the last one is shorter.
  t.equal(seen.length, 3);
  t.equal(seen[0], cid);
  const car = await all(carOf(root, store.walk(root)));
  t.equal(
    car.subarray(0, 57).toString('hex'),
    `38a265726f6f747381d82a582300${Buffer.from(root.bytes).toString('hex')}6776657273696f6e01`,
  );
});

t.test('who keeps what: shared blocks, releases, the last one who goes', async (t) => {
  const { store, db, blocks } = await open(t);
  const [long, short] = [filled(262_144 + 10, 9), filled(262_144, 9)];
  const first = await store.add(pieces(long), 'first');
  const second = await store.add(pieces(short), 'second');
  await store.add(pieces(short), 'third');
  await store.release('second');
  const shared = Buffer.from(CID.parse(second.cid).multihash.digest).toString('hex');
  t.equal(await store.isReleased(shared), true, 'a block of both is out');
  t.equal(await store.find(first.cid), undefined, 'the other file is not');
  await unpin(db, store, 'second');
  t.equal(await store.find(second.cid), undefined, 'the third keeps it, for nobody to have');
  await store.release('third');
  t.not(await store.find(second.cid), undefined);
  await unpin(db, store, 'third');
  await unpin(db, store, 'nobody');
  t.equal(await store.isReleased(shared), false);
  const before = files(blocks).length;
  t.equal(await store.sweep(1e9), 0, 'what is young may be under way');
  t.equal(await store.sweep(-1000), 0, 'every block is one of the first file');
  await unpin(db, store, 'first');
  t.equal(await store.sweep(-1000), before);
  t.same(files(blocks), []);
  t.match(await store.verify(() => undefined), { contents: 0, blocks: 0 });
});

t.test('damaged and missing blocks are found, never given, and healed by storing again', async (t) => {
  const { store, blocks } = await open(t);
  const bytes = noise(600_000);
  const { cid } = await store.add(pieces(bytes), 'one');
  await store.release('one');
  const root = Buffer.from(CID.parse(cid).multihash.digest).toString('hex');
  const [damaged, missing] = files(blocks).filter((name) => !name.endsWith(root)) as [string, string];
  const whole = readFileSync(join(blocks, damaged));
  writeFileSync(join(blocks, damaged), Buffer.concat([whole.subarray(0, -1), Buffer.of((whole.at(-1) ?? 0) ^ 1)]));
  rmSync(join(blocks, missing));
  const found: string[] = [];
  const { unused } = await store.verify(({ why }) => void found.push(why));
  const name = (path: string): string => path.split('/')[1] as string;
  t.same(found.sort(), [`the block ${name(damaged)} is damaged`, `the block ${name(missing)} is missing`].sort());
  t.equal(unused, 0);
  await t.rejects(all((await store.find(cid))?.read(0, bytes.length)), /is (damaged|missing)$/);
  await store.add(pieces(bytes), 'two');
  const left: Damage[] = [];
  await store.verify((damage) => void left.push(damage));
  t.same(left, [], 'all is well');
});

t.test('a check while others store and take out tells of damage alone', async (t) => {
  const { store, db, blocks } = await open(t);
  const one = await store.add(pieces(noise(100)), 'one');
  const two = await store.add(pieces(noise(200)), 'two');
  const [first, last] = one.cid < two.cid ? [one, two] : [two, one];
  const name = hashOf(first.cid);
  const path = join(blocks, name.slice(0, 2), name);
  const bytes = readFileSync(path);
  // Whoever reads it waits until somebody writes.
  rmSync(path);
  execFileSync('mkfifo', [path]);
  const found: Damage[] = [];
  const checking = store.verify((damage) => void found.push(damage));
  const pipe = await openFile(path, 'w');
  await unpin(db, store, last === two ? 'two' : 'one');
  rmSync(join(blocks, hashOf(last.cid).slice(0, 2), hashOf(last.cid)));
  await store.add(pieces(noise(300_000)), 'three');
  rmSync(path);
  writeFileSync(path, bytes);
  await pipe.writeFile(bytes);
  await pipe.close();
  t.match(await checking, { unused: 0 });
  t.same(found, []);
});

t.test('what could not be synced once is not taken for synced', async (t) => {
  const files = new BlockFiles(join(t.testdir(), 'blocks'));
  const bytes = ascii('one');
  const block = sha256Hex(bytes);
  await files.write(block, bytes);
  await files.sync([block]);
  rmSync(join(files.folder, block.slice(0, 2)), { recursive: true });
  for (const who of ['the one', 'another']) await t.rejects(files.sync([block]), { code: 'ENOENT' }, who);
});

t.test('a folder belongs to one database, wherever that goes', async (t) => {
  const { store, db, blocks } = await open(t);
  const claim = (one: ContentStore) => one.claimFolder(systemRandom);
  await claim(store);
  await claim(store);
  const stranger = await openDatabase<ContentTables>(join(blocks, '..', 'other.db'), [CONTENT_TABLES]);
  t.teardown(() => stranger.destroy());
  const other = new ContentStore(blocks, stranger, systemClock);
  await refusedLater(t, CONTENT_ERRORS.content_other_database, claim(other));
  await claim(new ContentStore(join(blocks, 'own'), stranger, systemClock));
  // As it is moved: all rows, in another database.
  const { id } = await db.selectFrom('content_database').selectAll().executeTakeFirstOrThrow();
  await stranger.updateTable('content_database').set({ id }).execute();
  await Promise.all([claim(other), claim(store)]);
});

t.test('a disk that takes no block is told, and nothing is left behind', async (t) => {
  const { store, blocks } = await open(t);
  const bytes = noise(1000);
  const name = hashOf((await store.add(pieces(bytes), 'one')).cid);
  const path = join(blocks, name.slice(0, 2), name);
  rmSync(path);
  // A folder with something in it has the name of the block.
  mkdirSync(join(path, 'x'), { recursive: true });
  await t.rejects(store.add(pieces(bytes), 'two'), { message: /cannot keep a block/ });
  t.same(
    files(blocks).filter((one) => one.endsWith('.new')),
    [],
  );
});

t.test('what a crash leaves is cleared away when it is old', async (t) => {
  const { store, blocks } = await open(t);
  await store.add(pieces(noise(1000)), 'one');
  const [kept] = files(blocks);
  const orphan = join(blocks, (kept as string).slice(0, 2), 'a'.repeat(64));
  const unfinished = `${orphan}.1-1.new`;
  for (const path of [orphan, unfinished]) writeFileSync(path, 'x');
  utimesSync(orphan, new Date(0), new Date(0));
  t.match(await store.verify(() => undefined), { blocks: 1, unused: 2 });
  t.equal(await store.sweep(60_000), 1, 'the young one stays');
  utimesSync(unfinished, new Date(0), new Date(0));
  t.equal(await store.sweep(60_000), 1);
  t.same(files(blocks), [kept]);
});
