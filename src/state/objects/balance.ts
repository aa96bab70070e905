import { balanceRecord } from '../../protocol/objects/accounts-and-assets.js';
import { defineObject, group, type ObjectOf } from '../define.js';

/** A balance of the genesis file that waits to be claimed with the key of its address. */
export const balanceObject = defineObject(balanceRecord, { owner: group((balance) => balance.owner, { fixed: true }) });
export type BalanceObject = ObjectOf<typeof balanceObject>;
