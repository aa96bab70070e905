import { optional, set, withDefault } from '../../codec/containers.js';
import { bool, share, text, time, u8, u32, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset, assetOptions, bitassetOptions, price, priceFeed } from '../asset.js';
import { extensions } from '../extensions.js';
import { accountId, assetId, forceSettlementId, limitOrderId, objectId } from '../ids.js';
import { memoData } from '../memo.js';
import {
  dataFee,
  declareOperation,
  feeBySize,
  feeWithData,
  flatFee,
  memoBytes,
  noFee,
  type WithMemo,
} from './declare.js';

export const SYMBOL_LENGTH_SHORTEST = 3;
export const SYMBOL_LENGTH_SHORT = 4;
export const limitOrderCreateOperation = declareOperation({
  tag: 1,
  name: 'limit_order_create',
  schema: struct('limit_order_create', {
    fee: asset,
    seller: accountId,
    amount_to_sell: asset,
    min_to_receive: asset,
    expiration: time,
    fill_or_kill: bool,
    extensions,
  }),
  fee: flatFee(1_000_000_000n),
});

export const limitOrderCancelOperation = declareOperation({
  tag: 2,
  name: 'limit_order_cancel',
  schema: struct('limit_order_cancel', { fee: asset, fee_paying_account: accountId, order: limitOrderId, extensions }),
  fee: flatFee(0n),
});

export const callOrderUpdateOperation = declareOperation({
  tag: 3,
  name: 'call_order_update',
  schema: struct('call_order_update', {
    fee: asset,
    funding_account: accountId,
    delta_collateral: asset,
    delta_debt: asset,
    extensions,
  }),
  fee: flatFee(1_000_000_000n),
});

export const fillOrderOperation = declareOperation({
  tag: 4,
  name: 'fill_order',
  schema: struct('fill_order', {
    fee: asset,
    order_id: objectId,
    account_id: accountId,
    pays: asset,
    receives: asset,
  }),
  fee: noFee(),
});

export const assetCreateOperation = declareOperation({
  tag: 10,
  name: 'asset_create',
  schema: struct('asset_create', {
    fee: asset,
    issuer: accountId,
    symbol: text,
    precision: u8,
    common_options: assetOptions,
    bitasset_opts: optional(bitassetOptions),
    is_prediction_market: bool,
    extensions,
  }),
  fee: {
    schema: struct('fee_parameters_type', {
      symbol3: withDefault(u64, () => 100_000_000_000n),
      symbol4: withDefault(u64, () => 80_000_000_000n),
      long_symbol: withDefault(u64, () => 50_000_000_000n),
      price_per_kbyte: withDefault(u32, () => 10),
    }),
    calc(parameters, op, size) {
      const { symbol3, symbol4, long_symbol, price_per_kbyte } = parameters;
      const { length } = op.symbol;
      const base = length === SYMBOL_LENGTH_SHORTEST ? symbol3 : length === SYMBOL_LENGTH_SHORT ? symbol4 : long_symbol;
      return base + dataFee(size(), price_per_kbyte);
    },
  },
});

export const assetUpdateOperation = declareOperation({
  tag: 11,
  name: 'asset_update',
  schema: struct('asset_update', {
    fee: asset,
    issuer: accountId,
    asset_to_update: assetId,
    new_issuer: optional(accountId),
    new_options: assetOptions,
    extensions,
  }),
  fee: feeBySize(10_000_000_000n, 10),
});

export const assetUpdateBitassetOperation = declareOperation({
  tag: 12,
  name: 'asset_update_bitasset',
  schema: struct('asset_update_bitasset', {
    fee: asset,
    issuer: accountId,
    asset_to_update: assetId,
    new_options: bitassetOptions,
    extensions,
  }),
  fee: flatFee(10_000_000_000n),
});

export const assetUpdateFeedProducersOperation = declareOperation({
  tag: 13,
  name: 'asset_update_feed_producers',
  schema: struct('asset_update_feed_producers', {
    fee: asset,
    issuer: accountId,
    asset_to_update: assetId,
    new_feed_producers: set(accountId),
    extensions,
  }),
  fee: flatFee(10_000_000_000n),
});

export const assetIssueOperation = declareOperation({
  tag: 14,
  name: 'asset_issue',
  schema: struct('asset_issue', {
    fee: asset,
    issuer: accountId,
    asset_to_issue: asset,
    issue_to_account: accountId,
    memo: optional(memoData),
    extensions,
  }),
  // Quirk: the presence byte of a memo is charged even when there is none.
  fee: feeWithData(10_000_000_000n, 100_000, (op: WithMemo) => memoBytes(op.memo)),
});

export const assetReserveOperation = declareOperation({
  tag: 15,
  name: 'asset_reserve',
  schema: struct('asset_reserve', { fee: asset, payer: accountId, amount_to_reserve: asset, extensions }),
  fee: flatFee(10_000_000_000n),
});

export const assetFundFeePoolOperation = declareOperation({
  tag: 16,
  name: 'asset_fund_fee_pool',
  schema: struct('asset_fund_fee_pool', {
    fee: asset,
    from_account: accountId,
    asset_id: assetId,
    amount: share,
    extensions,
  }),
  fee: flatFee(10_000_000_000n),
});

export const assetSettleOperation = declareOperation({
  tag: 17,
  name: 'asset_settle',
  schema: struct('asset_settle', { fee: asset, account: accountId, amount: asset, extensions }),
  fee: flatFee(10_000_000_000n),
});

export const assetGlobalSettleOperation = declareOperation({
  tag: 18,
  name: 'asset_global_settle',
  schema: struct('asset_global_settle', {
    fee: asset,
    issuer: accountId,
    asset_to_settle: assetId,
    settle_price: price,
    extensions,
  }),
  fee: flatFee(10_000_000_000n),
});

export const assetPublishFeedOperation = declareOperation({
  tag: 19,
  name: 'asset_publish_feed',
  schema: struct('asset_publish_feed', {
    fee: asset,
    publisher: accountId,
    asset_id: assetId,
    feed: priceFeed,
    extensions,
  }),
  fee: flatFee(10_000_000_000n),
});

export const assetSettleCancelOperation = declareOperation({
  tag: 42,
  name: 'asset_settle_cancel',
  schema: struct('asset_settle_cancel', {
    fee: asset,
    settlement: forceSettlementId,
    account: accountId,
    amount: asset,
    extensions,
  }),
  fee: noFee(),
});

export const assetClaimFeesOperation = declareOperation({
  tag: 43,
  name: 'asset_claim_fees',
  schema: struct('asset_claim_fees', { fee: asset, issuer: accountId, amount_to_claim: asset, extensions }),
  fee: flatFee(2_000_000n),
});
