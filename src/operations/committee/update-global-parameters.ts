import { check } from '../../base/errors.js';
import { PARAMETER_ERRORS, validateParameters } from '../../protocol/chain-parameters.js';
import { COMMITTEE_ACCOUNT } from '../../protocol/ids.js';
import { committeeMemberUpdateGlobalParametersOperation } from '../../protocol/operations/governance.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { globalPropertyObject } from '../../state/objects/global-property.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { checkProposed } from '../proposal-only.js';

/** The committee replaces the chain's parameters; they take effect at the next maintenance. */
export const committeeMemberUpdateGlobalParameters = defineOperation({
  ...committeeMemberUpdateGlobalParametersOperation,
  payer: () => COMMITTEE_ACCOUNT,
  validate(op) {
    checkFee(op);
    validateParameters(op.new_parameters);
  },
  evaluate(_s, op, context) {
    checkProposed(context);
    // Not among the checks without state: anybody may propose it, and the reference has such a proposal in its blocks.
    check(op.new_parameters.accounts_per_fee_scale > 0, PARAMETER_ERRORS.parameter_fee_scale);
  },
  apply(s, op) {
    s.modify(globalPropertyObject, s.single(globalPropertyObject), (o) => {
      o.pending_parameters = op.new_parameters;
    });
    return VOID_RESULT;
  },
});
