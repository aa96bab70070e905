import { check, defineErrors } from '../../base/errors.js';
import { trustNodePledgeWithdrawOperation } from '../../protocol/operations/governance.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { committeeMemberObject } from '../../state/objects/committee-member.js';
import { trustNodePledgeObject } from '../../state/objects/trust-node-pledge.js';
import { witnessObject } from '../../state/objects/witness.js';
import { parameters } from '../../state/rules/parameters.js';
import { depositLazily } from '../../state/rules/vesting.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';

export const PLEDGE_WITHDRAW_ERRORS = defineErrors({
  pledge_none: { text: 'pledge_itr != pledge_idx.end(): have no pledge' },
  pledge_no_trust_node: {
    text: 'witness_itr != witness_idx.end() || committee_itr != committee_idx.end(): witness and committee of this account not exist',
  },
});

/** A trust node gives up: its pledge vests back, and it no longer counts as valid. */
export const trustNodePledgeWithdraw = defineOperation({
  ...trustNodePledgeWithdrawOperation,
  payer: (op) => op.witness_account,
  validate: checkFee,
  evaluate(s, op) {
    const pledge = s.findBy(trustNodePledgeObject.by.owner, op.witness_account);
    check(pledge !== undefined, PLEDGE_WITHDRAW_ERRORS.pledge_none);
    const witness = s.findBy(witnessObject.by.account, op.witness_account);
    const member = s.findBy(committeeMemberObject.by.account, op.witness_account);
    check(witness !== undefined || member !== undefined, PLEDGE_WITHDRAW_ERRORS.pledge_no_trust_node);
    return { pledge, witness, member };
  },
  apply(s, op, { pledge, witness, member }) {
    depositLazily(s, {
      existing: undefined,
      amount: pledge.amount.amount,
      seconds: parameters(s).cashback_vesting_period_seconds,
      owner: op.witness_account,
      mustVest: true,
    });
    s.remove(trustNodePledgeObject, pledge);
    if (witness !== undefined) {
      s.modify(witnessObject, witness, (o) => {
        o.is_valid = false;
      });
    }
    if (member !== undefined) {
      s.modify(committeeMemberObject, member, (o) => {
        o.is_valid = false;
      });
    }
    return VOID_RESULT;
  },
});
