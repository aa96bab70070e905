import { proposalRecord } from '../../protocol/objects/governance.js';
import { defineObject, type ObjectOf, ordered, several } from '../define.js';

export const proposalObject = defineObject(
  { ...proposalRecord, keep: 'sparse' },
  {
    expiration: ordered([(proposal) => proposal.expiration_time]),
    /** For clients: one for each list, so that an approval moves no more than the approvals. */
    requiredActive: several((proposal) => proposal.required_active_approvals),
    requiredOwner: several((proposal) => proposal.required_owner_approvals),
    availableActive: several((proposal) => proposal.available_active_approvals),
  },
);
export type ProposalObject = ObjectOf<typeof proposalObject>;
