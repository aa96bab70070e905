import t, { type Test } from 'tap';
import { openMarket } from '../../../src/services/market/market.js';
import { eventually } from '../../support/eventually.js';
import { placeOf } from '../support/databases.js';
import type { MarketClient } from '../support/market-client.js';
import {
  boundMerchants,
  MarketChain,
  type MarketInProcess,
  publish,
  startMarketInProcess,
} from '../support/market-service.js';

/** Bills, against a real node: what they add up, whose they are, and that all of them agree. */

const chain = await MarketChain.start(t.testdir());
t.teardown(() => chain.stop());
const accounts = await chain.accounts(3, 'payer');
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Of the bills. */
const ZONE_MS = 8 * HOUR_MS;

const instance = (id: string): number => Number(id.slice(4));

interface Sold {
  readonly buyer: string;
  readonly source: string;
  readonly productId: number;
  readonly units: number;
  readonly atMs: number;
  readonly state?: string;
  readonly percent?: number;
}

let turn = 0;
/** What the exchange writes for a source that was asked, and its payment. */
async function record({ dataDir }: MarketInProcess, sold: readonly Sold[]): Promise<void> {
  const db = await openMarket(await placeOf(dataDir));
  for (const { buyer, source, productId, units, atMs, state = 'final', percent = 1000 } of sold) {
    const id = ++turn;
    const signature = id.toString(16).padStart(130, '0');
    await db
      .insertInto('delivery')
      .values({
        id,
        request_id: `request-${id}`,
        product_id: productId,
        buyer: instance(buyer),
        source: instance(source),
        signature,
        outcome: 'SUCCESS',
        asset: 1,
        units: String(units),
        percent,
        answer_ms: id * 10,
        created_ms: atMs,
      })
      .execute();
    await db
      .insertInto('payment')
      .values({
        ...{ signature, purpose: 'des', state: state as 'final', payer: instance(buyer), asset: 1 },
        ...{ units: String(units), expiration: 0, request: '', memo: null, packed: null, txid: signature.slice(-40) },
        ...{ tx_expiration: null, after_block: null, attempts: 1, block: 1, failure: null, created_ms: atMs },
        ...{ sent_ms: atMs, lease_owner: '', lease_until_ms: 0 },
      })
      .execute();
  }
  await db.destroy();
}

async function sellers(t: Test) {
  const market = await startMarketInProcess(t, chain);
  const { merchants } = await boundMerchants(market, chain, accounts);
  const [buyer, seller, other] = merchants as [MarketClient, MarketClient, MarketClient];
  const productId = await publish(seller, { voteThrehold: 0.1, productName: 'A' });
  const second = await publish(seller, { voteThrehold: 0.1, productName: 'B' });
  return { market, buyer, seller, other, productId, second };
}

interface Line {
  readonly productId: number;
  readonly consumeAmount: number;
}

/** To noon of a fifteenth: yesterday and today are days of one month, whenever the test runs. */
function untilMiddleOfMonth(nowMs: number): number {
  const local = new Date(nowMs + ZONE_MS);
  const months = local.getUTCMonth() + (local.getUTCDate() < 15 ? 0 : 1);
  return Date.UTC(local.getUTCFullYear(), months, 15, 12) - ZONE_MS - nowMs;
}

t.test('two months, a midnight, and a price that changes in between', async (t) => {
  const { market, buyer, seller, other, productId, second } = await sellers(t);
  market.clock.move(untilMiddleOfMonth(market.clock.nowMs()));
  const now = market.clock.nowMs();
  const local = new Date(now + ZONE_MS);
  const thisMonth = Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), 1) - ZONE_MS;
  const today = Math.floor((now + ZONE_MS) / DAY_MS) * DAY_MS - ZONE_MS;
  const sale = { buyer: buyer.account.id, source: seller.account.id };
  const monthText = (ms: number) => new Date(ms + ZONE_MS).toISOString().slice(0, 7);
  await record(market, [
    { ...sale, productId, units: 100_001, atMs: thisMonth - 1 },
    { ...sale, productId, units: 7, atMs: thisMonth },
    { ...sale, productId: second, units: 5, atMs: today - 1 },
    { ...sale, productId: second, units: 30_000, atMs: today, state: 'sent' },
    { ...sale, productId, units: 1000, atMs: today, state: 'lost' },
    { ...sale, productId, units: 1000, atMs: today, state: 'failed' },
    { ...sale, buyer: other.account.id, productId, units: 999, atMs: today },
  ]);
  await seller.post(`/market/product/${productId}/update`, { price: { amount: 250, assetId: '1.3.1' } });
  const log = await buyer.get<{ amount: number; gmtCreated: number; productId: number }[]>('/market/dataexchange/log');
  t.same([log.total, log.data.length], [4, 4], 'lost, failed and those of others are not there');
  t.match(log.data[0], { id: Number, requestId: /^request-/, productId: second, productName: 'B', amount: 0.3 });
  const lines = async (date: string): Promise<Line[]> => {
    const { data, code } = await buyer.get<{ code: number; msg: null; data: Line[]; total: null }>(
      `/market/bill/month?date=${date}`,
    );
    t.match([code, data.code, data.msg, data.total], [1, 0, null, null], 'an envelope in the envelope');
    return data.data;
  };
  const [last, current] = [monthText(thisMonth - 1), monthText(thisMonth)];
  t.match(await lines(last), [{ productId, transferCount: 1, unitPrice: 0.0025, consumeAmount: 1.00001 }]);
  let sum = 0;
  for (const month of [last, current]) {
    const byProduct = await lines(`${month}-15`);
    const { data } = await buyer.get<Record<string, number>>(`/market/bill/monthTotal?date=${month}`);
    t.match(data, { date: null, average: null, balance: 0 });
    const units = (list: readonly number[]) => list.reduce((all, one) => all + Math.round(one * 100_000), 0);
    const consumed = units([data.consumeAmount as number]);
    t.equal(units(byProduct.map((line) => line.consumeAmount)), consumed, `${month}: its lines`);
    const [from, to] = [
      `${month}-01`,
      new Date(Date.UTC(+month.slice(0, 4), +month.slice(5), 0)).toISOString().slice(0, 10),
    ];
    const days = await buyer.get<{ amount: number }[]>(
      `/market/dataexchange/log?gmtCreatedFrom=${from}&gmtCreatedTo=${to}`,
    );
    t.equal(units(days.data.map(({ amount }) => amount)), consumed, `${month}: its log`);
    sum += consumed;
  }
  const { data: total } = await buyer.get<{ overview: Record<string, number>; productList: Line[] }>(
    '/market/bill/total',
  );
  t.equal(Math.round((total.overview.consumeAmount as number) * 100_000), sum, 'all months');
  t.match(total.overview, { date: null, incomeAmount: null, transferCount: null, balance: 0 });
  const dayCount = Math.floor((now + ZONE_MS) / DAY_MS) - Math.floor((thisMonth - 1 + ZONE_MS) / DAY_MS) + 1;
  t.equal(total.overview.average, Math.floor(sum / dayCount + 0.5) / 100_000, 'rounded half up');
  t.match(total.productList[0], { logoUrl: '', productId, consumeAmount: 1.00008 });
  const { data: recent } = await buyer.get<Record<string, number>[]>('/market/bill/recent');
  t.equal(recent.length, 30);
  t.match(recent[0], { date: today, consumeAmount: 0.3, transferCount: 1, balance: null, average: null });
  t.match(recent[1], { date: today - DAY_MS });
  for (const query of ['', '?date=2020', '?date=2020-13', '?date=2020-02-31', '?date=x']) {
    t.match(await buyer.get(`/market/bill/monthTotal${query}`), { status: 400, code: 1001 }, query);
    t.match(await buyer.get(`/market/bill/month${query}`), { status: 400, code: 1001 }, query);
  }
});

t.test('whose they are', async (t) => {
  const { market, buyer, seller, other, productId } = await sellers(t);
  const atMs = market.clock.nowMs();
  const sale = { productId, units: 5, atMs };
  await record(market, [
    { ...sale, buyer: buyer.account.id, source: seller.account.id },
    { ...sale, buyer: buyer.account.id, source: seller.account.id, units: 1009 },
    { ...sale, buyer: other.account.id, source: seller.account.id, units: 20_000, percent: 0 },
  ]);
  t.match(await seller.get('/market/dataexchange/log'), { data: [], total: 0 }, 'sales are no purchases');
  const detail = async (client: MarketClient, query = '') =>
    (await client.get<Record<string, unknown>[]>(`/market/dataexchange/detail${query}`)).data;
  t.equal((await detail(seller)).length, 3);
  t.equal((await detail(seller, `?toAccount=${other.account.id}`)).length, 1);
  const [row] = await detail(buyer);
  t.same(Object.keys(row ?? {}), ['id', 'gmtCreated', 'fromAccount', 'toAccount', 'requestId', 'txid']);
  t.match(row, { fromAccount: seller.account.id, toAccount: buyer.account.id, txid: /^[0-9a-f]{40}$/ });
  t.equal((await detail(buyer, `?txid=${row?.txid}`)).length, 1);
  t.equal((await detail(other, `?requestId=${row?.requestId}`)).length, 0, 'of another');
  t.equal((await detail(buyer, '?gmtCreatedTo=2020-01-01')).length, 0);
  const earned = await seller.get<{ lines: object[] }>('/market/income');
  t.match(earned.data, { paidAmount: 0.21014, incomeAmount: 0.20914, transferCount: 3 });
  t.match(earned.data.lines, [
    { productId, buyer: other.account.id, transferCount: 1, incomeAmount: 0.2 },
    {
      productId,
      productName: 'A',
      buyer: buyer.account.id,
      transferCount: 2,
      paidAmount: 0.01014,
      incomeAmount: 0.00914,
    },
  ]);
  const recent = await seller.get<{ date: number }[]>('/market/income/recent');
  t.equal(recent.data.length, 30);
  const today = Math.floor((atMs + ZONE_MS) / DAY_MS) * DAY_MS - ZONE_MS;
  t.match(recent.data[0], { date: today, paidAmount: 0.21014, incomeAmount: 0.20914, transferCount: 3 });
  t.match(recent.data[1], { date: today - DAY_MS, paidAmount: 0, incomeAmount: 0, transferCount: 0 });
  t.match(await buyer.get('/market/income'), { data: { lines: [], incomeAmount: 0 } });
  t.match((await seller.get('/market/income?to=2020-01-01')).data, { transferCount: 0 });
  const sources = await buyer.get(`/market/product/${productId}/sources`);
  t.match(sources.data, [
    { accountId: seller.account.id, asked: 3, delivered: 3, successRate: 1, medianAnswerMs: Number },
  ]);
});

t.test('what came in is no sale, and is told by the history of the node', async (t) => {
  const { buyer } = await sellers(t);
  const monthNow = (): string => new Date(Date.now() + ZONE_MS).toISOString().slice(0, 7);
  const before = monthNow();
  await chain.pay(buyer.account.id, 250_000);
  await chain.pay(buyer.account.id, 50_001);
  const incomeOf = async () => {
    const { data } = await buyer.get<Record<string, number>[]>('/market/bill/recent');
    return data.reduce((sum, day) => sum + Math.round((day.incomeAmount as number) * 100_000), 0);
  };
  await eventually('both are irreversible', async () => (await incomeOf()) === 300_001, 500);
  t.equal(await incomeOf(), 300_001, 'counted once');
  // A month may have begun in between.
  let came = 0;
  for (const month of new Set([before, monthNow()])) {
    const { data } = await buyer.get<Record<string, number>>(`/market/bill/monthTotal?date=${month}`);
    t.match(data, { balance: 3.00001, consumeAmount: 0, transferCount: 0 });
    came += Math.round((data.incomeAmount as number) * 100_000);
  }
  t.equal(came, 300_001);
});

t.test('a node without that history', async (t) => {
  const bare = await MarketChain.start(t.testdir({ node: {} }), 'witness');
  t.teardown(() => bare.stop());
  const market = await startMarketInProcess(t, bare, { 'data-dir': `${t.testdirName}/market` });
  const { admin } = await boundMerchants(market, bare, []);
  t.match(await admin.get('/market/bill/recent'), { status: 503, code: 1013, msg: 'CHAIN_UNAVAILABLE' });
  const ready = await fetch(`${market.url}/readyz`);
  t.equal(ready.status, 503);
  t.match(await ready.text(), /account_history_kv/);
  t.match(await admin.get('/market/bill/total'), { code: 1 }, 'what needs no history is there');
});
