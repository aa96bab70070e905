import { blindedBalanceRecord } from '../../protocol/objects/accounts-and-assets.js';
import { defineObject, type ObjectOf, unique } from '../define.js';

export const blindedBalanceObject = defineObject(
  { ...blindedBalanceRecord, keep: 'sparse' },
  { commitment: unique((balance) => balance.commitment) },
);
export type BlindedBalanceObject = ObjectOf<typeof blindedBalanceObject>;
