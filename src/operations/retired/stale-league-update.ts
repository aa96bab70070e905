import { array, optional } from '../../codec/containers.js';
import { text, time, u8, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { accountId, dataMarketCategoryId, leagueDataProductId, leagueId } from '../../protocol/ids.js';
import { staleUpdate } from './stale.js';

export const staleLeagueUpdate = staleUpdate(
  54,
  'stale_league_update',
  struct('stale_league_update', {
    league: leagueId,
    new_league_name: optional(text),
    new_brief_desc: optional(text),
    new_data_products: optional(array(leagueDataProductId)),
    new_prices: optional(array(u64)),
    new_status: optional(u8),
    new_category_id: optional(dataMarketCategoryId),
    new_icon: optional(text),
    new_issuer: optional(accountId),
    fee: asset,
    new_recommend_expiration_date_time: optional(time),
  }),
);
