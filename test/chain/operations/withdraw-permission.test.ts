import { TRANSFER_ERRORS } from '../../../src/operations/transfer/transfer-checks.js';
import { WITHDRAW_PERMISSION_ERRORS } from '../../../src/operations/withdraw/permission-rules.js';
import { WITHDRAW_CLAIM_ERRORS } from '../../../src/operations/withdraw/withdraw-permission-claim.js';
import { ASSET_FLAG, makeAsset } from '../../../src/protocol/asset.js';
import { AUTHORITY_ERRORS } from '../../../src/protocol/authority-check.js';
import { withdrawPermissionObject } from '../../../src/state/objects/withdraw-permission.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { assetOptions } from '../../support/asset-options.js';
import { holds } from '../../support/holds.js';
import { refused } from '../../support/refused.js';
import { core, type TestWorld, worldTest } from '../../support/world.js';

const WORLD = { accounts: { alice: 1000n, bob: 0n, carol: 0n } };
const PERIOD_SEC = 60;

/** The sum of all periods is 100 less than 2^32, where time begins anew. */
const ENDS_BEFORE_IT_BEGINS = { withdrawal_period_sec: 2 ** 31 - 50, periods_until_expiration: 2 };

const grant = (w: TestWorld, more: object = {}) => ({
  withdraw_from_account: 'alice',
  authorized_account: 'bob',
  withdrawal_limit: core(100),
  withdrawal_period_sec: PERIOD_SEC,
  periods_until_expiration: 4,
  period_start_time: w.now + 30,
  ...more,
});

worldTest('withdraw_permission_create (25)', WORLD, (t, w) => {
  const cases = [
    [WITHDRAW_PERMISSION_ERRORS.permission_to_self, { authorized_account: 'alice' }],
    [WITHDRAW_PERMISSION_ERRORS.permission_limit_not_positive, { withdrawal_limit: core(0) }],
    [WITHDRAW_PERMISSION_ERRORS.permission_period_zero, { withdrawal_period_sec: 0 }],
    [WITHDRAW_PERMISSION_ERRORS.permission_no_periods, { periods_until_expiration: 0 }],
    [WITHDRAW_PERMISSION_ERRORS.permission_start_passed, { period_start_time: w.now }],
    [WITHDRAW_PERMISSION_ERRORS.permission_period_too_short, { withdrawal_period_sec: 2 }],
    [WITHDRAW_PERMISSION_ERRORS.permission_ends_at_once, ENDS_BEFORE_IT_BEGINS],
    [WITHDRAW_PERMISSION_ERRORS.permission_authorized_missing, { authorized_account: 9_999 }],
    [WITHDRAW_PERMISSION_ERRORS.permission_asset_missing, { withdrawal_limit: makeAsset(1n, 99) }],
  ] as const;
  for (const [row, more] of cases) {
    w.refuse(t, row, 'withdraw_permission_create', grant(w, more));
  }
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('withdraw_permission_create', grant(w), ['bob']));
  const start = w.now + 30;
  const id = w.create('withdraw_permission_create', grant(w));
  w.block();
  holds(t, w.state.get(withdrawPermissionObject, id), {
    withdraw_from_account: w.id('alice'),
    authorized_account: w.id('bob'),
    withdrawal_limit: core(100),
    withdrawal_period_sec: PERIOD_SEC,
    period_start_time: start,
    expiration: start + 4 * PERIOD_SEC,
    claimed_this_period: 0n,
  });
  w.advance(30 + 4 * PERIOD_SEC - 6);
  t.equal(w.state.count(withdrawPermissionObject), 1);
  w.advance(6);
  t.equal(w.state.count(withdrawPermissionObject), 0, 'it is removed when it ends');
});

worldTest('withdraw_permission_update (26) and delete (28)', WORLD, (t, w) => {
  const id = w.create('withdraw_permission_create', grant(w));
  w.push('withdraw_permission_claim', {
    withdraw_permission: id,
    withdraw_from_account: 'alice',
    withdraw_to_account: 'bob',
    amount_to_withdraw: core(30),
  });
  w.block();
  const update = (more: object = {}) => ({ ...grant(w), permission_to_update: id, withdrawal_limit: core(7), ...more });
  const cases = [
    [TABLE_ERRORS.object_missing, { permission_to_update: 99 }],
    [WITHDRAW_PERMISSION_ERRORS.permission_of_other_authorized, { authorized_account: 'carol' }],
    [WITHDRAW_PERMISSION_ERRORS.permission_of_other_from, { withdraw_from_account: 'carol' }],
    [WITHDRAW_PERMISSION_ERRORS.permission_update_start_passed, { period_start_time: w.now - 1 }],
    [WITHDRAW_PERMISSION_ERRORS.permission_ends_at_once, ENDS_BEFORE_IT_BEGINS],
    [WITHDRAW_PERMISSION_ERRORS.permission_period_too_short, { withdrawal_period_sec: 1 }],
    [WITHDRAW_PERMISSION_ERRORS.permission_asset_missing, { withdrawal_limit: makeAsset(1n, 99) }],
  ] as const;
  for (const [row, more] of cases) w.refuse(t, row, 'withdraw_permission_update', update(more));
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('withdraw_permission_update', update(), ['bob']));
  const start = w.now;
  const given = update({ period_start_time: start, periods_until_expiration: 2 });
  t.same(w.push('withdraw_permission_update', given), [0, {}]);
  w.block();
  holds(t, w.state.get(withdrawPermissionObject, id), {
    withdraw_from_account: w.id('alice'),
    authorized_account: w.id('bob'),
    withdrawal_limit: core(7),
    withdrawal_period_sec: PERIOD_SEC,
    period_start_time: start,
    expiration: start + 2 * PERIOD_SEC,
    claimed_this_period: 30n,
  });
  const remove = { withdraw_from_account: 'alice', authorized_account: 'bob', withdrawal_permission: id };
  w.refuse(t, TABLE_ERRORS.object_missing, 'withdraw_permission_delete', { ...remove, withdrawal_permission: 99 });
  w.refuse(t, WITHDRAW_PERMISSION_ERRORS.permission_of_other_authorized, 'withdraw_permission_delete', {
    ...remove,
    authorized_account: 'carol',
  });
  w.refuse(t, WITHDRAW_PERMISSION_ERRORS.permission_of_other_from, 'withdraw_permission_delete', {
    ...remove,
    withdraw_from_account: 'carol',
  });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('withdraw_permission_delete', remove, ['bob']));
  t.same(w.push('withdraw_permission_delete', remove), [0, {}]);
  w.block();
  t.equal(w.state.count(withdrawPermissionObject), 0);
});

worldTest('withdraw_permission_claim (27)', WORLD, (t, w) => {
  const id = w.create('withdraw_permission_create', grant(w, { periods_until_expiration: 10 }));
  w.block();
  const claim = (amount: number, more: object = {}) => ({
    withdraw_permission: id,
    withdraw_from_account: 'alice',
    withdraw_to_account: 'bob',
    amount_to_withdraw: core(amount),
    ...more,
  });
  const cases = [
    [TABLE_ERRORS.object_missing, claim(1, { withdraw_permission: 99 })],
    [WITHDRAW_CLAIM_ERRORS.withdraw_of_other_authorized, claim(1, { withdraw_to_account: 'carol' })],
    [WITHDRAW_CLAIM_ERRORS.withdraw_of_other_from, claim(1, { withdraw_from_account: 'carol' })],
    [WITHDRAW_CLAIM_ERRORS.withdraw_above_limit, claim(101)],
    [WITHDRAW_CLAIM_ERRORS.withdraw_amount_not_positive, claim(0)],
    [WITHDRAW_CLAIM_ERRORS.withdraw_to_self, claim(1, { withdraw_to_account: 'alice' })],
    [WITHDRAW_CLAIM_ERRORS.withdraw_other_asset, claim(1, { amount_to_withdraw: makeAsset(1n, 0) })],
  ] as const;
  for (const [row, given] of cases) w.refuse(t, row, 'withdraw_permission_claim', given);
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('withdraw_permission_claim', claim(1), ['alice']));
  // Before the first period has begun a claim is possible.
  const begins = w.state.get(withdrawPermissionObject, id).period_start_time;
  t.ok(begins > w.now);
  t.same(w.push('withdraw_permission_claim', claim(40)), [0, {}]);
  w.block();
  t.same([w.balance('alice'), w.balance('bob')], [960n, 40n]);
  const first = w.state.get(withdrawPermissionObject, id);
  t.equal(first.claimed_this_period, 40n);
  t.equal(first.period_start_time, begins, 'the period is what it was');
  w.refuse(t, WITHDRAW_CLAIM_ERRORS.withdraw_above_limit, 'withdraw_permission_claim', claim(61));
  w.push('withdraw_permission_claim', claim(60));
  w.block();
  const start = w.state.get(withdrawPermissionObject, id).period_start_time;
  w.advance(30 + 2 * PERIOD_SEC);
  w.push('withdraw_permission_claim', claim(100));
  w.block();
  holds(t, w.state.get(withdrawPermissionObject, id), {
    claimed_this_period: 100n,
    period_start_time: start + 2 * PERIOD_SEC,
  });
  w.push('transfer', { from: 'alice', to: 'carol', amount: core(w.balance('alice') - 5n) });
  w.advance(PERIOD_SEC);
  w.refuse(t, WITHDRAW_CLAIM_ERRORS.withdraw_balance, 'withdraw_permission_claim', claim(6));
});

worldTest('withdraw_permission_claim (27) of a restricted asset', WORLD, (t, w) => {
  const asset = w.create('asset_create', { issuer: 'carol', symbol: 'THING', common_options: assetOptions() });
  w.push('asset_issue', { issuer: 'carol', asset_to_issue: makeAsset(50n, asset), issue_to_account: 'alice' });
  const id = w.create('withdraw_permission_create', grant(w, { withdrawal_limit: makeAsset(10n, asset) }));
  const options = (flags: number, whitelist_authorities: number[] = []) =>
    assetOptions({ core_exchange_rate: { base: core(1), quote: makeAsset(1n, asset) }, flags, whitelist_authorities });
  const update = (new_options: object) =>
    w.push('asset_update', { issuer: 'carol', asset_to_update: asset, new_options });
  update(options(ASSET_FLAG.transfer_restricted));
  w.block();
  const claim = {
    withdraw_permission: id,
    withdraw_from_account: 'alice',
    withdraw_to_account: 'bob',
    amount_to_withdraw: makeAsset(5n, asset),
  };
  w.refuse(t, WITHDRAW_CLAIM_ERRORS.withdraw_restricted, 'withdraw_permission_claim', claim);
  update(options(ASSET_FLAG.white_list, [w.id('carol')]));
  w.refuse(t, WITHDRAW_CLAIM_ERRORS.withdraw_unauthorized, 'withdraw_permission_claim', claim);
  w.push('account_whitelist', { authorizing_account: 'carol', account_to_list: 'bob', new_listing: 1 });
  // Quirk: nobody asks whether the payer is on the list.
  w.push('withdraw_permission_claim', claim);
  w.block();
  t.equal(w.balance('bob', asset), 5n);
  w.refuse(t, TRANSFER_ERRORS.transfer_from_unauthorized, 'transfer', {
    from: 'alice',
    to: 'bob',
    amount: makeAsset(1n, asset),
  });
});
