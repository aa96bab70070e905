import { check } from '../../base/errors.js';
import { withdrawPermissionDeleteOperation } from '../../protocol/operations/accounts.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { withdrawPermissionObject } from '../../state/objects/withdraw-permission.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { checkGrantNotToSelf, WITHDRAW_PERMISSION_ERRORS } from './permission-rules.js';

export const withdrawPermissionDelete = defineOperation({
  ...withdrawPermissionDeleteOperation,
  payer: (op) => op.withdraw_from_account,
  validate(op) {
    checkFee(op);
    checkGrantNotToSelf(op);
  },
  evaluate(s, op) {
    const permit = s.get(withdrawPermissionObject, op.withdrawal_permission);
    const isSameAuthorized = permit.authorized_account === op.authorized_account;
    check(isSameAuthorized, WITHDRAW_PERMISSION_ERRORS.permission_of_other_authorized);
    const isSameFrom = permit.withdraw_from_account === op.withdraw_from_account;
    check(isSameFrom, WITHDRAW_PERMISSION_ERRORS.permission_of_other_from);
    return permit;
  },
  apply(s, _op, permit) {
    s.remove(withdrawPermissionObject, permit);
    return VOID_RESULT;
  },
});
