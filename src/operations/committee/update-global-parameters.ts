import { validateParameters } from '../../protocol/chain-parameters.js';
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
  evaluate: (_s, _op, context) => checkProposed(context),
  apply(s, op) {
    s.modify(globalPropertyObject, s.single(globalPropertyObject), (o) => {
      o.pending_parameters = op.new_parameters;
    });
    return VOID_RESULT;
  },
});
