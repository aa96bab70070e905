import { share, time, u32 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { accountId } from '../../protocol/ids.js';
import { defineObject, group, type ObjectOf, ordered } from '../define.js';

export const withdrawPermissionObject = defineObject(
  {
    name: 'withdraw_permission',
    space: 1,
    type: 12,
    keep: 'sparse',
    schema: struct('withdraw_permission_object', {
      withdraw_from_account: accountId,
      authorized_account: accountId,
      withdrawal_limit: asset,
      withdrawal_period_sec: u32,
      period_start_time: time,
      expiration: time,
      claimed_this_period: share,
    }),
  },
  {
    expiration: ordered([(permission) => permission.expiration]),
    from: group((permission) => permission.withdraw_from_account),
    authorized: group((permission) => permission.authorized_account),
  },
);
export type WithdrawPermissionObject = ObjectOf<typeof withdrawPermissionObject>;
