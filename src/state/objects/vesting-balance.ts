import type { ValueOf } from '../../codec/type.js';
import { vestingBalanceRecord, type vestingPolicy } from '../../protocol/objects/accounts-and-assets.js';
import { defineObject, group, type ObjectOf } from '../define.js';

export const VESTING_POLICY = { linear: 0, coinDays: 1 } as const;
export type VestingPolicy = ValueOf<typeof vestingPolicy>;

export const vestingBalanceObject = defineObject(vestingBalanceRecord, { owner: group((vesting) => vesting.owner) });
export type VestingBalanceObject = ObjectOf<typeof vestingBalanceObject>;
