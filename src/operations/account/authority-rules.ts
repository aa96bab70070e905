import { check, defineErrors } from '../../base/errors.js';
import { type AccountOptions, type Authority, authoritySize, isImpossible } from '../../protocol/authority.js';
import { VOTE_TYPE, voteType } from '../../protocol/vote.js';

const EMPTY_HINT = 'the authority has no members';
const ADDRESSES_HINT = 'addresses can not be members of an authority';

/** What is checked of an account's authorities and options without looking at the state. */
export const ACCOUNT_RULE_ERRORS = defineErrors({
  create_owner_empty: { text: 'owner.num_auths() != 0: ', hint: EMPTY_HINT },
  create_active_empty: { text: 'active.num_auths() != 0: ', hint: EMPTY_HINT },
  create_owner_addresses: { text: 'owner.address_auths.size() == 0: ', hint: ADDRESSES_HINT },
  create_active_addresses: { text: 'active.address_auths.size() == 0: ', hint: ADDRESSES_HINT },
  // The family's spelling.
  create_owner_impossible: {
    text: '!owner.is_impossible(): cannot create an account with an imposible owner authority threshold',
  },
  create_active_impossible: {
    text: '!active.is_impossible(): cannot create an account with an imposible active authority threshold',
  },
  update_owner_empty: { text: 'owner->num_auths() != 0: ', hint: EMPTY_HINT },
  update_active_empty: { text: 'active->num_auths() != 0: ', hint: EMPTY_HINT },
  update_owner_addresses: { text: 'owner->address_auths.size() == 0: ', hint: ADDRESSES_HINT },
  update_active_addresses: { text: 'active->address_auths.size() == 0: ', hint: ADDRESSES_HINT },
  update_owner_impossible: {
    text: '!owner->is_impossible(): cannot update an account with an imposible owner authority threshold',
  },
  update_active_impossible: {
    text: '!active->is_impossible(): cannot update an account with an imposible active authority threshold',
  },
  too_few_witness_votes: {
    text: 'needed_witnesses == 0: May not specify fewer witnesses than the number voted for.',
  },
  too_few_committee_votes: {
    text: 'needed_committee == 0: May not specify fewer committee members than the number voted for.',
  },
  top_holders_zero: { text: 'a.num_top_holders > 0: ', hint: 'a special authority must have at least one holder' },
});

type Which = 'owner' | 'active';

function checkMembers(of: 'create' | 'update', which: Which, authority: Authority): void {
  check(authoritySize(authority) !== 0, ACCOUNT_RULE_ERRORS[`${of}_${which}_empty`]);
  check(authority.address_auths.length === 0, ACCOUNT_RULE_ERRORS[`${of}_${which}_addresses`]);
}

function checkPossible(of: 'create' | 'update', which: Which, authority: Authority): void {
  check(!isImpossible(authority), ACCOUNT_RULE_ERRORS[`${of}_${which}_impossible`]);
}

/** The members of both come before the question whether they can reach their thresholds. */
export function validateNewAuthorities(owner: Authority, active: Authority): void {
  checkMembers('create', 'owner', owner);
  checkMembers('create', 'active', active);
  checkPossible('create', 'owner', owner);
  checkPossible('create', 'active', active);
}

/** Unlike those of a new account, one after the other. */
export function validateChangedAuthority(which: Which, authority: Authority | undefined): void {
  if (authority === undefined) return;
  checkMembers('update', which, authority);
  checkPossible('update', which, authority);
}

/** There must be at least as many votes as seats that the account asks for. */
export function validateAccountOptions(options: AccountOptions): void {
  let witnesses = 0;
  let committee = 0;
  for (const vote of options.votes) {
    if (voteType(vote) === VOTE_TYPE.witness) witnesses++;
    if (voteType(vote) === VOTE_TYPE.committee) committee++;
  }
  check(witnesses >= options.num_witness, ACCOUNT_RULE_ERRORS.too_few_witness_votes);
  check(committee >= options.num_committee, ACCOUNT_RULE_ERRORS.too_few_committee_votes);
}

export function validateSpecialAuthority(
  special: readonly [0, object] | readonly [1, { num_top_holders: number }] | undefined,
): void {
  if (special === undefined || special[0] === 0) return;
  check(special[1].num_top_holders > 0, ACCOUNT_RULE_ERRORS.top_holders_zero);
}
