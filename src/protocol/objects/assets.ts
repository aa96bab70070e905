import { map, optional, pair, withDefault } from '../../codec/containers.js';
import { bool, share, text, time, u8, u16 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset, assetOptions, bitassetOptions, price, priceFeed } from '../asset.js';
import { accountId, assetBitassetDataId, assetDynamicDataId, assetId } from '../ids.js';
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
