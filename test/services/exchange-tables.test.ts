import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { resolveOptions } from '../../src/config/load.js';
import { databaseAt, openDatabase, restore } from '../../src/services/common/database.js';
import { serviceOptions } from '../../src/services/common/options.js';
import { DES_TABLES, type DesTables } from '../../src/services/des/tables.js';
import { EXCHANGE_TABLES, type ExchangeTables, nextNumber } from '../../src/services/exchange/tables.js';
import { lineOf } from '../support/dev-node.js';
import { placeOf } from './support/databases.js';

/** The database that market and exchange share. */

const open = (file: string) => openDatabase<ExchangeTables>(file, [EXCHANGE_TABLES]);

t.test('two services on one file, and numbers of which each is given out once', async (t) => {
  const root = t.testdir();
  const folder = join(root, 'new', 'folder');
  const file = databaseAt({ 'data-dir': folder, database: undefined }, 'exchange.db');
  t.equal(file, join(folder, 'exchange.db'), 'in the data directory');
  const other = join(root, 'elsewhere.db');
  t.equal(databaseAt({ 'data-dir': folder, database: other }, 'exchange.db'), other, 'or where it is wanted');
  const one = await open(file);
  const two = await open(file);
  t.teardown(() => Promise.all([one.destroy(), two.destroy()]));
  const take = (db: typeof one) => db.transaction().execute((trx) => nextNumber(trx, 'vote'));
  const given: number[] = [];
  // One after another: two of one process would wait for each other in the same thread.
  for (let turn = 0; turn < 10; turn++) given.push(await take(one), await take(two));
  t.same(
    given,
    Array.from({ length: 20 }, (_, i) => i + 1),
  );
  t.equal(await one.transaction().execute((trx) => nextNumber(trx, 'product')), 1, 'each name counts by itself');
});

t.test('sources that were there before an upgrade are there after it', async (t) => {
  const at = databaseAt(await placeOf(t.testdir()), 'exchange.db');
  const { '6_unreached': _, ...migrations } = DES_TABLES.migrations;
  const before = await openDatabase<DesTables>(at, [{ ...DES_TABLES, migrations }]);
  const row = { account: 18, products: '[1]', query_url: null, expire_ms: 50_000 };
  await before.insertInto('des_presence').values(row).execute();
  const after = await openDatabase<DesTables>(at, [DES_TABLES]);
  t.teardown(() => Promise.all([before.destroy(), after.destroy()]));
  const kept = await after.selectFrom('des_presence').selectAll().execute();
  t.same(kept, [{ ...row, unreached_url: null }]);
  // An instance that is not upgraded yet goes on beside it.
  await before
    .insertInto('des_presence')
    .values({ ...row, account: 19 })
    .execute();
  t.equal((await after.selectFrom('des_presence').select('unreached_url').execute()).length, 2);
});

t.test('a URL of another kind is no file', async (t) => {
  const declared = serviceOptions({ folder: 'x', at: { host: '127.0.0.1', port: 0 } });
  const read = (database: string) => resolveOptions(declared, lineOf({ database }), new Map()).database;
  for (const good of ['a/b.db', '/c.db', 'C:\\d.db', 'postgres://me@db.example/x', 'postgresql://db.example/x']) {
    t.equal(read(good), good);
  }
  for (const bad of ['postgress://me:secret@db.example/x', 'POSTGRES://db.example/x', 'mysql://db.example/x']) {
    const message = /begins with postgres:\/\//;
    t.throws(() => read(bad), { message }, bad);
    t.throws(() => read(bad), { message: /^((?!secret).)*$/ }, 'its password is not shown');
  }
});

t.test('a file that was copied with its log is put back with it', async (t) => {
  const folder = t.testdir();
  const [file, copy, back] = ['live', 'copy', 'back'].map((name) => join(folder, `${name}.db`)) as [
    string,
    string,
    string,
  ];
  const take = (db: Awaited<ReturnType<typeof open>>) => db.transaction().execute((trx) => nextNumber(trx, 'vote'));
  const live = await open(file);
  t.teardown(() => live.destroy());
  await take(live);
  // As it lies there when its service is killed.
  for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, `${copy}${end}`);
  await restore(copy, back);
  const restored = await open(back);
  t.teardown(() => restored.destroy());
  t.equal(await take(restored), 2);
});

t.test('a proxy is an address', async (t) => {
  const declared = serviceOptions({ folder: 'x', at: { host: '127.0.0.1', port: 0 } });
  const read = (proxy: string) => resolveOptions(declared, lineOf({ 'trusted-proxy': proxy }), new Map());
  t.same(read('10.0.0.0/8')['trusted-proxy'], ['10.0.0.0/8']);
  for (const bad of ['proxy.example', '10.0.0.0/33']) t.throws(() => read(bad), { message: /an address such as/ }, bad);
});
