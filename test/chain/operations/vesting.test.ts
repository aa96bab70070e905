import { VESTING_CREATE_ERRORS } from '../../../src/operations/vesting/vesting-balance-create.js';
import { VESTING_WITHDRAW_ERRORS } from '../../../src/operations/vesting/vesting-balance-withdraw.js';
import { ASSET_FLAG, makeAsset } from '../../../src/protocol/asset.js';
import { AUTHORITY_ERRORS } from '../../../src/protocol/authority-check.js';
import { vestingBalanceObject } from '../../../src/state/objects/vesting-balance.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { assetOptions } from '../../support/asset-options.js';
import { holds } from '../../support/holds.js';
import { refused } from '../../support/refused.js';
import { core, type TestWorld, worldTest } from '../../support/world.js';

const WORLD = { accounts: { alice: 1000n, bob: 0n } };

const vest = (policy: unknown, more: object = {}) => ({
  creator: 'alice',
  owner: 'bob',
  amount: core(100),
  policy,
  ...more,
});
const linear = (w: TestWorld, more: object = {}) => [
  0,
  { begin_timestamp: w.now, vesting_cliff_seconds: 30, vesting_duration_seconds: 100, ...more },
];
const coinDays = (more: object = {}) => [1, { start_claim: 0, vesting_seconds: 100, ...more }];
const take = (vesting_balance: number, amount: number, more: object = {}) => ({
  vesting_balance,
  owner: 'bob',
  amount: core(amount),
  ...more,
});

worldTest('vesting_balance_create (32)', WORLD, (t, w) => {
  const policy = coinDays();
  w.refuse(
    t,
    VESTING_CREATE_ERRORS.vesting_amount_not_positive,
    'vesting_balance_create',
    vest(policy, { amount: core(0) }),
  );
  w.refuse(
    t,
    VESTING_CREATE_ERRORS.vesting_create_balance,
    'vesting_balance_create',
    vest(policy, { amount: core(1001) }),
  );
  w.refuse(t, TABLE_ERRORS.object_missing, 'vesting_balance_create', vest(policy, { owner: 9_999 }));
  const unknown = vest(policy, { amount: makeAsset(1n, 99) });
  w.refuse(t, VESTING_CREATE_ERRORS.vesting_create_balance, 'vesting_balance_create', unknown);
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('vesting_balance_create', vest(policy), ['bob']));
  const asset = w.create('asset_create', {
    issuer: 'alice',
    symbol: 'THING',
    common_options: assetOptions({ flags: ASSET_FLAG.transfer_restricted }),
  });
  w.push('asset_issue', { issuer: 'alice', asset_to_issue: makeAsset(5n, asset), issue_to_account: 'alice' });
  const restricted = vest(policy, { amount: makeAsset(5n, asset) });
  w.refuse(t, VESTING_CREATE_ERRORS.vesting_create_restricted, 'vesting_balance_create', restricted);
  const now = w.now;
  const [a, b] = [
    w.create('vesting_balance_create', vest(policy)),
    w.create('vesting_balance_create', vest(linear(w))),
  ];
  w.block();
  t.equal(w.balance('alice'), 800n);
  holds(t, w.state.get(vestingBalanceObject, a), {
    owner: w.id('bob'),
    balance: core(100),
    policy: [
      1,
      { start_claim: 0, vesting_seconds: 100, coin_seconds_earned: 0n, coin_seconds_earned_last_update: now },
    ],
  });
  holds(t, w.state.get(vestingBalanceObject, b), {
    owner: w.id('bob'),
    balance: core(100),
    policy: [
      0,
      { begin_balance: 100n, begin_timestamp: now, vesting_cliff_seconds: 30, vesting_duration_seconds: 100 },
    ],
  });
});

worldTest('vesting_balance_withdraw (33) over time', WORLD, (t, w) => {
  const begin = w.now;
  const id = w.create('vesting_balance_create', vest(linear(w)));
  w.block();
  const linearPolicy = w.state.get(vestingBalanceObject, id).policy;
  const refuse = (amount: number, more: object = {}) =>
    w.refuse(
      t,
      VESTING_WITHDRAW_ERRORS.vesting_withdraw_not_allowed,
      'vesting_balance_withdraw',
      take(id, amount, more),
    );
  refuse(1);
  w.refuse(t, TABLE_ERRORS.object_missing, 'vesting_balance_withdraw', take(99, 1));
  w.refuse(
    t,
    VESTING_WITHDRAW_ERRORS.vesting_withdraw_not_owner,
    'vesting_balance_withdraw',
    take(id, 1, { owner: 'alice' }),
  );
  w.refuse(t, VESTING_WITHDRAW_ERRORS.vesting_withdraw_not_positive, 'vesting_balance_withdraw', take(id, 0));
  refuse(1, { amount: makeAsset(1n, 0) });
  w.advance(begin + 40 - w.now);
  const elapsed = w.now - begin;
  t.ok(elapsed >= 40 && elapsed < 50);
  refuse(elapsed + 1);
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () =>
    w.push('vesting_balance_withdraw', take(id, elapsed), ['alice']),
  );
  t.same(w.push('vesting_balance_withdraw', take(id, elapsed)), [0, {}]);
  w.block();
  t.equal(w.balance('bob'), BigInt(elapsed));
  holds(t, w.state.get(vestingBalanceObject, id), {
    balance: core(100 - elapsed),
    policy: linearPolicy,
  });
  w.advance(200);
  w.push('vesting_balance_withdraw', take(id, 100 - elapsed));
  w.block();
  t.equal(w.balance('bob'), 100n);
  t.equal(w.state.get(vestingBalanceObject, id).balance.amount, 0n, 'the empty balance stays');
  refuse(1);
});

worldTest('vesting_balance_withdraw (33) by coin-days', WORLD, (t, w) => {
  const start = w.now;
  const id = w.create('vesting_balance_create', vest(coinDays({ start_claim: w.now + 30 })));
  w.block();
  w.advance(start + 27 - w.now);
  w.refuse(t, VESTING_WITHDRAW_ERRORS.vesting_withdraw_not_allowed, 'vesting_balance_withdraw', take(id, 1));
  w.advance(start + 50 - w.now);
  const earned = w.now - start;
  w.refuse(t, VESTING_WITHDRAW_ERRORS.vesting_withdraw_not_allowed, 'vesting_balance_withdraw', take(id, earned + 1));
  const at = w.now;
  w.push('vesting_balance_withdraw', take(id, earned - 10));
  w.block();
  t.equal(w.balance('bob'), BigInt(earned - 10));
  t.match(w.state.get(vestingBalanceObject, id).policy, [
    1,
    // 100 coins for so many seconds, less 100 seconds for each coin taken.
    { coin_seconds_earned: BigInt(100 * earned - 100 * (earned - 10)), coin_seconds_earned_last_update: at },
  ]);
  t.same(w.state.get(vestingBalanceObject, id).balance, core(100 - earned + 10));
  w.advance(1000);
  w.push('vesting_balance_withdraw', take(id, 100 - earned + 10));
  w.block();
  t.equal(w.balance('bob'), 100n);
});
