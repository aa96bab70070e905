import { join } from 'node:path';
import t from 'tap';
import { openMarket } from '../../../src/services/market/market.js';
import { eventually } from '../../support/eventually.js';
import { placeOf } from '../support/databases.js';
import type { MarketClient, VoteBegun } from '../support/market-client.js';
import { boundMerchants, MarketChain, publish, startMarketInProcess } from '../support/market-service.js';
import { startSmtp } from '../support/smtp.js';

/** What administrators do by signed calls, and that nobody else does it. */

const chain = await MarketChain.start(t.testdir());
t.teardown(() => chain.stop());
const accounts = await chain.accounts(3, 'ruled');

const READS = ['bans', 'lost', 'outbox'];
const WRITES: readonly (readonly [string, object])[] = [
  ['category/rename', { categoryId: 1, categoryName: 'Sky' }],
  ['category/delete', { categoryId: 1 }],
  ['ban/account', { accountId: '1.2.1', reason: 'none' }],
  ['ban/product', { productId: 1, reason: 'none' }],
  ['allow/account', { accountId: '1.2.1' }],
  ['allow/product', { productId: 1 }],
  ['lost/settle', { signature: 'a'.repeat(130), note: 'none' }],
  ['outbox/retry', { id: 1 }],
  ['outbox/drop', { id: 1 }],
];

t.test('for administrators alone', async (t) => {
  const market = await startMarketInProcess(t, chain);
  const { admin, merchants } = await boundMerchants(market, chain, accounts);
  const [one] = merchants as [MarketClient];
  for (const name of READS) {
    t.match(await one.get(`/market/admin/${name}`), { status: 403, code: 1004 }, name);
    t.match(await admin.get(`/market/admin/${name}`), { status: 200, code: 1 }, name);
    t.equal((await fetch(`${market.url}/market/admin/${name}`)).status, 401, `${name}, unsigned`);
  }
  for (const [name, body] of WRITES) {
    t.match(await one.post(`/market/admin/${name}`, body), { status: 403, code: 1004 }, name);
  }
  t.match((await one.get('/market/admin/self')).data, { isAdmin: false });
  t.match((await admin.get('/market/admin/self')).data, { isAdmin: true });
});

t.test('categories', async (t) => {
  const market = await startMarketInProcess(t, chain);
  const { admin, merchants } = await boundMerchants(market, chain, accounts);
  const names = async () =>
    (await admin.get<{ categoryName: string }[]>('/market/category/list')).data.map(({ categoryName }) => categoryName);
  const rename = (categoryId: number, categoryName: string) =>
    admin.post('/market/admin/category/rename', { categoryId, categoryName });
  const remove = (categoryId: number) => admin.post('/market/admin/category/delete', { categoryId });
  await admin.post('/market/category/create', { categoryName: 'Traffic' });
  t.match(await rename(1, 'Sky'), { code: 1 });
  t.match(await rename(1, 'Sky'), { code: 1 }, 'to what it is');
  t.match(await rename(2, 'Sky'), { status: 409, code: 1007 });
  t.match(await rename(9, 'Sea'), { status: 404, code: 1006 });
  t.same(await names(), ['Sky', 'Traffic']);
  await publish(merchants[0] as MarketClient);
  t.match(await remove(1), { status: 409, code: 1007 }, 'something is in it');
  t.same(await names(), ['Sky', 'Traffic'], 'nothing is left of the try');
  t.match(await remove(2), { code: 1 });
  t.match(await remove(2), { status: 404, code: 1006 });
  t.same(await names(), ['Sky']);
});

t.test('bans', async (t) => {
  const market = await startMarketInProcess(t, chain);
  const { admin, merchants } = await boundMerchants(market, chain, accounts);
  const [one, two] = merchants as [MarketClient, MarketClient];
  const id = await publish(one);
  const post = (name: string, body: object) => admin.post(`/market/admin/${name}`, body);
  const listed = async () => (await two.get<unknown[]>('/market/product/list/0/1')).data.length;
  const detail = async () => (await two.get<{ onSale: boolean }>(`/market/product/${id}`)).data.onSale;
  t.match(await post('ban/product', { productId: 99, reason: 'none' }), { status: 404, code: 1006 });
  t.match((await admin.get('/market/admin/bans')).data, { length: 0 }, 'nothing is left of the try');
  t.match(await post('ban/product', { productId: id, reason: 'not theirs' }), { code: 1 });
  t.equal(await listed(), 0);
  t.equal(await detail(), false);
  t.match(await one.post(`/market/product/${id}/sale`, { onSale: true }), { code: 1 });
  t.equal(await detail(), false, 'its issuer does not bring it back');
  t.match(await post('allow/product', { productId: id }), { code: 1 });
  t.match(await post('allow/product', { productId: id }), { status: 404, code: 1006 });
  t.equal(await listed(), 1);
  t.equal(await detail(), true);

  const accountId = accounts[0]?.id ?? '';
  t.match(await post('ban/account', { accountId, reason: 'a first one' }), { code: 1 });
  t.match(await post('ban/account', { accountId, reason: 'sold nothing' }), { code: 1 });
  const refusal = { status: 403, code: 1004, hint: /banned from this market: sold nothing/ };
  t.match(await one.post(`/market/product/${id}/sale`, { onSale: false }), refusal);
  t.match(await one.bind('https://elsewhere.example/'), { status: 403, code: 1004 });
  t.match(await one.get('/market/merchant/self'), { code: 1 }, 'it may look');
  t.match((await admin.get<object[]>('/market/admin/bans')).data, [
    { kind: 'account', accountId, reason: 'sold nothing', by: chain.node.alice.id },
  ]);
  t.match(await post('allow/account', { accountId }), { code: 1 });
  t.match(await one.post(`/market/product/${id}/sale`, { onSale: false }), { code: 1 });
  const banned = market.log.entries.filter(({ values }) => values.target === '/market/admin/ban/account');
  t.equal(banned.length, 2, 'who has changed what can be looked up');
});

t.test('payments that were lost', async (t) => {
  const dataDir = join(t.testdir(), 'market');
  const market = await startMarketInProcess(t, chain, { 'data-dir': dataDir });
  const { admin } = await boundMerchants(market, chain, accounts);
  const db = await openMarket(await placeOf(dataDir));
  t.teardown(() => db.destroy());
  const [lost, paid] = ['a', 'b'].map((digit) => digit.repeat(130)) as [string, string];
  const row = {
    ...{ purpose: 'des', payer: 17, asset: 1, units: '1000', expiration: 1, request: '', memo: null, packed: null },
    ...{ tx_expiration: null, after_block: null, attempts: 1, block: null, block_id: null, sent_ms: 2 },
    ...{ txid: 'c'.repeat(40), created_ms: 1, released_ms: 2, lease_owner: '', lease_until_ms: 0 },
  };
  await db
    .insertInto('payment')
    .values([
      { ...row, signature: lost, state: 'lost', failure: 'expired' },
      { ...row, signature: paid, state: 'final', failure: null },
    ])
    .execute();
  await db
    .insertInto('delivery')
    .values({
      ...{ id: 1, request_id: 'd'.repeat(64), product_id: 3, buyer: 17, source: 18, signature: lost },
      ...{ outcome: 'SUCCESS', asset: 1, units: '1000', percent: 1000, answer_ms: 5, created_ms: 1 },
    })
    .execute();
  const open = () => admin.get<object[]>('/market/admin/lost');
  t.match(await open(), { total: 1, data: [{ signature: lost, payer: '1.2.17', units: '1000', source: '1.2.18' }] });
  const settle = (signature: string) => admin.post('/market/admin/lost/settle', { signature, note: 'written off' });
  t.match(await settle(paid), { status: 404, code: 1006 }, 'one that came is nothing to settle');
  t.match(await settle(lost), { code: 1 });
  t.match(await open(), { total: 0, data: [] });
  t.match(await admin.get('/market/admin/lost?settled=1'), {
    total: 1,
    data: [{ signature: lost, settled: { note: 'written off', by: chain.node.alice.id } }],
  });
});

t.test('letters', async (t) => {
  let isRefusing = true;
  const { received, port } = await startSmtp(t, () => isRefusing);
  const market = await startMarketInProcess(t, chain, {
    'data-dir': join(t.testdir({}), 'market'),
    'mail-from': 'market@exchange.example',
    'smtp-file': join(t.testdir({ smtp: `smtp://market:top%20secret@127.0.0.1:${port}\n` }), 'smtp'),
  });
  const { admin, merchants } = await boundMerchants(market, chain, accounts);
  const [one, , three] = merchants as [MarketClient, MarketClient, MarketClient];
  for (const merchantId of [1, 2]) {
    await admin.post('/market/merchant/profile', { merchantId, email: `${merchantId}@sellers.example` });
  }
  const id = await publish(one, { voteThrehold: 1 });
  await one.post(`/market/product/${id}/members/add`, { members: [2] });
  await three.post<VoteBegun>(`/market/product/${id}/members/add`, {});
  interface Mail {
    readonly id: number;
    readonly address: string;
    readonly state: string;
    readonly failure: string | null;
  }
  const mails = async (state: string) => (await admin.get<Mail[]>(`/market/admin/outbox?state=${state}`)).data;
  const failed = await eventually('both were turned away', async () => {
    const waiting = await mails('waiting');
    return waiting.length === 2 && waiting.every(({ failure }) => failure !== null) ? waiting : undefined;
  });
  const [first, second] = failed as unknown as [Mail, Mail];
  t.notMatch(JSON.stringify(failed), /"body"|"text"/, 'without their texts');
  const post = (name: string, mail: number) => admin.post(`/market/admin/outbox/${name}`, { id: mail });
  t.match(await post('drop', first.id), { code: 1 });
  t.match(await post('drop', first.id), { status: 409, code: 1007 }, 'dropped already');
  t.match(await post('drop', 99), { status: 404, code: 1006 });
  isRefusing = false;
  t.match(await post('retry', second.id), { code: 1 });
  await eventually('the other one goes without its pause', () => received.length === 1);
  t.same(received[0]?.to, [second.address]);
  await eventually('it is recorded', async () => (await mails('sent')).length === 1);
  t.match(await post('retry', second.id), { status: 409, code: 1007 }, 'it has arrived');
  t.match(await mails('dropped'), [{ id: first.id, state: 'dropped' }]);
  t.match(await post('retry', first.id), { code: 1 });
  await eventually('and the dropped one after all', () => received.length === 2);
});
