import { text, time, u16, u32 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { accountId, type Instance } from '../../protocol/ids.js';
import { defineObject, group, type ObjectOf, unique } from '../define.js';

export function lockBalanceKey(owner: Instance, createTime: number): string {
  return `${owner}|${createTime}`;
}

export const lockBalanceObject = defineObject(
  {
    name: 'lock_balance',
    space: 1,
    type: 25,
    keep: 'sparse',
    schema: struct('lock_balance_object', {
      owner: accountId,
      create_date_time: time,
      lock_days: u32,
      program_id: text,
      amount: asset,
      interest_rate: u16,
      memo: text,
    }),
  },
  {
    /** Two locks of one owner with the same creation time collide, as in the reference. */
    ownerTime: unique((lock) => lockBalanceKey(lock.owner, lock.create_date_time)),
    owner: group((lock) => lock.owner),
  },
);
export type LockBalanceObject = ObjectOf<typeof lockBalanceObject>;
