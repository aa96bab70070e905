import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { chainParameters, validateParameters } from '../../protocol/chain-parameters.js';
import { COMMITTEE_ACCOUNT } from '../../protocol/ids.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { globalPropertyObject } from '../../state/objects/global-property.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { flatFee } from '../fee-kinds.js';
import { checkProposed } from '../proposal-only.js';

/** The committee replaces the chain's parameters; they take effect at the next maintenance. */
export const committeeMemberUpdateGlobalParameters = defineOperation({
  tag: 31,
  name: 'committee_member_update_global_parameters',
  schema: struct('committee_member_update_global_parameters', { fee: asset, new_parameters: chainParameters }),
  fee: flatFee(100_000n),
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
