import t from 'tap';
import type { ErrorRow } from '../../../src/base/errors.js';
import type { JsonObject } from '../../../src/codec/json.js';
import { timeToText } from '../../../src/codec/time.js';
import { OPERATION_ERRORS } from '../../../src/operations/checks.js';
import { OVERRIDE_TRANSFER_ERRORS } from '../../../src/operations/transfer/override-transfer.js';
import { TRANSFER_ERRORS } from '../../../src/operations/transfer/transfer-checks.js';
import { WITHDRAW_PERMISSION_ERRORS } from '../../../src/operations/withdraw/permission-rules.js';
import { WITHDRAW_CLAIM_ERRORS } from '../../../src/operations/withdraw/withdraw-permission-claim.js';
import { ASSET_FLAG } from '../../../src/protocol/asset.js';
import { MAINNET_FORKS } from '../../../src/protocol/forks.js';
import { withdrawPermissionObject } from '../../../src/state/objects/withdraw-permission.js';
import { FEE_ERRORS } from '../../../src/state/rules/fee-checks.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { accountText, amountJson, createdInstance, FreeWorld } from '../../support/free-world.js';
import { refused } from '../../support/refused.js';

function twoAccounts(headTime?: number, forks = MAINNET_FORKS) {
  const world = new FreeWorld(headTime, forks);
  const alice = world.account('alice', {}, 1000n);
  const bob = world.account('bob');
  const issuer = world.account('issuer');
  return { world, alice, bob, issuer };
}

t.test('transfer', async (t) => {
  const { world, alice, bob, issuer } = twoAccounts();
  const send = (amount: number, asset = 1, from = alice, to = bob) =>
    world.run(0, { from: accountText(from), to: accountText(to), amount: amountJson(amount, asset) });
  t.same(send(400), [0, {}]);
  t.same([world.balance(alice), world.balance(bob)], [600n, 400n]);
  refused(t, TRANSFER_ERRORS.transfer_balance, () => send(601));
  refused(t, TABLE_ERRORS.object_missing, () => send(1, 99));
  refused(t, TABLE_ERRORS.object_missing, () => send(1, 1, alice, 99));

  const listed = world.asset('LISTED', issuer, { flags: ASSET_FLAG.white_list, whitelist_authorities: [issuer] });
  world.give(alice, listed, 10n);
  refused(t, TRANSFER_ERRORS.transfer_from_unauthorized, () => send(1, listed));
  world.changeAccount(alice, { whitelisting_accounts: [issuer] });
  refused(t, TRANSFER_ERRORS.transfer_to_unauthorized, () => send(1, listed));
  world.changeAccount(bob, { whitelisting_accounts: [issuer] });
  t.same(send(1, listed), [0, {}]);

  const restricted = world.asset('TIED', issuer, { flags: ASSET_FLAG.transfer_restricted });
  world.give(alice, restricted, 10n);
  refused(t, TRANSFER_ERRORS.transfer_restricted, () => send(1, restricted));
  t.same(send(1, restricted, alice, issuer), [0, {}], 'to its issuer');
});

t.test('transfers to contracts begin with fork 1019', async (t) => {
  const time = MAINNET_FORKS.HF_1019;
  const others = { HF_1013: time - 1, HF_1016: time - 1, HF_1017: time - 1, HF_1020: time - 1, HF_1021: time - 1 };
  for (const [headTime, isAllowed] of [
    [time, false],
    [time + 1, true],
  ] as const) {
    const { world, alice, bob } = twoAccounts(headTime, { ...MAINNET_FORKS, ...others });
    world.changeAccount(bob, { code: Uint8Array.of(1) });
    const send = () => world.run(0, { from: accountText(alice), to: accountText(bob), amount: amountJson(1, 1) });
    if (isAllowed) t.same(send(), [0, {}]);
    else refused(t, TRANSFER_ERRORS.transfer_to_contract, send);
  }
});

t.test('of two faults of a transfer the first one is named', async (t) => {
  const before = MAINNET_FORKS.HF_1019;
  const others = { HF_1013: before, HF_1016: before, HF_1017: before, HF_1020: before, HF_1021: before };
  const { world, alice, bob, issuer } = twoAccounts(before, { ...MAINNET_FORKS, ...others });
  const asset = world.asset('BOUND', issuer, { flags: ASSET_FLAG.transfer_restricted });
  const op = (from: number, to: number, amount: number, more: JsonObject = {}): JsonObject => ({
    from: accountText(from),
    to: accountText(to),
    amount: amountJson(amount, asset),
    issuer: accountText(issuer),
    ...more,
  });
  for (const tag of [0, 38, 78]) {
    const fee = amountJson(-1, 1);
    refused(t, OPERATION_ERRORS.operation_fee_negative, () => world.run(tag, op(alice, alice, 1, { fee })));
    refused(t, OPERATION_ERRORS.from_equals_to, () => world.run(tag, op(alice, alice, 0)));
  }
  refused(t, OPERATION_ERRORS.amount_not_positive, () => world.run(38, op(issuer, bob, 0)));
  const byBob = { issuer: accountText(bob) };
  refused(t, OVERRIDE_TRANSFER_ERRORS.override_not_permitted, () => world.run(38, op(alice, bob, 1, byBob)));
  world.changeAccount(bob, { code: Uint8Array.of(1) });
  refused(t, TRANSFER_ERRORS.transfer_restricted, () => world.run(0, op(alice, bob, 1)));
  world.changeAsset(asset, { flags: ASSET_FLAG.override_authority });
  refused(t, TRANSFER_ERRORS.transfer_to_contract, () => world.run(0, op(alice, bob, 1)));
  refused(t, OVERRIDE_TRANSFER_ERRORS.override_not_issuer, () => world.run(38, op(99, bob, 1, byBob)));
});

t.test('until fork 415 an empty white list was a list with nobody on it', async (t) => {
  const time = MAINNET_FORKS.HF_415;
  for (const [headTime, isOpen] of [
    [time, false],
    [time + 1, true],
  ] as const) {
    const { world, alice, bob, issuer } = twoAccounts(headTime, {
      ...MAINNET_FORKS,
      HF_413: time - 1,
      HF_419: time - 1,
    });
    const listed = world.asset('LISTED', issuer, { flags: ASSET_FLAG.white_list });
    world.give(alice, listed, 1n);
    const send = () => world.run(0, { from: accountText(alice), to: accountText(bob), amount: amountJson(1, listed) });
    if (isOpen) t.same(send(), [0, {}]);
    else refused(t, TRANSFER_ERRORS.transfer_from_unauthorized, send);
  }
});

t.test('an account with a list of assets has no others, and pays no fee in them', async (t) => {
  const { world, alice, bob, issuer } = twoAccounts();
  const [allowed, other] = [world.asset('ALLOWED', issuer), world.asset('OTHER2', issuer)];
  for (const asset of [allowed, other]) {
    world.give(alice, asset, 10n);
    world.give(bob, asset, 10n);
  }
  world.changeAccount(bob, { allowed_assets: [1, allowed] });
  const send = (asset: number, from: number, to: number, more: JsonObject = {}) =>
    world.run(0, { from: accountText(from), to: accountText(to), amount: amountJson(1, asset), ...more });
  t.same(send(allowed, alice, bob), [0, {}]);
  t.same(send(allowed, bob, alice), [0, {}]);
  refused(t, TRANSFER_ERRORS.transfer_to_unauthorized, () => send(other, alice, bob));
  refused(t, TRANSFER_ERRORS.transfer_from_unauthorized, () => send(other, bob, alice));
  refused(t, FEE_ERRORS.fee_asset_unauthorized, () => send(allowed, bob, alice, { fee: amountJson(0, other) }));
  world.changeAsset(allowed, { flags: ASSET_FLAG.white_list, whitelist_authorities: [issuer] });
  world.changeAccount(alice, { whitelisting_accounts: [issuer] });
  refused(t, TRANSFER_ERRORS.transfer_to_unauthorized, () => send(allowed, alice, bob), 'the list is no white list');
});

t.test('override transfer', async (t) => {
  const { world, alice, bob, issuer } = twoAccounts();
  const asset = world.asset('TAKEN', issuer);
  world.give(alice, asset, 10n);
  const take = (amount: number, by = issuer) =>
    world.run(38, {
      issuer: accountText(by),
      from: accountText(alice),
      to: accountText(bob),
      amount: amountJson(amount, asset),
    });
  refused(t, OVERRIDE_TRANSFER_ERRORS.override_not_permitted, () => take(1));
  world.changeAsset(asset, { flags: ASSET_FLAG.override_authority });
  refused(t, OVERRIDE_TRANSFER_ERRORS.override_not_issuer, () => take(1, bob));
  refused(t, OVERRIDE_TRANSFER_ERRORS.override_balance, () => take(11));
  t.same(take(10), [0, {}]);
  t.same([world.balance(alice, asset), world.balance(bob, asset)], [0n, 10n]);
  world.give(alice, asset, 1n);
  world.changeAsset(asset, {
    flags: ASSET_FLAG.override_authority | ASSET_FLAG.white_list,
    whitelist_authorities: [bob],
  });
  world.changeAccount(alice, { whitelisting_accounts: [bob] });
  refused(t, OVERRIDE_TRANSFER_ERRORS.override_to_unauthorized, () => take(1));
  world.changeAccount(bob, { whitelisting_accounts: [bob] });
  world.changeAccount(alice, { whitelisting_accounts: [] });
  refused(t, OVERRIDE_TRANSFER_ERRORS.override_from_unauthorized, () => take(1));
});

const PERIOD_SEC = 100;

function withPermission() {
  const { world, alice, bob, issuer } = twoAccounts();
  const asset = world.asset('PERMIT', issuer);
  world.give(alice, asset, 1000n);
  const grant = (more: JsonObject = {}): JsonObject => ({
    withdraw_from_account: accountText(alice),
    authorized_account: accountText(bob),
    withdrawal_limit: amountJson(50, asset),
    withdrawal_period_sec: PERIOD_SEC,
    periods_until_expiration: 4,
    period_start_time: world.at(10),
    ...more,
  });
  const id = createdInstance(world.run(25, grant()));
  const permission = () => world.state.get(withdrawPermissionObject, id);
  const claim = (amount: number, more: JsonObject = {}) =>
    world.run(27, {
      withdraw_permission: `1.12.${id}`,
      withdraw_from_account: accountText(alice),
      withdraw_to_account: accountText(bob),
      amount_to_withdraw: amountJson(amount, asset),
      ...more,
    });
  return { world, alice, bob, issuer, asset, id, grant, permission, claim };
}

t.test('granting a withdraw permission', async (t) => {
  const { world, grant, permission } = withPermission();
  const now = world.state.headTime;
  t.match(permission(), { period_start_time: now + 10, expiration: now + 410, claimed_this_period: 0n });
  const E = WITHDRAW_PERMISSION_ERRORS;
  const cases: readonly (readonly [JsonObject, ErrorRow])[] = [
    [{ period_start_time: world.at(0) }, E.permission_start_passed],
    [{ withdrawal_period_sec: 2 }, E.permission_period_too_short],
    [{ authorized_account: '1.2.99' }, WITHDRAW_PERMISSION_ERRORS.permission_authorized_missing],
    [{ withdrawal_limit: amountJson(1, 99) }, WITHDRAW_PERMISSION_ERRORS.permission_asset_missing],
    // Quirk: the end is a sum of 32 bits, here one that lies in the past.
    [{ withdrawal_period_sec: 0xc0000000, periods_until_expiration: 1 }, E.permission_ends_at_once],
    // And one that is now.
    [{ withdrawal_period_sec: 0xffff_fff6, periods_until_expiration: 1 }, E.permission_ends_at_once],
  ];
  for (const [more, row] of cases) refused(t, row, () => world.run(25, grant(more)));
  // Quirk: 2^16 periods of 2^16 seconds are none at all.
  const wrapped = world.run(25, grant({ withdrawal_period_sec: 0x10000, periods_until_expiration: 0x10000 }));
  t.equal(world.state.get(withdrawPermissionObject, createdInstance(wrapped)).expiration, now + 10);
  // -15 times -1.
  const large = world.run(25, grant({ withdrawal_period_sec: 0xffff_fff1, periods_until_expiration: 0xffff_ffff }));
  t.equal(world.state.get(withdrawPermissionObject, createdInstance(large)).expiration, now + 25);
  t.doesNotThrow(() => world.run(25, grant({ withdrawal_period_sec: 3 })), 'as long as a block');
});

t.test('changing a withdraw permission', async (t) => {
  const { world, alice, bob, issuer, asset, id, grant, permission, claim } = withPermission();
  claim(20);
  const update = (more: JsonObject = {}) => world.run(26, { ...grant(more), permission_to_update: `1.12.${id}` });
  const E = WITHDRAW_PERMISSION_ERRORS;
  refused(t, E.permission_of_other_authorized, () => update({ authorized_account: accountText(issuer) }));
  refused(t, E.permission_of_other_from, () => update({ withdraw_from_account: accountText(issuer) }));
  refused(t, E.permission_update_start_passed, () => update({ period_start_time: world.at(-1) }));
  refused(t, WITHDRAW_PERMISSION_ERRORS.permission_asset_missing, () =>
    update({ withdrawal_limit: amountJson(1, 99) }),
  );
  update({ period_start_time: world.at(0), withdrawal_limit: amountJson(70, asset), periods_until_expiration: 1 });
  t.match(permission(), { expiration: world.state.headTime + PERIOD_SEC, claimed_this_period: 20n });
  refused(t, WITHDRAW_CLAIM_ERRORS.withdraw_above_limit, () => claim(51));
  claim(50);
  t.equal(world.balance(bob, asset), 70n);

  const remove = (more: JsonObject = {}) =>
    world.run(28, {
      withdraw_from_account: accountText(alice),
      authorized_account: accountText(bob),
      withdrawal_permission: `1.12.${id}`,
      ...more,
    });
  refused(t, E.permission_of_other_authorized, () => remove({ authorized_account: accountText(issuer) }));
  refused(t, E.permission_of_other_from, () => remove({ withdraw_from_account: accountText(issuer) }));
  remove();
  t.equal(world.state.find(withdrawPermissionObject, id), undefined);
});

t.test('claiming by a withdraw permission', async (t) => {
  const { world, alice, bob, issuer, asset, permission, claim } = withPermission();
  const start = permission().period_start_time;
  const E = WITHDRAW_CLAIM_ERRORS;
  claim(30);
  t.match(permission(), { period_start_time: start, claimed_this_period: 30n }, 'quirk: before the first period');
  refused(t, E.withdraw_above_limit, () => claim(21));
  refused(t, E.withdraw_other_asset, () => claim(1, { amount_to_withdraw: amountJson(1, 2) }));
  refused(t, E.withdraw_of_other_from, () => claim(1, { withdraw_from_account: accountText(issuer) }));
  refused(t, E.withdraw_of_other_authorized, () => claim(1, { withdraw_to_account: accountText(issuer) }));
  world.pass(10 + 2 * PERIOD_SEC + 5);
  claim(50);
  t.match(permission(), { period_start_time: start + 2 * PERIOD_SEC, claimed_this_period: 50n }, 'a new period');
  t.equal(world.balance(bob, asset), 80n);
  world.pass(PERIOD_SEC);
  world.give(alice, asset, -910n);
  refused(t, E.withdraw_balance, () => claim(11));
  world.changeAsset(asset, { flags: ASSET_FLAG.transfer_restricted });
  refused(t, E.withdraw_restricted, () => claim(1));
  for (const either of [alice, bob]) {
    world.changeAsset(asset, {}, { issuer: either });
    t.same(claim(1), [0, {}], 'from its issuer or to it');
  }
  world.changeAsset(asset, { flags: ASSET_FLAG.white_list, whitelist_authorities: [issuer] });
  refused(t, E.withdraw_unauthorized, () => claim(1), 'the one who gets it is looked at');
  world.changeAccount(bob, { whitelisting_accounts: [issuer] });
  t.same(claim(1), [0, {}], 'quirk: the one who pays is not');
  world.pass(PERIOD_SEC);
  refused(t, E.withdraw_expired, () => claim(1));
});

t.test('the very seconds at which periods turn', async (t) => {
  const { world, permission, claim } = withPermission();
  const E = WITHDRAW_CLAIM_ERRORS;
  world.pass(10 + PERIOD_SEC - 1);
  claim(50);
  refused(t, E.withdraw_above_limit, () => claim(1), 'the last second of the first period');
  world.pass(1);
  claim(50);
  t.equal(permission().claimed_this_period, 50n, 'the first second of the next one');
  world.pass(3 * PERIOD_SEC - 1);
  claim(1);
  world.pass(1);
  refused(t, E.withdraw_expired, () => claim(1), 'the second of its expiration');
});

t.test('what is claimed within a period adds up, to the last unit of the limit and of the balance', async (t) => {
  const { world, alice, bob, asset, permission, claim } = withPermission();
  const E = WITHDRAW_CLAIM_ERRORS;
  world.pass(10);
  claim(20);
  claim(29);
  t.equal(permission().claimed_this_period, 49n);
  refused(t, E.withdraw_above_limit, () => claim(2));
  claim(1);
  refused(t, E.withdraw_above_limit, () => claim(1), 'nothing is left of the limit');
  world.pass(PERIOD_SEC);
  world.give(alice, asset, -900n);
  claim(50);
  t.same([world.balance(alice, asset), world.balance(bob, asset)], [0n, 100n], 'all that there was');
});

t.test('the first moments at which a withdraw permission can begin and end', async (t) => {
  const { world, id, grant, permission } = withPermission();
  const now = world.state.headTime;
  const later = world.run(25, grant({ period_start_time: world.at(1) }));
  t.equal(world.state.get(withdrawPermissionObject, createdInstance(later)).period_start_time, now + 1);
  const update = (withdrawal_period_sec: number, periods_until_expiration: number) =>
    world.run(26, {
      ...grant({ period_start_time: world.at(0), withdrawal_period_sec, periods_until_expiration }),
      permission_to_update: `1.12.${id}`,
    });
  refused(t, WITHDRAW_PERMISSION_ERRORS.permission_ends_at_once, () => update(0x10000, 0x10000));
  // The product is 2^32 + 1.
  update(6_700_417, 641);
  t.match(permission(), { withdrawal_period_sec: 6_700_417, expiration: now + 1 });
});

t.test('of two faults of a withdraw permission the first one is named', async (t) => {
  const { world, bob, issuer, id, grant } = withPermission();
  const P = WITHDRAW_PERMISSION_ERRORS;
  const authorized = { authorized_account: '1.2.99' };
  const asset = { withdrawal_limit: amountJson(1, 99) };
  const start = { period_start_time: world.at(-1) };
  const end = { withdrawal_period_sec: 2, periods_until_expiration: 0x7fff_fff0 };
  const from = { withdraw_from_account: accountText(issuer) };
  const created: readonly (readonly [ErrorRow, JsonObject])[] = [
    [P.permission_authorized_missing, { ...authorized, ...asset }],
    [P.permission_asset_missing, { ...asset, ...start }],
    [P.permission_start_passed, { ...start, ...end }],
    [P.permission_ends_at_once, end],
  ];
  for (const [row, more] of created) refused(t, row, () => world.run(25, grant(more)));
  const updated: readonly (readonly [ErrorRow, JsonObject])[] = [
    [P.permission_of_other_authorized, { ...authorized, ...from }],
    [P.permission_of_other_from, { ...from, ...asset }],
    [P.permission_asset_missing, { ...asset, ...start }],
    [P.permission_update_start_passed, { ...start, ...end }],
    [P.permission_ends_at_once, end],
  ];
  const permission_to_update = `1.12.${id}`;
  for (const [row, more] of updated) refused(t, row, () => world.run(26, { ...grant(more), permission_to_update }));
  const remove = (authorized_account: string, more: JsonObject = {}) =>
    world.run(28, {
      withdraw_from_account: accountText(bob),
      authorized_account,
      withdrawal_permission: `1.12.${id}`,
      ...more,
    });
  refused(t, P.permission_of_other_authorized, () => remove(accountText(issuer)));
  refused(t, OPERATION_ERRORS.operation_fee_negative, () => remove(accountText(bob), { fee: amountJson(-1, 1) }));
});

t.test('of two faults of a claim the first one is named', async (t) => {
  const { world, alice, issuer, asset, claim } = withPermission();
  const E = WITHDRAW_CLAIM_ERRORS;
  const other = { withdraw_to_account: accountText(issuer) };
  const from = { withdraw_from_account: '1.2.0' };
  refused(t, E.withdraw_of_other_authorized, () => claim(1, { ...other, ...from }));
  refused(t, E.withdraw_of_other_from, () => claim(1, { ...from, amount_to_withdraw: amountJson(1, 2) }));
  refused(t, E.withdraw_other_asset, () => claim(0, { amount_to_withdraw: amountJson(51, 2) }));
  world.give(alice, asset, -1000n);
  refused(t, E.withdraw_above_limit, () => claim(51));
  world.changeAsset(asset, {
    flags: ASSET_FLAG.transfer_restricted | ASSET_FLAG.white_list,
    whitelist_authorities: [issuer],
  });
  refused(t, E.withdraw_balance, () => claim(1));
  world.give(alice, asset, 1n);
  refused(t, E.withdraw_restricted, () => claim(1));
  world.pass(1000);
  refused(t, E.withdraw_expired, () => claim(1, other));
});

t.test('quirk: a start that lies periods ahead comes back with a claim', async (t) => {
  const { world, id, grant, permission, claim } = withPermission();
  const now = world.state.headTime;
  const update = (more: JsonObject) => world.run(26, { ...grant(more), permission_to_update: `1.12.${id}` });
  claim(20);
  update({ period_start_time: world.at(250) });
  claim(30);
  t.match(permission(), { period_start_time: now + 50, claimed_this_period: 30n }, 'two periods, and a new count');
  // The first period ends behind 2^32 seconds, which is long ago.
  const periods_until_expiration = 0x380_0001;
  update({ period_start_time: timeToText(0xffff_fff0), withdrawal_period_sec: 0x20, periods_until_expiration });
  t.equal(permission().expiration, 0x7000_0010);
  claim(50);
  t.equal(permission().claimed_this_period, 50n);
});
