import { check, defineErrors } from '../../base/errors.js';
import {
  ASSET_FLAG,
  ASSET_PERMISSION_MASK,
  type AssetOptions,
  type BitassetOptions,
  type Price,
  type PriceFeed,
  SHARE_SUPPLY_MAX,
} from '../../protocol/asset.js';
import { PERCENT_100 } from '../../protocol/chain-parameters.js';

/** What is checked of an asset's options without looking at the state. */
export const ASSET_OPTION_ERRORS = defineErrors({
  asset_max_supply: { text: 'max_supply > 0 && max_supply <= GRAPHENE_MAX_SHARE_SUPPLY: ' },
  asset_market_fee_percent: { text: 'market_fee_percent <= GRAPHENE_100_PERCENT: ' },
  asset_max_market_fee: { text: 'max_market_fee >= 0 && max_market_fee <= GRAPHENE_MAX_SHARE_SUPPLY: ' },
  asset_permissions: { text: '!(issuer_permissions & ~ASSET_ISSUER_PERMISSION_MASK): ' },
  asset_global_settle_flag: { text: '!(flags & global_settle): the permission to settle is no flag' },
  asset_flags: { text: '!(flags & ~ASSET_ISSUER_PERMISSION_MASK): ' },
  asset_two_feeds: { text: '!((flags & witness_fed_asset) && (flags & committee_fed_asset)): ' },
  asset_authorities_without_flag: { text: 'flags & white_list: listed authorities need the flag white_list' },
  asset_market_in_both_lists: { text: 'market of asset ${asset} is on the white list and on the black list' },
  price_not_positive: { text: 'base.amount > 0 && quote.amount > 0: ' },
  price_same_asset: { text: 'base.asset_id != quote.asset_id: ' },
  bitasset_minimum_feeds: { text: 'minimum_feeds > 0: ' },
  bitasset_offset_percent: { text: 'force_settlement_offset_percent <= GRAPHENE_100_PERCENT: ' },
  bitasset_volume: { text: 'maximum_force_settlement_volume <= GRAPHENE_100_PERCENT: ' },
  feed_ratio: { text: 'collateral ratio ${ratio} is not within 1001 to 32000' },
});

export function validatePrice(price: Price): void {
  check(price.base.amount > 0n && price.quote.amount > 0n, ASSET_OPTION_ERRORS.price_not_positive);
  check(price.base.asset_id !== price.quote.asset_id, ASSET_OPTION_ERRORS.price_same_asset);
}

/** Without the exchange rate, which the caller checks where the rule applies. */
export function validateAssetOptions(options: AssetOptions): void {
  const { max_supply, max_market_fee, flags, issuer_permissions } = options;
  check(max_supply > 0n && max_supply <= SHARE_SUPPLY_MAX, ASSET_OPTION_ERRORS.asset_max_supply);
  check(options.market_fee_percent <= PERCENT_100, ASSET_OPTION_ERRORS.asset_market_fee_percent);
  check(max_market_fee >= 0n && max_market_fee <= SHARE_SUPPLY_MAX, ASSET_OPTION_ERRORS.asset_max_market_fee);
  check((issuer_permissions & ~ASSET_PERMISSION_MASK) === 0, ASSET_OPTION_ERRORS.asset_permissions);
  check((flags & ASSET_FLAG.global_settle) === 0, ASSET_OPTION_ERRORS.asset_global_settle_flag);
  check((flags & ~ASSET_PERMISSION_MASK) === 0, ASSET_OPTION_ERRORS.asset_flags);
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

const RATIO_MIN = 1001;
const RATIO_MAX = 32_000;

export function validateFeed(feed: PriceFeed): void {
  for (const ratio of [feed.maximum_short_squeeze_ratio, feed.maintenance_collateral_ratio]) {
    check(ratio >= RATIO_MIN && ratio <= RATIO_MAX, ASSET_OPTION_ERRORS.feed_ratio, { ratio });
  }
}
