import { check } from '../../base/errors.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { accountId, withdrawPermissionId } from '../../protocol/ids.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { withdrawPermissionObject } from '../../state/objects/withdraw-permission.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { flatFee } from '../fee-kinds.js';
import { checkGrantNotToSelf, WITHDRAW_PERMISSION_ERRORS } from './permission-rules.js';

export const withdrawPermissionDelete = defineOperation({
  tag: 28,
  name: 'withdraw_permission_delete',
  schema: struct('withdraw_permission_delete', {
    fee: asset,
    withdraw_from_account: accountId,
    authorized_account: accountId,
    withdrawal_permission: withdrawPermissionId,
  }),
  fee: flatFee(0n),
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
