import { makeAsset, type Price } from './asset.js';
import type { Instance } from './ids.js';

/** Where a quote of a fee goes: the core asset and the exchange rate of the asset that the fee is to be paid in. */
export interface FeeTarget {
  readonly core: Instance;
  readonly rate: Price;
}

/** One to one, for fees in the core asset. */
export function coreTarget(core: Instance): FeeTarget {
  return { core, rate: { base: makeAsset(1n, core), quote: makeAsset(1n, core) } };
}
