import { map, pair, withDefault } from '../../codec/containers.js';
import { bool, share, time, u16 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { bitassetOptions, price, priceFeed } from '../../protocol/asset.js';
import { accountId } from '../../protocol/ids.js';
import { defineObject, type ObjectOf } from '../define.js';

/** Exists for assets of the genesis file alone; nothing creates a market-issued asset later. */
export const assetBitassetDataObject = defineObject({
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
export type AssetBitassetDataObject = ObjectOf<typeof assetBitassetDataObject>;
