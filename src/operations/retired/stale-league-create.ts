import { array } from '../../codec/containers.js';
import { text, time, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { accountId, dataMarketCategoryId, leagueDataProductId, leagueId } from '../../protocol/ids.js';
import { staleCreate } from './stale.js';

export const staleLeagueCreate = staleCreate(
  53,
  'stale_league_create',
  struct('stale_league_create', {
    league: leagueId,
    league_name: text,
    brief_desc: text,
    data_products: array(leagueDataProductId),
    prices: array(u64),
    category_id: dataMarketCategoryId,
    icon: text,
    fee: asset,
    issuer: accountId,
    create_date_time: time,
    recommend_expiration_date_time: time,
  }),
);
