import { optional } from '../../codec/containers.js';
import { text, u8, u32 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { accountId, dataMarketCategoryId } from '../../protocol/ids.js';
import { staleUpdate } from './stale.js';

export const staleDataMarketCategoryUpdate = staleUpdate(
  48,
  'stale_data_market_category_update',
  struct('stale_data_market_category_update', {
    new_category_name: optional(text),
    new_order_num: optional(u32),
    data_market_category: dataMarketCategoryId,
    data_market_type: u8,
    fee: asset,
    new_issuer: optional(accountId),
    new_status: optional(u8),
  }),
);
