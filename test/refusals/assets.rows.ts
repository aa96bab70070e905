import type { JsonObject } from '../../src/codec/json.js';
import { ASSET_CLAIM_FEES_ERRORS } from '../../src/operations/asset/asset-claim-fees.js';
import { ASSET_CREATE_ERRORS } from '../../src/operations/asset/asset-create.js';
import { ASSET_FUND_FEE_POOL_ERRORS } from '../../src/operations/asset/asset-fund-fee-pool.js';
import { ASSET_ISSUE_ERRORS } from '../../src/operations/asset/asset-issue.js';
import { ASSET_RESERVE_ERRORS } from '../../src/operations/asset/asset-reserve.js';
import { ASSET_UPDATE_ERRORS } from '../../src/operations/asset/asset-update.js';
import { ASSET_OPTION_ERRORS } from '../../src/operations/asset/options.js';
import { ASSET_FLAG, makeAsset } from '../../src/protocol/asset.js';
import { MAINNET_FORKS } from '../../src/protocol/forks.js';
import { NULL_ACCOUNT } from '../../src/protocol/ids.js';
import { assetObject } from '../../src/state/objects/asset.js';
import { assetDynamicDataObject } from '../../src/state/objects/asset-dynamic-data.js';
import { accountText, amountJson, assetText, FreeWorld } from '../support/free-world.js';
import { assertion, type Refusal } from './define.js';

const w = new FreeWorld();
w.setParameters({ maximum_asset_whitelist_authorities: 1 });
const alice = w.lifetimeMember('alice', 1000n);
const bob = w.lifetimeMember('bob', 1000n);
const listed = ['1.2.0', '1.2.1'];
const rateOf = (id: number) => ({ base: makeAsset(1n, 1), quote: makeAsset(1n, id) });
const plain = w.asset('PLAIN', alice);
w.changeAsset(plain, { max_supply: 100n, core_exchange_rate: rateOf(plain) });
const issued = w.asset('ISSUED', alice);
w.changeAsset(issued, { issuer_permissions: 0x01, core_exchange_rate: rateOf(issued) });
const marketIssued = w.asset('MARKET', alice);
w.changeAsset(marketIssued, {}, { bitasset_data_id: 0 });
const closed = w.asset('CLOSED', alice, { flags: ASSET_FLAG.white_list, whitelist_authorities: [bob] });
w.changeAsset(0, {}, { issuer: NULL_ACCOUNT });
w.state.modify(
  assetDynamicDataObject,
  w.state.get(assetDynamicDataObject, w.state.get(assetObject, issued).dynamic_asset_data_id),
  (o) => {
    o.current_supply = 50n;
  },
);

const sides = (base: number, quote: number, amounts: readonly [number, number] = [1, 1]): JsonObject => ({
  base: amountJson(amounts[0], base),
  quote: amountJson(amounts[1], quote),
});
const options = (more: JsonObject = {}, rate: JsonObject = sides(1, 2)): JsonObject => ({
  max_supply: 1000,
  issuer_permissions: 0x4f,
  core_exchange_rate: rate,
  ...more,
});
const create =
  (more: JsonObject, world = w) =>
  () =>
    world.run(10, { issuer: accountText(alice), symbol: 'FRESH', precision: 3, common_options: options(), ...more });
const withOptions = (more: JsonObject) => create({ common_options: options(more) });
const update =
  (id: number, more: JsonObject = {}, others: JsonObject = {}, world = w) =>
  () =>
    world.run(11, {
      issuer: accountText(alice),
      asset_to_update: assetText(id),
      new_options: options({ issuer_permissions: 0x01, ...more }, sides(world.state.coreAsset, id)),
      ...others,
    });
const renamed = (symbol: string): JsonObject => ({ extensions: [[8, { symbol }]] });
const rated = (rate: JsonObject): JsonObject => ({ core_exchange_rate: rate });

const old = new FreeWorld(MAINNET_FORKS.HF_1008);
old.lifetimeMember('alice');
const oldAsset = old.asset('PLAIN', alice);
const oldest = new FreeWorld(MAINNET_FORKS.HF_413);
oldest.lifetimeMember('alice');
const oldestAsset = oldest.asset('PLAIN', alice);

const issue =
  (id: number, amount: number | bigint, to = bob, issuer = alice) =>
  () =>
    w.run(14, {
      issuer: accountText(issuer),
      asset_to_issue: amountJson(amount, id),
      issue_to_account: accountText(to),
    });
const reserve =
  (id: number, amount: number | bigint, payer = alice) =>
  () =>
    w.run(15, { payer: accountText(payer), amount_to_reserve: amountJson(amount, id) });
const ABOVE = 100_000_000_000_000_001n;
const fund =
  (amount: number, fee: JsonObject, world = w) =>
  () =>
    world.run(16, { from_account: accountText(alice), asset_id: assetText(plain), amount, fee });
const claim =
  (id: number, amount: number, issuer = alice, world = w) =>
  () =>
    world.run(43, { issuer: accountText(issuer), amount_to_claim: amountJson(amount, id) });
w.changeAsset(2, { core_exchange_rate: rateOf(2) });
old.changeAsset(2, { core_exchange_rate: { base: makeAsset(1n, 0), quote: makeAsset(1n, 2) } });

export const refusals: readonly Refusal[] = [
  assertion(ASSET_CREATE_ERRORS.asset_symbol_invalid, 'is_valid_symbol(symbol): ', create({ symbol: 'no' })),
  assertion(ASSET_OPTION_ERRORS.asset_max_supply_not_positive, 'max_supply > 0: ', withOptions({ max_supply: 0 })),
  assertion(
    ASSET_OPTION_ERRORS.asset_max_supply_too_large,
    'max_supply <= GRAPHENE_MAX_SHARE_SUPPLY: ',
    withOptions({ max_supply: ABOVE.toString() }),
  ),
  assertion(
    ASSET_OPTION_ERRORS.asset_market_fee_percent,
    'market_fee_percent <= GRAPHENE_100_PERCENT: ',
    withOptions({ market_fee_percent: 10_001 }),
  ),
  assertion(
    ASSET_OPTION_ERRORS.asset_max_market_fee,
    'max_market_fee >= 0 && max_market_fee <= GRAPHENE_MAX_SHARE_SUPPLY: ',
    withOptions({ max_market_fee: -1 }),
  ),
  assertion(
    ASSET_OPTION_ERRORS.asset_permissions,
    '!(issuer_permissions & ~ASSET_ISSUER_PERMISSION_MASK): ',
    withOptions({ issuer_permissions: 0x200 }),
  ),
  assertion(ASSET_OPTION_ERRORS.asset_global_settle_flag, '!(flags & global_settle): ', withOptions({ flags: 0x20 })),
  assertion(
    ASSET_OPTION_ERRORS.asset_two_feeds,
    '(flags & (witness_fed_asset | committee_fed_asset)) != (witness_fed_asset | committee_fed_asset): ',
    withOptions({ flags: 0x180 }),
  ),
  assertion(
    ASSET_OPTION_ERRORS.price_base_not_positive,
    'base.amount > share_type(0): ',
    withOptions(rated(sides(1, 2, [0, 1]))),
  ),
  assertion(
    ASSET_OPTION_ERRORS.price_quote_not_positive,
    'quote.amount > share_type(0): ',
    withOptions(rated(sides(1, 2, [1, 0]))),
  ),
  assertion(ASSET_OPTION_ERRORS.price_same_asset, 'base.asset_id != quote.asset_id: ', withOptions(rated(sides(1, 1)))),
  assertion(
    ASSET_OPTION_ERRORS.asset_authorities_without_flag,
    'flags & white_list: ',
    withOptions({ whitelist_authorities: listed }),
  ),
  assertion(
    ASSET_OPTION_ERRORS.asset_market_in_both_lists,
    'blacklist_markets.find(item) == blacklist_markets.end(): ',
    withOptions({ whitelist_markets: ['1.3.1'], blacklist_markets: ['1.3.1'] }),
  ),
  assertion(
    ASSET_CREATE_ERRORS.asset_needs_bitasset_options,
    'bitasset_opts.valid(): ',
    withOptions({ issuer_permissions: 0x10 }),
  ),
  assertion(
    ASSET_CREATE_ERRORS.asset_prediction_without_bitasset,
    'bitasset_opts.valid(): Cannot have a User-Issued Asset implement a prediction market.',
    create({ is_prediction_market: true }),
  ),
  assertion(
    ASSET_CREATE_ERRORS.asset_prediction_without_settlement,
    'common_options.issuer_permissions & global_settle: ',
    create({ is_prediction_market: true, bitasset_opts: {} }),
  ),
  assertion(
    ASSET_OPTION_ERRORS.bitasset_minimum_feeds,
    'minimum_feeds > 0: ',
    create({ bitasset_opts: { minimum_feeds: 0 } }),
  ),
  assertion(
    ASSET_OPTION_ERRORS.bitasset_offset_percent,
    'force_settlement_offset_percent <= GRAPHENE_100_PERCENT: ',
    create({ bitasset_opts: { force_settlement_offset_percent: 10_001 } }),
  ),
  assertion(
    ASSET_OPTION_ERRORS.bitasset_volume,
    'maximum_force_settlement_volume <= GRAPHENE_100_PERCENT: ',
    create({ bitasset_opts: { maximum_force_settlement_volume: 10_001 } }),
  ),
  assertion(ASSET_CREATE_ERRORS.asset_precision, 'precision <= 12: ', create({ precision: 13 })),
  assertion(
    ASSET_CREATE_ERRORS.asset_whitelist_too_long,
    'op.common_options.whitelist_authorities.size() <= chain_parameters.maximum_asset_whitelist_authorities: ',
    withOptions({ flags: 0x02, whitelist_authorities: listed }),
  ),
  assertion(
    ASSET_CREATE_ERRORS.asset_blacklist_too_long,
    'op.common_options.blacklist_authorities.size() <= chain_parameters.maximum_asset_whitelist_authorities: ',
    withOptions({ flags: 0x02, blacklist_authorities: listed }),
  ),
  assertion(
    ASSET_CREATE_ERRORS.asset_symbol_legacy,
    'GRAPHENE_SYMBOL_GXS != op.symbol: new asset symbol can not be GXS',
    create({ symbol: 'GXS' }),
  ),
  assertion(
    ASSET_CREATE_ERRORS.asset_symbol_taken,
    'asset_symbol_itr == asset_indx.end(): ',
    create({ symbol: 'PLAIN' }),
  ),
  assertion(
    ASSET_CREATE_ERRORS.asset_prefix_unknown,
    'asset_symbol_itr != asset_indx.end(): Asset NONE.SUB may only be created by issuer of NONE, but NONE has not been registered',
    create({ symbol: 'NONE.SUB' }),
  ),
  assertion(
    ASSET_CREATE_ERRORS.asset_prefix_of_other,
    'asset_symbol_itr->issuer == op.issuer: Asset PLAIN.SUB may only be created by issuer of PLAIN, bob',
    create({ symbol: 'PLAIN.SUB', issuer: accountText(bob) }),
  ),
  assertion(
    ASSET_CREATE_ERRORS.asset_rate_without_core,
    'op.common_options.core_exchange_rate.base.asset_id == asset_id_type(1) || op.common_options.core_exchange_rate.quote.asset_id == asset_id_type(1): ',
    withOptions(rated(sides(0, 2))),
  ),
  assertion(
    ASSET_CREATE_ERRORS.asset_rate_without_original_core,
    'op.common_options.core_exchange_rate.base.asset_id == asset_id_type() || op.common_options.core_exchange_rate.quote.asset_id == asset_id_type(): ',
    create({ common_options: options({}, sides(1, 2)) }, old),
  ),
  assertion(
    ASSET_CREATE_ERRORS.asset_rate_placeholder,
    'dummy.asset_id == asset_id_type(2): ',
    withOptions(rated(sides(1, 3))),
  ),
  assertion(
    ASSET_CREATE_ERRORS.asset_rate_original_placeholder,
    'dummy.asset_id == asset_id_type(1): ',
    create({ common_options: options({}, sides(0, 2)) }, old),
  ),
  assertion(
    ASSET_CREATE_ERRORS.asset_bitasset_ended,
    'false: disabled since hardfork 1008',
    create({ bitasset_opts: {} }),
  ),

  assertion(
    ASSET_UPDATE_ERRORS.asset_update_same_issuer,
    'issuer != *new_issuer: ',
    update(plain, {}, { new_issuer: accountText(alice) }),
  ),
  assertion(
    ASSET_UPDATE_ERRORS.asset_update_market_issued_flags,
    '!(options.flags & disable_force_settle || options.flags & global_settle): ',
    update(plain, { flags: 0x10, issuer_permissions: 0x10 }),
  ),
  assertion(
    ASSET_UPDATE_ERRORS.asset_update_market_issued_permissions,
    '!(options.issuer_permissions & disable_force_settle || options.issuer_permissions & global_settle): ',
    update(plain, { issuer_permissions: 0x20 }),
  ),
  assertion(
    ASSET_UPDATE_ERRORS.asset_update_rate_without_core,
    'a_copy.options.core_exchange_rate.base.asset_id == asset_id_type(1) || a_copy.options.core_exchange_rate.quote.asset_id == asset_id_type(1): ',
    update(plain, rated(sides(0, plain))),
  ),
  assertion(
    ASSET_UPDATE_ERRORS.asset_update_rate_without_original_core,
    'a_copy.options.core_exchange_rate.base.asset_id == asset_id_type() || a_copy.options.core_exchange_rate.quote.asset_id == asset_id_type(): ',
    update(oldAsset, rated(sides(1, oldAsset)), {}, old),
  ),
  assertion(
    ASSET_UPDATE_ERRORS.asset_update_issuer_missing,
    'd.find_object(*o.new_issuer): ',
    update(plain, {}, { new_issuer: '1.2.99' }),
  ),
  assertion(
    ASSET_UPDATE_ERRORS.asset_update_symbol_invalid,
    'is_valid_symbol(ast.symbol): ',
    update(plain, {}, renamed('no')),
  ),
  assertion(
    ASSET_UPDATE_ERRORS.asset_update_symbol_legacy,
    'GRAPHENE_SYMBOL_GXS != ast.symbol: new asset symbol can not be GXS',
    update(plain, {}, renamed('GXS')),
  ),
  assertion(
    ASSET_UPDATE_ERRORS.asset_update_symbol_taken,
    'itr == asset_indx.end(): symbol: ISSUED exist',
    update(plain, {}, renamed('ISSUED')),
  ),
  assertion(
    ASSET_UPDATE_ERRORS.asset_update_permissions,
    '!(o.new_options.issuer_permissions & ~a.options.issuer_permissions): Cannot reinstate previously revoked issuer permissions on an asset.',
    update(issued, { issuer_permissions: 0x03 }),
  ),
  assertion(
    ASSET_UPDATE_ERRORS.asset_update_flags,
    '!((o.new_options.flags ^ a.options.flags) & ~a.options.issuer_permissions): Flag change is forbidden by issuer permissions',
    update(issued, { flags: 0x02 }),
  ),
  assertion(
    ASSET_UPDATE_ERRORS.asset_update_not_committee,
    'o.issuer == account_id_type(): ',
    update(0, { issuer_permissions: 0 }),
  ),
  assertion(
    ASSET_UPDATE_ERRORS.asset_update_not_issuer,
    'o.issuer == a.issuer: ',
    update(plain, {}, { issuer: accountText(bob) }),
  ),
  assertion(
    ASSET_UPDATE_ERRORS.asset_update_whitelist_too_long,
    'o.new_options.whitelist_authorities.size() <= chain_parameters.maximum_asset_whitelist_authorities: ',
    update(plain, { flags: 0x02, issuer_permissions: 0x02, whitelist_authorities: listed }),
  ),
  assertion(
    ASSET_UPDATE_ERRORS.asset_update_blacklist_too_long,
    'o.new_options.blacklist_authorities.size() <= chain_parameters.maximum_asset_whitelist_authorities: ',
    update(plain, { flags: 0x02, issuer_permissions: 0x02, blacklist_authorities: listed }),
  ),
  assertion(
    ASSET_UPDATE_ERRORS.asset_update_rate,
    'dummy.asset_id == asset_id_type(1): ',
    update(1, rated(sides(1, plain)), { issuer: '1.2.0' }),
  ),
  assertion(
    ASSET_UPDATE_ERRORS.asset_update_original_rate,
    'dummy.asset_id == asset_id_type(): ',
    update(0, rated(sides(0, oldAsset)), { issuer: '1.2.0' }, old),
  ),

  assertion(ASSET_ISSUE_ERRORS.issue_amount_not_positive, 'asset_to_issue.amount.value > 0: ', issue(plain, 0)),
  assertion(
    ASSET_ISSUE_ERRORS.issue_amount_above_supply,
    'asset_to_issue.amount.value <= GRAPHENE_MAX_SHARE_SUPPLY: ',
    issue(plain, ABOVE),
  ),
  assertion(ASSET_ISSUE_ERRORS.issue_original_core, 'asset_to_issue.asset_id != asset_id_type(0): ', issue(0, 1)),
  assertion(ASSET_ISSUE_ERRORS.issue_not_issuer, 'o.issuer == a.issuer: ', issue(plain, 1, bob, bob)),
  assertion(
    ASSET_ISSUE_ERRORS.issue_market_issued,
    '!a.is_market_issued(): Cannot manually issue a market-issued asset.',
    issue(marketIssued, 1),
  ),
  assertion(ASSET_ISSUE_ERRORS.issue_unauthorized, 'is_authorized_asset( d, *to_account, a ): ', issue(closed, 1)),
  assertion(
    ASSET_ISSUE_ERRORS.issue_above_max_supply,
    '(asset_dyn_data->current_supply + o.asset_to_issue.amount) <= a.options.max_supply: ',
    issue(plain, 101),
  ),
  assertion(
    ASSET_RESERVE_ERRORS.reserve_amount_above_supply,
    'amount_to_reserve.amount.value <= GRAPHENE_MAX_SHARE_SUPPLY: ',
    reserve(plain, ABOVE),
  ),
  assertion(
    ASSET_RESERVE_ERRORS.reserve_amount_not_positive,
    'amount_to_reserve.amount.value > 0: ',
    reserve(plain, 0),
  ),
  {
    row: ASSET_RESERVE_ERRORS.reserve_market_issued,
    code: 3051501,
    name: 'asset_reserve_invalid_on_mia',
    message: 'invalid on mia: Cannot reserve MARKET because it is a market-issued asset',
    raise: reserve(marketIssued, 1),
  },
  assertion(
    ASSET_RESERVE_ERRORS.reserve_unauthorized,
    'is_authorized_asset( d, *from_account, a ): ',
    reserve(closed, 1),
  ),
  assertion(
    ASSET_RESERVE_ERRORS.reserve_above_supply,
    '(asset_dyn_data->current_supply - o.amount_to_reserve.amount) >= 0: ',
    reserve(plain, 1),
  ),
  assertion(ASSET_FUND_FEE_POOL_ERRORS.pool_amount_not_positive, 'amount > 0: ', fund(0, amountJson(0, 1))),
  assertion(
    ASSET_FUND_FEE_POOL_ERRORS.pool_fee_not_core,
    'o.fee.asset_id == asset_id_type(1): ',
    fund(1, amountJson(0, 2)),
  ),
  assertion(
    ASSET_FUND_FEE_POOL_ERRORS.pool_fee_not_original_core,
    'o.fee.asset_id == asset_id_type(): ',
    fund(1, amountJson(0, 2), old),
  ),
  assertion(ASSET_CLAIM_FEES_ERRORS.claim_amount_not_positive, 'amount_to_claim.amount > 0: ', claim(plain, 0)),
  assertion(
    ASSET_CLAIM_FEES_ERRORS.claim_too_early,
    'db().head_block_time() > HARDFORK_413_TIME: ',
    claim(oldestAsset, 1, alice, oldest),
  ),
  assertion(
    ASSET_CLAIM_FEES_ERRORS.claim_not_issuer,
    'o.amount_to_claim.asset_id(db()).issuer == o.issuer: Asset fees may only be claimed by the issuer',
    claim(plain, 1, bob),
  ),
  assertion(
    ASSET_CLAIM_FEES_ERRORS.claim_above_accumulated,
    'o.amount_to_claim.amount <= addo.accumulated_fees: Attempt to claim more fees than have accumulated',
    claim(plain, 1),
  ),
];
