import { check, defineErrors, type ErrorRow } from '../../base/errors.js';
import { canonical } from '../../codec/containers.js';
import { emptyAuthority } from '../../protocol/authority.js';
import { compareInstances } from '../../protocol/ids.js';
import { canonicalKeys } from '../../protocol/keys.js';
import { proposalUpdateOperation } from '../../protocol/operations/governance.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { type ProposalObject, proposalObject } from '../../state/objects/proposal.js';
import type { ReadState } from '../../state/views.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { executeProposal, isProposalAuthorized } from './run.js';

const BOTH = 'Cannot add and remove approval at the same time.';

export const PROPOSAL_UPDATE_ERRORS = defineErrors({
  proposal_update_nothing: {
    text: '!(active_approvals_to_add.empty() && active_approvals_to_remove.empty() && owner_approvals_to_add.empty() && owner_approvals_to_remove.empty() && key_approvals_to_add.empty() && key_approvals_to_remove.empty()): ',
    hint: 'no approval is added or removed',
  },
  proposal_active_both: { text: `active_approvals_to_remove.find(a) == active_approvals_to_remove.end(): ${BOTH}` },
  proposal_owner_both: { text: `owner_approvals_to_remove.find(a) == owner_approvals_to_remove.end(): ${BOTH}` },
  proposal_key_both: { text: `key_approvals_to_remove.find(a) == key_approvals_to_remove.end(): ${BOTH}` },
  proposal_in_review: {
    text: 'o.active_approvals_to_add.empty() && o.owner_approvals_to_add.empty(): This proposal is in its review period. No new approvals may be added.',
  },
  proposal_active_absent: {
    text: '_proposal->available_active_approvals.find(id) != _proposal->available_active_approvals.end(): ',
    hint: 'the active approval of ${id} is not there to be removed',
  },
  proposal_owner_absent: {
    text: '_proposal->available_owner_approvals.find(id) != _proposal->available_owner_approvals.end(): ',
    hint: 'the owner approval of ${id} is not there to be removed',
  },
});

const { schema } = proposalUpdateOperation;
type ProposalUpdate = ReturnType<typeof schema.default>;

/** As many approvals as a block holds may be listed: all of this is linear in their number. */
function checkDisjoint<T extends number | string>(row: ErrorRow, toAdd: readonly T[], toRemove: readonly T[]): void {
  if (toAdd.length === 0 || toRemove.length === 0) return;
  const removed = new Set(toRemove);
  for (const approval of toAdd) check(!removed.has(approval), row, { approval });
}

function checkPresent(row: ErrorRow, toRemove: readonly number[], available: readonly number[]): void {
  if (toRemove.length === 0) return;
  const present = new Set(available);
  for (const account of toRemove) check(present.has(account), row, () => ({ id: `1.2.${account}` }));
}

function isInReview(s: ReadState, proposal: Readonly<ProposalObject>): boolean {
  return proposal.review_period_time !== undefined && s.headTime >= proposal.review_period_time;
}

function without<T>(list: readonly T[], gone: readonly T[]): T[] {
  const removed = new Set(gone);
  return list.filter((item) => !removed.has(item));
}

function updateApprovals(proposal: ProposalObject, op: ProposalUpdate): void {
  const active = canonical([...proposal.available_active_approvals, ...op.active_approvals_to_add], compareInstances);
  const owner = canonical([...proposal.available_owner_approvals, ...op.owner_approvals_to_add], compareInstances);
  const keys = canonicalKeys([...proposal.available_key_approvals, ...op.key_approvals_to_add]);
  proposal.available_active_approvals = without(active, op.active_approvals_to_remove);
  proposal.available_owner_approvals = without(owner, op.owner_approvals_to_remove);
  proposal.available_key_approvals = without(keys, op.key_approvals_to_remove);
}

export const proposalUpdate = defineOperation({
  ...proposalUpdateOperation,
  payer: (op) => op.fee_paying_account,
  authorities(op, required) {
    for (const account of op.active_approvals_to_add) required.active.add(account);
    for (const account of op.active_approvals_to_remove) required.active.add(account);
    for (const account of op.owner_approvals_to_add) required.owner.add(account);
    for (const account of op.owner_approvals_to_remove) required.owner.add(account);
    const keys = canonicalKeys([...op.key_approvals_to_add, ...op.key_approvals_to_remove]);
    // Always one, even if no key is listed: its threshold is then 0.
    required.other.push({ ...emptyAuthority(keys.length), key_auths: keys.map((key) => [key, 1]) });
  },
  validate(op) {
    checkFee(op);
    const sets = [
      op.active_approvals_to_add,
      op.active_approvals_to_remove,
      op.owner_approvals_to_add,
      op.owner_approvals_to_remove,
      op.key_approvals_to_add,
      op.key_approvals_to_remove,
    ];
    const hasAction = sets.some((approvals) => approvals.length > 0);
    check(hasAction, PROPOSAL_UPDATE_ERRORS.proposal_update_nothing);
    checkDisjoint(
      PROPOSAL_UPDATE_ERRORS.proposal_active_both,
      op.active_approvals_to_add,
      op.active_approvals_to_remove,
    );
    checkDisjoint(PROPOSAL_UPDATE_ERRORS.proposal_owner_both, op.owner_approvals_to_add, op.owner_approvals_to_remove);
    checkDisjoint(PROPOSAL_UPDATE_ERRORS.proposal_key_both, op.key_approvals_to_add, op.key_approvals_to_remove);
  },
  evaluate(s, op) {
    const proposal = s.get(proposalObject, op.proposal);
    if (isInReview(s, proposal)) {
      const addsNone = op.active_approvals_to_add.length === 0 && op.owner_approvals_to_add.length === 0;
      check(addsNone, PROPOSAL_UPDATE_ERRORS.proposal_in_review);
    }
    checkPresent(
      PROPOSAL_UPDATE_ERRORS.proposal_active_absent,
      op.active_approvals_to_remove,
      proposal.available_active_approvals,
    );
    checkPresent(
      PROPOSAL_UPDATE_ERRORS.proposal_owner_absent,
      op.owner_approvals_to_remove,
      proposal.available_owner_approvals,
    );
    return proposal;
  },
  apply(s, op, proposal, context) {
    s.modify(proposalObject, proposal, (o) => updateApprovals(o, op));
    // With a review period it waits for its expiration. A failed run changes nothing; the proposal stays.
    if (proposal.review_period_time === undefined && isProposalAuthorized(s, proposal)) {
      executeProposal(s, proposal, context);
    }
    return VOID_RESULT;
  },
});
