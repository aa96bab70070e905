import { packObjectId } from '../../src/protocol/ids.js';
import { type DataTransactionObject, dataTransactionObject } from '../../src/state/objects/data-market.js';
import { core, type TestWorld, type WorldOptions } from './world.js';

/** A data market for tests: whoever plays a part in it is named after that part. */

export const MARKET_FUNDS = 10n ** 9n;
const TRADERS = ['source-one', 'source-two', 'merchant', 'exchange'];

/** Traders are basic accounts: what they may do comes from their roles. */
export const MARKET_WORLD: WorldOptions = {
  accounts: Object.fromEntries(['alice', 'basic', ...TRADERS].map((name) => [name, MARKET_FUNDS])),
  basic: ['basic', ...TRADERS],
};

const context = (version: string, schema_context: string) => ({ version, schema_context });

/** What the chain reads of a product's description, by version. */
export const CONTEXTS = [
  context('open', '{"privacy": false}'),
  context('private', '{"privacy": true}'),
  context('private-text', '{"privacy": "true"}'),
  context('verified', '{"copyright_verify": true}'),
  context('broken', '{"privacy": '),
];

/** 1.17.0 of source-one and 1.18.0, both with all contexts, and a league of both sources with that product. */
export const FREE_PRODUCT = packObjectId(1, 17, 0);
export const LEAGUE_PRODUCT = packObjectId(1, 18, 0);
export const FREE_PRICE = 60_000;
export const LEAGUE_PRICE = 30_000;

/** Both data sources and the merchant are merchants; the exchange passes on requests. */
export function grantRoles(w: TestWorld): void {
  for (const name of ['source-one', 'source-two', 'merchant']) {
    const given = { account_to_upgrade: name, auth_referrer: 'alice' };
    w.push('account_upgrade_merchant', { ...given, upgrade_to_merchant_member: true });
    if (name === 'merchant') continue;
    w.push('account_upgrade_datasource', { ...given, upgrade_to_datasource_member: true });
  }
  w.asCommittee('account_upgrade_data_transaction_member', {
    account_to_upgrade: 'exchange',
    upgrade_to_data_transaction_member: true,
  });
  w.block();
}

export function openMarket(w: TestWorld): void {
  grantRoles(w);
  w.push('data_market_category_create', { category_name: 'c', data_market_type: 1, order_num: 3, issuer: 'alice' });
  const product = { issuer: 'alice', schema_contexts: CONTEXTS, product_name: 'p' };
  w.push('free_data_product_create', { ...product, datasource: 'source-one', price: BigInt(FREE_PRICE) });
  w.push('league_data_product_create', { ...product, refer_price: 5n });
  w.push('league_create', {
    issuer: 'alice',
    league_name: 'l',
    members: ['source-one', 'source-two'],
    data_products: [0],
    prices: [BigInt(LEAGUE_PRICE)],
  });
  w.block();
}

/** The requester says when it was made; by that it is forgotten later. */
export const request = (w: TestWorld, request_id: string, more: object = {}) => ({
  request_id,
  create_date_time: w.now,
  product_id: FREE_PRODUCT,
  version: 'open',
  params: 'what',
  requester: 'merchant',
  ...more,
});

/** A request within the league, by one of its members. */
export const leagueRequest = (w: TestWorld, request_id: string, more: object = {}) =>
  request(w, request_id, { product_id: LEAGUE_PRODUCT, league_id: 0, requester: 'source-one', ...more });

export const upload = (request_id: string, datasource: string, copyright_hash?: string) => ({
  request_id,
  requester: 'exchange',
  datasource,
  extensions: copyright_hash === undefined ? [] : [[2, { copyright_hash }]],
});

export const payment = (request_id: string, from: string, to: string, amount: number, more: object = {}) => ({
  request_id,
  from,
  to,
  amount: core(amount),
  fee: core(100),
  ...more,
});

export function requestOf(w: TestWorld, request_id: string): Readonly<DataTransactionObject> {
  const found = w.state.findBy(dataTransactionObject.by.requestId, request_id);
  if (found === undefined) throw new Error(`nobody has asked for ${request_id}`);
  return found;
}

/** Names of the data sources that are asked, with what became of it. */
export const sourcesOf = (w: TestWorld, request_id: string): (readonly [number, number])[] =>
  requestOf(w, request_id).datasources_status.map(({ datasource, status }) => [datasource, status]);
