import * as market from '../../src/protocol/operations/data-market.js';
import { flat } from './fee-rules.js';
import { type AnyRule, rule } from './model.js';

const created = (): [1, bigint] => [1, 0n];
const fee = flat(1_000_000);
/** The reference reads what is not there, and finds the committee. */
const payer = (op: { new_issuer?: number | undefined }): number => op.new_issuer ?? 0;
const issuer = (op: { issuer: number }): number => op.issuer;

export const STALE_RULES: readonly AnyRule[] = [
  rule(market.staleDataMarketCategoryCreateOperation, { payer: issuer, fee, run: created }),
  rule(market.staleDataMarketCategoryUpdateOperation, { payer, fee, run: () => undefined }),
  rule(market.staleFreeDataProductCreateOperation, { payer: issuer, fee, run: created }),
  rule(market.staleFreeDataProductUpdateOperation, { payer, fee, run: () => undefined }),
  rule(market.staleLeagueDataProductCreateOperation, { payer: issuer, fee, run: created }),
  rule(market.staleLeagueDataProductUpdateOperation, { payer, fee, run: () => undefined }),
  rule(market.staleLeagueCreateOperation, { payer: issuer, fee, run: created }),
  rule(market.staleLeagueUpdateOperation, { payer, fee, run: () => undefined }),
];
