import { ChainError } from '../../base/errors.js';
import { onceFor } from '../../base/once-for.js';
import { type ProposalObject, proposalObject } from '../../state/objects/proposal.js';
import type { ReadState, WriteState } from '../../state/views.js';
import { isAuthorized, requiredAuthorities } from '../authorities.js';
import type { OperationContext } from '../define.js';

/** What proposals demand. It never changes, every approval asks for it, and there may be as many operations as fit into a block. */
const demandsOf = onceFor(requiredAuthorities);

/** Does what has been approved so far suffice? A key approval that nobody needs makes it insufficient. */
export function isProposalAuthorized(state: ReadState, proposal: Readonly<ProposalObject>): boolean {
  return isAuthorized(state, demandsOf(proposal.proposed_transaction.operations), {
    keys: proposal.available_key_approvals,
    activeApprovals: proposal.available_active_approvals,
    ownerApprovals: proposal.available_owner_approvals,
    allowsCommittee: true,
  });
}

/**
 * Runs the proposed operations and removes the proposal, all or nothing. False: it failed and left no trace; what to
 * do with the proposal then is the caller's business.
 *
 * This is the one place where operations run while somebody holds an object that one of them can remove: a proposal may
 * contain the operation that deletes itself. It is looked up once more, so that such a run fails like any other.
 */
export function executeProposal(
  state: WriteState,
  proposal: Readonly<ProposalObject>,
  context: OperationContext,
): boolean {
  const journal = context.journal;
  const { length } = journal.operations;
  const { depth } = journal;
  try {
    journal.depth++;
    state.nested(() => {
      for (const operation of proposal.proposed_transaction.operations) {
        context.run(state, operation, { proposed: true, billedCpuUs: 0 });
      }
      state.remove(proposalObject, state.get(proposalObject, proposal.id));
    });
    return true;
  } catch (error) {
    // What fails this node alone must not decide what has become of the proposal.
    if (!(error instanceof ChainError) || error.kind !== 'invalid') throw error;
    if (state.active('HF_483')) journal.operations.length = length;
    return false;
  } finally {
    journal.depth = depth;
  }
}
