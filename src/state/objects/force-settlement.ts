import { time } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { accountId } from '../../protocol/ids.js';
import { defineObject, type ObjectOf } from '../define.js';

export const forceSettlementObject = defineObject({
  name: 'force_settlement',
  space: 1,
  type: 4,
  keep: 'sparse',
  schema: struct('force_settlement_object', { owner: accountId, balance: asset, settlement_date: time }),
});
export type ForceSettlementObject = ObjectOf<typeof forceSettlementObject>;
