import { check, defineErrors } from '../../base/errors.js';
import { committeeMemberUpdateOperation } from '../../protocol/operations/governance.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { committeeMemberObject } from '../../state/objects/committee-member.js';
import { applyPledge, evaluatePledge } from '../../state/rules/pledge.js';
import { checkFee, checkNewUrl } from '../checks.js';
import { defineOperation } from '../define.js';

export const COMMITTEE_MEMBER_UPDATE_ERRORS = defineErrors({
  committee_member_update_not_owner: {
    text: '_db.get(op.committee_member).committee_member_account == op.committee_member_account: ',
    hint: 'the committee member is that of another account',
  },
});

export const committeeMemberUpdate = defineOperation({
  ...committeeMemberUpdateOperation,
  payer: (op) => op.committee_member_account,
  validate(op) {
    checkFee(op);
    checkNewUrl(op.new_url);
  },
  evaluate(s, op) {
    const member = s.get(committeeMemberObject, op.committee_member);
    const isOwner = member.committee_member_account === op.committee_member_account;
    check(isOwner, COMMITTEE_MEMBER_UPDATE_ERRORS.committee_member_update_not_owner);
    const charge = s.active('HF_1129') ? evaluatePledge(s, op.committee_member_account) : 0n;
    return { member, charge };
  },
  apply(s, op, { member, charge }) {
    const url = op.new_url;
    if (url !== undefined) {
      s.modify(committeeMemberObject, member, (o) => {
        o.url = url;
      });
    }
    applyPledge(s, op.committee_member_account, charge);
    if (s.active('HF_1129')) {
      s.modify(committeeMemberObject, member, (o) => {
        o.is_valid = true;
      });
    }
    return VOID_RESULT;
  },
});
