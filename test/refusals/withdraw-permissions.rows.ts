import type { JsonObject } from '../../src/codec/json.js';
import { OPERATION_ERRORS } from '../../src/operations/checks.js';
import { WITHDRAW_PERMISSION_ERRORS as PERMISSION } from '../../src/operations/withdraw/permission-rules.js';
import { WITHDRAW_CLAIM_ERRORS as CLAIM } from '../../src/operations/withdraw/withdraw-permission-claim.js';
import { ASSET_FLAG } from '../../src/protocol/asset.js';
import { TABLE_ERRORS } from '../../src/state/table.js';
import { accountText, amountJson, createdId, FreeWorld } from '../support/free-world.js';
import { assertion, type Refusal } from './define.js';

const w = new FreeWorld();
const alice = w.lifetimeMember('alice', 10n);
const bob = w.lifetimeMember('bob');
const carol = w.lifetimeMember('carol');
const restricted = w.asset('RESTRICTED', carol, { flags: ASSET_FLAG.transfer_restricted });
const closed = w.asset('CLOSED', carol, { flags: ASSET_FLAG.white_list, whitelist_authorities: [carol] });
for (const asset of [restricted, closed]) w.give(alice, asset, 10n);

const grant = (more: JsonObject = {}): JsonObject => ({
  withdraw_from_account: accountText(alice),
  authorized_account: accountText(bob),
  withdrawal_limit: amountJson(50, 1),
  withdrawal_period_sec: 100,
  periods_until_expiration: 4,
  period_start_time: w.at(10),
  ...more,
});
const permit = (more: JsonObject = {}): string => createdId(w.run(25, grant(more)));
const usual = permit();
const ofRestricted = permit({ withdrawal_limit: amountJson(50, restricted) });
const ofClosed = permit({ withdrawal_limit: amountJson(50, closed) });

const create = (more: JsonObject) => () => w.run(25, grant(more));
const update = (more: JsonObject) => () => w.run(26, grant({ permission_to_update: usual, ...more }));
const claim =
  (amount: number, asset = 1, permission = usual, more: JsonObject = {}) =>
  () =>
    w.run(27, {
      withdraw_permission: permission,
      withdraw_from_account: accountText(alice),
      withdraw_to_account: accountText(bob),
      amount_to_withdraw: amountJson(amount, asset),
      ...more,
    });
const remove = (more: JsonObject) => () =>
  w.run(28, {
    withdraw_from_account: accountText(alice),
    authorized_account: accountText(bob),
    withdrawal_permission: usual,
    ...more,
  });

/** A world of its own, in which the permission has expired. */
const late = new FreeWorld();
late.lifetimeMember('alice', 10n);
late.lifetimeMember('bob');
late.run(25, grant());
late.pass(410);

const SELF: JsonObject = { authorized_account: accountText(alice) };
const OTHER_FROM: JsonObject = { withdraw_from_account: accountText(carol) };
const OTHER_AUTHORIZED: JsonObject = { authorized_account: accountText(carol) };

export const refusals: readonly Refusal[] = [
  ...[create, update].flatMap((run) => [
    assertion(OPERATION_ERRORS.operation_fee_negative, 'fee.amount >= 0: ', run({ fee: amountJson(-1, 1) })),
    assertion(
      PERMISSION.permission_limit_not_positive,
      'withdrawal_limit.amount > 0: ',
      run({ withdrawal_limit: amountJson(0, 1) }),
    ),
    assertion(PERMISSION.permission_period_zero, 'withdrawal_period_sec > 0: ', run({ withdrawal_period_sec: 0 })),
    assertion(PERMISSION.permission_to_self, 'withdraw_from_account != authorized_account: ', run(SELF)),
    assertion(PERMISSION.permission_no_periods, 'periods_until_expiration > 0: ', run({ periods_until_expiration: 0 })),
    assertion(
      PERMISSION.permission_asset_missing,
      'd.find_object(op.withdrawal_limit.asset_id): ',
      run({ withdrawal_limit: amountJson(1, 99) }),
    ),
    assertion(
      PERMISSION.permission_ends_at_once,
      'op.period_start_time + op.periods_until_expiration * op.withdrawal_period_sec > d.head_block_time(): ',
      run({ withdrawal_period_sec: 0xf0000000, periods_until_expiration: 1 }),
    ),
    assertion(
      PERMISSION.permission_period_too_short,
      'op.withdrawal_period_sec >= d.get_global_properties().parameters.block_interval: ',
      run({ withdrawal_period_sec: 2 }),
    ),
  ]),
  assertion(
    PERMISSION.permission_authorized_missing,
    'd.find_object(op.authorized_account): ',
    create({ authorized_account: '1.2.99' }),
  ),
  assertion(
    PERMISSION.permission_start_passed,
    'op.period_start_time > d.head_block_time(): ',
    create({ period_start_time: w.at(0) }),
  ),
  assertion(
    PERMISSION.permission_update_start_passed,
    'op.period_start_time >= d.head_block_time(): ',
    update({ period_start_time: w.at(-1) }),
  ),
  assertion(
    TABLE_ERRORS.object_missing,
    'maybe_found != nullptr: Unable to find Object 1.12.99',
    update({ permission_to_update: '1.12.99' }),
  ),
  assertion(
    PERMISSION.permission_of_other_authorized,
    'permit.authorized_account == op.authorized_account: ',
    update(OTHER_AUTHORIZED),
  ),
  assertion(
    PERMISSION.permission_of_other_from,
    'permit.withdraw_from_account == op.withdraw_from_account: ',
    update(OTHER_FROM),
  ),

  assertion(
    CLAIM.withdraw_to_self,
    'withdraw_to_account != withdraw_from_account: ',
    claim(1, 1, usual, { withdraw_to_account: accountText(alice) }),
  ),
  assertion(CLAIM.withdraw_amount_not_positive, 'amount_to_withdraw.amount > 0: ', claim(0)),
  assertion(
    OPERATION_ERRORS.operation_fee_negative,
    'fee.amount >= 0: ',
    claim(1, 1, usual, { fee: amountJson(-1, 1) }),
  ),
  assertion(
    TABLE_ERRORS.object_missing,
    'maybe_found != nullptr: Unable to find Object 1.12.77',
    claim(1, 1, '1.12.77'),
  ),
  assertion(CLAIM.withdraw_expired, 'permit.expiration > d.head_block_time(): ', () =>
    late.run(27, {
      withdraw_permission: '1.12.0',
      withdraw_from_account: accountText(alice),
      withdraw_to_account: accountText(bob),
      amount_to_withdraw: amountJson(1, 1),
    }),
  ),
  assertion(
    CLAIM.withdraw_of_other_authorized,
    'permit.authorized_account == op.withdraw_to_account: ',
    claim(1, 1, usual, { withdraw_to_account: accountText(carol) }),
  ),
  assertion(
    CLAIM.withdraw_of_other_from,
    'permit.withdraw_from_account == op.withdraw_from_account: ',
    claim(1, 1, usual, OTHER_FROM),
  ),
  assertion(CLAIM.withdraw_other_asset, 'a.asset_id == b.asset_id: 1.3.2 == 1.3.1', claim(1, 2)),
  assertion(
    CLAIM.withdraw_above_limit,
    'op.amount_to_withdraw <= permit.available_this_period( d.head_block_time() ): ',
    claim(51),
  ),
  assertion(
    CLAIM.withdraw_balance,
    'd.get_balance(op.withdraw_from_account, op.amount_to_withdraw.asset_id) >= op.amount_to_withdraw: ',
    claim(11),
  ),
  assertion(
    CLAIM.withdraw_restricted,
    '_asset.issuer == permit.authorized_account || _asset.issuer == permit.withdraw_from_account: ',
    claim(1, restricted, ofRestricted),
  ),
  assertion(CLAIM.withdraw_unauthorized, 'is_authorized_asset( d, to, _asset ): ', claim(1, closed, ofClosed)),

  assertion(OPERATION_ERRORS.operation_fee_negative, 'fee.amount >= 0: ', remove({ fee: amountJson(-1, 1) })),
  assertion(PERMISSION.permission_to_self, 'withdraw_from_account != authorized_account: ', remove(SELF)),
  assertion(
    PERMISSION.permission_of_other_authorized,
    'permit.authorized_account == op.authorized_account: ',
    remove(OTHER_AUTHORIZED),
  ),
  assertion(
    PERMISSION.permission_of_other_from,
    'permit.withdraw_from_account == op.withdraw_from_account: ',
    remove(OTHER_FROM),
  ),
];
