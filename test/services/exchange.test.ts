import { join } from 'node:path';
import t from 'tap';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { accountId } from '../../src/protocol/ids.js';
import { openExchangeDatabase } from '../../src/services/des/des.js';
import { Buyer } from '../../src/trade/buyer.js';
import { eventually } from '../support/eventually.js';
import { NodeBuyer } from './support/buyers.js';
import { databaseFor } from './support/databases.js';
import { DesWorld, PRICE } from './support/des-world.js';
import { boundMerchants, MarketChain, publish, startMarketInProcess } from './support/market-service.js';
import { honest, SourceServer } from './support/source-server.js';

/**
 * Market and exchange on one database: a seller binds and publishes, a buyer buys, both see it on their bills; and what the
 * market decides holds at the exchange at once.
 */

const PATIENCE_MS = 120_000;
const world = await DesWorld.start(t, '--plugins', 'witness account_history_kv');
const chain = MarketChain.over(world.node, world.client);
const folder = t.testdir();
const place = join(folder, 'shared');
const shared = { 'data-dir': place, database: (await databaseFor(place)) ?? join(place, 'exchange.db') };
const market = await startMarketInProcess(t, chain, { ...shared, 'private-urls': 'true' });
const exchange = await world.exchange(t, {
  ...shared,
  'source-timeout': '60',
  'connect-timeout': '30',
  'clock-skew': '60000',
});
const db = await openExchangeDatabase(shared);
t.teardown(() => db.destroy());
const [seller, other] = [await world.account('seller-one'), await world.account('seller-two')];
const [one, two] = [await SourceServer.start(seller), await SourceServer.start(other)];
t.teardown(() => Promise.all([one.close(), two.close()]));
const { merchants } = await boundMerchants(market, chain, [seller, other, world.alice]);
const [first, second, buyer] = merchants;
if (first === undefined || second === undefined || buyer === undefined) throw new Error('three are bound');
await first.bind(one.url);
await second.bind(two.url);
const product = await publish(first, { price: { amount: PRICE, assetId: '1.3.1' }, voteThrehold: 0.5 });
const isThere = async (source: SourceServer): Promise<void> =>
  world.isThere({ url: exchange.url, db }, source, [product]);
const client = new NodeBuyer(exchange.url, world.alice);
const buy = async () => {
  const { status, body } = await client.create(product, client.elements(await client.product(product), { city: 'x' }));
  return status === 200 ? client.result((body as { request_id: string }).request_id, PATIENCE_MS) : body;
};

t.test('what was bought stands on the bills of both', async (t) => {
  await isThere(one);
  const result = await buy();
  t.match(result, { status: 'FINISHED', datasources: [{ status: 'SUCCESS', datasource: seller.id }] });
  const { datasources } = result as { datasources: readonly { readonly txid: string }[] };
  const txid = datasources[0]?.txid ?? '';
  const log = await buyer.get('/market/dataexchange/log');
  t.match(log, { total: 1, data: [{ productId: product, amount: 0.01 }] });
  for (const side of [buyer, first]) {
    const detail = { data: [{ fromAccount: seller.id, toAccount: world.alice.id, txid }] };
    t.match(await side.get(`/market/dataexchange/detail?txid=${txid}`), detail);
  }
  t.match(await second.get(`/market/dataexchange/detail?txid=${txid}`), { data: [] }, 'nobody else’s');
  const earned = {
    data: { paidAmount: 0.01, incomeAmount: 0.009, transferCount: 1, lines: [{ buyer: world.alice.id }] },
  };
  t.match(await first.get('/market/income'), earned, 'the share of the exchange is taken off');
  t.match(await first.get(`/market/product/${product}/sources`), {
    data: [{ accountId: seller.id, asked: 1, delivered: 1, successRate: 1, medianAnswerMs: Number }],
  });
});

t.test('how often a source delivers, and how fast', async (t) => {
  one.behaviour = (_, answer) => void answer.writeHead(500).end();
  t.match(await buy(), { datasources: [{ status: 'FAIL', comment: 'DATASOURCE_FAIL' }] });
  t.match(await first.get(`/market/product/${product}/sources`), {
    data: [{ asked: 2, delivered: 1, successRate: 0.5 }],
  });
  t.match(await buyer.get('/market/dataexchange/log'), { total: 1 }, 'what was not delivered is on no bill');
  one.behaviour = honest;
});

t.test('E27: a price that changes between product query and request', async (t) => {
  const offer = await client.product(product);
  const old = client.elements(offer, { city: 'x' });
  const price = { amount: PRICE + 1, assetId: '1.3.1' };
  t.match(await first.post(`/market/product/${product}/update`, { price }), { code: 1 });
  t.match(await client.create(product, old), { status: 400, body: { code: 'INVALID_PARAMS', message: /amount/ } });
  const now = await client.product(product);
  t.match(now, { product: { price: { amount: PRICE + 1 }, version: 2 } });
  const library = new Buyer({
    exchange: exchange.url,
    account: accountId.fromJson(world.alice.id),
    key: PrivateKey.fromWif(world.alice.wif),
  });
  const stale = { ...(await library.product(product)), version: 1 };
  await t.rejects(library.ask(stale, { city: 'x' }), { message: /INVALID_PARAMS.*version/ });
  const before = await world.balance(world.alice.id);
  t.match(await buy(), { datasources: [{ status: 'SUCCESS' }] }, 'the new price');
  t.equal(before - (await world.balance(world.alice.id)), BigInt(PRICE + 1));
  t.match(await buyer.get('/market/bill/total'), {
    data: { productList: [{ transferCount: 2, unitPrice: 0.01001, consumeAmount: 0.02001 }] },
  });
});

t.test('off sale and on again', async (t) => {
  const sale = (onSale: boolean) => first.post(`/market/product/${product}/sale`, { onSale });
  t.match(await sale(false), { code: 1 });
  t.match(await buy(), { code: 'FORBIDDEN' }, 'those that are online change nothing');
  t.match(await sale(true), { code: 1 });
  t.match(await buy(), { datasources: [{ status: 'SUCCESS' }] });
});

t.test('a member who comes is asked, one who leaves is not', async (t) => {
  t.match(await first.post(`/market/product/${product}/members/add`, { members: [2] }), { code: 1 });
  await isThere(two);
  await isThere(one);
  t.match(await buy(), { total: 2, datasources: [{ status: 'SUCCESS' }, { status: 'SUCCESS' }] });
  t.match(await second.post(`/market/product/${product}/members/leave`), { code: 1 });
  const left = await client.product(product);
  t.same(
    left.onlineDatasources.map(({ accountId: id }) => id),
    [seller.id],
  );
  t.match(await first.post(`/market/product/${product}/members/leave`), { code: 1 });
  const late = await client.create(product, client.elements(left, { city: 'x' }));
  t.match(late, { status: 403, body: { code: 'FORBIDDEN' } }, 'the last one takes it off sale');
  t.match(await buy(), { code: 'DATASOURCE_OFFLINE' });
});

t.test('packets of whoever asks to be deleted are gone from the exchange', async (t) => {
  t.match(await buyer.post('/market/merchant/delete'), { code: 1 });
  await eventually('the exchange has done its part', async () => {
    const row = await db.selectFrom('erasure').select('packets_ms').executeTakeFirst();
    return row?.packets_ms !== null;
  });
  const left = await db.selectFrom('des_leg').select(['data', 'params']).execute();
  t.ok(left.length > 3);
  t.ok(left.every(({ data, params }) => data === null && params === null));
});

t.test('each service has its document, and a page on which its calls can be tried', async (t) => {
  for (const [url, calls] of [
    [market.url, ['/market/account/bind', '/market/product/vote', '/market/bill/total', '/market/income']],
    [
      exchange.url,
      [
        '/api/product/{product_id}',
        '/api/request/create/{product_id}',
        '/api/request/create/{product_id}/{version}',
        '/api/request/{request_id}',
        '/api/datasource/heartbeat',
        '/api/datasource/activePublicKey',
      ],
    ],
  ] as const) {
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
      readonly openapi: string;
      readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: object }>>>>;
    };
    t.match(document.openapi, /^3\./);
    for (const path of calls) t.ok(document.paths[path], path);
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const { responses } of Object.values(methods)) t.ok('200' in responses, path);
    }
    const page = await fetch(`${url}/`, { headers: { Accept: 'text/html' } });
    t.match(await page.text(), /<script type="module"/);
  }
});

t.test('no key, no whole packet and no whole signature is in any log', async (t) => {
  const logs = JSON.stringify([market.log.entries, exchange.log.entries], (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  t.ok(logs.length > 500, 'something was logged');
  for (const { wif } of [seller, other, world.alice, world.bob]) t.notOk(logs.includes(wif));
  t.notMatch(logs, /[0-9a-f]{65}/, 'nothing longer than an id of 64 digits');
});
