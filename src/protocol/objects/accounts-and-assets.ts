import { map, optional, pair, set, variant, withDefault } from '../../codec/containers.js';
import { bool, bytes, share, text, time, u8, u16, u32, u128 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { abiDef } from '../abi.js';
import { asset, assetOptions, bitassetOptions, price, priceFeed } from '../asset.js';
import { accountOptions, authority, specialAuthority } from '../authority.js';
import {
  accountId,
  accountStatisticsId,
  accountTransactionHistoryId,
  assetBitassetDataId,
  assetDynamicDataId,
  assetId,
  vestingBalanceId,
} from '../ids.js';
import { address, commitment, signature } from '../keys.js';
import { declareObject } from './declare.js';

export const assetBitassetDataRecord = declareObject({
  name: 'asset_bitasset_data',
  space: 2,
  type: 4,
  schema: struct('asset_bitasset_data_object', {
    feeds: map(accountId, pair(time, priceFeed)),
    current_feed: struct('price_feed', {
      ...priceFeed.fields,
      maintenance_collateral_ratio: withDefault(u16, () => 1750),
      maximum_short_squeeze_ratio: withDefault(u16, () => 1500),
    }),
    current_feed_publication_time: time,
    options: bitassetOptions,
    force_settled_volume: share,
    is_prediction_market: bool,
    settlement_price: price,
    settlement_fund: share,
  }),
});

export const assetDynamicDataRecord = declareObject({
  name: 'asset_dynamic_data',
  space: 2,
  type: 3,
  schema: struct('asset_dynamic_data_object', {
    current_supply: share,
    confidential_supply: share,
    /** In the asset itself. */
    accumulated_fees: share,
    /** In the core asset. */
    fee_pool: share,
  }),
});

export const assetRecord = declareObject({
  name: 'asset',
  space: 1,
  type: 3,
  schema: struct('asset_object', {
    symbol: text,
    precision: u8,
    issuer: accountId,
    options: assetOptions,
    dynamic_asset_data_id: assetDynamicDataId,
    bitasset_data_id: optional(assetBitassetDataId),
    buyback_account: optional(accountId),
  }),
});

export const buybackRecord = declareObject({
  name: 'buyback',
  space: 2,
  type: 15,
  schema: struct('buyback_object', { asset_to_buy: assetId }),
});

export const callOrderRecord = declareObject({
  name: 'call_order',
  space: 1,
  type: 8,
  schema: struct('call_order_object', { borrower: accountId, collateral: share, debt: share, call_price: price }),
});

export const fbaAccumulatorRecord = declareObject({
  name: 'fba_accumulator',
  space: 2,
  type: 16,
  schema: struct('fba_accumulator_object', { accumulated_fba_fees: share, designated_asset: optional(assetId) }),
});

export const forceSettlementRecord = declareObject({
  name: 'force_settlement',
  space: 1,
  type: 4,
  schema: struct('force_settlement_object', { owner: accountId, balance: asset, settlement_date: time }),
});

export const limitOrderRecord = declareObject({
  name: 'limit_order',
  space: 1,
  type: 7,
  schema: struct('limit_order_object', {
    expiration: time,
    seller: accountId,
    for_sale: share,
    sell_price: price,
    deferred_fee: share,
  }),
});

const linearVestingPolicy = struct('linear_vesting_policy', {
  begin_timestamp: time,
  vesting_cliff_seconds: u32,
  vesting_duration_seconds: u32,
  begin_balance: share,
});

const coinDaysVestingPolicy = struct('cdd_vesting_policy', {
  vesting_seconds: u32,
  start_claim: time,
  coin_seconds_earned: u128,
  coin_seconds_earned_last_update: time,
});

export const vestingPolicy = variant('vesting_policy', [linearVestingPolicy, coinDaysVestingPolicy]);

export const vestingBalanceRecord = declareObject({
  name: 'vesting_balance',
  space: 1,
  type: 13,
  schema: struct('vesting_balance_object', { owner: accountId, balance: asset, policy: vestingPolicy }),
});

export const accountBalanceRecord = declareObject({
  name: 'account_balance',
  space: 2,
  type: 5,
  schema: struct('account_balance_object', { owner: accountId, asset_type: assetId, balance: share }),
});

export const accountStatisticsRecord = declareObject({
  name: 'account_statistics',
  space: 2,
  type: 6,
  schema: struct('account_statistics_object', {
    owner: accountId,
    /** This and the next two are written by the history plugin alone. */
    most_recent_op: accountTransactionHistoryId,
    total_ops: u32,
    removed_ops: u32,
    total_core_in_orders: share,
    lifetime_fees_paid: share,
    pending_fees: share,
    pending_vested_fees: share,
  }),
});

export const accountRecord = declareObject({
  name: 'account',
  space: 1,
  type: 2,
  schema: struct('account_object', {
    /** 0xffffffff: lifetime member; before now: basic account; otherwise annual member. */
    membership_expiration_date: time,
    merchant_expiration_date: time,
    datasource_expiration_date: time,
    data_transaction_member_expiration_date: time,
    /** For a contract account the owner of the contract. */
    registrar: accountId,
    referrer: accountId,
    lifetime_referrer: accountId,
    merchant_auth_referrer: accountId,
    datasource_auth_referrer: accountId,
    network_fee_percentage: withDefault(u16, () => 2000),
    lifetime_referrer_fee_percentage: u16,
    referrer_rewards_percentage: u16,
    name: text,
    vm_type: text,
    vm_version: text,
    /** Not empty exactly for contract accounts. */
    code: bytes,
    code_version: text,
    abi: abiDef,
    owner: authority,
    active: authority,
    options: accountOptions,
    statistics: accountStatisticsId,
    whitelisting_accounts: set(accountId),
    blacklisting_accounts: set(accountId),
    whitelisted_accounts: set(accountId),
    blacklisted_accounts: set(accountId),
    cashback_vb: optional(vestingBalanceId),
    contract_call_cashback_vb: optional(vestingBalanceId),
    staking_cashback_vb: optional(vestingBalanceId),
    owner_special_authority: specialAuthority,
    active_special_authority: specialAuthority,
    top_n_control_flags: u8,
    allowed_assets: optional(set(assetId)),
  }),
});

export const balanceRecord = declareObject({
  name: 'balance',
  space: 1,
  type: 15,
  schema: struct('balance_object', {
    owner: address,
    balance: asset,
    vesting_policy: optional(linearVestingPolicy),
    last_claim_date: time,
  }),
});

export const blindedBalanceRecord = declareObject({
  name: 'blinded_balance',
  space: 2,
  type: 10,
  schema: struct('blinded_balance_object', { commitment, asset_id: assetId, owner: authority }),
});

export const lockBalanceRecord = declareObject({
  name: 'lock_balance',
  space: 1,
  type: 25,
  schema: struct('lock_balance_object', {
    owner: accountId,
    create_date_time: time,
    lock_days: u32,
    program_id: text,
    amount: asset,
    interest_rate: u16,
    memo: text,
  }),
});

export const signatureRecord = declareObject({
  name: 'signature',
  space: 2,
  type: 22,
  schema: struct('signature_object', { signature, expiration: time }),
});

export const specialAuthorityRecord = declareObject({
  name: 'special_authority',
  space: 2,
  type: 14,
  schema: struct('special_authority_object', { account: accountId }),
});

export const withdrawPermissionRecord = declareObject({
  name: 'withdraw_permission',
  space: 1,
  type: 12,
  schema: struct('withdraw_permission_object', {
    withdraw_from_account: accountId,
    authorized_account: accountId,
    withdrawal_limit: asset,
    withdrawal_period_sec: u32,
    period_start_time: time,
    expiration: time,
    claimed_this_period: share,
  }),
});
