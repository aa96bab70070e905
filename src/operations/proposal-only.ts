import { check, defineErrors } from '../base/errors.js';
import type { OperationContext } from './define.js';

export const PROPOSAL_ONLY_ERRORS = defineErrors({
  not_inside_proposal: {
    text: 'trx_state->_is_proposed_trx: ',
    hint: 'this operation runs inside an executing proposal only',
  },
});

/** For operations of the committee: they pay nothing themselves and run only when a proposal is executed. */
export function checkProposed(context: OperationContext): void {
  check(context.proposed, PROPOSAL_ONLY_ERRORS.not_inside_proposal);
}
