import { forceSettlementRecord } from '../../protocol/objects/accounts-and-assets.js';
import { defineObject, type ObjectOf } from '../define.js';

export const forceSettlementObject = defineObject({ ...forceSettlementRecord, keep: 'sparse' });
export type ForceSettlementObject = ObjectOf<typeof forceSettlementObject>;
