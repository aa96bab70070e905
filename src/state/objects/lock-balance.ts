import type { Instance } from '../../protocol/ids.js';
import { lockBalanceRecord } from '../../protocol/objects/accounts-and-assets.js';
import { defineObject, group, unique } from '../define.js';

function lockBalanceKey(owner: Instance, createTime: number): string {
  return `${owner}|${createTime}`;
}

export const lockBalanceObject = defineObject(
  { ...lockBalanceRecord, keep: 'sparse' },
  {
    /** Two locks of one owner with the same creation time collide, as in the reference. */
    ownerTime: unique((lock) => lockBalanceKey(lock.owner, lock.create_date_time)),
    owner: group((lock) => lock.owner),
  },
);
