import {
  type DataTransactionObject,
  dataMarketCategoryObject,
  dataTransactionObject,
  freeDataProductObject,
  leagueDataProductObject,
  leagueObject,
} from '../../../src/state/objects/data-market.js';
import { lockBalanceObject } from '../../../src/state/objects/lock-balance.js';
import { stakingObject } from '../../../src/state/objects/staking.js';
import { idOf } from './checks.js';
import { type Choices, type Given, I64, type Maker, U64 } from './choices.js';
import { instanceOf } from './products.js';
import { CONTEXTS, VERSIONS } from './programs.js';

const REQUESTS = ['q1', 'q2', 'q3', 'q4', 'q5', 'q6', 'q7', 'q8', 'x'.repeat(99), 'x'.repeat(100), 'é'.repeat(50), ''];
const PRICE = 60_000n;
const contexts = (c: Choices) => (c.chance(0.75) ? CONTEXTS : []);
const threshold = (c: Choices, least: bigint) =>
  c.pick<unknown[]>(
    [],
    [[5, { pocs_threshold: 0n }]],
    [[5, { pocs_threshold: least }]],
    [[5, { pocs_threshold: U64 }]],
  );

// What is on offer

function freeCreate(c: Choices): Given {
  return {
    ...{ product_name: 'p', brief_desc: 'b', icon: 'i', parent_id: 'q', schema_contexts: contexts(c) },
    datasource: c.source(),
    category_id: c.pick(0, 99),
    price: c.chance(0.5) ? PRICE : c.unsigned(),
    issuer: c.lifetime(),
    create_date_time: c.time(),
    recommend_expiration_date_time: c.time(),
  };
}

function freeUpdate(c: Choices): Given {
  return {
    free_data_product: c.row(freeDataProductObject)?.id ?? 9,
    new_product_name: c.maybe('n', 0.3),
    new_price: c.maybe(c.unsigned()),
    new_datasource: c.maybe(c.account()),
    new_status: c.maybe(1),
    new_issuer: c.maybe(c.account(), 0.3),
    new_schema_contexts: c.maybe(contexts(c), 0.5),
    new_recommend_expiration_date_time: c.maybe(c.time(), 0.3),
  };
}

function leagueLists(c: Choices) {
  const product = () => c.row(leagueDataProductObject)?.id ?? 9;
  const products = Array.from({ length: c.random.between(1, 4) }, product);
  const [one, two] = [c.named('source-one'), c.named('source-two')];
  const members = c.chance(0.1) ? [c.account()] : c.pick([one, two], [one], [two, one, one], []);
  const prices = products.slice(c.chance(0.15) ? 1 : 0).map(() => (c.chance(0.7) ? PRICE : c.unsigned()));
  const odd = () => Array.from({ length: c.chance(0.05) ? 1 : 0 });
  const shares = {
    pocs_thresholds: [...members, ...odd()].map(() => c.pick(0n, 0n, 0n, 1n, 2n, U64)),
    fee_bases: [...members, ...odd()].map(() => c.pick(0n, 1n, 2n, 2n, 2n, 7n, U64, I64 + 1n)),
    product_pocs_weights: [...products, ...odd()].map(() => c.pick(0n, 1n, 1n, 3n, 3n, I64 + 1n, U64)),
  };
  return { products, members, prices, extensions: c.chance(0.6) ? [[4, shares]] : [] };
}

function leagueCreate(c: Choices): Given {
  const { products: data_products, members, prices, extensions } = leagueLists(c);
  const category_id = c.chance(0.9) ? 0 : 99;
  const given = { league: 0, league_name: 'l', data_products, prices, members, extensions, category_id };
  return { ...given, issuer: c.lifetime(), create_date_time: c.m.time };
}

function leagueUpdate(c: Choices): Given {
  const { products, members, prices, extensions } = leagueLists(c);
  return {
    league: c.row(leagueObject)?.id ?? 9,
    new_data_products: c.maybe(products, 0.93),
    new_members: c.maybe(members, 0.93),
    new_prices: c.maybe(prices, 0.8),
    new_issuer: c.maybe(c.account(), 0.3),
    new_status: c.maybe(1),
    extensions,
  };
}

// What is asked for

function requestCreate(c: Choices): Given {
  const common = { request_id: c.random.pick(REQUESTS), version: c.random.pick(VERSIONS), params: 'p' };
  const league = c.chance(0.6) ? c.row(leagueObject) : undefined;
  const of = (type: number, id: number | undefined) => idOf(type, id ?? 0);
  if (league !== undefined) {
    const isListed = c.chance(0.85) && league.data_products.length > 0;
    const product_id = isListed ? of(18, c.random.pick(league.data_products)) : c.pick(of(17, 0), of(2, 0), of(18, 1));
    const requester = league.members.length > 0 ? c.random.pick(league.members) : c.account();
    return { ...common, product_id, requester, create_date_time: c.time(), league_id: league.id };
  }
  const odd = [of(17, 99), of(18, 0), of(2, 0), of(19, 0), of(16, 0), of(9, 0), of(1, 0), 7n << 56n];
  // These can be gone later.
  odd.push(of(27, c.row(stakingObject)?.id), of(25, c.row(lockBalanceObject)?.id));
  const product_id = c.chance(0.85) ? of(17, c.row(freeDataProductObject)?.id) : c.random.pick(odd);
  const requester = c.mostly('merchant');
  return { ...common, product_id, requester, create_date_time: c.time(), league_id: c.maybe(77, 0.03) };
}

const hasSource = (status: number) => (row: DataTransactionObject) =>
  row.datasources_status.some((one) => one.status === status);

function sourceOf(c: Choices, row: DataTransactionObject | undefined, p: number): number {
  const sources = row?.datasources_status ?? [];
  return sources.length > 0 && c.chance(p) ? c.random.pick(sources).datasource : c.account();
}

const request = (c: Choices, isWanted: (row: DataTransactionObject) => boolean, odd: number) =>
  c.row(dataTransactionObject, c.chance(odd) ? undefined : isWanted);
const named = (c: Choices, row: DataTransactionObject | undefined) => row?.request_id ?? c.random.pick(REQUESTS);

function requestUpdate(c: Choices): Given {
  const row = request(c, ({ status }) => status === 0, 0.3);
  const new_status = c.pick(1, 1, 1, 99, 0, 2);
  return { request_id: named(c, row), new_status, new_requester: c.mostly('exchange'), new_memo: c.maybe('memo') };
}

function upload(c: Choices): Given {
  const row = request(c, ({ status }) => status === 1, 0.2);
  const hash = (copyright_hash?: string) => [[2, { copyright_hash }]];
  const extensions = c.pick<unknown[]>([], hash('h1'), hash('h1'), hash('h2'), hash(''), hash());
  return { request_id: named(c, row), requester: c.mostly('exchange'), datasource: sourceOf(c, row, 0.9), extensions };
}

function sourceError(c: Choices): Given {
  const row = c.row(dataTransactionObject);
  return { request_id: named(c, row), datasource: sourceOf(c, row, 0.8) };
}

function complain(c: Choices): Given {
  const row = request(c, hasSource(2), 0.2);
  return {
    request_id: named(c, row),
    requester: row !== undefined && c.chance(0.9) ? row.requester : c.account(),
    datasource: sourceOf(c, row, 0.9),
    merchant_copyright_hash: 'a',
    datasource_copyright_hash: c.pick('b', 'b', 'b', 'a'),
    create_date_time: c.time(),
  };
}

function priceOf(c: Choices, { league_id, product_id }: DataTransactionObject): bigint | undefined {
  if (league_id === undefined) return c.m.find(freeDataProductObject, instanceOf(product_id))?.price;
  const league = c.m.find(leagueObject, league_id);
  return league?.prices[league.data_products.findIndex((id) => idOf(18, id) === product_id)];
}

function pay(c: Choices): Given {
  const row = request(c, hasSource(1), 0.1);
  const price = BigInt.asIntN(64, (row && priceOf(c, row)) ?? PRICE);
  const uploaded = row?.datasources_status.filter(({ status }) => status === 1) ?? [];
  const buyer = row !== undefined && c.chance(0.8) ? c.pick(c.named('source-one'), row.requester) : c.account();
  return {
    from: buyer,
    to: uploaded.length > 0 && c.chance(0.9) ? c.random.pick(uploaded).datasource : c.account(),
    amount: { amount: price + (c.chance(0.05) ? 1n : 0n), asset_id: c.asset() },
    request_id: named(c, row),
  };
}

export const MARKET_MAKERS: Readonly<Record<number, Maker>> = {
  55: requestCreate,
  56: requestUpdate,
  57: pay,
  59: upload,
  60: sourceError,
  61: (c) => ({
    category_name: 'c',
    data_market_type: c.random.below(256),
    order_num: 4,
    issuer: c.lifetime(),
    create_date_time: c.time(),
  }),
  62: (c) => ({
    data_market_category: c.row(dataMarketCategoryObject)?.id ?? 9,
    data_market_type: 3,
    new_category_name: c.maybe('n'),
    new_order_num: c.maybe(8),
    new_status: c.maybe(2),
  }),
  63: freeCreate,
  64: freeUpdate,
  65: (c) => ({
    product_name: 'p',
    issuer: c.lifetime(),
    schema_contexts: contexts(c),
    refer_price: c.unsigned(),
    create_date_time: c.m.time,
    extensions: threshold(c, 1n),
  }),
  66: (c) => ({
    league_data_product: c.row(leagueDataProductObject)?.id ?? 9,
    new_refer_price: c.unsigned(),
    new_schema_contexts: c.maybe(contexts(c), 0.5),
    extensions: threshold(c, 2n),
  }),
  67: leagueCreate,
  68: leagueUpdate,
  69: (c) => ({ datasource_account: c.source(), product_id: c.pick(0n, 0n, idOf(17, 0)) }),
  70: complain,
};
