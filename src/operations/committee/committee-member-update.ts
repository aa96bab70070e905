import { check, defineErrors } from '../../base/errors.js';
import { optional } from '../../codec/containers.js';
import { text } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { accountId, committeeMemberId } from '../../protocol/ids.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { committeeMemberObject } from '../../state/objects/committee-member.js';
import { applyPledge, evaluatePledge } from '../../state/rules/pledge.js';
import { checkFee, checkNewUrl } from '../checks.js';
import { defineOperation } from '../define.js';
import { flatFee } from '../fee-kinds.js';

export const COMMITTEE_MEMBER_UPDATE_ERRORS = defineErrors({
  committee_member_update_not_owner: {
    text: '_db.get(op.committee_member).committee_member_account == op.committee_member_account: ',
    hint: 'the committee member is that of another account',
  },
});

export const committeeMemberUpdate = defineOperation({
  tag: 30,
  name: 'committee_member_update',
  schema: struct('committee_member_update', {
    fee: asset,
    committee_member: committeeMemberId,
    committee_member_account: accountId,
    new_url: optional(text),
  }),
  fee: flatFee(2_000_000n),
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
