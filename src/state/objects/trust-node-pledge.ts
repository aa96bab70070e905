import { trustNodePledgeRecord } from '../../protocol/objects/governance.js';
import { defineObject, type ObjectOf, unique } from '../define.js';

export const trustNodePledgeObject = defineObject(
  { ...trustNodePledgeRecord, keep: 'sparse' },
  { owner: unique((pledge) => pledge.owner_account) },
);
export type TrustNodePledgeObject = ObjectOf<typeof trustNodePledgeObject>;
