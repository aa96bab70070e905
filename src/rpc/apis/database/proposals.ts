import { array } from '../../../codec/containers.js';
import { accountId, type Instance } from '../../../protocol/ids.js';
import { type ProposalObject, proposalObject } from '../../../state/objects/proposal.js';
import type { ReadState } from '../../../state/views.js';
import { method } from '../../define.js';
import { objectOf } from '../../types.js';

/** Proposals that wait for the account or that it has approved. There are few at any time: all are looked at. */
export function proposalsOf(s: ReadState, account: Instance): Readonly<ProposalObject>[] {
  const out: Readonly<ProposalObject>[] = [];
  for (const proposal of s.all(proposalObject)) {
    const concerned =
      proposal.required_active_approvals.includes(account) ||
      proposal.required_owner_approvals.includes(account) ||
      proposal.available_active_approvals.includes(account);
    if (concerned) out.push(proposal);
  }
  return out;
}

export const proposalMethods = {
  get_proposed_transactions: method({
    about: 'Proposals that need the approval of this account or have it.',
    params: { id: accountId },
    result: array(objectOf(proposalObject)),
    run: ({ node }, { id }) => proposalsOf(node.chain.state, id),
  }),
};
