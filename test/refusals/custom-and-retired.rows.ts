import type { Json, JsonObject } from '../../src/codec/json.js';
import { ASSET_OPTION_ERRORS } from '../../src/operations/asset/options.js';
import { OPERATION_ERRORS } from '../../src/operations/checks.js';
import { ASSERT_ERRORS } from '../../src/operations/custom/assert.js';
import { CUSTOM_ERRORS } from '../../src/operations/custom/custom.js';
import { PIPELINE_ERRORS } from '../../src/operations/pipeline.js';
import { ASSET_GLOBAL_SETTLE_ERRORS } from '../../src/operations/retired/asset-global-settle.js';
import { ASSET_PUBLISH_FEED_ERRORS as FEED } from '../../src/operations/retired/asset-publish-feed.js';
import { ASSET_SETTLE_ERRORS } from '../../src/operations/retired/asset-settle.js';
import { ASSET_SETTLE_CANCEL_ERRORS } from '../../src/operations/retired/asset-settle-cancel.js';
import { RETIRED_ERRORS } from '../../src/operations/retired/retire.js';
import { WORKER_ERRORS } from '../../src/operations/retired/worker-create.js';
import { MAINNET_FORKS } from '../../src/protocol/forks.js';
import { blockSummaryObject } from '../../src/state/objects/block-summary.js';
import { TABLE_ERRORS } from '../../src/state/table.js';
import { accountText, amountJson, FreeWorld } from '../support/free-world.js';
import { assertion, type Refusal } from './define.js';

const w = new FreeWorld();
w.setParameters({ max_predicate_opcode: 3 });
const alice = accountText(w.lifetimeMember('alice', 100n));
const strict = new FreeWorld();
strict.lifetimeMember('alice');
w.create(blockSummaryObject, {});

const run =
  (tag: number, body: JsonObject, world = w) =>
  () =>
    world.run(tag, body);
const assert = (predicate: Json, world = w) => run(36, { fee_paying_account: alice, predicates: [predicate] }, world);

const sides = (base: number, quote: number, amounts: readonly [number, number] = [1, 1]): JsonObject => ({
  base: amountJson(amounts[0], base),
  quote: amountJson(amounts[1], quote),
});
const feed = (more: JsonObject, others: JsonObject = {}) =>
  run(19, {
    publisher: alice,
    asset_id: '1.3.2',
    feed: {
      settlement_price: sides(2, 0),
      core_exchange_rate: sides(2, 0),
      maintenance_collateral_ratio: 1750,
      maximum_short_squeeze_ratio: 1500,
      ...more,
    },
    ...others,
  });
const oneAsset = (more: JsonObject): Refusal => ({
  row: FEED.feed_price_of_one_asset,
  code: 13,
  name: 'std_exception',
  message: 'bad rational: zero denominator: bad rational: zero denominator',
  raise: feed(more),
});

const old = new FreeWorld(MAINNET_FORKS.HF_1008);
old.account('basic');
const member = old.lifetimeMember('member');
const worker = (owner: string, work_begin_date: string) => run(34, { owner, work_begin_date, name: 'w' }, old);

export const refusals: readonly Refusal[] = [
  assertion(CUSTOM_ERRORS.custom_fee_not_positive, 'fee.amount > 0: ', run(35, { payer: alice })),
  assertion(
    ASSERT_ERRORS.predicate_unknown,
    'unsigned(p.which()) < max_predicate_opcode: ',
    assert([1, { asset_id: '1.3.1', symbol: 'GXS' }], strict),
  ),
  assertion(
    ASSERT_ERRORS.predicate_account_name,
    'p.account_id(db).name == p.name: ',
    assert([0, { account_id: alice, name: 'bob' }]),
  ),
  assertion(
    ASSERT_ERRORS.predicate_asset_symbol,
    'p.asset_id(db).symbol == p.symbol: ',
    assert([1, { asset_id: '1.3.1', symbol: 'NOTIT' }]),
  ),
  assertion(
    ASSERT_ERRORS.predicate_block_id,
    'block_summary_id_type( block_header::num_from_id( p.id ) & 0xffff )(db).block_id == p.id: ',
    assert([2, { id: `00010000${'ab'.repeat(16)}` }]),
  ),
  assertion(
    TABLE_ERRORS.object_missing,
    'maybe_found != nullptr: Unable to find Object 1.2.99',
    assert([0, { account_id: '1.2.99', name: 'bob' }]),
  ),

  assertion(RETIRED_ERRORS.limit_orders_ended, 'false: creation of limit order is disabled', run(1, { seller: alice })),
  assertion(RETIRED_ERRORS.bitassets_ended, 'false: disabled since hardfork 1008', run(13, { issuer: alice })),
  assertion(RETIRED_ERRORS.workers_ended, 'false: worker disable after hardfork 1008', run(34, { owner: alice })),
  assertion(WORKER_ERRORS.worker_not_lifetime, 'd.get(o.owner).is_lifetime_member(): ', worker('1.2.6', old.at(0))),
  assertion(
    WORKER_ERRORS.worker_begin_passed,
    'o.work_begin_date >= d.head_block_time(): ',
    worker(accountText(member), old.at(-1)),
  ),
  assertion(RETIRED_ERRORS.fill_order_virtual, '!"virtual operation": ', run(4, { account_id: alice })),
  assertion(RETIRED_ERRORS.fba_distribute_virtual, 'false: ', run(44, { account_id: alice })),
  assertion(
    PIPELINE_ERRORS.operation_without_evaluator,
    'eval: No registered evaluator for operation [9,{"fee":{"amount":0,"asset_id":"1.3.1"},"account_id":"1.2.6","new_owner":"1.2.0","extensions":[]}]',
    run(9, { account_id: alice }),
  ),
  assertion(OPERATION_ERRORS.operation_fee_negative, 'fee.amount >= 0: ', run(2, { fee: amountJson(-1, 1) })),
  assertion(ASSET_SETTLE_ERRORS.settle_amount_negative, 'amount.amount >= 0: ', run(17, { amount: amountJson(-1, 1) })),
  assertion(
    ASSET_GLOBAL_SETTLE_ERRORS.settle_price_of_other_asset,
    'asset_to_settle == settle_price.base.asset_id: ',
    run(18, { asset_to_settle: '1.3.2' }),
  ),
  assertion(
    ASSET_SETTLE_CANCEL_ERRORS.settlement_cancel_not_positive,
    'amount.amount > 0: Must settle at least 1 unit',
    run(42, { account: alice }),
  ),

  oneAsset({ settlement_price: {} }),
  oneAsset({ settlement_price: sides(0, 0, [5, 7]) }),
  oneAsset({ core_exchange_rate: {} }),
  assertion(
    ASSET_OPTION_ERRORS.price_base_not_positive,
    'base.amount > share_type(0): ',
    feed({ settlement_price: sides(2, 0, [0, 1]) }),
  ),
  assertion(
    ASSET_OPTION_ERRORS.price_quote_not_positive,
    'quote.amount > share_type(0): ',
    feed({ core_exchange_rate: sides(2, 0, [1, 0]) }),
  ),
  assertion(
    ASSET_OPTION_ERRORS.price_same_asset,
    'base.asset_id != quote.asset_id: ',
    feed({ settlement_price: sides(2, 2) }),
  ),
  assertion(
    FEED.feed_squeeze_too_low,
    'maximum_short_squeeze_ratio >= GRAPHENE_MIN_COLLATERAL_RATIO: ',
    feed({ maximum_short_squeeze_ratio: 1000 }),
  ),
  assertion(
    FEED.feed_squeeze_too_high,
    'maximum_short_squeeze_ratio <= GRAPHENE_MAX_COLLATERAL_RATIO: ',
    feed({ maximum_short_squeeze_ratio: 32_001 }),
  ),
  assertion(
    FEED.feed_collateral_too_low,
    'maintenance_collateral_ratio >= GRAPHENE_MIN_COLLATERAL_RATIO: ',
    feed({ maintenance_collateral_ratio: 1000 }),
  ),
  assertion(
    FEED.feed_collateral_too_high,
    'maintenance_collateral_ratio <= GRAPHENE_MAX_COLLATERAL_RATIO: ',
    feed({ maintenance_collateral_ratio: 32_001 }),
  ),
  assertion(
    FEED.feed_of_two_assets,
    'feed.settlement_price.base.asset_id == feed.core_exchange_rate.base.asset_id: ',
    feed({ core_exchange_rate: sides(1, 0) }),
  ),
  assertion(FEED.feed_of_other_asset, 'feed.is_for( asset_id ): ', feed({}, { asset_id: '1.3.1' })),
];
