import { type Kysely, sql } from 'kysely';
import t, { type Test } from 'tap';
import { databaseAt, openDatabase } from '../../../src/services/common/database.js';
import { openExchangeDatabase } from '../../../src/services/des/des.js';
import { openGatewayDatabase } from '../../../src/services/gateway/gateway.js';
import { openMarket } from '../../../src/services/market/market.js';
import type { MarketTables } from '../../../src/services/market/tables.js';
import { runTrustnode } from '../../support/run-trustnode.js';
import { hasNoPostgres, PostgresServer } from './server.js';

/** `trustnode market move`: all rows of a file into PostgreSQL, or none. */

const skip = hasNoPostgres;
const server = skip === false ? await PostgresServer.start() : undefined;
t.teardown(() => server?.remove());

const ROWS = 1200;
const LARGE = '9223372036854775807';

/** A market with some of everything that a type could spoil. */
async function file(t: Test): Promise<string> {
  const options = { 'data-dir': t.testdir(), database: undefined };
  // The exchange keeps alarms in the same file.
  const exchange = await openExchangeDatabase(options);
  await exchange.destroy();
  const db = await openMarket(options);
  await db
    .insertInto('category')
    .values(Array.from({ length: ROWS }, (_, i) => ({ category_id: i + 1, name: `Wetter für ${i} "\\'\n€` })))
    .execute();
  await db
    .insertInto('income')
    .values({ account: 2 ** 40, position: 1, units: LARGE, time_ms: 1_600_000_000_000 })
    .execute();
  await db.insertInto('income').values({ account: 17, position: 2, units: '1', time_ms: 0 }).execute();
  await db.insertInto('counter').values({ name: 'category', value: ROWS }).execute();
  await db.destroy();
  return databaseAt(options, 'exchange.db');
}

const categories = async (db: Kysely<MarketTables>): Promise<number> =>
  (await db.selectFrom('category').select('name').execute()).length;

t.test('all of it, with what was compared, and never into what is not empty', { skip }, async (t) => {
  const from = await file(t);
  const url = (await server?.database('moved')) as string;
  const { code, stderr } = await runTrustnode(['market', 'move', from, '--database', url]);
  t.equal(code, 0, stderr);
  t.match(stderr, new RegExp(`^category +${ROWS} rows`, 'm'));
  t.match(stderr, /^income +2 rows.* units 9223372036854775808/m, 'more than any number of the database');
  const db = await openMarket({ 'data-dir': '', database: url });
  t.teardown(() => db.destroy());
  t.equal(await categories(db), ROWS);
  const again = await runTrustnode(['market', 'move', from, '--database', url]);
  t.not(again.code, 0);
  t.match(again.stderr, /is not empty: .* has rows/);
  t.equal(await categories(db), ROWS);
});

t.test('what does not arrive as it was leaves nothing behind', { skip }, async (t) => {
  const from = await file(t);
  const url = (await server?.database('spoiled')) as string;
  const db = await openMarket({ 'data-dir': '', database: url });
  t.teardown(() => db.destroy());
  await server?.sql(
    `CREATE FUNCTION spoil() RETURNS trigger AS $$ BEGIN NEW.units := '2'; RETURN NEW; END $$ LANGUAGE plpgsql;
     CREATE TRIGGER spoil BEFORE INSERT ON income FOR EACH ROW WHEN (NEW.units = '1') EXECUTE FUNCTION spoil()`,
    'spoiled',
  );
  const { code, stderr } = await runTrustnode(['market', 'move', from, '--database', url]);
  t.not(code, 0);
  t.match(stderr, /what has arrived in income is not what was sent/);
  t.equal(await categories(db), 0);
});

t.test('a file that somebody writes to', { skip }, async (t) => {
  const from = await file(t);
  const url = (await server?.database('written')) as string;
  const writing = await openDatabase<MarketTables>(from, []);
  t.teardown(() => writing.destroy());
  await writing.connection().execute(async (held) => {
    await sql`BEGIN IMMEDIATE`.execute(held);
    const { code, stderr } = await runTrustnode(['market', 'move', from, '--database', url]);
    await sql`ROLLBACK`.execute(held);
    t.not(code, 0);
    t.match(stderr, /locked/);
  });
});

t.test('a gateway: names that are paid for, and codes', { skip }, async (t) => {
  const options = { 'data-dir': t.testdir(), database: undefined };
  const made = await openGatewayDatabase(options);
  await made.insertInto('registration_day').values({ day: 20_000, spent: LARGE, touched_ms: 1 }).execute();
  await made
    .insertInto('registration_invite')
    .values({ hash: 'ab', until_ms: 5, used_by: null, created_ms: 1 })
    .execute();
  await made.destroy();
  const url = (await server?.database('gateway')) as string;
  const { code, stderr } = await runTrustnode([
    'gateway',
    'move',
    databaseAt(options, 'gateway.db'),
    '--database',
    url,
  ]);
  t.equal(code, 0, stderr);
  t.match(stderr, /^registration_invite +1 rows/m);
  const db = await openGatewayDatabase({ 'data-dir': '', database: url });
  t.teardown(() => db.destroy());
  t.match(await db.selectFrom('registration_day').selectAll().execute(), [{ day: 20_000, spent: LARGE }]);
});

t.test('a database that is not there', { skip }, async (t) => {
  await t.rejects(
    openDatabase(server?.url('nowhere') ?? '', []),
    /^cannot open the database postgres:\/\/trustnode@127\.0\.0\.1:\d+\/nowhere: database "nowhere" does not exist$/,
  );
});
