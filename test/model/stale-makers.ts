import * as market from '../../src/protocol/operations/data-market.js';
import { type Maker, maker, type Tools } from './tools.js';

const created = (_: Tools, issuer: number) => ({ issuer });
const updated = (t: Tools, new_issuer: number) => (t.chance(0.95) ? { new_issuer } : {});

export const STALE_MAKERS: readonly Maker[] = [
  maker(market.staleDataMarketCategoryCreateOperation, created),
  maker(market.staleDataMarketCategoryUpdateOperation, updated),
  maker(market.staleFreeDataProductCreateOperation, created),
  maker(market.staleFreeDataProductUpdateOperation, updated),
  maker(market.staleLeagueDataProductCreateOperation, created),
  maker(market.staleLeagueDataProductUpdateOperation, updated),
  maker(market.staleLeagueCreateOperation, created),
  maker(market.staleLeagueUpdateOperation, updated),
];
