import { array } from '../../../codec/containers.js';
import { accountId, type Instance } from '../../../protocol/ids.js';
import { type ProposalObject, proposalObject } from '../../../state/objects/proposal.js';
import type { ReadState } from '../../../state/views.js';
import { method } from '../../define.js';
import { objectOf } from '../../types.js';

/** Proposals that need the account’s approval from the start. There are few at any time: all are looked at. */
export function proposalsRequiring(s: ReadState, account: Instance): Readonly<ProposalObject>[] {
  return [...s.all(proposalObject)].filter((proposal) => requires(proposal, account));
}

function requires(proposal: Readonly<ProposalObject>, account: Instance): boolean {
  const { required_active_approvals, required_owner_approvals } = proposal;
  return required_active_approvals.includes(account) || required_owner_approvals.includes(account);
}

/** Those that need the account’s approval and those that it has approved. */
function proposalsOf(s: ReadState, account: Instance): Readonly<ProposalObject>[] {
  return [...s.all(proposalObject)].filter(
    (proposal) => requires(proposal, account) || proposal.available_active_approvals.includes(account),
  );
}

export const proposalMethods = {
  get_proposed_transactions: method({
    about: 'Proposals that need the approval of this account or have it.',
    params: { id: accountId },
    result: array(objectOf(proposalObject)),
    run: ({ node }, { id }) => proposalsOf(node.chain.state, id),
  }),
};
