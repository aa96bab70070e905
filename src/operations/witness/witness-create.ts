import { check, defineErrors } from '../../base/errors.js';
import { witnessCreateOperation } from '../../protocol/operations/governance.js';
import { VOTE_TYPE } from '../../protocol/vote.js';
import { accountObject } from '../../state/objects/account.js';
import { witnessObject } from '../../state/objects/witness.js';
import { isLifetimeMember } from '../../state/rules/accounts.js';
import { applyPledge, evaluatePledge } from '../../state/rules/pledge.js';
import { checkFee, checkUrl } from '../checks.js';
import { createdResult } from '../created.js';
import { defineOperation } from '../define.js';
import { takeVoteId } from '../vote-ids.js';

export const WITNESS_CREATE_ERRORS = defineErrors({
  witness_not_lifetime: {
    text: '_db.get(op.witness_account).is_lifetime_member(): ',
    hint: 'only lifetime members can become a trust node',
  },
});

/** An account becomes a candidate for block production, called trust node. */
export const witnessCreate = defineOperation({
  ...witnessCreateOperation,
  payer: (op) => op.witness_account,
  validate(op) {
    checkFee(op);
    checkUrl(op.url);
  },
  evaluate(s, op) {
    const account = s.get(accountObject, op.witness_account);
    check(isLifetimeMember(account), WITNESS_CREATE_ERRORS.witness_not_lifetime);
    return s.active('HF_1129') ? evaluatePledge(s, op.witness_account) : 0n;
  },
  apply(s, op, charge) {
    const vote_id = takeVoteId(s, VOTE_TYPE.witness);
    const created = s.create(witnessObject, {
      witness_account: op.witness_account,
      last_aslot: 0n,
      signing_key: op.block_signing_key,
      pay_vb: undefined,
      vote_id,
      total_votes: 0n,
      url: op.url,
      total_missed: 0n,
      last_confirmed_block_num: 0,
      is_valid: true,
      total_vote_weights: 0n,
      vote_reward_pool: 0n,
      commission_rate: 0,
      commission_update_time: 0,
      previous_missed: 0n,
      is_banned: false,
    });
    applyPledge(s, op.witness_account, charge);
    return createdResult(witnessObject, created.id);
  },
});
