import { makeAsset } from '../../../src/protocol/asset.js';
import type { Kind, Scene } from './scene.js';

/** Operations that do nothing any more, that a fork ended, or that stand in histories alone. */

const plain = (name: string, payer: string, weight: number, more: (scene: Scene) => object = () => ({})): Kind => ({
  name,
  weight,
  make: (scene) => scene.op(name, { [payer]: scene.user(), ...more(scene) }),
});

const price = (scene: Scene) => ({
  base: makeAsset(scene.amount(), 1),
  quote: makeAsset(scene.amount(), scene.state.coreAsset),
});

const worker: Kind = {
  name: 'worker_create',
  weight: 1,
  make: (scene) =>
    scene.op('worker_create', {
      owner: scene.user(),
      work_begin_date: scene.now + 10,
      work_end_date: scene.now + 1000,
      daily_pay: scene.amount(),
      name: 'w',
      url: 'u',
      initializer: scene.random.pick([
        [0, {}],
        [1, { pay_vesting_period_days: scene.random.below(65_536) }],
        [2, {}],
      ]),
    }),
};

const feed: Kind = plain('asset_publish_feed', 'publisher', 0.7, (scene) => ({
  asset_id: 1,
  feed: {
    settlement_price: price(scene),
    core_exchange_rate: price(scene),
    maintenance_collateral_ratio: 1750,
    maximum_short_squeeze_ratio: 1500,
  },
}));

const created = (scene: Scene) => ({ create_date_time: scene.now });

export const RETIRED_KINDS: readonly Kind[] = [
  plain('limit_order_create', 'seller', 0.7, (scene) => ({
    amount_to_sell: scene.core(1),
    min_to_receive: makeAsset(1n, 2),
  })),
  plain('limit_order_cancel', 'fee_paying_account', 0.7, () => ({ order: 3 })),
  plain('call_order_update', 'funding_account', 0.7),
  plain('fill_order', 'account_id', 0.1),
  plain('account_transfer', 'account_id', 0.1, (scene) => ({ new_owner: scene.account().id })),
  plain('asset_update_bitasset', 'issuer', 0.7, (scene) => ({ asset_to_update: scene.asset().id })),
  plain('asset_update_feed_producers', 'issuer', 0.7, (scene) => ({ new_feed_producers: [scene.user()] })),
  plain('asset_settle', 'account', 0.7, (scene) => ({ amount: scene.core(scene.amount()) })),
  plain('asset_global_settle', 'issuer', 0.7, (scene) => ({ asset_to_settle: 1, settle_price: price(scene) })),
  plain('asset_settle_cancel', 'account', 0.1, (scene) => ({ amount: scene.core(1) })),
  plain('fba_distribute', 'account_id', 0.1, () => ({ amount: 1n })),
  feed,
  worker,
  plain('stale_data_market_category_create', 'issuer', 0.5, created),
  plain('stale_data_market_category_update', 'new_issuer', 0.5),
  plain('stale_free_data_product_create', 'issuer', 0.5, created),
  plain('stale_free_data_product_update', 'new_issuer', 0.5),
  plain('stale_league_data_product_create', 'issuer', 0.5, created),
  plain('stale_league_data_product_update', 'new_issuer', 0.5),
  plain('stale_league_create', 'issuer', 0.5, created),
  plain('stale_league_update', 'new_issuer', 0.5),
];
