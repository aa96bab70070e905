import { variant } from '../../codec/containers.js';
import { share, time, u32, u128 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import type { ValueOf } from '../../codec/type.js';
import { asset } from '../../protocol/asset.js';
import { accountId } from '../../protocol/ids.js';
import { defineObject, group, type ObjectOf } from '../define.js';

export const linearVestingPolicy = struct('linear_vesting_policy', {
  begin_timestamp: time,
  vesting_cliff_seconds: u32,
  vesting_duration_seconds: u32,
  begin_balance: share,
});
export type LinearVestingPolicy = ValueOf<typeof linearVestingPolicy>;

export const coinDaysVestingPolicy = struct('cdd_vesting_policy', {
  vesting_seconds: u32,
  start_claim: time,
  coin_seconds_earned: u128,
  coin_seconds_earned_last_update: time,
});
export type CoinDaysVestingPolicy = ValueOf<typeof coinDaysVestingPolicy>;

export const VESTING_POLICY = { linear: 0, coinDays: 1 } as const;
export const vestingPolicy = variant('vesting_policy', [linearVestingPolicy, coinDaysVestingPolicy]);
export type VestingPolicy = ValueOf<typeof vestingPolicy>;

export const vestingBalanceObject = defineObject(
  {
    name: 'vesting_balance',
    space: 1,
    type: 13,
    schema: struct('vesting_balance_object', { owner: accountId, balance: asset, policy: vestingPolicy }),
  },
  { owner: group((vesting) => vesting.owner) },
);
export type VestingBalanceObject = ObjectOf<typeof vestingBalanceObject>;
