import { check, defineErrors } from '../../base/errors.js';
import { witnessUnbannedOperation } from '../../protocol/operations/governance.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { witnessObject } from '../../state/objects/witness.js';
import { applyPledge, evaluatePledge } from '../../state/rules/pledge.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';

export const UNBANNED_ERRORS = defineErrors({
  unban_not_witness: {
    text: '_db.get(op.witness).witness_account == op.witness_account: ',
    hint: 'the trust node is that of another account',
  },
  unban_not_banned: { text: '_db.get(op.witness).is_banned == true: ', hint: 'the trust node is not banned' },
});

/** A trust node that was shut out for missing blocks reports back. */
export const witnessUnbanned = defineOperation({
  ...witnessUnbannedOperation,
  payer: (op) => op.witness_account,
  validate: checkFee,
  evaluate(s, op) {
    const charge = evaluatePledge(s, op.witness_account);
    const witness = s.get(witnessObject, op.witness);
    check(witness.witness_account === op.witness_account, UNBANNED_ERRORS.unban_not_witness);
    check(witness.is_banned, UNBANNED_ERRORS.unban_not_banned);
    return { witness, charge };
  },
  apply(s, op, { witness, charge }) {
    s.modify(witnessObject, witness, (o) => {
      o.previous_missed = o.total_missed;
      o.is_banned = false;
    });
    applyPledge(s, op.witness_account, charge);
    s.modify(witnessObject, witness, (o) => {
      o.is_valid = true;
    });
    return VOID_RESULT;
  },
});
