import { array } from '../../codec/containers.js';
import { text, time, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { accountId, dataMarketCategoryId } from '../../protocol/ids.js';
import { schemaContext } from '../../protocol/schema-context.js';
import { staleCreate } from './stale.js';

export const staleFreeDataProductCreate = staleCreate(
  49,
  'stale_free_data_product_create',
  struct('stale_free_data_product_create', {
    product_name: text,
    brief_desc: text,
    datasource: accountId,
    category_id: dataMarketCategoryId,
    price: u64,
    icon: text,
    schema_contexts: array(schemaContext),
    parent_id: text,
    fee: asset,
    issuer: accountId,
    create_date_time: time,
    recommend_expiration_date_time: time,
  }),
);
