import { check, defineErrors } from '../../base/errors.js';
import { EXTENSION_TAG, type Extensions, findExtension } from '../../protocol/extensions.js';

export const LEAGUE_LIST_ERRORS = defineErrors({
  league_thresholds_size: {
    text: 'op.members.size() == ext.get<pocs_threshold_league_t>().pocs_thresholds.size(): pocs_thresholds size error',
  },
  league_fee_bases_size: {
    text: 'op.members.size() == ext.get<pocs_threshold_league_t>().fee_bases.size(): fee_bases size error',
  },
  league_weights_size: {
    text: 'op.data_products.size() == ext.get<pocs_threshold_league_t>().product_pocs_weights.size(): product_pocs_weights size error',
  },
  pocs_threshold_small: { text: 'pocs_threshold >= 1: pocs_threshold must be larger than 0' },
});

export interface LeagueLists {
  readonly pocs_thresholds: bigint[];
  readonly fee_bases: bigint[];
  readonly product_pocs_weights: bigint[];
}

/** Contribution rules of a league: from the extension, or neutral ones. */
export function leagueLists(extensions: Extensions, members: number, products: number): LeagueLists {
  const given = findExtension(extensions, EXTENSION_TAG.pocs_threshold_league);
  if (given !== undefined) return { ...given };
  return {
    pocs_thresholds: new Array<bigint>(members).fill(0n),
    fee_bases: new Array<bigint>(members).fill(1n),
    product_pocs_weights: new Array<bigint>(products).fill(1n),
  };
}

export function checkLeagueLists(extensions: Extensions, members: number, products: number): void {
  const given = findExtension(extensions, EXTENSION_TAG.pocs_threshold_league);
  if (given === undefined) return;
  check(given.pocs_thresholds.length === members, LEAGUE_LIST_ERRORS.league_thresholds_size);
  check(given.fee_bases.length === members, LEAGUE_LIST_ERRORS.league_fee_bases_size);
  check(given.product_pocs_weights.length === products, LEAGUE_LIST_ERRORS.league_weights_size);
}

/** Contribution that a league product asks for; undefined when the operation says nothing about it. */
export function productThreshold(extensions: Extensions): bigint | undefined {
  return findExtension(extensions, EXTENSION_TAG.pocs_threshold_league_product)?.pocs_threshold;
}

export function checkProductThreshold(extensions: Extensions): void {
  const threshold = productThreshold(extensions);
  check(threshold === undefined || threshold >= 1n, LEAGUE_LIST_ERRORS.pocs_threshold_small);
}
