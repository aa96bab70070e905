import { PIPELINE_ERRORS } from '../../../src/operations/pipeline.js';
import { RETIRED_ERRORS } from '../../../src/operations/retired/retire.js';
import { makeAsset } from '../../../src/protocol/asset.js';
import { worldTest } from '../../support/world.js';

const WORLD = { accounts: { alice: 10n ** 9n } };
const price = { base: makeAsset(1n, 1), quote: makeAsset(1n, 0) };

worldTest('operations that have ended are refused, those without effect cost their fee', WORLD, (t, w) => {
  const ended = [
    [RETIRED_ERRORS.limit_orders_ended, 'limit_order_create', { seller: 'alice' }],
    [RETIRED_ERRORS.bitassets_ended, 'asset_update_feed_producers', { issuer: 'alice', asset_to_update: 1 }],
    [RETIRED_ERRORS.bitassets_ended, 'asset_settle', { account: 'alice' }],
    [
      RETIRED_ERRORS.bitassets_ended,
      'asset_global_settle',
      { issuer: 'alice', asset_to_settle: 1, settle_price: price },
    ],
    [PIPELINE_ERRORS.operation_without_evaluator, 'account_transfer', { account_id: 'alice', new_owner: 'alice' }],
  ] as const;
  for (const [row, name, given] of ended) w.refuse(t, row, name, given);
  for (const [name, given] of [
    ['fill_order', { account_id: 'alice' }],
    ['asset_settle_cancel', { account: 'alice' }],
    ['fba_distribute', { account_id: 'alice' }],
  ] as const) {
    t.throws(() => w.push(name, given, ['alice']), `${name} stands in histories only`);
  }
  const before = w.balance('alice');
  t.same(w.push('limit_order_cancel', { fee_paying_account: 'alice', fee: makeAsset(5n, 1) }), [
    2,
    { amount: 0n, asset_id: 0 },
  ]);
  w.push('stale_data_market_category_create', { issuer: 'alice', fee: makeAsset(7n, 1), category_name: 'c' });
  w.block();
  t.equal(w.balance('alice'), before - 12n);
});
