import {
  staleDataMarketCategoryCreateOperation,
  staleDataMarketCategoryUpdateOperation,
  staleFreeDataProductCreateOperation,
  staleFreeDataProductUpdateOperation,
  staleLeagueCreateOperation,
  staleLeagueDataProductCreateOperation,
  staleLeagueDataProductUpdateOperation,
  staleLeagueUpdateOperation,
} from '../../protocol/operations/data-market.js';
import { staleCreate, staleUpdate } from './stale.js';

export const staleDataMarketCategoryCreate = staleCreate(staleDataMarketCategoryCreateOperation);
export const staleDataMarketCategoryUpdate = staleUpdate(staleDataMarketCategoryUpdateOperation);
export const staleFreeDataProductCreate = staleCreate(staleFreeDataProductCreateOperation);
export const staleFreeDataProductUpdate = staleUpdate(staleFreeDataProductUpdateOperation);
export const staleLeagueCreate = staleCreate(staleLeagueCreateOperation);
export const staleLeagueDataProductCreate = staleCreate(staleLeagueDataProductCreateOperation);
export const staleLeagueDataProductUpdate = staleUpdate(staleLeagueDataProductUpdateOperation);
export const staleLeagueUpdate = staleUpdate(staleLeagueUpdateOperation);
