import { optional } from '../../codec/containers.js';
import { time } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { address } from '../../protocol/keys.js';
import { defineObject, group, type ObjectOf } from '../define.js';
import { linearVestingPolicy } from './vesting-balance.js';

/** A balance of the genesis file that waits to be claimed with the key of its address. */
export const balanceObject = defineObject(
  {
    name: 'balance',
    space: 1,
    type: 15,
    schema: struct('balance_object', {
      owner: address,
      balance: asset,
      vesting_policy: optional(linearVestingPolicy),
      last_claim_date: time,
    }),
  },
  { owner: group((balance) => balance.owner, { fixed: true }) },
);
export type BalanceObject = ObjectOf<typeof balanceObject>;
