import { check, defineErrors } from '../../base/errors.js';
import { wrapU32 } from '../../base/int.js';
import type { Asset } from '../../protocol/asset.js';
import type { Instance } from '../../protocol/ids.js';
import { accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import { parameters } from '../../state/rules/parameters.js';
import type { ReadState } from '../../state/views.js';
import { checkFee } from '../checks.js';

/** What granting and changing a withdraw permission have in common. */
export const WITHDRAW_PERMISSION_ERRORS = defineErrors({
  permission_to_self: { text: 'withdraw_from_account != authorized_account: ' },
  permission_limit_not_positive: { text: 'withdrawal_limit.amount > 0: ' },
  permission_period_zero: { text: 'withdrawal_period_sec > 0: ' },
  permission_no_periods: { text: 'periods_until_expiration > 0: ' },
  permission_start_passed: { text: 'op.period_start_time > d.head_block_time(): ' },
  permission_update_start_passed: { text: 'op.period_start_time >= d.head_block_time(): ' },
  permission_ends_at_once: {
    text: 'op.period_start_time + op.periods_until_expiration * op.withdrawal_period_sec > d.head_block_time(): ',
  },
  permission_period_too_short: {
    text: 'op.withdrawal_period_sec >= d.get_global_properties().parameters.block_interval: ',
  },
  permission_of_other_authorized: { text: 'permit.authorized_account == op.authorized_account: ' },
  permission_of_other_from: { text: 'permit.withdraw_from_account == op.withdraw_from_account: ' },
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

export function validateGrant(op: Grant): void {
  checkFee(op);
  check(op.withdraw_from_account !== op.authorized_account, WITHDRAW_PERMISSION_ERRORS.permission_to_self);
  check(op.withdrawal_limit.amount > 0n, WITHDRAW_PERMISSION_ERRORS.permission_limit_not_positive);
  check(op.withdrawal_period_sec > 0, WITHDRAW_PERMISSION_ERRORS.permission_period_zero);
  check(op.periods_until_expiration > 0, WITHDRAW_PERMISSION_ERRORS.permission_no_periods);
}

/** Quirk: product and sum are those of 32 bits. */
export function expirationOf(op: Grant): number {
  return wrapU32(op.period_start_time + Math.imul(op.periods_until_expiration, op.withdrawal_period_sec));
}

export function evaluateGrantedAsset(s: ReadState, op: Grant): void {
  s.get(assetObject, op.withdrawal_limit.asset_id);
}

export function evaluateGrantedAccounts(s: ReadState, op: Grant): void {
  s.get(accountObject, op.withdraw_from_account);
  s.get(accountObject, op.authorized_account);
}

export function evaluatePeriods(s: ReadState, op: Grant): void {
  check(expirationOf(op) > s.headTime, WITHDRAW_PERMISSION_ERRORS.permission_ends_at_once);
  const isLongEnough = op.withdrawal_period_sec >= parameters(s).block_interval;
  check(isLongEnough, WITHDRAW_PERMISSION_ERRORS.permission_period_too_short);
}
