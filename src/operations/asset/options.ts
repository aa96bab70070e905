import { check, defineErrors } from '../../base/errors.js';
import {
  ASSET_FLAG,
  ASSET_PERMISSION_MASK,
  type AssetOptions,
  type BitassetOptions,
  type Price,
  SHARE_SUPPLY_MAX,
} from '../../protocol/asset.js';
import { PERCENT_100 } from '../../protocol/chain-parameters.js';
import type { Instance } from '../../protocol/ids.js';

/** What is checked of an asset's options without looking at the state. */
export const ASSET_OPTION_ERRORS = defineErrors({
  asset_max_supply_not_positive: { text: 'max_supply > 0: ', hint: 'the largest supply must be positive' },
  asset_max_supply_too_large: {
    text: 'max_supply <= GRAPHENE_MAX_SHARE_SUPPLY: ',
    hint: 'the largest supply is above the largest amount',
  },
  asset_market_fee_percent: {
    text: 'market_fee_percent <= GRAPHENE_100_PERCENT: ',
    hint: 'the market fee is above 100 percent',
  },
  asset_max_market_fee: {
    text: 'max_market_fee >= 0 && max_market_fee <= GRAPHENE_MAX_SHARE_SUPPLY: ',
    hint: 'the largest market fee is negative or above the largest amount',
  },
  asset_permissions: {
    text: '!(issuer_permissions & ~ASSET_ISSUER_PERMISSION_MASK): ',
    hint: 'there are no such permissions',
  },
  asset_global_settle_flag: { text: '!(flags & global_settle): ', hint: 'the permission to settle is no flag' },
  asset_two_feeds: {
    text: '(flags & (witness_fed_asset | committee_fed_asset)) != (witness_fed_asset | committee_fed_asset): ',
    hint: 'either trust nodes or the committee feed prices, not both',
  },
  asset_authorities_without_flag: {
    text: 'flags & white_list: ',
    hint: 'listed authorities need the flag white_list',
  },
  asset_market_in_both_lists: {
    text: 'blacklist_markets.find(item) == blacklist_markets.end(): ',
    hint: 'market of asset ${asset} is on the white list and on the black list',
  },
  price_base_not_positive: { text: 'base.amount > share_type(0): ', hint: 'the base of a price must be positive' },
  price_quote_not_positive: { text: 'quote.amount > share_type(0): ', hint: 'the quote of a price must be positive' },
  price_same_asset: { text: 'base.asset_id != quote.asset_id: ', hint: 'a price is between two different assets' },
  bitasset_minimum_feeds: { text: 'minimum_feeds > 0: ', hint: 'at least one feed must be asked for' },
  bitasset_offset_percent: {
    text: 'force_settlement_offset_percent <= GRAPHENE_100_PERCENT: ',
    hint: 'the offset of settlements is above 100 percent',
  },
  bitasset_volume: {
    text: 'maximum_force_settlement_volume <= GRAPHENE_100_PERCENT: ',
    hint: 'the volume of settlements is above 100 percent',
  },
});

/** Is the asset on one of the two sides? */
export function hasSide(price: Price, id: Instance): boolean {
  return price.base.asset_id === id || price.quote.asset_id === id;
}

export function validatePrice(price: Price): void {
  check(price.base.amount > 0n, ASSET_OPTION_ERRORS.price_base_not_positive);
  check(price.quote.amount > 0n, ASSET_OPTION_ERRORS.price_quote_not_positive);
  check(price.base.asset_id !== price.quote.asset_id, ASSET_OPTION_ERRORS.price_same_asset);
}

/**
 * Without the exchange rate, which the caller checks where the rule applies. Quirk: flags that mean nothing are let
 * through, permissions that mean nothing are not.
 */
export function validateAssetOptions(options: AssetOptions): void {
  const { max_supply, max_market_fee, flags, issuer_permissions } = options;
  check(max_supply > 0n, ASSET_OPTION_ERRORS.asset_max_supply_not_positive);
  check(max_supply <= SHARE_SUPPLY_MAX, ASSET_OPTION_ERRORS.asset_max_supply_too_large);
  check(options.market_fee_percent <= PERCENT_100, ASSET_OPTION_ERRORS.asset_market_fee_percent);
  check(max_market_fee >= 0n && max_market_fee <= SHARE_SUPPLY_MAX, ASSET_OPTION_ERRORS.asset_max_market_fee);
  check((issuer_permissions & ~ASSET_PERMISSION_MASK) === 0, ASSET_OPTION_ERRORS.asset_permissions);
  check((flags & ASSET_FLAG.global_settle) === 0, ASSET_OPTION_ERRORS.asset_global_settle_flag);
  const fed = ASSET_FLAG.witness_fed_asset | ASSET_FLAG.committee_fed_asset;
  check((flags & fed) !== fed, ASSET_OPTION_ERRORS.asset_two_feeds);
}

/** The part of the checks that stands behind the exchange rate in the reference's order. */
export function validateAssetLists(options: AssetOptions): void {
  const listed = options.whitelist_authorities.length + options.blacklist_authorities.length;
  const flagged = (options.flags & ASSET_FLAG.white_list) !== 0;
  check(listed === 0 || flagged, ASSET_OPTION_ERRORS.asset_authorities_without_flag);
  const blacklisted = new Set(options.blacklist_markets);
  for (const market of options.whitelist_markets) {
    check(!blacklisted.has(market), ASSET_OPTION_ERRORS.asset_market_in_both_lists, () => ({ asset: `1.3.${market}` }));
  }
}

export function validateBitassetOptions(options: BitassetOptions): void {
  check(options.minimum_feeds > 0, ASSET_OPTION_ERRORS.bitasset_minimum_feeds);
  check(options.force_settlement_offset_percent <= PERCENT_100, ASSET_OPTION_ERRORS.bitasset_offset_percent);
  check(options.maximum_force_settlement_volume <= PERCENT_100, ASSET_OPTION_ERRORS.bitasset_volume);
}
