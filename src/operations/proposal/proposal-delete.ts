import { check, defineErrors } from '../../base/errors.js';
import { proposalDeleteOperation } from '../../protocol/operations/governance.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { proposalObject } from '../../state/objects/proposal.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';

export const PROPOSAL_DELETE_ERRORS = defineErrors({
  proposal_delete_not_involved: {
    text: 'required_approvals->find(o.fee_paying_account) != required_approvals->end(): Provided authority is not authoritative for this proposal.',
  },
});

/** Whoever's approval is required may veto. Quirk: the flag names a list, it demands no owner signature. */
export const proposalDelete = defineOperation({
  ...proposalDeleteOperation,
  payer: (op) => op.fee_paying_account,
  validate: checkFee,
  evaluate(s, op) {
    const proposal = s.get(proposalObject, op.proposal);
    const required = op.using_owner_authority ? proposal.required_owner_approvals : proposal.required_active_approvals;
    const isInvolved = required.includes(op.fee_paying_account);
    check(isInvolved, PROPOSAL_DELETE_ERRORS.proposal_delete_not_involved, () => ({
      provided: `1.2.${op.fee_paying_account}`,
      required: required.map((account) => `1.2.${account}`),
    }));
    return proposal;
  },
  apply(s, _op, proposal) {
    s.remove(proposalObject, proposal);
    return VOID_RESULT;
  },
});
