import { array } from '../../codec/containers.js';
import { text, time, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { accountId, dataMarketCategoryId } from '../../protocol/ids.js';
import { schemaContext } from '../../protocol/schema-context.js';
import { staleCreate } from './stale.js';

export const staleLeagueDataProductCreate = staleCreate(
  51,
  'stale_league_data_product_create',
  struct('stale_league_data_product_create', {
    product_name: text,
    brief_desc: text,
    category_id: dataMarketCategoryId,
    refer_price: u64,
    icon: text,
    schema_contexts: array(schemaContext),
    fee: asset,
    create_date_time: time,
    issuer: accountId,
  }),
);
