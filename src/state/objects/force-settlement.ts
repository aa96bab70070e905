import { forceSettlementRecord } from '../../protocol/objects/accounts-and-assets.js';
import { defineObject } from '../define.js';

export const forceSettlementObject = defineObject({ ...forceSettlementRecord, keep: 'sparse' });
