import { check } from '../../base/errors.js';
import { withdrawPermissionCreateOperation } from '../../protocol/operations/accounts.js';
import { withdrawPermissionObject } from '../../state/objects/withdraw-permission.js';
import { checkFee } from '../checks.js';
import { createdResult } from '../created.js';
import { defineOperation } from '../define.js';
import {
  checkGrantLimit,
  checkGrantPeriods,
  evaluateAuthorized,
  evaluateGrantedAsset,
  evaluatePeriods,
  expirationOf,
  WITHDRAW_PERMISSION_ERRORS,
} from './permission-rules.js';

/** An account allows another to take up to a limit from it in every period. */
export const withdrawPermissionCreate = defineOperation({
  ...withdrawPermissionCreateOperation,
  payer: (op) => op.withdraw_from_account,
  validate(op) {
    checkFee(op);
    checkGrantLimit(op);
    checkGrantPeriods(op);
  },
  evaluate(s, op) {
    // The other account pays, so it is known to exist.
    evaluateAuthorized(s, op);
    evaluateGrantedAsset(s, op);
    check(op.period_start_time > s.headTime, WITHDRAW_PERMISSION_ERRORS.permission_start_passed);
    evaluatePeriods(s, op);
  },
  apply(s, op) {
    const created = s.create(withdrawPermissionObject, {
      withdraw_from_account: op.withdraw_from_account,
      authorized_account: op.authorized_account,
      withdrawal_limit: op.withdrawal_limit,
      withdrawal_period_sec: op.withdrawal_period_sec,
      period_start_time: op.period_start_time,
      expiration: expirationOf(op),
      claimed_this_period: 0n,
    });
    return createdResult(withdrawPermissionObject, created.id);
  },
});
