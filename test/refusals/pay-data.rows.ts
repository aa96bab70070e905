import { INT_ERRORS } from '../../src/base/int.js';
import type { Json, JsonObject } from '../../src/codec/json.js';
import { OPERATION_ERRORS } from '../../src/operations/checks.js';
import { PAY_DATA_ERRORS as ERRORS } from '../../src/operations/data-market/pay-data-transaction.js';
import { TRANSFER_ERRORS } from '../../src/operations/transfer/transfer-checks.js';
import { ASSET_FLAG } from '../../src/protocol/asset.js';
import { pocsObject } from '../../src/state/objects/data-market.js';
import { coins, freeMarket } from '../support/free-market.js';
import { amountJson } from '../support/free-world.js';
import { assertion, type Refusal } from './define.js';

const { w, issuer, one, two, merchant, league, request, upload, pay } = freeMarket();
const [issuerId, merchantId] = [6, 9];
const restricted = w.asset('BOUND', issuerId, { flags: ASSET_FLAG.transfer_restricted });
const listed = w.asset('LISTED', issuerId, { flags: ASSET_FLAG.white_list, whitelist_authorities: [issuerId] });
const merchantsOnly = w.asset('MERCHANTS', issuerId, {
  flags: ASSET_FLAG.white_list,
  whitelist_authorities: [merchantId],
});
w.changeAccount(merchantId, { whitelisting_accounts: [merchantId] });

request('waiting');
request('private', { version: 'private' });
request('free');
upload('free');
const transfer: Json = [0, { fee: coins(0), from: issuer, to: one, amount: coins(1) }];
w.run(22, { fee_paying_account: one, expiration_time: w.at(100), proposed_ops: [{ op: transfer }] });
request('gone', { product_id: '1.10.0' });
upload('gone');
w.run(24, { fee_paying_account: issuer, proposal: '1.10.0', using_owner_authority: false });
w.run(67, { ...league, data_products: ['1.18.0', '1.18.1'] });
const inLeague = (name: string, product_id: string, league_id = '1.19.0'): string => {
  request(name, { product_id, league_id, requester: one });
  upload(name, { datasource: two });
  return name;
};
inLeague('league', '1.18.0');
inLeague('unlisted', '1.18.1');
inLeague('free in league', '1.17.0');
inLeague('without price', '1.18.1', '1.19.1');

/** What an account has sold and bought in the league makes its fee; sums and products have 64 bits. */
const contribute = (account_id: number, total_sell: bigint, total_buy: bigint) =>
  w.create(pocsObject, { league_id: 0, account_id, total_sell, total_buy });
contribute(7, 1n << 62n, 0n);
contribute(8, 0n, 1n << 62n);
contribute(9, 1n << 63n, 1n << 63n);

const buy =
  (name: string, amount: Json, more: JsonObject = {}) =>
  () =>
    pay(name, amount, more);
const between = { from: one, to: two };
const free = 60_000;
const notListed = (product: string): string =>
  `unspecified: cannot find product price from league, product_id ${product}, league_id 1.19.0`;

export const refusals: readonly Refusal[] = [
  {
    row: INT_ERRORS.integer_overflow,
    code: 19,
    name: 'overflow_exception',
    message: 'Integer Overflow:',
    raise: buy('league', coins(1), { from: one, to: two, fee: coins(1000) }),
  },
  {
    row: INT_ERRORS.integer_underflow,
    code: 20,
    name: 'underflow_exception',
    message: 'Integer Underflow:',
    raise: buy('league', coins(1), { from: two, to: one, fee: coins(1000) }),
  },
  {
    row: INT_ERRORS.divide_by_zero,
    code: 21,
    name: 'divide_by_zero_exception',
    message: 'Integer Divide By Zero:',
    raise: buy('league', coins(1), { from: merchant, to: one, fee: coins(1000) }),
  },
  assertion(
    OPERATION_ERRORS.operation_fee_negative,
    'fee.amount >= 0: ',
    buy('free', coins(0), { fee: coins(-1), to: merchant }),
  ),
  assertion(OPERATION_ERRORS.from_equals_to, 'from != to: ', buy('free', coins(0), { to: merchant })),
  assertion(OPERATION_ERRORS.amount_not_positive, 'amount.amount > 0: ', buy('free', coins(0))),
  assertion(
    ERRORS.pay_request_not_confirmed,
    'data_transaction_status_confirmed == maybe_found->status: dto status must be confirmed',
    buy('private', coins(1)),
  ),
  assertion(
    ERRORS.pay_source_not_uploaded,
    'iter != dto.datasources_status.end(): datasource 1.2.7 not found or status not uploaded',
    buy('waiting', coins(free)),
  ),
  assertion(
    ERRORS.pay_product_missing,
    '_db.find_object(dto.product_id) != nullptr: product not found, product_id 1.10.0',
    buy('gone', coins(free)),
  ),
  {
    row: ERRORS.pay_product_not_in_league,
    code: 0,
    name: 'exception',
    message: notListed('1.18.1'),
    raise: buy('unlisted', coins(30_000), between),
  },
  {
    row: ERRORS.pay_product_not_in_league,
    code: 0,
    name: 'exception',
    message: notListed('1.17.0'),
    raise: buy('free in league', coins(30_000), between),
  },
  // Undefined in the reference, see docs/decisions/differences.md.
  assertion(
    ERRORS.pay_price_missing,
    'the league has fewer prices than products, product_id 1.18.1, league_id 1.19.1',
    buy('without price', coins(30_000), between),
  ),
  assertion(
    ERRORS.pay_wrong_league_price,
    "op.amount.amount == league_obj.prices[idx]: pay amount doesn't match product price",
    buy('league', coins(1), between),
  ),
  assertion(
    ERRORS.pay_wrong_free_price,
    "op.amount.amount == free_data_obj.price: pay amount doesn't match product price",
    buy('free', coins(1)),
  ),
  {
    row: TRANSFER_ERRORS.transfer_from_unauthorized,
    code: 3050001,
    name: 'transfer_from_account_not_whitelisted',
    message:
      "owner mismatch: 'from' account 1.2.9 is not whitelisted for asset 1.3.4 Unable to pay_data_transaction 600 LISTED from merchant to source-one",
    raise: buy('free', amountJson(free, listed)),
  },
  {
    row: TRANSFER_ERRORS.transfer_to_unauthorized,
    code: 3050002,
    name: 'transfer_to_account_not_whitelisted',
    message:
      "owner mismatch: 'to' account 1.2.7 is not whitelisted for asset 1.3.5 Unable to pay_data_transaction 600 MERCHANTS from merchant to source-one",
    raise: buy('free', amountJson(free, merchantsOnly)),
  },
  {
    row: ERRORS.pay_restricted,
    code: 3050003,
    name: 'transfer_restricted_transfer_asset',
    message:
      'restricted transfer asset: Asset {asset} has transfer_restricted flag enabled Unable to pay_data_transaction 600 BOUND from merchant to source-one',
    raise: buy('free', amountJson(free, restricted)),
  },
  assertion(
    TRANSFER_ERRORS.transfer_balance,
    "insufficient_balance: Insufficient Balance: 0.59999 GXS, unable to transfer '0.60000 GXS' from account 'merchant' to 'source-one' Unable to pay_data_transaction 0.60000 GXS from merchant to source-one",
    buy('free', coins(free)),
  ),
];
