import type { Json, JsonObject } from '../../src/codec/json.js';
import { FOREVER } from '../../src/state/rules/accounts.js';
import { accountText, amountJson, FreeWorld } from './free-world.js';

const FUNDS = 10n ** 9n;

/**
 * A data market for tests of refusals. Category 1.16.0; product 1.17.0 of `one` at 60000; products 1.18.0 and 1.18.1;
 * league 1.19.0 of `one` and `two` with 1.18.0 at 30000.
 */
export function freeMarket() {
  const w = new FreeWorld();
  const source = { merchant_expiration_date: FOREVER, datasource_expiration_date: FOREVER };
  const issuer = accountText(w.lifetimeMember('issuer', FUNDS));
  const one = accountText(w.account('source-one', source, FUNDS));
  const two = accountText(w.account('source-two', source, FUNDS));
  const merchant = accountText(w.account('merchant', { merchant_expiration_date: FOREVER }, 59_999n));
  const exchange = accountText(w.account('exchange', { data_transaction_member_expiration_date: FOREVER }));
  const schema_contexts = [
    { version: 'open', schema_context: '{}' },
    { version: 'private', schema_context: '{"privacy":true}' },
    { version: 'broken', schema_context: '{"privacy":true} x' },
  ];
  const league: JsonObject = { issuer, members: [one, two], data_products: ['1.18.0'], prices: [30_000] };
  w.run(61, { issuer });
  w.run(63, { issuer, datasource: one, price: 60_000, schema_contexts });
  w.run(65, { issuer, schema_contexts });
  w.run(65, { issuer, schema_contexts });
  w.run(67, league);
  const request = (request_id: string, more: JsonObject = {}) =>
    w.run(55, { request_id, product_id: '1.17.0', version: 'open', requester: merchant, ...more });
  const upload = (request_id: string, more: JsonObject = {}) =>
    w.run(59, { request_id, requester: exchange, datasource: one, ...more });
  const pay = (request_id: string, amount: Json, more: JsonObject = {}) =>
    w.run(57, { request_id, from: merchant, to: one, amount, ...more });
  return { w, issuer, one, two, merchant, exchange, league, request, upload, pay };
}

/** An amount of the core asset. */
export const coins = (amount: number): JsonObject => amountJson(amount, 1);
