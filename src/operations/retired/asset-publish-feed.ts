import { check, defineErrors } from '../../base/errors.js';
import { struct } from '../../codec/struct.js';
import { asset, type Price, priceFeed } from '../../protocol/asset.js';
import { extensions } from '../../protocol/extensions.js';
import { accountId, assetId } from '../../protocol/ids.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { validateFeed } from '../asset/options.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { flatFee } from '../fee-kinds.js';
import { endedBy } from './retire.js';

export const ASSET_PUBLISH_FEED_ERRORS = defineErrors({
  feed_without_settlement_price: { text: '!feed.settlement_price.is_null(): ' },
  feed_without_exchange_rate: { text: '!feed.core_exchange_rate.is_null(): ' },
  feed_of_two_assets: { text: 'feed.settlement_price.base.asset_id == feed.core_exchange_rate.base.asset_id: ' },
  feed_of_other_asset: { text: 'feed.settlement_price.base.asset_id == asset_id: ' },
});

/** A price that was never set: zero of 1.3.0 on both sides. */
function isNull({ base, quote }: Price): boolean {
  return base.amount === 0n && base.asset_id === 0 && quote.amount === 0n && quote.asset_id === 0;
}

/** Pays its fee and changes nothing else until the fork that ended market-issued assets. */
export const assetPublishFeed = defineOperation({
  tag: 19,
  name: 'asset_publish_feed',
  schema: struct('asset_publish_feed', {
    fee: asset,
    publisher: accountId,
    asset_id: assetId,
    feed: priceFeed,
    extensions,
  }),
  fee: flatFee(10_000_000_000n),
  payer: (op) => op.publisher,
  validate(op) {
    checkFee(op);
    validateFeed(op.feed);
    const { settlement_price, core_exchange_rate } = op.feed;
    check(!isNull(settlement_price), ASSET_PUBLISH_FEED_ERRORS.feed_without_settlement_price);
    check(!isNull(core_exchange_rate), ASSET_PUBLISH_FEED_ERRORS.feed_without_exchange_rate);
    const base = settlement_price.base.asset_id;
    check(base === core_exchange_rate.base.asset_id, ASSET_PUBLISH_FEED_ERRORS.feed_of_two_assets);
    check(base === op.asset_id, ASSET_PUBLISH_FEED_ERRORS.feed_of_other_asset);
  },
  evaluate: endedBy('HF_1008', 'bitassets_ended'),
  apply: () => VOID_RESULT,
});
