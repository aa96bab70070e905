import { text, time, u8, u32 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { accountId } from '../../protocol/ids.js';
import { staleCreate } from './stale.js';

export const staleDataMarketCategoryCreate = staleCreate(
  47,
  'stale_data_market_category_create',
  struct('stale_data_market_category_create', {
    category_name: text,
    data_market_type: u8,
    order_num: u32,
    fee: asset,
    issuer: accountId,
    create_date_time: time,
  }),
);
