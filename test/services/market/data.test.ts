import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { backUp, restore } from '../../../src/services/common/database.js';
import { openMarket } from '../../../src/services/market/market.js';
import { runTrustnode } from '../../support/run-trustnode.js';
import { keepOnFiles, placeOf } from '../support/databases.js';
import { callMarket, MarketClient, type VoteBegun } from '../support/market-client.js';
import {
  boundMerchants,
  MarketChain,
  publish,
  startMarketInProcess,
  startMarketProcess,
} from '../support/market-service.js';

/** What a market keeps: handed out, deleted, forgotten in time, copied and put back. */

const chain = await MarketChain.start(t.testdir());
t.teardown(() => chain.stop());
const [fourth, fifth, ...accounts] = await chain.accounts(5, 'keeper');
const DAY_MS = 86_400_000;
const PRODUCT = JSON.stringify({
  productName: 'Once',
  voteThrehold: 1,
  categoryId: 1,
  price: { amount: 1, assetId: '1.3.1' },
  input: {},
  output: {},
});
const PICTURE = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

type MarketDatabase = Awaited<ReturnType<typeof openMarket>>;

/** What markets with e-mail and bills keep of merchant 1 besides. */
async function keepMore(db: MarketDatabase, account: number): Promise<void> {
  await db
    .insertInto('mail')
    .values({
      id: 1,
      merchant_id: 1,
      vote_id: 1,
      kind: 'VOTE_CREATED',
      address: 'one@sellers.example',
      subject: 'a vote',
      body: 'of his',
      state: 'dead',
      attempts: 5,
      due_ms: 0,
      lease_owner: '',
      lease_until_ms: 0,
      sent_ms: null,
      failure: 'nobody there',
      created_ms: 0,
    })
    .execute();
  await db.insertInto('income').values({ account, position: 1, units: '5', time_ms: 1 }).execute();
  await db.insertInto('income_read').values({ account, position: 1 }).execute();
}

async function keptOf(db: MarketDatabase, account: number) {
  const mail = await db.selectFrom('mail').select('id').where('merchant_id', '=', 1).execute();
  const answers = await db.selectFrom('kept_answer').select('name').where('account', '=', account).execute();
  const income = await db.selectFrom('income').select('position').where('account', '=', account).execute();
  const read = await db.selectFrom('income_read').select('position').where('account', '=', account).execute();
  return { mail: mail.length, kept_answer: answers.length, income: income.length, income_read: read.length };
}

t.test('a merchant gets all of it, and has it deleted', async (t) => {
  const market = await startMarketInProcess(t, chain);
  const { admin, merchants } = await boundMerchants(market, chain, accounts);
  const [one, two, three] = merchants as [MarketClient, MarketClient, MarketClient];
  const email = 'one@sellers.example';
  await admin.post('/market/merchant/profile', { merchantId: 1, email, merchantName: 'Eins' });
  t.match(await one.post('/market/merchant/profile', { merchantId: 1, email }), { status: 403, code: 1004 });
  t.match(await admin.post('/market/merchant/profile', { merchantId: 9, email }), { status: 404, code: 1006 });
  const alone = await publish(one, { logoImgBase64: PICTURE });
  const shared = await publish(one, { voteThrehold: 1 });
  await one.post(`/market/product/${shared}/members/add`, { members: [2] });
  const others = await publish(three);
  const applied = (await one.post<VoteBegun>(`/market/product/${others}/members/add`, {})).data.voteId;
  const logo = (await one.get<{ logoUrl: string }>(`/market/product/${alone}`)).data.logoUrl;
  t.equal((await fetch(logo)).status, 200);
  const { data } = await one.get<Record<string, unknown[]>>('/market/merchant/export');
  t.match(data, {
    merchant: { merchant_id: 1, email, merchant_name: 'Eins' },
    memberships: [{ product_id: alone }, { product_id: shared }],
    votes: [{}, { vote_id: applied, type: 'APPLY' }],
    notifications: [{}],
  });
  const account = Number(one.account.id.slice(4));
  const db = await openMarket(await placeOf(market.dataDir));
  t.teardown(() => db.destroy());
  await keepMore(db, account);
  await one.post('/market/notification/read', { ids: [] }, { 'Idempotency-Key': 'kept' });
  t.match(await one.post('/market/merchant/delete'), { code: 1 });
  t.same(await keptOf(db, account), { mail: 0, kept_answer: 0, income: 0, income_read: 0 });
  t.match(await one.get('/market/merchant/export'), { status: 403, code: 1005 });
  t.match(await two.get(`/market/product/${shared}/votes/1`), { total: 1 }, 'what others share goes on');
  t.match(await two.post(`/market/product/${shared}/sale`, { onSale: true }), { code: 1 }, 'with a new issuer');
  t.match(await callMarket(market.url, 'GET', `/market/product/${alone}`), { data: { onSale: false, logoUrl: '' } });
  t.equal((await fetch(logo)).status, 404, 'the logo is gone');
  t.match(await three.get(`/market/product/votes/${applied}`), { data: { status: 'REJECT', reason: 'WITHDRAWN' } });
  t.same(await db.selectFrom('merchant').select('merchant_id').orderBy('merchant_id').execute(), [
    { merchant_id: 2 },
    { merchant_id: 3 },
  ]);
  t.same(await db.selectFrom('notification').selectAll().where('merchant_id', '=', 1).execute(), []);
  const wanted = async () => db.selectFrom('erasure').select(['account', 'packets_ms']).execute();
  t.same(await wanted(), [{ account, packets_ms: null }]);
  t.match(await one.bind(), { code: 1 }, 'and may come back as somebody new');
  t.same(await wanted(), [{ account, packets_ms: null }], 'the exchange still has to delete the packets');
  await db.updateTable('erasure').set({ packets_ms: 1 }).execute();
  t.match(await one.post('/market/merchant/delete'), { code: 1 });
  t.same(await wanted(), [{ account, packets_ms: null }], 'and those that came since');
});

t.test('who takes the number of a merchant that is gone gets nothing of what that one could do', async (t) => {
  const market = await startMarketInProcess(t, chain);
  const { merchants } = await boundMerchants(market, chain, accounts);
  const [one, two, three] = merchants as [MarketClient, MarketClient, MarketClient];
  const product = await publish(one, { voteThrehold: 1 });
  const path = `/market/product/${product}`;
  t.match(await one.post(`${path}/members/add`, { members: [2] }), { code: 1 });
  const invited = (await one.post<VoteBegun>(`${path}/members/add`, { members: [3] })).data.voteId;
  const changed = (await one.post<VoteBegun>(`${path}/update`, { productName: 'Other' })).data.voteId;
  for (const gone of [two, three]) t.match(await gone.post('/market/merchant/delete'), { code: 1 });
  const [heir, other] = [fourth, fifth].map((account, i) => {
    if (account === undefined) throw new Error('there are five accounts');
    return new MarketClient(market.url, account, i + 2);
  }) as [MarketClient, MarketClient];
  for (const next of [heir, other]) t.match(await next.bind(), { code: 1 });
  t.match(await heir.post('/market/product/vote', { agree: 1, voteId: changed }), { code: 1004 });
  t.match(await one.get(`/market/product/votes/${changed}`), { data: { status: 'INPROGRESS' } });
  t.match(await one.get(`/market/product/votes/${invited}`), { data: { status: 'REJECT', reason: 'WITHDRAWN' } });
});

t.test('what is old is forgotten', async (t) => {
  const market = await startMarketInProcess(t, chain);
  const { merchants } = await boundMerchants(market, chain, accounts);
  const [one] = merchants as [MarketClient];
  const named = { 'Idempotency-Key': 'kept' };
  t.match(await one.post('/market/notification/read', { ids: [] }, named), { code: 1 }, 'none of them');
  const db = await openMarket(await placeOf(market.dataDir));
  t.teardown(() => db.destroy());
  const count = async (table: 'seen_call' | 'kept_answer') => (await db.selectFrom(table).selectAll().execute()).length;
  t.ok((await count('seen_call')) >= 2);
  t.equal(await count('kept_answer'), 1);
  await market.close();
  const again = await startMarketInProcess(t, chain, { 'data-dir': market.dataDir });
  t.ok((await count('seen_call')) >= 2, 'within a minute they are needed');
  await again.close();
  const { forgetOld } = await import('../../../src/services/market/retention.js');
  await forgetOld(db, Date.now() + 61_000);
  t.same([await count('seen_call'), await count('kept_answer')], [0, 1]);
  await forgetOld(db, Date.now() + DAY_MS + 61_000);
  t.equal(await count('kept_answer'), 0);
});

t.test('copied while it runs, and put back', async (t) => {
  const folder = t.testdir();
  const dataDir = join(folder, 'market');
  const copy = join(folder, 'copy.db');
  const other = join(folder, 'other');
  keepOnFiles(dataDir, other);
  const running = await startMarketProcess({ chain, dataDir }, '--writes-per-second', '0');
  const { merchants } = await boundMerchants(running, chain, accounts);
  const [one] = merchants as [MarketClient];
  await publish(one, { productName: 'In the copy' });
  const backup = await runTrustnode(['market', 'backup', copy, '--data-dir', dataDir]);
  t.equal(backup.code, 0, backup.stderr);
  await publish(one, { productName: 'Later' });
  const db = await openMarket(await placeOf(dataDir));
  await t.rejects(backUp(db, copy), { message: /move it away/ });
  await db.destroy();
  await t.rejects(restore(copy, join(dataDir, 'exchange.db')), { message: /move it away/ });
  t.equal(await running.stop(), 0);
  const broken = join(folder, 'broken.db');
  writeFileSync(broken, 'no database at all, but long enough to be looked at'.repeat(100));
  await t.rejects(restore(broken, join(folder, 'mended.db')), { message: /not a database|malformed/ });
  t.notOk(existsSync(join(folder, 'mended.db')));
  t.match(await runTrustnode(['market', 'restore', copy, '--data-dir', other]), { code: 0 });
  const next = await startMarketProcess({ chain, dataDir: other });
  t.match(await callMarket(next.url, 'GET', '/market/product/list/0/1'), {
    total: 1,
    data: [{ productName: 'In the copy' }],
  });
  one.url = next.url;
  t.match(await one.get('/market/product/all/votes/0'), { code: 1 }, 'bound as before');
  t.equal(await next.stop(), 0);
});

t.test('two instances of one market', async (t) => {
  const folder = t.testdir();
  const [left, right] = await Promise.all([
    startMarketProcess({ chain, dataDir: folder }, '--writes-per-second', '0'),
    startMarketProcess({ chain, dataDir: folder }, '--writes-per-second', '0'),
  ]);
  const { merchants } = await boundMerchants(left, chain, accounts);
  const [one, two] = merchants as [MarketClient, MarketClient];
  const id = await publish(one, { voteThrehold: 1 });
  await one.post(`/market/product/${id}/members/add`, { members: [2] });
  const { voteId } = (await one.post<VoteBegun>(`/market/product/${id}/members/add`, { members: [3] })).data;
  const ballot = (url: string) => {
    two.url = url;
    return two.post('/market/product/vote', { agree: 1, voteId });
  };
  const codes = (await Promise.all([left.url, right.url, left.url, right.url].map(ballot))).map(({ code }) => code);
  t.equal(codes.filter((code) => code === 1).length, 1, `one ballot: ${codes}`);
  t.ok(
    codes.every((code) => code === 1 || code === 1008 || code === 1009),
    String(codes),
  );
  const named = { 'Idempotency-Key': 'once' };
  const publishAt = (url: string) => {
    one.url = url;
    return one.post('/market/product/create', JSON.parse(PRODUCT), named);
  };
  const made = await Promise.all([left.url, right.url, left.url].map(publishAt));
  t.same(
    made.map(({ code }) => code),
    [1, 1, 1],
  );
  t.equal((await callMarket(right.url, 'GET', '/market/product/list/0/1')).total, 1, 'one product of that name');
  t.equal(await left.stop(), 0);
  t.equal(await right.stop(), 0);
});
