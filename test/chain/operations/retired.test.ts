import type { ErrorRow } from '../../../src/base/errors.js';
import { OPERATION_ERRORS } from '../../../src/operations/checks.js';
import { PIPELINE_ERRORS } from '../../../src/operations/pipeline.js';
import { RETIRED_ERRORS } from '../../../src/operations/retired/retire.js';
import { makeAsset } from '../../../src/protocol/asset.js';
import { AUTHORITY_ERRORS } from '../../../src/protocol/authority-check.js';
import {
  dataMarketCategoryObject,
  freeDataProductObject,
  leagueDataProductObject,
  leagueObject,
} from '../../../src/state/objects/data-market.js';
import { proposalObject } from '../../../src/state/objects/proposal.js';
import { FEE_ERRORS } from '../../../src/state/rules/fee-checks.js';
import { refused } from '../../support/refused.js';
import { core, worldTest } from '../../support/world.js';

const WORLD = { accounts: { alice: 10n ** 9n } };
const price = { base: makeAsset(1n, 1), quote: makeAsset(1n, 0) };
const feed = {
  settlement_price: price,
  core_exchange_rate: price,
  maintenance_collateral_ratio: 1750,
  maximum_short_squeeze_ratio: 1500,
};
const bitasset = {
  feed_lifetime_sec: 1,
  minimum_feeds: 1,
  force_settlement_delay_sec: 1,
  force_settlement_offset_percent: 0,
  maximum_force_settlement_volume: 0,
  short_backing_asset: 1,
  extensions: [],
};

worldTest('operations that have ended are refused, from 1 to 44', WORLD, (t, w) => {
  const ended: readonly (readonly [ErrorRow, string, object])[] = [
    [RETIRED_ERRORS.limit_orders_ended, 'limit_order_create', { seller: 'alice' }],
    [RETIRED_ERRORS.fill_order_virtual, 'fill_order', { account_id: 'alice' }],
    [PIPELINE_ERRORS.operation_without_evaluator, 'account_transfer', { account_id: 'alice', new_owner: 'alice' }],
    [
      RETIRED_ERRORS.bitassets_ended,
      'asset_update_bitasset',
      { issuer: 'alice', asset_to_update: 1, new_options: bitasset },
    ],
    [RETIRED_ERRORS.bitassets_ended, 'asset_update_feed_producers', { issuer: 'alice', asset_to_update: 1 }],
    [RETIRED_ERRORS.bitassets_ended, 'asset_settle', { account: 'alice' }],
    [
      RETIRED_ERRORS.bitassets_ended,
      'asset_global_settle',
      { issuer: 'alice', asset_to_settle: 1, settle_price: price },
    ],
    [RETIRED_ERRORS.bitassets_ended, 'asset_publish_feed', { publisher: 'alice', asset_id: 1, feed }],
    [RETIRED_ERRORS.workers_ended, 'worker_create', { owner: 'alice' }],
    [PIPELINE_ERRORS.operation_without_evaluator, 'asset_settle_cancel', { account: 'alice', amount: core(1) }],
    [RETIRED_ERRORS.fba_distribute_virtual, 'fba_distribute', { account_id: 'alice' }],
  ];
  for (const [row, name, given] of ended) w.refuse(t, row, name, { ...given });
});

worldTest('operations without effect cost their fee', WORLD, (t, w) => {
  const before = w.balance('alice');
  const cancel = { fee_paying_account: 'alice', fee: core(5) };
  t.same(w.push('limit_order_cancel', cancel), [2, { amount: 0n, asset_id: 0 }]);
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('limit_order_cancel', cancel, ['init0']));
  w.refuse(t, OPERATION_ERRORS.operation_fee_negative, 'limit_order_cancel', { ...cancel, fee: core(-1) });
  t.same(w.push('call_order_update', { funding_account: 'alice', fee: core(6) }), [0, {}]);
  const stale = ['data_market_category', 'free_data_product', 'league_data_product', 'league'];
  for (const name of stale) {
    const create = `stale_${name}_create`;
    t.same(w.push(create, { issuer: 'alice', fee: core(7) }), [1, 0n], `${name}: the id of nothing`);
    w.refuse(t, FEE_ERRORS.fee_payment_negative, create, { issuer: 'alice', fee: core(-1) });
    const update = `stale_${name}_update`;
    t.same(w.push(update, { new_issuer: 'alice', fee: core(8) }), [0, {}], name);
    const nobody = w.operation(update, { fee: core(8) });
    refused(t, AUTHORITY_ERRORS.committee_approval_invalid, () => w.pushAll([nobody], ['alice']), name);
  }
  w.block();
  t.equal(w.balance('alice'), before - 5n - 6n - 4n * (7n + 8n));
  // Quirk: an update that names no new issuer is account 0's, which can act in proposals.
  w.push('transfer', { from: 'alice', to: 0, amount: core(100) });
  for (const name of stale) w.asCommittee(`stale_${name}_update`, { fee: core(9) });
  w.block();
  t.equal(w.state.count(proposalObject), 0, 'all have run');
  t.equal(w.balance('committee-account'), 100n - 4n * 9n);
  for (const object of [dataMarketCategoryObject, freeDataProductObject, leagueDataProductObject, leagueObject]) {
    t.equal(w.state.count(object as typeof leagueObject), 0);
  }
});
