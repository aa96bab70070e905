import t from 'tap';
import type { ErrorRow } from '../../../src/base/errors.js';
import type { Json, JsonObject } from '../../../src/codec/json.js';
import { blind, blindSum } from '../../../src/crypto/blind.js';
import { NULL_PUBLIC_KEY, publicKeyToText } from '../../../src/crypto/public-key.js';
import { RANGE_HEADER_ERRORS } from '../../../src/crypto/range-header.js';
import { ACCOUNT_CREATE_ERRORS } from '../../../src/operations/account/account-create.js';
import { ACCOUNT_UPDATE_ERRORS } from '../../../src/operations/account/account-update.js';
import { ACCOUNT_WHITELIST_ERRORS } from '../../../src/operations/account/account-whitelist.js';
import { ACCOUNT_RULE_ERRORS } from '../../../src/operations/account/authority-rules.js';
import { ASSET_CLAIM_FEES_ERRORS } from '../../../src/operations/asset/asset-claim-fees.js';
import { ASSET_CREATE_ERRORS } from '../../../src/operations/asset/asset-create.js';
import { ASSET_FUND_FEE_POOL_ERRORS } from '../../../src/operations/asset/asset-fund-fee-pool.js';
import { ASSET_ISSUE_ERRORS } from '../../../src/operations/asset/asset-issue.js';
import { ASSET_RESERVE_ERRORS } from '../../../src/operations/asset/asset-reserve.js';
import { ASSET_UPDATE_ERRORS } from '../../../src/operations/asset/asset-update.js';
import { ASSET_OPTION_ERRORS } from '../../../src/operations/asset/options.js';
import { BALANCE_CLAIM_ERRORS } from '../../../src/operations/balance/balance-claim.js';
import { OPERATION_ERRORS } from '../../../src/operations/checks.js';
import { BLIND_TRANSFER_ERRORS as BOTH } from '../../../src/operations/confidential/blind-transfer.js';
import { CONFIDENTIAL_ERRORS } from '../../../src/operations/confidential/blinded.js';
import { TRANSFER_FROM_BLIND_ERRORS as OUT_OF } from '../../../src/operations/confidential/transfer-from-blind.js';
import { TRANSFER_TO_BLIND_ERRORS as INTO } from '../../../src/operations/confidential/transfer-to-blind.js';
import { CUSTOM_ERRORS } from '../../../src/operations/custom/custom.js';
import { OPERATIONS } from '../../../src/operations/index.js';
import { PROPOSAL_CREATE_ERRORS } from '../../../src/operations/proposal/proposal-create.js';
import { PROPOSAL_UPDATE_ERRORS } from '../../../src/operations/proposal/proposal-update.js';
import { ASSET_GLOBAL_SETTLE_ERRORS } from '../../../src/operations/retired/asset-global-settle.js';
import { ASSET_PUBLISH_FEED_ERRORS } from '../../../src/operations/retired/asset-publish-feed.js';
import { ASSET_SETTLE_ERRORS } from '../../../src/operations/retired/asset-settle.js';
import { ASSET_SETTLE_CANCEL_ERRORS } from '../../../src/operations/retired/asset-settle-cancel.js';
import { RETIRED_ERRORS } from '../../../src/operations/retired/retire.js';
import { OVERRIDE_TRANSFER_ERRORS } from '../../../src/operations/transfer/override-transfer.js';
import { validateOperation } from '../../../src/operations/validation.js';
import { VESTING_CREATE_ERRORS } from '../../../src/operations/vesting/vesting-balance-create.js';
import { VESTING_WITHDRAW_ERRORS } from '../../../src/operations/vesting/vesting-balance-withdraw.js';
import { WITHDRAW_PERMISSION_ERRORS } from '../../../src/operations/withdraw/permission-rules.js';
import { WITHDRAW_CLAIM_ERRORS } from '../../../src/operations/withdraw/withdraw-permission-claim.js';
import { PARAMETER_ERRORS } from '../../../src/protocol/chain-parameters.js';
import { build, type Changes, changed, changedJson, withChanges } from '../../support/changed-operation.js';
import { NETWORK } from '../../support/network.js';
import { refused } from '../../support/refused.js';

const KEY = 'GXC6MRyAjQq8ud7hVNYcfnVPJqcVpscN5So8BhtHuGYqET5GDW5CV';
const ADDRESS = 'GXCFAbAx7yuxt725qSZvfwWqkdCwp9ZnUama';
const auth = (weight_threshold: number, account_auths: Json[], key_auths: Json[] = [], address_auths: Json[] = []) => ({
  weight_threshold,
  account_auths,
  key_auths,
  address_auths,
});
const NULL_AUTHORITY = auth(1, [['1.2.3', 1]]);
const BUYBACK = { asset_to_buy: '1.3.5', asset_to_buy_issuer: '1.2.9', markets: ['1.3.1'] };
const bought = (extensions: JsonObject, owner: Json = NULL_AUTHORITY, active: Json = NULL_AUTHORITY): Changes => ({
  owner,
  active,
  extensions,
});
const sides = (base: readonly [string, number], quote: readonly [string, number]): Json => ({
  base: { amount: base[1], asset_id: base[0] },
  quote: { amount: quote[1], asset_id: quote[0] },
});
const topHolders = (num_top_holders: number): Json => [1, { asset: '1.3.5', num_top_holders }];
const ABOVE_SUPPLY = '100000000000000001';
const BITASSET = { minimum_feeds: 1 };
const LONG_URL = 'x'.repeat(127);
const { operation_fee_negative, amount_not_positive, from_equals_to, new_url_too_long, url_too_long } =
  OPERATION_ERRORS;
const O = ASSET_OPTION_ERRORS;

/** Each line breaks exactly one rule of an operation that is valid otherwise. */
const CASES: readonly (readonly [tag: number, changes: Changes, row: ErrorRow])[] = [
  [0, { to: '1.2.17' }, from_equals_to],
  [0, { 'amount.amount': 0 }, amount_not_positive],
  [4, {}, RETIRED_ERRORS.fill_order_virtual],

  [5, { name: '' }, ACCOUNT_CREATE_ERRORS.account_name_invalid],
  [5, { referrer_percent: 10_001 }, ACCOUNT_CREATE_ERRORS.account_referrer_percent],
  [5, { owner: auth(0, []) }, ACCOUNT_RULE_ERRORS.create_owner_empty],
  [5, { active: auth(0, []) }, ACCOUNT_RULE_ERRORS.create_active_empty],
  [5, { owner: auth(1, [], [], [[ADDRESS, 1]]) }, ACCOUNT_RULE_ERRORS.create_owner_addresses],
  [5, { active: auth(1, [], [], [[ADDRESS, 1]]) }, ACCOUNT_RULE_ERRORS.create_active_addresses],
  [5, { owner: auth(2, [['1.2.6', 1]]) }, ACCOUNT_RULE_ERRORS.create_owner_impossible],
  [5, { active: auth(3, [['1.2.6', 1]], [[KEY, 1]]) }, ACCOUNT_RULE_ERRORS.create_active_impossible],
  [5, { 'options.num_witness': 1 }, ACCOUNT_RULE_ERRORS.too_few_witness_votes],
  [5, { 'options.num_committee': 1, 'options.votes': ['1:3'] }, ACCOUNT_RULE_ERRORS.too_few_committee_votes],
  [5, { extensions: { owner_special_authority: topHolders(0) } }, ACCOUNT_RULE_ERRORS.top_holders_zero],
  [5, { extensions: { active_special_authority: topHolders(0) } }, ACCOUNT_RULE_ERRORS.top_holders_zero],
  [
    5,
    bought({ buyback_options: BUYBACK, owner_special_authority: topHolders(1) }),
    ACCOUNT_CREATE_ERRORS.account_buyback_owner_special,
  ],
  [
    5,
    bought({ buyback_options: BUYBACK, active_special_authority: [0, {}] }),
    ACCOUNT_CREATE_ERRORS.account_buyback_active_special,
  ],
  [5, bought({ buyback_options: BUYBACK }, auth(1, [['1.2.6', 1]])), ACCOUNT_CREATE_ERRORS.account_buyback_owner],
  [5, bought({ buyback_options: BUYBACK }, auth(0, [['1.2.3', 1]])), ACCOUNT_CREATE_ERRORS.account_buyback_owner],
  [
    5,
    bought({ buyback_options: BUYBACK }, NULL_AUTHORITY, auth(1, [['1.2.3', 2]])),
    ACCOUNT_CREATE_ERRORS.account_buyback_active,
  ],
  [5, bought({ buyback_options: { ...BUYBACK, markets: [] } }), ACCOUNT_CREATE_ERRORS.account_buyback_no_markets],
  [
    5,
    bought({ buyback_options: { ...BUYBACK, markets: ['1.3.1', '1.3.5'] } }),
    ACCOUNT_CREATE_ERRORS.account_buyback_own_market,
  ],

  [6, { account: '1.2.4' }, ACCOUNT_UPDATE_ERRORS.account_update_temp],
  [6, { account: '1.2.0' }, ACCOUNT_UPDATE_ERRORS.account_update_committee],
  [6, { new_options: null }, ACCOUNT_UPDATE_ERRORS.account_update_nothing],
  [6, { owner: auth(0, []) }, ACCOUNT_RULE_ERRORS.update_owner_empty],
  [6, { active: auth(0, []) }, ACCOUNT_RULE_ERRORS.update_active_empty],
  [6, { owner: auth(1, [], [], [[ADDRESS, 1]]) }, ACCOUNT_RULE_ERRORS.update_owner_addresses],
  [6, { active: auth(1, [], [], [[ADDRESS, 1]]) }, ACCOUNT_RULE_ERRORS.update_active_addresses],
  [6, { owner: auth(2, [['1.2.6', 1]]) }, ACCOUNT_RULE_ERRORS.update_owner_impossible],
  [6, { active: auth(2, [['1.2.6', 1]]) }, ACCOUNT_RULE_ERRORS.update_active_impossible],
  [6, { 'new_options.num_witness': 3 }, ACCOUNT_RULE_ERRORS.too_few_witness_votes],
  [6, { extensions: { owner_special_authority: topHolders(0) } }, ACCOUNT_RULE_ERRORS.top_holders_zero],
  [7, { new_listing: 4 }, ACCOUNT_WHITELIST_ERRORS.listing_invalid],

  [10, { symbol: 'AB' }, ASSET_CREATE_ERRORS.asset_symbol_invalid],
  [10, { 'common_options.max_supply': 0 }, O.asset_max_supply_not_positive],
  [10, { 'common_options.max_supply': ABOVE_SUPPLY }, O.asset_max_supply_too_large],
  [10, { 'common_options.market_fee_percent': 10_001 }, O.asset_market_fee_percent],
  [10, { 'common_options.max_market_fee': -1 }, O.asset_max_market_fee],
  [10, { 'common_options.max_market_fee': ABOVE_SUPPLY }, O.asset_max_market_fee],
  [10, { 'common_options.issuer_permissions': 0x200 }, O.asset_permissions],
  [10, { 'common_options.flags': 0x20 }, O.asset_global_settle_flag],
  [10, { 'common_options.flags': 0x180 }, O.asset_two_feeds],
  [10, { 'common_options.core_exchange_rate.base.amount': 0 }, O.price_base_not_positive],
  [10, { 'common_options.core_exchange_rate.quote.amount': 0 }, O.price_quote_not_positive],
  [10, { 'common_options.core_exchange_rate.quote.asset_id': '1.3.1' }, O.price_same_asset],
  [10, { 'common_options.whitelist_authorities': ['1.2.6'] }, O.asset_authorities_without_flag],
  [
    10,
    { 'common_options.whitelist_authorities': ['1.2.6'], 'common_options.blacklist_authorities': ['1.2.7'] },
    O.asset_authorities_without_flag,
  ],
  [10, { 'common_options.blacklist_authorities': ['1.2.6'] }, O.asset_authorities_without_flag],
  [
    10,
    { 'common_options.whitelist_markets': ['1.3.1', '1.3.2'], 'common_options.blacklist_markets': ['1.3.2'] },
    O.asset_market_in_both_lists,
  ],
  [10, { 'common_options.issuer_permissions': 0x10 }, ASSET_CREATE_ERRORS.asset_needs_bitasset_options],
  [10, { 'common_options.issuer_permissions': 0x20 }, ASSET_CREATE_ERRORS.asset_needs_bitasset_options],
  [10, { is_prediction_market: true }, ASSET_CREATE_ERRORS.asset_prediction_without_bitasset],
  [
    10,
    { is_prediction_market: true, bitasset_opts: BITASSET },
    ASSET_CREATE_ERRORS.asset_prediction_without_settlement,
  ],
  [10, { bitasset_opts: { minimum_feeds: 0 } }, O.bitasset_minimum_feeds],
  [10, { bitasset_opts: { ...BITASSET, force_settlement_offset_percent: 10_001 } }, O.bitasset_offset_percent],
  [10, { bitasset_opts: { ...BITASSET, maximum_force_settlement_volume: 10_001 } }, O.bitasset_volume],
  [10, { precision: 13 }, ASSET_CREATE_ERRORS.asset_precision],

  [11, { new_issuer: '1.2.17' }, ASSET_UPDATE_ERRORS.asset_update_same_issuer],
  [11, { 'new_options.max_supply': 0 }, O.asset_max_supply_not_positive],
  [11, { 'new_options.core_exchange_rate.base.amount': 0 }, O.price_base_not_positive],
  [11, { 'new_options.blacklist_authorities': ['1.2.6'] }, O.asset_authorities_without_flag],
  [12, { 'new_options.minimum_feeds': 0 }, O.bitasset_minimum_feeds],
  [14, { 'asset_to_issue.amount': 0 }, ASSET_ISSUE_ERRORS.issue_amount_not_positive],
  [14, { 'asset_to_issue.amount': ABOVE_SUPPLY }, ASSET_ISSUE_ERRORS.issue_amount_above_supply],
  [14, { 'asset_to_issue.asset_id': '1.3.0' }, ASSET_ISSUE_ERRORS.issue_original_core],
  [15, { 'amount_to_reserve.amount': 0 }, ASSET_RESERVE_ERRORS.reserve_amount_not_positive],
  [15, { 'amount_to_reserve.amount': ABOVE_SUPPLY }, ASSET_RESERVE_ERRORS.reserve_amount_above_supply],
  [16, { amount: 0 }, ASSET_FUND_FEE_POOL_ERRORS.pool_amount_not_positive],
  [17, { 'amount.amount': -1 }, ASSET_SETTLE_ERRORS.settle_amount_negative],
  [18, { asset_to_settle: '1.3.8' }, ASSET_GLOBAL_SETTLE_ERRORS.settle_price_of_other_asset],
  [19, { 'feed.maintenance_collateral_ratio': 1000 }, ASSET_PUBLISH_FEED_ERRORS.feed_collateral_too_low],
  [19, { 'feed.maintenance_collateral_ratio': 32_001 }, ASSET_PUBLISH_FEED_ERRORS.feed_collateral_too_high],
  [19, { 'feed.maximum_short_squeeze_ratio': 1000 }, ASSET_PUBLISH_FEED_ERRORS.feed_squeeze_too_low],
  [19, { 'feed.maximum_short_squeeze_ratio': 32_001 }, ASSET_PUBLISH_FEED_ERRORS.feed_squeeze_too_high],
  [19, { 'feed.settlement_price': {} }, ASSET_PUBLISH_FEED_ERRORS.feed_price_of_one_asset],
  [
    19,
    { 'feed.settlement_price': sides(['1.3.0', 5], ['1.3.0', 7]) },
    ASSET_PUBLISH_FEED_ERRORS.feed_price_of_one_asset,
  ],
  [19, { 'feed.core_exchange_rate': {} }, ASSET_PUBLISH_FEED_ERRORS.feed_price_of_one_asset],
  [19, { 'feed.settlement_price.base.amount': 0 }, O.price_base_not_positive],
  [19, { 'feed.settlement_price.quote.amount': -1 }, O.price_quote_not_positive],
  [19, { 'feed.settlement_price': sides(['1.3.7', 1], ['1.3.7', 1]) }, O.price_same_asset],
  [19, { 'feed.core_exchange_rate.base.amount': 0 }, O.price_base_not_positive],
  [19, { 'feed.core_exchange_rate.quote.amount': 0 }, O.price_quote_not_positive],
  [19, { 'feed.core_exchange_rate': sides(['1.3.7', 1], ['1.3.7', 1]) }, O.price_same_asset],
  [19, { 'feed.core_exchange_rate.base.asset_id': '1.3.8' }, ASSET_PUBLISH_FEED_ERRORS.feed_of_two_assets],
  [19, { asset_id: '1.3.8' }, ASSET_PUBLISH_FEED_ERRORS.feed_of_other_asset],

  [20, { url: LONG_URL }, url_too_long],
  [20, { url: 'é'.repeat(64) }, url_too_long],
  [21, { new_url: LONG_URL }, new_url_too_long],
  [29, { url: LONG_URL }, url_too_long],
  [30, { new_url: LONG_URL }, new_url_too_long],

  [22, { proposed_ops: [] }, PROPOSAL_CREATE_ERRORS.proposal_empty],
  [22, { 'proposed_ops.0.op.1.amount.amount': 0 }, amount_not_positive],
  [22, { 'proposed_ops.0.op.1.fee.amount': -1 }, operation_fee_negative],
  [23, { active_approvals_to_add: [], key_approvals_to_add: [] }, PROPOSAL_UPDATE_ERRORS.proposal_update_nothing],
  [23, { active_approvals_to_remove: ['1.2.30'] }, PROPOSAL_UPDATE_ERRORS.proposal_active_both],
  [
    23,
    { owner_approvals_to_add: ['1.2.6'], owner_approvals_to_remove: ['1.2.6'] },
    PROPOSAL_UPDATE_ERRORS.proposal_owner_both,
  ],
  [23, { key_approvals_to_remove: [KEY] }, PROPOSAL_UPDATE_ERRORS.proposal_key_both],

  [25, { authorized_account: '1.2.17' }, WITHDRAW_PERMISSION_ERRORS.permission_to_self],
  [25, { 'withdrawal_limit.amount': 0 }, WITHDRAW_PERMISSION_ERRORS.permission_limit_not_positive],
  [25, { withdrawal_period_sec: 0 }, WITHDRAW_PERMISSION_ERRORS.permission_period_zero],
  [25, { periods_until_expiration: 0 }, WITHDRAW_PERMISSION_ERRORS.permission_no_periods],
  [26, { authorized_account: '1.2.17' }, WITHDRAW_PERMISSION_ERRORS.permission_to_self],
  [26, { 'withdrawal_limit.amount': 0 }, WITHDRAW_PERMISSION_ERRORS.permission_limit_not_positive],
  [26, { withdrawal_period_sec: 0 }, WITHDRAW_PERMISSION_ERRORS.permission_period_zero],
  [26, { periods_until_expiration: 0 }, WITHDRAW_PERMISSION_ERRORS.permission_no_periods],
  [27, { withdraw_to_account: '1.2.17' }, WITHDRAW_CLAIM_ERRORS.withdraw_to_self],
  [27, { 'amount_to_withdraw.amount': 0 }, WITHDRAW_CLAIM_ERRORS.withdraw_amount_not_positive],
  [28, { authorized_account: '1.2.17' }, WITHDRAW_PERMISSION_ERRORS.permission_to_self],

  [31, { 'new_parameters.reserve_percent_of_fee': 10_001 }, PARAMETER_ERRORS.parameter_reserve_percent],
  [31, { 'new_parameters.network_percent_of_fee': 10_001 }, PARAMETER_ERRORS.parameter_network_percent],
  [31, { 'new_parameters.lifetime_referrer_percent_of_fee': 10_001 }, PARAMETER_ERRORS.parameter_referrer_percent],
  [
    31,
    { 'new_parameters.network_percent_of_fee': 5001, 'new_parameters.lifetime_referrer_percent_of_fee': 5000 },
    PARAMETER_ERRORS.parameter_percent_sum,
  ],
  [31, { 'new_parameters.block_interval': 0 }, PARAMETER_ERRORS.parameter_block_interval_too_short],
  [31, { 'new_parameters.block_interval': 31 }, PARAMETER_ERRORS.parameter_block_interval_too_long],
  [31, { 'new_parameters.maintenance_interval': 3601 }, PARAMETER_ERRORS.parameter_maintenance_no_multiple],
  [31, { 'new_parameters.maintenance_interval': 3 }, PARAMETER_ERRORS.parameter_maintenance_too_short],
  [31, { 'new_parameters.maximum_transaction_size': 1023 }, PARAMETER_ERRORS.parameter_transaction_size],
  [31, { 'new_parameters.maximum_block_size': 5119 }, PARAMETER_ERRORS.parameter_block_size],
  [31, { 'new_parameters.maximum_time_until_expiration': 3 }, PARAMETER_ERRORS.parameter_expiration],
  [
    31,
    { 'new_parameters.maximum_proposal_lifetime': 100, 'new_parameters.committee_proposal_review_period': 97 },
    PARAMETER_ERRORS.parameter_proposal_lifetime,
  ],

  [32, { 'amount.amount': 0 }, VESTING_CREATE_ERRORS.vesting_amount_not_positive],
  [33, { 'amount.amount': 0 }, VESTING_WITHDRAW_ERRORS.vesting_withdraw_not_positive],
  [35, { 'fee.amount': 0 }, CUSTOM_ERRORS.custom_fee_not_positive],
  [37, { 'fee.amount': 1 }, BALANCE_CLAIM_ERRORS.balance_claim_fee],
  [37, { 'fee.asset_id': '1.3.1' }, BALANCE_CLAIM_ERRORS.balance_claim_fee],
  [
    37,
    { balance_owner_key: publicKeyToText(NULL_PUBLIC_KEY, NETWORK.keyPrefix) },
    BALANCE_CLAIM_ERRORS.balance_claim_null_key,
  ],
  [38, { to: '1.2.18' }, from_equals_to],
  [38, { 'amount.amount': 0 }, amount_not_positive],
  [38, { issuer: '1.2.18' }, OVERRIDE_TRANSFER_ERRORS.override_issuer_is_from],
  [42, { 'amount.amount': 0 }, ASSET_SETTLE_CANCEL_ERRORS.settlement_cancel_not_positive],
  [43, { 'amount_to_claim.amount': 0 }, ASSET_CLAIM_FEES_ERRORS.claim_amount_not_positive],
  [44, {}, RETIRED_ERRORS.fba_distribute_virtual],
];

t.test('each stateless rule refuses', async (t) => {
  for (const [tag, changes, row] of CASES) {
    refused(t, row, () => validateOperation(changed(tag, changes)), `${tag} ${Object.keys(changes)}: ${row.key}`);
  }
});

/** Always refused, or judged by commitments and not by single fields. */
const NEVER_VALID = new Set([4, 44]);
const CONFIDENTIAL = new Set([39, 40, 41]);
/** They leave the fee to the state, or have a rule of their own for it. */
const IGNORES_FEE = new Set([22, 34, 42]);
const OWN_FEE_RULE: Readonly<Record<number, ErrorRow>> = {
  35: CUSTOM_ERRORS.custom_fee_not_positive,
  37: BALANCE_CLAIM_ERRORS.balance_claim_fee,
};

t.test('a negative fee is refused by those operations that look at it', async (t) => {
  for (const { tag, name } of OPERATIONS.slice(0, 47)) {
    if (NEVER_VALID.has(tag) || CONFIDENTIAL.has(tag)) continue;
    const op = changed(tag, { 'fee.amount': -1 });
    if (IGNORES_FEE.has(tag)) t.doesNotThrow(() => validateOperation(op), name);
    else refused(t, OWN_FEE_RULE[tag] ?? operation_fee_negative, () => validateOperation(op), name);
  }
});

/** The recipe of a feed whose exchange rate has nothing on one side. */
const HALF_FEED = {
  settlement_price: sides(['1.3.2', 1], ['1.3.1', 1]),
  core_exchange_rate: sides(['1.3.2', 1], ['1.3.1', 0]),
  maintenance_collateral_ratio: 1750,
  maximum_short_squeeze_ratio: 1500,
};
const P = WITHDRAW_PERMISSION_ERRORS;
const SELF = { authorized_account: '1.2.17' };
const NO_LIMIT = { 'withdrawal_limit.amount': 0 };
const NO_PERIOD = { withdrawal_period_sec: 0 };
const NO_PERIODS = { periods_until_expiration: 0 };
const NEGATIVE_FEE = { 'fee.amount': -1 };

/** Lines with two faults; the row is that of the one that the reference meets first. */
const ORDER: readonly (readonly [tag: number, changes: Changes, row: ErrorRow])[] = [
  [6, { account: '1.2.4', ...NEGATIVE_FEE }, ACCOUNT_UPDATE_ERRORS.account_update_temp],
  [6, { account: '1.2.0', ...NEGATIVE_FEE }, operation_fee_negative],
  [6, { owner: auth(2, [['1.2.6', 1]]), active: auth(0, []) }, ACCOUNT_RULE_ERRORS.update_owner_impossible],
  [5, { owner: auth(2, [['1.2.6', 1]]), active: auth(0, []) }, ACCOUNT_RULE_ERRORS.create_active_empty],
  [19, { 'feed.settlement_price': {}, ...NEGATIVE_FEE }, operation_fee_negative],
  [
    19,
    { 'feed.maximum_short_squeeze_ratio': 1, 'feed.maintenance_collateral_ratio': 1 },
    ASSET_PUBLISH_FEED_ERRORS.feed_squeeze_too_low,
  ],
  [25, { ...NO_LIMIT, ...NEGATIVE_FEE }, operation_fee_negative],
  [25, { ...SELF, ...NO_LIMIT }, P.permission_limit_not_positive],
  [25, { ...SELF, ...NO_PERIOD }, P.permission_period_zero],
  [25, { ...SELF, ...NO_PERIODS }, P.permission_to_self],
  [26, { ...NO_LIMIT, ...NEGATIVE_FEE }, P.permission_limit_not_positive],
  [26, { ...NO_PERIOD, ...NEGATIVE_FEE }, operation_fee_negative],
  [26, { ...SELF, ...NO_LIMIT }, P.permission_limit_not_positive],
  [26, { ...SELF, ...NO_PERIOD }, P.permission_period_zero],
  [26, { ...SELF, ...NO_PERIODS }, P.permission_to_self],
  [27, { withdraw_to_account: '1.2.17', 'amount_to_withdraw.amount': 0 }, WITHDRAW_CLAIM_ERRORS.withdraw_to_self],
  [27, { 'amount_to_withdraw.amount': 0, ...NEGATIVE_FEE }, WITHDRAW_CLAIM_ERRORS.withdraw_amount_not_positive],
  [27, { withdraw_to_account: '1.2.17', ...NEGATIVE_FEE }, WITHDRAW_CLAIM_ERRORS.withdraw_to_self],
];

t.test('of two faults the first in the order of the reference is told', async (t) => {
  for (const [tag, changes, row] of ORDER) {
    refused(t, row, () => validateOperation(changed(tag, changes)), `${tag} ${Object.keys(changes)}: ${row.key}`);
  }
});

t.test('what a proposal holds is validated too', async (t) => {
  const feed = { asset_id: '1.3.2', feed: HALF_FEED };
  refused(t, O.price_quote_not_positive, () => validateOperation(changed(19, feed)));
  const proposed = { proposed_ops: [{ op: [19, changedJson(19, feed)] }] };
  refused(t, O.price_quote_not_positive, () => validateOperation(changed(22, proposed)));
});

t.test('limits are included', async (t) => {
  const allowed: readonly (readonly [tag: number, changes: Changes])[] = [
    [1, { 'amount_to_sell.amount': -5, 'min_to_receive.amount': 0 }],
    [5, { referrer_percent: 10_000 }],
    [5, { owner: auth(2, [['1.2.6', 1]], [[KEY, 1]]) }],
    [5, { 'options.num_witness': 1, 'options.num_committee': 1, 'options.votes': ['1:3', '0:4', '2:5'] }],
    [5, bought({ buyback_options: BUYBACK })],
    [6, { new_options: null, extensions: { active_special_authority: [0, {}] } }],
    [7, { new_listing: 3 }],
    [10, { 'common_options.max_supply': '100000000000000000', 'common_options.max_market_fee': '100000000000000000' }],
    [10, { 'common_options.max_supply': 1, 'common_options.max_market_fee': 0 }],
    [10, { 'common_options.market_fee_percent': 10_000 }],
    [10, { 'common_options.core_exchange_rate': sides(['1.3.1', 1], ['1.3.2', 1]) }],
    [10, { 'common_options.issuer_permissions': 0x1ff, bitasset_opts: BITASSET }],
    [10, { 'common_options.flags': 0x80 }],
    [10, { 'common_options.flags': 0x100 }],
    [10, { 'common_options.whitelist_markets': ['1.3.1'], 'common_options.blacklist_markets': ['1.3.2'] }],
    [12, { 'new_options.force_settlement_offset_percent': 10_000 }],
    [12, { 'new_options.maximum_force_settlement_volume': 10_000 }],
    [10, { 'common_options.flags': 0x02, 'common_options.whitelist_authorities': ['1.2.6'] }],
    [10, { 'common_options.issuer_permissions': 0x20, bitasset_opts: BITASSET, is_prediction_market: true }],
    [10, { precision: 12 }],
    // Quirk: flags that mean nothing are let through, even all of them.
    [10, { 'common_options.flags': 0x200 }],
    [10, { 'common_options.flags': 0xfe00 }],
    [11, { 'new_options.flags': 0x8000 }],
    [22, { proposed_ops: [{ op: [10, changedJson(10, { 'common_options.flags': 0x200 })] }] }],
    [11, { asset_to_update: '1.3.1', 'new_options.core_exchange_rate': {} }],
    [11, { asset_to_update: '1.3.0', 'new_options.core_exchange_rate': {} }],
    [14, { 'asset_to_issue.amount': '100000000000000000' }],
    [14, { 'asset_to_issue.amount': 1 }],
    [15, { 'amount_to_reserve.amount': 1 }],
    [15, { 'amount_to_reserve.amount': '100000000000000000' }],
    [16, { amount: 1 }],
    [17, { 'amount.amount': 0 }],
    [19, { 'feed.maintenance_collateral_ratio': 1001, 'feed.maximum_short_squeeze_ratio': 32_000 }],
    [20, { url: 'x'.repeat(126) }],
    [21, { new_url: 'x'.repeat(126) }],
    [21, { new_url: null }],
    [30, { new_url: 'x'.repeat(126) }],
    [30, { new_url: null }],
    // Quirk: the subtraction wraps, so a review period above the lifetime passes.
    [31, { 'new_parameters.maximum_proposal_lifetime': 100, 'new_parameters.committee_proposal_review_period': 101 }],
    [33, { 'amount.amount': '9223372036854775807' }],
    [36, { predicates: [] }],
    [31, { 'new_parameters.block_interval': 1, 'new_parameters.maintenance_interval': 2 }],
    [31, { 'new_parameters.block_interval': 30, 'new_parameters.maintenance_interval': 60 }],
    [31, { 'new_parameters.maximum_transaction_size': 1024, 'new_parameters.maximum_block_size': 5120 }],
    [31, { 'new_parameters.maximum_time_until_expiration': 4 }],
    [31, { 'new_parameters.reserve_percent_of_fee': 10_000 }],
    [31, { 'new_parameters.network_percent_of_fee': 10_000, 'new_parameters.lifetime_referrer_percent_of_fee': 0 }],
    [31, { 'new_parameters.network_percent_of_fee': 0, 'new_parameters.lifetime_referrer_percent_of_fee': 10_000 }],
    [31, { 'new_parameters.maximum_proposal_lifetime': 100, 'new_parameters.committee_proposal_review_period': 96 }],
  ];
  for (const [tag, changes] of allowed) {
    t.doesNotThrow(() => validateOperation(changed(tag, changes)), `${tag} ${Object.keys(changes)}`);
  }
});

t.test('account names', async (t) => {
  const named = (name: string) => changed(5, { name });
  for (const name of ['a', 'a1', 'a-1', 'a.b', 'abc.d-e.f0', 'x'.repeat(63), 'a--b']) {
    t.doesNotThrow(() => validateOperation(named(name)), name);
  }
  const bad = [
    '1a',
    'A',
    'a.',
    '.a',
    'a..b',
    'a-',
    '-a',
    'a.-b',
    'a.1',
    'a_b',
    'a/b',
    'é',
    'x'.repeat(64),
    'a\n',
    ' a',
  ];
  for (const name of bad) {
    refused(t, ACCOUNT_CREATE_ERRORS.account_name_invalid, () => validateOperation(named(name)), JSON.stringify(name));
  }
});

t.test('asset symbols', async (t) => {
  const named = (symbol: string) => changed(10, { symbol });
  for (const symbol of ['ABC', 'A.B', 'A1B2', 'A'.repeat(16), 'AB1', 'GXS', 'ABIT']) {
    t.doesNotThrow(() => validateOperation(named(symbol)), symbol);
  }
  const bad = ['AB', 'A'.repeat(17), '1AB', '.AB', 'AB.', 'A.B.C', 'A..B', 'ABc', 'BITX', 'BIT', 'A-B', 'ABC\n'];
  for (const symbol of bad) {
    refused(
      t,
      ASSET_CREATE_ERRORS.asset_symbol_invalid,
      () => validateOperation(named(symbol)),
      JSON.stringify(symbol),
    );
  }
});

const factor = (fill: number) => new Uint8Array(32).fill(fill);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const owner = auth(1, [], [[KEY, 1]]);
const FEE = 100;
const input = (fill: number, amount: bigint, by: Json = owner) => ({
  commitment: blind(factor(fill), amount),
  owner: by,
});
const byCommitment = <T extends { commitment: string }>(items: T[]): T[] =>
  items.sort((a, b) => (a.commitment < b.commitment ? -1 : 1));
/** The header says 2^(mantissa+1) - 1 as the largest value; the chain reads no further. */
const proof = (mantissa: number) => hex(Uint8Array.of(0x40, mantissa, ...new Uint8Array(70)));

const toBlind = {
  fee: { amount: FEE, asset_id: '1.3.1' },
  amount: { amount: 1000, asset_id: '1.3.1' },
  from: '1.2.17',
  blinding_factor: hex(factor(1)),
  outputs: [{ ...input(1, 1000n), range_proof: '' }],
};
const split = byCommitment([input(2, 400n), input(3, 600n)]).map((item) => ({ ...item, range_proof: proof(31) }));
const toBlindTwo = { ...toBlind, blinding_factor: hex(blindSum([factor(2), factor(3)], 2)), outputs: split };
const blindToBlind = {
  fee: { amount: FEE, asset_id: '1.3.1' },
  inputs: [input(1, 1000n)],
  outputs: [{ ...input(1, 900n), range_proof: '' }],
};
const fromBlind = {
  fee: { amount: FEE, asset_id: '1.3.1' },
  amount: { amount: 900, asset_id: '1.3.1' },
  to: '1.2.17',
  blinding_factor: hex(factor(1)),
  inputs: [input(1, 1000n)],
};
const C = CONFIDENTIAL_ERRORS;
const I64_MAX = '9223372036854775807';

t.test('confidential operations: commitments that balance', async (t) => {
  for (const [tag, json] of [
    [39, toBlind],
    [39, toBlindTwo],
    [40, blindToBlind],
    [41, fromBlind],
  ] as const) {
    t.doesNotThrow(() => validateOperation(build(tag, json as unknown as JsonObject)), `${tag}`);
  }
});

t.test('confidential operations: each rule refuses', async (t) => {
  const impossible = auth(2, [['1.2.6', 1]]);
  const reversed = () => structuredClone([...split].reverse());
  const cases: readonly (readonly [tag: number, json: object, changes: Changes, row: ErrorRow])[] = [
    [39, toBlind, { 'fee.amount': -1 }, operation_fee_negative],
    [39, toBlind, { 'amount.amount': 0 }, C.blind_amount_not_positive],
    [39, toBlind, { outputs: [] }, INTO.blind_outputs_missing],
    [39, toBlindTwo, { outputs: [...split].reverse() }, INTO.blind_outputs_unsorted],
    [39, toBlindTwo, { outputs: [split[0] ?? {}, split[0] ?? {}] }, INTO.blind_outputs_unsorted],
    [39, toBlind, { 'outputs.0.owner': impossible }, C.blind_owner_impossible],
    [39, toBlind, { 'amount.amount': 1001 }, INTO.blind_into_sum],
    [39, toBlindTwo, { 'outputs.1.range_proof': proof(57) }, C.blind_range],
    [40, blindToBlind, { inputs: [] }, BOTH.blind_both_inputs_missing],
    [40, blindToBlind, { inputs: [input(1, 1000n), input(1, 1000n)] }, BOTH.blind_both_inputs_unsorted],
    [40, blindToBlind, { outputs: [...split].reverse() }, BOTH.blind_both_outputs_unsorted],
    [40, blindToBlind, { 'outputs.0.owner': impossible }, C.blind_owner_impossible],
    [40, blindToBlind, { 'fee.amount': 101 }, BOTH.blind_both_sum],
    [41, fromBlind, { 'fee.amount': -1 }, operation_fee_negative],
    [41, fromBlind, { 'amount.amount': 0 }, C.blind_amount_not_positive],
    [41, fromBlind, { inputs: [] }, OUT_OF.blind_inputs_missing],
    [41, fromBlind, { 'fee.asset_id': '1.3.2' }, OUT_OF.blind_fee_in_other_asset],
    [41, fromBlind, { inputs: [...split].reverse() }, OUT_OF.blind_inputs_unsorted],
    [41, fromBlind, { 'amount.amount': 901 }, OUT_OF.blind_out_of_sum],
    // Amount and fee are added as they are, whatever the sum is.
    [41, fromBlind, { 'amount.amount': I64_MAX, 'fee.amount': 1 }, OUT_OF.blind_out_of_sum],
    [41, fromBlind, { 'amount.amount': I64_MAX, 'fee.amount': I64_MAX }, OUT_OF.blind_out_of_sum],
    // Several faults: the first one in the order of the reference is told.
    [39, toBlind, { 'fee.amount': -1, 'amount.amount': 0 }, operation_fee_negative],
    [39, toBlindTwo, { outputs: reversed(), 'outputs.1.owner': impossible }, INTO.blind_outputs_unsorted],
    [39, toBlindTwo, { outputs: reversed(), 'outputs.0.owner': impossible }, C.blind_owner_impossible],
    [40, blindToBlind, { inputs: [], outputs: [...split].reverse() }, BOTH.blind_both_outputs_unsorted],
    [40, blindToBlind, { inputs: [], 'outputs.0.owner': impossible }, C.blind_owner_impossible],
    [41, fromBlind, { 'fee.amount': -1, 'amount.amount': 0 }, C.blind_amount_not_positive],
    [41, fromBlind, { 'fee.amount': -1, inputs: [] }, operation_fee_negative],
  ];
  for (const [tag, json, changes, row] of cases) {
    const op = build(tag, withChanges(json as JsonObject, changes));
    refused(t, row, () => validateOperation(op), `${tag} ${Object.keys(changes)}: ${row.key}`);
  }
});

t.test('the largest range that a proof may claim', async (t) => {
  const withProof = (range_proof: string) =>
    build(39, withChanges(toBlindTwo as unknown as JsonObject, { 'outputs.0.range_proof': range_proof }));
  // 2^56 - 1 is below 10^17, 2^57 - 1 is above.
  t.doesNotThrow(() => validateOperation(withProof(proof(55))));
  refused(t, C.blind_range, () => validateOperation(withProof(proof(56))));
  const ofOneValue = (value: bigint) => `20${value.toString(16).padStart(16, '0')}${'00'.repeat(70)}`;
  t.doesNotThrow(() => validateOperation(withProof(ofOneValue(10n ** 17n))), 'all that there may be of an asset');
  refused(t, C.blind_range, () => validateOperation(withProof(ofOneValue(10n ** 17n + 1n))));
});

/** Header bytes of a proof, and zeros up to its length. */
const headed = (length: number, ...bytes: number[]) => hex(Uint8Array.from({ length }, (_, i) => bytes[i] ?? 0));
const least = (value: bigint): number[] => [
  ...Uint8Array.from(Buffer.from(value.toString(16).padStart(16, '0'), 'hex')),
];

t.test('what range proofs of several outputs may claim, to the unit, and of a single one anything', async (t) => {
  const HIDDEN = 0x40;
  const MIN = 0x20;
  const [max, over] = [10n ** 17n, 10n ** 17n + 1n];
  const two = { ...blindToBlind, outputs: byCommitment([input(2, 300n), input(3, 600n)]), fee: toBlind.fee };
  const balanced = { ...two, inputs: [{ ...input(1, 1000n), commitment: sumOf(2, 3, 1000n) }] };
  const outcomes: readonly (readonly [string, ErrorRow | undefined])[] = [
    [headed(65, MIN, ...least(max)), undefined],
    [headed(65, MIN, ...least(over)), C.blind_range],
    [headed(65, HIDDEN | MIN, 0, ...least(max - 1n)), undefined],
    [headed(65, HIDDEN | MIN, 0, ...least(max)), C.blind_range],
    [headed(65, HIDDEN | 17, 0), undefined],
    [headed(65, HIDDEN | 17, 1), C.blind_range],
    [headed(65, HIDDEN | 18, 0), C.blind_range],
    [headed(65, HIDDEN, 55), undefined],
    [headed(65, HIDDEN, 63), C.blind_range],
    [headed(65), undefined],
    [headed(64), RANGE_HEADER_ERRORS.range_proof_invalid],
    ['', RANGE_HEADER_ERRORS.range_proof_invalid],
    [headed(65, 0x80), RANGE_HEADER_ERRORS.range_proof_invalid],
    [headed(65, HIDDEN | 19, 0), RANGE_HEADER_ERRORS.range_proof_invalid],
    [headed(65, HIDDEN, 64), RANGE_HEADER_ERRORS.range_proof_invalid],
    // Above 2^64 - 1 there is no value at all.
    [headed(65, HIDDEN | MIN, 63, ...least(1n)), RANGE_HEADER_ERRORS.range_proof_invalid],
    [headed(65, HIDDEN | 1, 63), RANGE_HEADER_ERRORS.range_proof_invalid],
  ];
  const good = headed(65);
  for (const [range_proof, row] of outcomes) {
    for (const [tag, json] of [
      [39, toBlindTwo],
      [40, balanced],
    ] as const) {
      for (const at of [0, 1]) {
        const outputs = json.outputs.map((one, i) => ({ ...one, range_proof: i === at ? range_proof : good }));
        const op = build(tag, { ...json, outputs } as unknown as JsonObject);
        const what = `${tag}, output ${at}: ${range_proof.slice(0, 24)} of ${range_proof.length / 2}`;
        if (row === undefined) t.doesNotThrow(() => validateOperation(op), what);
        else refused(t, row, () => validateOperation(op), what);
      }
    }
    for (const [tag, json] of [
      [39, toBlind],
      [40, blindToBlind],
    ] as const) {
      const single = build(tag, withChanges(json as unknown as JsonObject, { 'outputs.0.range_proof': range_proof }));
      t.doesNotThrow(() => validateOperation(single), `${tag}: nobody looks at the proof of a single output`);
    }
  }
});

/** A commitment under the sum of two factors. */
const sumOf = (one: number, other: number, amount: bigint) => blind(blindSum([factor(one), factor(other)], 2), amount);

t.test('confidential operations balance to the unit, and by their factors', async (t) => {
  const spendAll = {
    ...blindToBlind,
    inputs: [input(1, 1000n)],
    outputs: [],
    fee: { amount: 1000, asset_id: '1.3.1' },
  };
  // All factors must be in the sum too: without any output only an input that hides nothing behind a factor would do.
  refused(t, BOTH.blind_both_sum, () => validateOperation(build(40, spendAll as unknown as JsonObject)));
  const opposite = byCommitment([
    { ...input(1, 400n) },
    { ...input(1, 600n), commitment: blind(blindSum([factor(1)], 0), 600n) },
  ]);
  const emptied = (fee: number) => ({ ...spendAll, inputs: opposite, fee: { amount: fee, asset_id: '1.3.1' } });
  t.doesNotThrow(
    () => validateOperation(build(40, emptied(1000) as unknown as JsonObject)),
    'all of it may be the fee',
  );
  for (const fee of [999, 1001, -1000, 0]) {
    refused(t, BOTH.blind_both_sum, () => validateOperation(build(40, emptied(fee) as unknown as JsonObject)));
  }
  // Quirk: a fee below zero balances as well; only who books it refuses it.
  const negative = {
    ...blindToBlind,
    outputs: [{ ...input(1, 1100n), range_proof: '' }],
    fee: { amount: -100, asset_id: '1.3.1' },
  };
  t.doesNotThrow(() => validateOperation(build(40, negative as unknown as JsonObject)));
  const cases: readonly (readonly [tag: number, json: object, changes: Changes, row: ErrorRow])[] = [
    [39, toBlind, { 'amount.amount': 999 }, INTO.blind_into_sum],
    [39, toBlind, { blinding_factor: hex(factor(2)) }, INTO.blind_into_sum],
    [39, toBlindTwo, { blinding_factor: hex(factor(2)) }, INTO.blind_into_sum],
    [39, toBlindTwo, { outputs: [split[0] ?? {}] }, INTO.blind_into_sum],
    [40, blindToBlind, { 'fee.amount': 99 }, BOTH.blind_both_sum],
    [40, blindToBlind, { inputs: byCommitment([input(1, 1000n), input(2, 0n)]) }, BOTH.blind_both_sum],
    [41, fromBlind, { 'amount.amount': 899 }, OUT_OF.blind_out_of_sum],
    [41, fromBlind, { 'fee.amount': 99 }, OUT_OF.blind_out_of_sum],
    [41, fromBlind, { blinding_factor: hex(factor(2)) }, OUT_OF.blind_out_of_sum],
    // No point of the curve at all.
    [39, toBlind, { 'outputs.0.commitment': '00'.repeat(33) }, INTO.blind_into_sum],
    [40, blindToBlind, { 'inputs.0.commitment': 'ff'.repeat(33) }, BOTH.blind_both_sum],
    [41, fromBlind, { 'inputs.0.commitment': '02'.repeat(33) }, OUT_OF.blind_out_of_sum],
  ];
  for (const [tag, json, changes, row] of cases) {
    const op = build(tag, withChanges(json as JsonObject, changes));
    refused(t, row, () => validateOperation(op), `${tag} ${Object.keys(changes)}`);
  }
});
