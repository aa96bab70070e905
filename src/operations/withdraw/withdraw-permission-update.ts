import { check } from '../../base/errors.js';
import { withdrawPermissionUpdateOperation } from '../../protocol/operations/accounts.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { withdrawPermissionObject } from '../../state/objects/withdraw-permission.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import {
  checkGrantLimit,
  checkGrantPeriods,
  evaluateGrantedAsset,
  evaluatePeriods,
  expirationOf,
  WITHDRAW_PERMISSION_ERRORS,
} from './permission-rules.js';

/** What was already claimed in the current period stays claimed. */
export const withdrawPermissionUpdate = defineOperation({
  ...withdrawPermissionUpdateOperation,
  payer: (op) => op.withdraw_from_account,
  validate(op) {
    checkGrantLimit(op);
    checkFee(op);
    checkGrantPeriods(op);
  },
  evaluate(s, op) {
    const permit = s.get(withdrawPermissionObject, op.permission_to_update);
    const isSameAuthorized = permit.authorized_account === op.authorized_account;
    check(isSameAuthorized, WITHDRAW_PERMISSION_ERRORS.permission_of_other_authorized);
    const isSameFrom = permit.withdraw_from_account === op.withdraw_from_account;
    check(isSameFrom, WITHDRAW_PERMISSION_ERRORS.permission_of_other_from);
    evaluateGrantedAsset(s, op);
    check(op.period_start_time >= s.headTime, WITHDRAW_PERMISSION_ERRORS.permission_update_start_passed);
    evaluatePeriods(s, op);
    return permit;
  },
  apply(s, op, permit) {
    s.modify(withdrawPermissionObject, permit, (o) => {
      o.period_start_time = op.period_start_time;
      o.expiration = expirationOf(op);
      o.withdrawal_limit = op.withdrawal_limit;
      o.withdrawal_period_sec = op.withdrawal_period_sec;
    });
    return VOID_RESULT;
  },
});
