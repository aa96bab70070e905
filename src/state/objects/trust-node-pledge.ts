import { trustNodePledgeRecord } from '../../protocol/objects/governance.js';
import { defineObject, unique } from '../define.js';

export const trustNodePledgeObject = defineObject(
  { ...trustNodePledgeRecord, keep: 'sparse' },
  { owner: unique((pledge) => pledge.owner_account) },
);
