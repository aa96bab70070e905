import { withdrawPermissionRecord } from '../../protocol/objects/accounts-and-assets.js';
import { defineObject, group, type ObjectOf, ordered } from '../define.js';

export const withdrawPermissionObject = defineObject(
  { ...withdrawPermissionRecord, keep: 'sparse' },
  {
    expiration: ordered([(permission) => permission.expiration]),
    from: group((permission) => permission.withdraw_from_account),
    authorized: group((permission) => permission.authorized_account),
  },
);
export type WithdrawPermissionObject = ObjectOf<typeof withdrawPermissionObject>;
