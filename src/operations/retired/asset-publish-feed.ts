import { check, defineErrors, FAMILY } from '../../base/errors.js';
import type { Price, PriceFeed } from '../../protocol/asset.js';
import { ORIGINAL_CORE_ASSET } from '../../protocol/ids.js';
import { assetPublishFeedOperation } from '../../protocol/operations/assets.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { validatePrice } from '../asset/options.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { endedBy } from './retire.js';

export const ASSET_PUBLISH_FEED_ERRORS = defineErrors({
  // An error of the reference's standard library.
  feed_price_of_one_asset: {
    ...FAMILY.standard,
    title: 'bad rational: zero denominator',
    text: 'bad rational: zero denominator',
    hint: 'both sides of the price are in 1.3.0',
  },
  feed_squeeze_too_low: {
    text: 'maximum_short_squeeze_ratio >= GRAPHENE_MIN_COLLATERAL_RATIO: ',
    hint: 'a ratio is at least 1001 per mille',
  },
  feed_squeeze_too_high: {
    text: 'maximum_short_squeeze_ratio <= GRAPHENE_MAX_COLLATERAL_RATIO: ',
    hint: 'a ratio is at most 32000 per mille',
  },
  feed_collateral_too_low: {
    text: 'maintenance_collateral_ratio >= GRAPHENE_MIN_COLLATERAL_RATIO: ',
    hint: 'a ratio is at least 1001 per mille',
  },
  feed_collateral_too_high: {
    text: 'maintenance_collateral_ratio <= GRAPHENE_MAX_COLLATERAL_RATIO: ',
    hint: 'a ratio is at most 32000 per mille',
  },
  feed_of_two_assets: {
    text: 'feed.settlement_price.base.asset_id == feed.core_exchange_rate.base.asset_id: ',
    hint: 'both prices must have the same asset as their base',
  },
  feed_of_other_asset: { text: 'feed.is_for( asset_id ): ', hint: 'the prices are those of another asset' },
});

const RATIO_MIN = 1001;
const RATIO_MAX = 32_000;

/** Quirk: whether a price was ever set is asked by a division, which fails for any two amounts of 1.3.0. */
function validateFeedPrice(price: Price): void {
  const isSet = price.base.asset_id !== ORIGINAL_CORE_ASSET || price.quote.asset_id !== ORIGINAL_CORE_ASSET;
  check(isSet, ASSET_PUBLISH_FEED_ERRORS.feed_price_of_one_asset);
  validatePrice(price);
}

function validateRatios({ maximum_short_squeeze_ratio: squeeze, maintenance_collateral_ratio: kept }: PriceFeed): void {
  check(squeeze >= RATIO_MIN, ASSET_PUBLISH_FEED_ERRORS.feed_squeeze_too_low);
  check(squeeze <= RATIO_MAX, ASSET_PUBLISH_FEED_ERRORS.feed_squeeze_too_high);
  check(kept >= RATIO_MIN, ASSET_PUBLISH_FEED_ERRORS.feed_collateral_too_low);
  check(kept <= RATIO_MAX, ASSET_PUBLISH_FEED_ERRORS.feed_collateral_too_high);
}

/** Pays its fee and changes nothing else until the fork that ended market-issued assets. */
export const assetPublishFeed = defineOperation({
  ...assetPublishFeedOperation,
  payer: (op) => op.publisher,
  validate(op) {
    checkFee(op);
    const { settlement_price, core_exchange_rate } = op.feed;
    validateFeedPrice(settlement_price);
    validateRatios(op.feed);
    validateFeedPrice(core_exchange_rate);
    const base = settlement_price.base.asset_id;
    check(base === core_exchange_rate.base.asset_id, ASSET_PUBLISH_FEED_ERRORS.feed_of_two_assets);
    check(base === op.asset_id, ASSET_PUBLISH_FEED_ERRORS.feed_of_other_asset);
  },
  evaluate: endedBy('HF_1008', 'bitassets_ended'),
  apply: () => VOID_RESULT,
});
