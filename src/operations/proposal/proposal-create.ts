import { check, defineErrors } from '../../base/errors.js';
import { wrapU32 } from '../../base/int.js';
import type { ValueOf } from '../../codec/type.js';
import { COMMITTEE_ACCOUNT, compareInstances, type Instance } from '../../protocol/ids.js';
import { proposalCreateOperation } from '../../protocol/operations/governance.js';
import { proposalObject } from '../../state/objects/proposal.js';
import { parameters } from '../../state/rules/parameters.js';
import { requiredAuthorities } from '../authorities.js';
import { type Burden, countBurden } from '../burdens.js';
import { createdResult } from '../created.js';
import { defineOperation } from '../define.js';
import { validateOperation } from '../validation.js';

export const PROPOSAL_CREATE_ERRORS = defineErrors({
  proposal_empty: { text: '!proposed_ops.empty(): ', hint: 'a proposal proposes at least one operation' },
  proposal_expired: {
    text: 'o.expiration_time > d.head_block_time(): Proposal has already expired on creation.',
  },
  proposal_too_long: {
    text: 'o.expiration_time <= d.head_block_time() + global_parameters.maximum_proposal_lifetime: Proposal expiration time is too far in the future.',
  },
  proposal_review_too_long: {
    text: '!o.review_period_seconds || fc::seconds(*o.review_period_seconds) < (o.expiration_time - d.head_block_time()): Proposal review period must be less than its overall lifetime.',
  },
  proposal_other_authority: {
    text: 'other.size() == 0: ',
    hint: 'operations that need keys besides those of their accounts can not be proposed',
  },
  proposal_review_too_short: {
    code: 3052202,
    name: 'proposal_create_review_period_insufficient',
    title: 'review_period insufficient',
    text: 'Review period of ${t} specified, but at least ${min} required',
  },
});

function countProposed(burden: Burden, { proposed_ops }: ValueOf<typeof proposalCreateOperation.schema>): number {
  return countBurden(
    burden,
    proposed_ops.map(({ op }) => op),
  );
}

const sorted = (accounts: Iterable<Instance>): Instance[] => [...accounts].sort(compareInstances);

export const proposalCreate = defineOperation({
  ...proposalCreateOperation,
  payer: (op) => op.fee_paying_account,
  validate(op) {
    // Quirk: the fee itself is not looked at here.
    check(op.proposed_ops.length > 0, PROPOSAL_CREATE_ERRORS.proposal_empty);
    for (const wrapped of op.proposed_ops) validateOperation(wrapped.op);
  },
  commitments: (op) => countProposed('commitments', op),
  heldSignatures: (op) => countProposed('heldSignatures', op),
  leagueMembers: (op) => countProposed('leagueMembers', op),
  evaluate(s, op) {
    const now = s.headTime;
    const { maximum_proposal_lifetime, committee_proposal_review_period } = parameters(s);
    check(op.expiration_time > now, PROPOSAL_CREATE_ERRORS.proposal_expired);
    const latest = wrapU32(now + maximum_proposal_lifetime);
    check(op.expiration_time <= latest, PROPOSAL_CREATE_ERRORS.proposal_too_long);
    const review = op.review_period_seconds;
    const fits = review === undefined || review < op.expiration_time - now;
    check(fits, PROPOSAL_CREATE_ERRORS.proposal_review_too_long);
    const required = requiredAuthorities(op.proposed_ops.map((wrapped) => wrapped.op));
    check(required.other.length === 0, PROPOSAL_CREATE_ERRORS.proposal_other_authority);
    // Quirk: a committee proposal needs no review period at all, but a long enough one if it has one.
    if (review !== undefined && (required.active.has(COMMITTEE_ACCOUNT) || required.owner.has(COMMITTEE_ACCOUNT))) {
      const data = { t: review, min: committee_proposal_review_period };
      check(review >= committee_proposal_review_period, PROPOSAL_CREATE_ERRORS.proposal_review_too_short, data);
    }
    return required;
  },
  apply(s, op, required) {
    const review = op.review_period_seconds;
    const created = s.create(proposalObject, {
      expiration_time: op.expiration_time,
      review_period_time: review === undefined ? undefined : wrapU32(op.expiration_time - review),
      proposed_transaction: {
        ref_block_num: 0,
        ref_block_prefix: 0,
        expiration: op.expiration_time,
        operations: op.proposed_ops.map((wrapped) => wrapped.op),
        extensions: [],
      },
      required_active_approvals: sorted(required.active).filter((account) => !required.owner.has(account)),
      available_active_approvals: [],
      required_owner_approvals: sorted(required.owner),
      available_owner_approvals: [],
      available_key_approvals: [],
    });
    return createdResult(proposalObject, created.id);
  },
});
