import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import '../../src/operations/index.js';
import { copyInThread } from '../../src/node/threads/copy-thread.js';
import { ObjectDatabase } from '../../src/state/object-db.js';
import { accountObject } from '../../src/state/objects/account.js';
import { OBJECTS } from '../../src/state/objects/index.js';
import { stateHash } from '../../src/state/state-hash.js';
import { LevelKv } from '../../src/storage/level-kv.js';
import { ObjectStore } from '../../src/storage/object-store.js';

const CHAIN = 'ab'.repeat(32);
const ACCOUNTS = 20_000;
const head = (number: number) => ({ number, id: number.toString(16).padStart(8, '0') + '00'.repeat(16) });

function database(): ObjectDatabase {
  const db = new ObjectDatabase(OBJECTS);
  const initial = accountObject.schema.default();
  for (let i = 0; i < ACCOUNTS; i++) db.create(accountObject, { ...initial, name: `account-${i}`, statistics: i });
  return db;
}

t.test('a copy holds what was stored when it began, whatever is written meanwhile', async (t) => {
  const folder = t.testdir();
  const [from, to] = [join(folder, 'from'), join(folder, 'to')];
  const db = database();
  const kv = await LevelKv.openForThreads(from);
  const store = new ObjectStore(kv, CHAIN, OBJECTS);
  store.saveAll(db, head(1));
  await store.flush();
  const hash = stateHash(db);
  const target = await LevelKv.openForThreads(to);
  const { begun, whole } = copyInThread({ from, to });
  await begun;
  db.openFrame();
  // Those at the end are the last to be copied.
  for (let i = 0; i < 100; i++) {
    db.modify(accountObject, db.get(accountObject, ACCOUNTS - 1 - i), (account) => {
      account.registrar = 7;
    });
  }
  db.commitFrame();
  store.save(db.irreversibleChanges(1), head(2));
  await store.flush();
  t.same(await whole, head(1), 'of the block that it holds');
  await target.close();
  await store.close();
  const back = new ObjectDatabase(OBJECTS);
  const copied = new ObjectStore(await LevelKv.open(to), CHAIN, OBJECTS);
  await copied.load(back);
  t.equal(stateHash(back), hash);
  t.not(stateHash(db), hash);
  await copied.close();
});

t.test('what keeps a copy from being made is told to whoever waits', async (t) => {
  const folder = t.testdir();
  const from = join(folder, 'from');
  mkdirSync(from);
  const to = join(folder, 'to');
  writeFileSync(to, 'a file');
  const { begun, whole } = copyInThread({ from, to });
  await t.rejects(begun, { message: new RegExp(to) });
  await t.rejects(whole, { message: new RegExp(to) });
  t.ok(readdirSync(from));
});
