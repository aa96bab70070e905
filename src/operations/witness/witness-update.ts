import { check, defineErrors } from '../../base/errors.js';
import { witnessUpdateOperation } from '../../protocol/operations/governance.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { witnessObject } from '../../state/objects/witness.js';
import { applyPledge, evaluatePledge } from '../../state/rules/pledge.js';
import { checkFee, checkNewUrl } from '../checks.js';
import { defineOperation } from '../define.js';

export const WITNESS_UPDATE_ERRORS = defineErrors({
  witness_update_not_owner: {
    text: '_db.get(op.witness).witness_account == op.witness_account: ',
    hint: 'the trust node is that of another account',
  },
});

export const witnessUpdate = defineOperation({
  ...witnessUpdateOperation,
  payer: (op) => op.witness_account,
  validate(op) {
    checkFee(op);
    checkNewUrl(op.new_url);
  },
  evaluate(s, op) {
    const witness = s.get(witnessObject, op.witness);
    check(witness.witness_account === op.witness_account, WITNESS_UPDATE_ERRORS.witness_update_not_owner);
    const charge = s.active('HF_1129') ? evaluatePledge(s, op.witness_account) : 0n;
    return { witness, charge };
  },
  apply(s, op, { witness, charge }) {
    s.modify(witnessObject, witness, (o) => {
      if (op.new_url !== undefined) o.url = op.new_url;
      if (op.new_signing_key !== undefined) o.signing_key = op.new_signing_key;
    });
    applyPledge(s, op.witness_account, charge);
    if (s.active('HF_1129')) {
      s.modify(witnessObject, witness, (o) => {
        o.is_valid = true;
      });
    }
    return VOID_RESULT;
  },
});
