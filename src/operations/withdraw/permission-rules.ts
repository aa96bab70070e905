import { check, defineErrors } from '../../base/errors.js';
import { wrapU32 } from '../../base/int.js';
import type { Asset } from '../../protocol/asset.js';
import type { Instance } from '../../protocol/ids.js';
import { accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import { parameters } from '../../state/rules/parameters.js';
import type { ReadState } from '../../state/views.js';

/** What granting and changing a withdraw permission have in common. */
export const WITHDRAW_PERMISSION_ERRORS = defineErrors({
  permission_to_self: {
    text: 'withdraw_from_account != authorized_account: ',
    hint: 'an account can not permit itself to withdraw from itself',
  },
  permission_limit_not_positive: {
    text: 'withdrawal_limit.amount > 0: ',
    hint: 'the limit of each period must be positive',
  },
  permission_period_zero: { text: 'withdrawal_period_sec > 0: ', hint: 'a period must have a length' },
  permission_no_periods: { text: 'periods_until_expiration > 0: ', hint: 'there must be at least one period' },
  permission_authorized_missing: {
    text: 'd.find_object(op.authorized_account): ',
    hint: 'the account that may withdraw does not exist',
  },
  permission_asset_missing: {
    text: 'd.find_object(op.withdrawal_limit.asset_id): ',
    hint: 'the asset of the limit does not exist',
  },
  permission_start_passed: {
    text: 'op.period_start_time > d.head_block_time(): ',
    hint: 'the first period must begin after the time of the head block',
  },
  permission_update_start_passed: {
    text: 'op.period_start_time >= d.head_block_time(): ',
    hint: 'the first period must not begin before the time of the head block',
  },
  permission_ends_at_once: {
    text: 'op.period_start_time + op.periods_until_expiration * op.withdrawal_period_sec > d.head_block_time(): ',
    hint: 'the last period must end after the time of the head block',
  },
  permission_period_too_short: {
    text: 'op.withdrawal_period_sec >= d.get_global_properties().parameters.block_interval: ',
    hint: 'a period must not be shorter than the time between two blocks',
  },
  permission_of_other_authorized: {
    text: 'permit.authorized_account == op.authorized_account: ',
    hint: 'the permission is that of another account',
  },
  permission_of_other_from: {
    text: 'permit.withdraw_from_account == op.withdraw_from_account: ',
    hint: 'the permission is about another account',
  },
});

interface Grant {
  readonly fee: Asset;
  readonly withdraw_from_account: Instance;
  readonly authorized_account: Instance;
  readonly withdrawal_limit: Asset;
  readonly withdrawal_period_sec: number;
  readonly periods_until_expiration: number;
  readonly period_start_time: number;
}

export function checkGrantNotToSelf(op: Pick<Grant, 'withdraw_from_account' | 'authorized_account'>): void {
  check(op.withdraw_from_account !== op.authorized_account, WITHDRAW_PERMISSION_ERRORS.permission_to_self);
}

export function checkGrantLimit(op: Grant): void {
  check(op.withdrawal_limit.amount > 0n, WITHDRAW_PERMISSION_ERRORS.permission_limit_not_positive);
}

/** The checks behind limit and fee, whose order is not the same for both operations. */
export function checkGrantPeriods(op: Grant): void {
  check(op.withdrawal_period_sec > 0, WITHDRAW_PERMISSION_ERRORS.permission_period_zero);
  checkGrantNotToSelf(op);
  check(op.periods_until_expiration > 0, WITHDRAW_PERMISSION_ERRORS.permission_no_periods);
}

/** Quirk: product and sum are those of 32 bits. */
export function expirationOf(op: Grant): number {
  return wrapU32(op.period_start_time + Math.imul(op.periods_until_expiration, op.withdrawal_period_sec));
}

export function evaluateGrantedAsset(s: ReadState, op: Grant): void {
  const asset = s.find(assetObject, op.withdrawal_limit.asset_id);
  check(asset !== undefined, WITHDRAW_PERMISSION_ERRORS.permission_asset_missing);
}

export function evaluateAuthorized(s: ReadState, op: Grant): void {
  const authorized = s.find(accountObject, op.authorized_account);
  check(authorized !== undefined, WITHDRAW_PERMISSION_ERRORS.permission_authorized_missing);
}

export function evaluatePeriods(s: ReadState, op: Grant): void {
  check(expirationOf(op) > s.headTime, WITHDRAW_PERMISSION_ERRORS.permission_ends_at_once);
  const isLongEnough = op.withdrawal_period_sec >= parameters(s).block_interval;
  check(isLongEnough, WITHDRAW_PERMISSION_ERRORS.permission_period_too_short);
}
