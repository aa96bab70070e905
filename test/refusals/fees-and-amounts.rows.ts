import { add64, divTrunc64, INT_ERRORS, sub64 } from '../../src/base/int.js';
import { ACCOUNT_CREATE_ERRORS } from '../../src/operations/account/account-create.js';
import { PIPELINE_ERRORS } from '../../src/operations/pipeline.js';
import { convertQuote, FEE_QUOTE_ERRORS } from '../../src/operations/required-fee.js';
import { ASSET_ERRORS, ASSET_FLAG, makeAsset, multiplyByPrice } from '../../src/protocol/asset.js';
import { MAINNET_FORKS } from '../../src/protocol/forks.js';
import { assetObject } from '../../src/state/objects/asset.js';
import { BALANCE_ERRORS } from '../../src/state/rules/balances.js';
import { FEE_ERRORS } from '../../src/state/rules/fee-checks.js';
import { TABLE_ERRORS } from '../../src/state/table.js';
import { accountText, amountJson, FreeWorld } from '../support/free-world.js';
import { assertion, type Refusal } from './define.js';

const rate = (base: bigint, quote: bigint, baseAsset = 1, quoteAsset = 5) => ({
  base: makeAsset(base, baseAsset),
  quote: makeAsset(quote, quoteAsset),
});

const w = new FreeWorld();
const alice = w.lifetimeMember('alice', 1000n);
const bob = w.lifetimeMember('bob');
const closed = w.asset('CLOSED', bob, { flags: ASSET_FLAG.white_list, whitelist_authorities: [bob] });
const poolless = w.asset('POOLLESS', bob, { core_exchange_rate: rate(1n, 1n, 1, 4) });
const rateless = w.asset('RATELESS', bob, { core_exchange_rate: rate(1n, 1n, 0, 5) });
/** An operation that does nothing but pay. */
const pay =
  (amount: number, asset: number, payer = alice, world = w) =>
  () =>
    world.run(2, { fee_paying_account: accountText(payer), fee: amountJson(amount, asset) });
/** One that leaves the sign of its fee to the common checks. */
const payUnchecked = (amount: number) => () => w.run(47, { issuer: accountText(alice), fee: amountJson(amount, 1) });

const old = new FreeWorld(MAINNET_FORKS.HF_1008);
const oldAlice = old.lifetimeMember('alice', 1000n);
const oldRateless = old.asset('RATELESS', oldAlice, { core_exchange_rate: rate(1n, 1n, 1, 3) });

const priced = (fee: bigint, scale: number) => {
  const world = new FreeWorld();
  world.lifetimeMember('alice', 1000n);
  world.setParameters({ current_fees: { parameters: [[2, { fee }]], scale } });
  return world;
};
const unlisted = new FreeWorld();
const registrar = unlisted.lifetimeMember('registrar');
unlisted.setParameters({ current_fees: { parameters: [], scale: 0 }, accounts_per_fee_scale: 1 });
const KEY = 'GXC6MRyAjQq8ud7hVNYcfnVPJqcVpscN5So8BhtHuGYqET5GDW5CV';
const byKey = { weight_threshold: 1, account_auths: [], key_auths: [[KEY, 1]], address_auths: [] };

/** A generic error of arithmetic, which says nothing behind its title. */
const arithmetic = (row: Refusal['row'], code: number, name: string, title: string, raise: () => unknown): Refusal => ({
  row,
  code,
  name,
  message: `${title}:`,
  raise,
});

export const refusals: readonly Refusal[] = [
  assertion(
    PIPELINE_ERRORS.fee_above_supply,
    'scaled <= GRAPHENE_MAX_SHARE_SUPPLY: ',
    pay(1, 1, alice, priced(100_000_000_000_000_001n, 10_000)),
  ),
  {
    row: PIPELINE_ERRORS.fee_insufficient,
    code: 3030007,
    name: 'insufficient_fee',
    message: 'insufficient fee: Insufficient Fee Paid',
    raise: pay(1, 1, alice, priced(2n, 10_000)),
  },
  assertion(FEE_ERRORS.fee_payment_negative, 'fee.amount >= 0: ', payUnchecked(-1)),
  assertion(TABLE_ERRORS.object_missing, 'maybe_found != nullptr: Unable to find Object 1.2.99', pay(1, 1, 99)),
  assertion(TABLE_ERRORS.object_missing, 'maybe_found != nullptr: Unable to find Object 1.3.99', pay(1, 99)),
  assertion(
    FEE_ERRORS.fee_asset_unauthorized,
    "is_authorized_asset( d, *fee_paying_account, *fee_asset ): Account 1.2.6 'alice' attempted to pay fee by using asset 1.3.3 'CLOSED', which is unauthorized due to whitelist / blacklist",
    pay(1, closed),
  ),
  assertion(
    FEE_ERRORS.fee_not_in_core,
    'fee_from_pool.asset_id == asset_id_type(1): fee asset id 1.3.0',
    pay(1, rateless),
  ),
  assertion(
    FEE_ERRORS.fee_not_in_original_core,
    'fee_from_pool.asset_id == asset_id_type(): ',
    pay(1, oldRateless, oldAlice, old),
  ),
  assertion(
    FEE_ERRORS.fee_pool_empty,
    "core_fee_paid <= fee_asset_dyn_data->fee_pool: Fee pool balance of '0 GXC' is less than the 0.00005 GXS required to convert 0.05 POOLLESS",
    pay(5, poolless),
  ),
  assertion(
    BALANCE_ERRORS.balance_missing,
    "delta.amount > 0: Insufficient Balance: bob's balance of 0 GXS is less than required 0.00005 GXS",
    pay(5, 1, bob),
  ),
  assertion(
    BALANCE_ERRORS.balance_insufficient,
    "itr->get_balance() >= -delta: Insufficient Balance: alice's balance of 0.01000 GXS is less than required 0.01001 GXS",
    pay(1001, 1),
  ),
  assertion(FEE_QUOTE_ERRORS.fee_quote_rate, 'a.asset_id == b.asset_id: 1.3.1 == 1.3.5', () =>
    convertQuote(5n, { core: 1, rate: rate(1n, 1n, 5, 1) }),
  ),
  assertion(FEE_QUOTE_ERRORS.fee_quote_above_supply, 'result.amount <= GRAPHENE_MAX_SHARE_SUPPLY: ', () =>
    convertQuote(3n, { core: 1, rate: rate(2n, 66_666_666_666_666_667n) }),
  ),
  // Ours alone.
  assertion(
    ACCOUNT_CREATE_ERRORS.account_fee_not_listed,
    'the fee schedule has no entry for account creation that could be scaled',
    () =>
      unlisted.run(5, {
        registrar: accountText(registrar),
        referrer: accountText(registrar),
        name: 'newborn-1',
        owner: byKey,
        active: byKey,
        options: { memo_key: KEY },
      }),
  ),

  assertion(
    ASSET_ERRORS.price_asset,
    'invalid asset * price, asset ${a} price {"base":{"amount":1,"asset_id":"1.3.1"},"quote":{"amount":1,"asset_id":"1.3.5"}}',
    () => multiplyByPrice(makeAsset(1n, 7), rate(1n, 1n)),
  ),
  assertion(ASSET_ERRORS.price_base_empty, 'b.base.amount.value > 0: ', () =>
    multiplyByPrice(makeAsset(1n, 1), rate(0n, 1n)),
  ),
  assertion(ASSET_ERRORS.price_quote_empty, 'b.quote.amount.value > 0: ', () =>
    multiplyByPrice(makeAsset(1n, 5), rate(1n, 0n)),
  ),
  assertion(ASSET_ERRORS.amount_above_supply, 'result <= GRAPHENE_MAX_SHARE_SUPPLY: ', () =>
    multiplyByPrice(makeAsset(2n, 1), rate(1n, 100_000_000_000_000_000n)),
  ),
  arithmetic(INT_ERRORS.integer_overflow, 19, 'overflow_exception', 'Integer Overflow', () =>
    add64(9_223_372_036_854_775_807n, 1n),
  ),
  arithmetic(INT_ERRORS.integer_underflow, 20, 'underflow_exception', 'Integer Underflow', () =>
    sub64(-9_223_372_036_854_775_808n, 1n),
  ),
  arithmetic(INT_ERRORS.divide_by_zero, 21, 'divide_by_zero_exception', 'Integer Divide By Zero', () =>
    divTrunc64(1n, 0n),
  ),
  assertion(
    TABLE_ERRORS.object_change_not_unique,
    'ok: Could not modify object, most likely an index constraint was violated',
    () =>
      w.state.modify(assetObject, w.state.get(assetObject, closed), (o) => {
        o.symbol = 'GXS';
      }),
  ),
];
