import { optional, set } from '../../codec/containers.js';
import { time } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { accountId } from '../../protocol/ids.js';
import { publicKey } from '../../protocol/keys.js';
import { transaction } from '../../protocol/transaction.js';
import { defineObject, type ObjectOf, ordered, several } from '../define.js';

export const proposalObject = defineObject(
  {
    name: 'proposal',
    space: 1,
    type: 10,
    keep: 'sparse',
    schema: struct('proposal_object', {
      expiration_time: time,
      review_period_time: optional(time),
      /** Only expiration and operations are filled in. */
      proposed_transaction: transaction,
      required_active_approvals: set(accountId),
      available_active_approvals: set(accountId),
      required_owner_approvals: set(accountId),
      available_owner_approvals: set(accountId),
      available_key_approvals: set(publicKey),
    }),
  },
  {
    expiration: ordered([(proposal) => proposal.expiration_time]),
    /** For clients: one for each list, so that an approval moves no more than the approvals. */
    requiredActive: several((proposal) => proposal.required_active_approvals),
    requiredOwner: several((proposal) => proposal.required_owner_approvals),
    availableActive: several((proposal) => proposal.available_active_approvals),
  },
);
export type ProposalObject = ObjectOf<typeof proposalObject>;
