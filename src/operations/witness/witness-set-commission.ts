import { check, defineErrors } from '../../base/errors.js';
import { witnessSetCommissionOperation } from '../../protocol/operations/governance.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { witnessObject } from '../../state/objects/witness.js';
import { voteParameters } from '../../state/rules/parameters.js';
import { applyPledge, evaluatePledge } from '../../state/rules/pledge.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';

export const SET_COMMISSION_ERRORS = defineErrors({
  commission_not_witness: {
    text: '_db.get(op.witness).witness_account == op.witness_account: ',
    hint: 'the trust node is that of another account',
  },
  commission_rate: {
    text: 'op.commission_rate >= 0 && op.commission_rate <= 1000: ',
    hint: 'a commission is at most 1000 per mille',
  },
  commission_too_soon: {
    text: 'std::fabs(delta_seconds) >= _db.get_vote_params().set_commission_interval: the modification time is not yet up',
  },
});

/** Per mille. */
const COMMISSION_RATE_MAX = 1000;

/** Sets the share of its reward that a trust node hands on to its stakers. */
export const witnessSetCommission = defineOperation({
  ...witnessSetCommissionOperation,
  payer: (op) => op.witness_account,
  validate: checkFee,
  evaluate(s, op) {
    const witness = s.get(witnessObject, op.witness);
    check(witness.witness_account === op.witness_account, SET_COMMISSION_ERRORS.commission_not_witness);
    const charge = evaluatePledge(s, op.witness_account);
    check(op.commission_rate <= COMMISSION_RATE_MAX, SET_COMMISSION_ERRORS.commission_rate);
    const passed = Math.abs((s.headTime - witness.commission_update_time) | 0);
    check(passed >= voteParameters(s).set_commission_interval, SET_COMMISSION_ERRORS.commission_too_soon);
    return { witness, charge };
  },
  apply(s, op, { witness, charge }) {
    s.modify(witnessObject, witness, (o) => {
      o.commission_rate = op.commission_rate;
      o.commission_update_time = s.headTime;
    });
    applyPledge(s, op.witness_account, charge);
    s.modify(witnessObject, witness, (o) => {
      o.is_valid = true;
    });
    return VOID_RESULT;
  },
});
