import { array, optional } from '../../codec/containers.js';
import { text, u8, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { accountId, dataMarketCategoryId, leagueDataProductId } from '../../protocol/ids.js';
import { schemaContext } from '../../protocol/schema-context.js';
import { staleUpdate } from './stale.js';

export const staleLeagueDataProductUpdate = staleUpdate(
  52,
  'stale_league_data_product_update',
  struct('stale_league_data_product_update', {
    league_data_product: leagueDataProductId,
    new_product_name: optional(text),
    new_brief_desc: optional(text),
    new_category_id: optional(dataMarketCategoryId),
    new_refer_price: optional(u64),
    new_status: optional(u8),
    new_icon: optional(text),
    new_schema_contexts: optional(array(schemaContext)),
    fee: asset,
    new_issuer: optional(accountId),
  }),
);
