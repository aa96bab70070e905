import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import t, { type Test } from 'tap';
import { toHex } from '../../../src/base/bytes.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { systemClock } from '../../../src/node/runtime/clock.js';
import type { FollowedBlock } from '../../../src/services/chain/follower.js';
import { ChainNode } from '../../../src/services/chain/node.js';
import { isDatabaseError, openDatabase, transact } from '../../../src/services/common/database.js';
import { ContentStore } from '../../../src/services/content/content-store.js';
import { CONTENT_TABLES, type ContentTables } from '../../../src/services/content/tables.js';
import { EXCHANGE_TABLES, nextNumber } from '../../../src/services/exchange/tables.js';
import { deleteCategory } from '../../../src/services/market/administration.js';
import { bind } from '../../../src/services/market/merchants.js';
import { Notifier } from '../../../src/services/market/notifications.js';
import { deleteUnusedLogos } from '../../../src/services/market/personal-data.js';
import { createProduct, keepLogo } from '../../../src/services/market/products.js';
import { MARKET_TABLES, type MarketTables, type VoteRow } from '../../../src/services/market/tables.js';
import { Votes } from '../../../src/services/market/votes.js';
import { Payments } from '../../../src/services/payment/payments.js';
import { PAYMENT_TABLES, type PaymentRow, type PaymentTables } from '../../../src/services/payment/tables.js';
import { eventually } from '../../support/eventually.js';
import { MemoryLog } from '../../support/memory-log.js';
import { hasNoPostgres, PostgresServer } from './server.js';

/**
 * What two instances do at the same moment over one PostgreSQL. A third connection holds what both need until both wait
 * for it, so that each order comes about every time.
 */

type AllTables = MarketTables & ContentTables;
const PARTS = [EXCHANGE_TABLES, PAYMENT_TABLES, MARKET_TABLES, CONTENT_TABLES];
const SIGNATURE = 'ab'.repeat(65);
const OWN = 18;
const LOOK_MS = 20;
const skip = hasNoPostgres;

const server = skip === false ? await PostgresServer.start() : undefined;
t.teardown(() => server?.remove());
let databases = 0;

interface Place {
  readonly name: string;
  readonly db: Kysely<AllTables>;
  readonly folder: string;
}

async function opened(t: Test): Promise<Place> {
  const name = `races${databases++}`;
  const url = (await server?.database(name)) as string;
  const db = await openDatabase<AllTables>(url, PARTS);
  t.teardown(() => db.destroy());
  return { name, db, folder: t.testdir() };
}

/** How many wait for a lock. */
async function waiting({ name }: Place): Promise<number> {
  const rows = await server?.sql(
    `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = '${name}' AND wait_event_type = 'Lock'`,
  );
  return Number(rows?.[0]?.count);
}

/** Begins all of `works` one after another, each when the one before waits for `hold`, and then lets go. */
async function crowd<R>(
  place: Place,
  hold: (trx: Kysely<AllTables>) => Promise<unknown>,
  works: readonly (() => Promise<R>)[],
): Promise<PromiseSettledResult<R>[]> {
  const running: Promise<R>[] = [];
  await place.db.transaction().execute(async (trx) => {
    await hold(trx);
    for (const work of works) {
      const one = work();
      one.catch(() => undefined);
      running.push(one);
      await eventually('somebody who waits', async () => (await waiting(place)) >= running.length, LOOK_MS);
    }
  });
  return Promise.allSettled(running);
}

const PAYMENT: PaymentRow = {
  ...{ signature: SIGNATURE, purpose: 'test', state: 'signed', payer: 17, asset: 1, units: '20', expiration: 10_000 },
  ...{ request: '', memo: 'what for', packed: '00', txid: '2'.repeat(40), tx_expiration: 1000, after_block: 5 },
  ...{ attempts: 1, block: null, block_id: null, failure: null, created_ms: 0, sent_ms: null, released_ms: null },
  ...{ lease_owner: '', lease_until_ms: 0 },
};
const holdPayment = (trx: Kysely<AllTables>) =>
  trx.selectFrom('payment').selectAll().where('signature', '=', SIGNATURE).forUpdate().execute();

/** Its owner is this byte eight times. */
function payments(t: Test, { db }: Place, told: string[], byte: number): Payments {
  const made = new Payments(
    db.withTables<PaymentTables>(),
    // Nothing listens there: nothing of this asks a node.
    new ChainNode('http://127.0.0.1:1', 1000, systemClock),
    { account: OWN, key: PrivateKey.fromSeed('races'), chainId: '0'.repeat(64), feeAsset: 1 },
    {
      ...{ purpose: 'test', releaseAt: 'sent', keepsReserved: false },
      paid: async () => void told.push('paid'),
      unpaid: async () => void told.push('unpaid'),
    },
    { refused: () => undefined },
    { owner: toHex(new Uint8Array(8).fill(byte)), clock: systemClock, log: new MemoryLog() },
    30,
  );
  t.teardown(() => made.stop());
  return made;
}

function blockWith(number: number): FollowedBlock {
  const request_params = { proxy_account: OWN, signatures: [Buffer.from(SIGNATURE, 'hex')] };
  return {
    block_id: `${number.toString(16).padStart(8, '0')}${'0'.repeat(32)}`,
    transactions: [{ operations: [[73, { request_params }]] }],
    transaction_ids: ['2'.repeat(40)],
  } as unknown as FollowedBlock;
}

t.test('new tables that eight instances make at once', { skip }, async (t) => {
  const url = (await server?.database('migrations')) as string;
  const all = await Promise.all(Array.from({ length: 8 }, () => openDatabase<AllTables>(url, PARTS)));
  t.teardown(() => Promise.all(all.map((db) => db.destroy())));
  const given = await Promise.all(
    all.flatMap((db) => [1, 2].map(() => transact(db, (trx) => nextNumber(trx as never, 'vote')))),
  );
  t.same(
    [...given].sort((a, b) => a - b),
    Array.from({ length: 16 }, (_, i) => i + 1),
    'and numbers of which each is given out once',
  );
});

t.test('a payment that is ready while another instance takes it for left behind', { skip }, async (t) => {
  const place = await opened(t);
  const told: string[] = [];
  const owner = '01'.repeat(8);
  await place.db
    .insertInto('payment')
    .values({ ...PAYMENT, state: 'reserved', lease_owner: owner })
    .execute();
  const [one, two] = [payments(t, place, told, 1), payments(t, place, told, 2)];
  const [ready] = await crowd<unknown>(place, holdPayment, [
    () => one.ready(SIGNATURE, 'cid'),
    async () => {
      two.start();
      await eventually('its round is over', async () => (await waiting(place)) === 0, LOOK_MS);
    },
  ]);
  t.match(ready, { status: 'fulfilled', value: true });
  await two.stop();
  t.match(await one.find(SIGNATURE), { state: 'ready', memo: 'cid' });
  t.same(told, []);
});

t.test('a block that two instances read at once', { skip }, async (t) => {
  const place = await opened(t);
  const told: string[] = [];
  await place.db.insertInto('payment').values(PAYMENT).execute();
  const both = [payments(t, place, told, 1), payments(t, place, told, 2)];
  const results = await crowd(
    place,
    holdPayment,
    both.map((one) => () => one.releases.applied(blockWith(7))),
  );
  t.same(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled'],
  );
  t.same(told, ['paid'], 'handed out once');
});

t.test('an end of bytes in place of which others were made', { skip }, async (t) => {
  const place = await opened(t);
  const told: string[] = [];
  await place.db.insertInto('payment').values(PAYMENT).execute();
  const one = payments(t, place, told, 1);
  await one.releases.fail({ ...PAYMENT, txid: '1'.repeat(40) }, 'refused');
  t.match(await one.find(SIGNATURE), { state: 'signed' });
  await one.releases.fail(PAYMENT, 'refused');
  t.match(await one.find(SIGNATURE), { state: 'failed' });
  t.same(told, ['unpaid']);
});

const bytes = Buffer.from('the same content');
async function* source(): AsyncGenerator<Uint8Array> {
  yield bytes;
}

t.test('a content that one stores and the only other one gives up', { skip }, async (t) => {
  const place = await opened(t);
  const { db } = place;
  const store = new ContentStore(join(place.folder, 'blocks'), db.withTables<ContentTables>(), systemClock);
  const { cid } = await store.add(source(), 'former');
  const results = await crowd<unknown>(
    place,
    (trx) => sql`LOCK TABLE content_block IN SHARE ROW EXCLUSIVE MODE`.execute(trx),
    [
      () => store.add(source(), 'latter'),
      () => transact(db, (trx) => store.unpin('former', trx.withTables<ContentTables>() as never)),
    ],
  );
  t.same(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled'],
  );
  await store.release('latter');
  t.ok(await store.find(cid), 'it is there');
  t.same(await db.selectFrom('content_pin').select('owner').execute(), [{ owner: 'latter' }]);
  t.match(await db.selectFrom('content_block').select('root').execute(), [{ root: cid }]);
});

const MERCHANT = {
  ...{ service_url: '', authorizer_name: '', merchant_name: '', logo_url: '', address: '', email: '' },
  ...{ rejections: 0, banned_until_ms: 0, created_ms: 0 },
};
const VOTE: VoteRow = {
  ...{ vote_id: 1, product_id: 1, type: 'APPLY', requester: 2, members: '[2]', from_values: '', to_values: '' },
  ...{
    created_ms: 0,
    expire_ms: 1000,
    threshold: 10_000,
    electors: 1,
    status: 'INPROGRESS',
    closed_ms: null,
    reason: null,
  },
};
const votes = new Votes({ lifetimeMs: 1000, banMs: 1000 }, new Notifier(false));

/** Merchant 1 sells products 1 and 2, merchant 2 has applied for both. */
async function applied(t: Test): Promise<Place> {
  const place = await opened(t);
  const { db } = place;
  for (const id of [1, 2]) {
    await db
      .insertInto('merchant')
      .values({ ...MERCHANT, merchant_id: id, account: id })
      .execute();
    await db
      .insertInto('vote')
      .values({ ...VOTE, vote_id: id, product_id: id })
      .execute();
    await db.insertInto('elector').values({ vote_id: id, merchant_id: 1 }).execute();
  }
  return place;
}
const rejections = async ({ db }: Place): Promise<number | undefined> =>
  (await db.selectFrom('merchant').select('rejections').where('merchant_id', '=', 2).executeTakeFirst())?.rejections;
const holdVote = (trx: Kysely<AllTables>) =>
  trx.selectFrom('vote').selectAll().where('vote_id', '=', 1).forUpdate().execute();
const inTime = (db: Kysely<AllTables>, work: (trx: never) => Promise<unknown>): Promise<unknown> =>
  transact(db, (trx) => work(trx as never));

t.test('a vote whose end two instances see at once', { skip }, async (t) => {
  const place = await applied(t);
  await place.db.deleteFrom('vote').where('vote_id', '=', 2).execute();
  const work = () => inTime(place.db, (trx) => votes.expire(trx, 2000));
  await crowd(place, holdVote, [work, work]);
  t.equal(await rejections(place), 1, 'counted once');
});

t.test('two rejections of one applicant at once', { skip }, async (t) => {
  const place = await applied(t);
  const reject = (id: number) => () => inTime(place.db, (trx) => votes.vote(trx, id, 1, false, 500));
  const hold = (trx: Kysely<AllTables>) =>
    trx.selectFrom('merchant').selectAll().where('merchant_id', '=', 2).forUpdate().execute();
  const results = await crowd(place, hold, [reject(1), reject(2)]);
  t.same(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled'],
  );
  t.equal(await rejections(place), 2, 'both count');
});

t.test('two ballots of one merchant at once', { skip }, async (t) => {
  const place = await applied(t);
  await place.db.updateTable('vote').set({ electors: 3 }).execute();
  const work = () => inTime(place.db, (trx) => votes.vote(trx, 1, 1, true, 500));
  const results = await crowd(place, holdVote, [work, work]);
  t.match(results, [{ status: 'fulfilled' }, { status: 'rejected', reason: { key: 'market_voted' } }]);
  t.equal((await place.db.selectFrom('ballot').selectAll().execute()).length, 1);
});

t.test('a merchant that two accounts want to be at once', { skip }, async (t) => {
  const place = await opened(t);
  const binding = (account: number) => () =>
    inTime(place.db, (trx) =>
      bind(trx, { account, merchantId: 5, serviceUrl: `http://x/${account}`, timestamp: 1, signature: '' }, 0),
    );
  const results = await crowd(place, (trx) => sql`LOCK TABLE erasure IN ACCESS EXCLUSIVE MODE`.execute(trx), [
    binding(1),
    binding(2),
  ]);
  t.match(results, [{ status: 'fulfilled' }, { status: 'rejected', reason: { key: 'market_duplicate' } }]);
  t.match(await place.db.selectFrom('merchant').selectAll().execute(), [{ account: 1, service_url: 'http://x/1' }]);
});

t.test('a logo that one shows while another one clears it away', { skip }, async (t) => {
  const place = await opened(t);
  const { db } = place;
  await db.insertInto('category').values({ category_id: 1, name: 'x' }).execute();
  const logo = { name: 'x.gif', bytes: new Uint8Array(1) } as never;
  await db.insertInto('logo').values({ name: 'x.gif', content: 'AA==' }).execute();
  const price = { amount: 1n, assetId: '1.3.1' };
  const values = { productName: 'x', briefDesc: '', price, categoryId: 1, privacy: false, input: {}, output: {} };
  const publish = () =>
    inTime(db, async (trx) => {
      await keepLogo(trx, logo);
      return createProduct(trx, { ...values, logo: 'x.gif', threshold: 1 }, 1, 0);
    });
  const results = await crowd(place, (trx) => sql`LOCK TABLE product_member IN SHARE MODE`.execute(trx), [
    publish,
    () => inTime(db, deleteUnusedLogos),
  ]);
  t.same(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled'],
  );
  t.match(await db.selectFrom('logo').select('name').execute(), [{ name: 'x.gif' }]);
});

t.test('a category that is deleted while a product is published in it', { skip }, async (t) => {
  const place = await opened(t);
  const { db } = place;
  await db.insertInto('category').values({ category_id: 1, name: 'x' }).execute();
  const price = { amount: 1n, assetId: '1.3.1' };
  const values = { productName: 'x', briefDesc: '', price, categoryId: 1, privacy: false, input: {}, output: {} };
  const results = await crowd<unknown>(place, (trx) => sql`LOCK TABLE product_member IN SHARE MODE`.execute(trx), [
    () => inTime(db, (trx) => createProduct(trx, { ...values, logo: '', threshold: 1 }, 1, 0)),
    () => inTime(db, (trx) => deleteCategory(trx, 1)),
  ]);
  t.match(results, [{ status: 'fulfilled' }, { status: 'rejected', reason: { key: 'market_duplicate' } }]);
  t.equal((await db.selectFrom('category').selectAll().execute()).length, 1);
});

t.test('two that wait for each other in a circle', { skip }, async (t) => {
  const { db } = await applied(t);
  let begun = 0;
  const both = (first: number, second: number) => () =>
    transact(db, async (trx) => {
      const hold = (id: number) => trx.updateTable('vote').set({ vote_id: id }).where('vote_id', '=', id).execute();
      await hold(first);
      begun++;
      await eventually('both have begun', () => begun >= 2, LOOK_MS);
      await hold(second);
    });
  await Promise.all([both(1, 2)(), both(2, 1)()]);
  t.ok(begun > 2, 'one of them has begun anew');
});

t.test('a server that is killed and started again', { skip }, async (t) => {
  const { db } = await applied(t);
  const count = async () => (await db.selectFrom('vote').select('vote_id').execute()).length;
  t.equal(await count(), 2);
  const held = transact(db, async (trx) => {
    await holdVote(trx);
    await server?.stop('SIGQUIT');
    await holdVote(trx);
  });
  for (const work of [() => held, count]) {
    const error: unknown = await work().catch((reason: unknown) => reason);
    t.ok(isDatabaseError(error), String(error));
  }
  await server?.start();
  t.equal(await count(), 2, 'the next statement finds it');
});
