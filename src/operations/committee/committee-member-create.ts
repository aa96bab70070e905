import { check, defineErrors } from '../../base/errors.js';
import { committeeMemberCreateOperation } from '../../protocol/operations/governance.js';
import { VOTE_TYPE } from '../../protocol/vote.js';
import { accountObject } from '../../state/objects/account.js';
import { committeeMemberObject } from '../../state/objects/committee-member.js';
import { isLifetimeMember } from '../../state/rules/accounts.js';
import { applyPledge, evaluatePledge } from '../../state/rules/pledge.js';
import { checkFee, checkUrl } from '../checks.js';
import { createdResult } from '../created.js';
import { defineOperation } from '../define.js';
import { takeVoteId } from '../vote-ids.js';

export const COMMITTEE_MEMBER_CREATE_ERRORS = defineErrors({
  committee_member_not_lifetime: {
    text: '_db.get(op.committee_member_account).is_lifetime_member(): ',
    hint: 'only lifetime members can become a committee member',
  },
});

export const committeeMemberCreate = defineOperation({
  ...committeeMemberCreateOperation,
  payer: (op) => op.committee_member_account,
  validate(op) {
    checkFee(op);
    checkUrl(op.url);
  },
  evaluate(s, op) {
    const account = s.get(accountObject, op.committee_member_account);
    check(isLifetimeMember(account), COMMITTEE_MEMBER_CREATE_ERRORS.committee_member_not_lifetime);
    return s.active('HF_1129') ? evaluatePledge(s, account.id) : 0n;
  },
  apply(s, op, charge) {
    const vote_id = takeVoteId(s, VOTE_TYPE.committee);
    const created = s.create(committeeMemberObject, {
      committee_member_account: op.committee_member_account,
      vote_id,
      total_votes: 0n,
      url: op.url,
      is_valid: true,
    });
    applyPledge(s, op.committee_member_account, charge);
    return createdResult(committeeMemberObject, created.id);
  },
});
