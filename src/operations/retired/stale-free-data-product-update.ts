import { array, optional } from '../../codec/containers.js';
import { text, time, u8, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { accountId, dataMarketCategoryId, freeDataProductId } from '../../protocol/ids.js';
import { schemaContext } from '../../protocol/schema-context.js';
import { staleUpdate } from './stale.js';

export const staleFreeDataProductUpdate = staleUpdate(
  50,
  'stale_free_data_product_update',
  struct('stale_free_data_product_update', {
    free_data_product: freeDataProductId,
    new_product_name: optional(text),
    new_brief_desc: optional(text),
    new_datasource: optional(accountId),
    new_category_id: optional(dataMarketCategoryId),
    new_price: optional(u64),
    new_icon: optional(text),
    new_schema_contexts: optional(array(schemaContext)),
    new_parent_id: optional(text),
    new_status: optional(u8),
    new_issuer: optional(accountId),
    new_recommend_expiration_date_time: optional(time),
    fee: asset,
  }),
);
