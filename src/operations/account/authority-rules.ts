import { check, defineErrors } from '../../base/errors.js';
import { type AccountOptions, type Authority, authoritySize, isImpossible } from '../../protocol/authority.js';
import { VOTE_TYPE, voteType } from '../../protocol/vote.js';

/** What is checked of an account's authorities and options without looking at the state. */
export const ACCOUNT_RULE_ERRORS = defineErrors({
  authority_empty: { text: '${which}.num_auths() != 0: ' },
  authority_addresses: { text: '${which}.address_auths.size() == 0: ' },
  // The family's spelling.
  owner_impossible: {
    text: '!owner.is_impossible(): cannot create an account with an imposible owner authority threshold',
  },
  active_impossible: {
    text: '!active.is_impossible(): cannot create an account with an imposible active authority threshold',
  },
  too_few_votes: { text: 'has enough votes: fewer ${which} votes than the number that is voted for' },
  top_holders_zero: { text: 'num_top_holders > 0: ' },
});

/** Owner and active in the reference's order: members of each, then reachability of each. */
export function validateAuthorities(authorities: readonly (readonly ['owner' | 'active', Authority])[]): void {
  for (const [which, authority] of authorities) {
    check(authoritySize(authority) !== 0, ACCOUNT_RULE_ERRORS.authority_empty, { which });
    check(authority.address_auths.length === 0, ACCOUNT_RULE_ERRORS.authority_addresses, { which });
  }
  for (const [which, authority] of authorities) {
    check(!isImpossible(authority), ACCOUNT_RULE_ERRORS[`${which}_impossible`]);
  }
}

/** There must be at least as many votes as seats that the account asks for. */
export function validateAccountOptions(options: AccountOptions): void {
  let witnesses = 0;
  let committee = 0;
  for (const vote of options.votes) {
    if (voteType(vote) === VOTE_TYPE.witness) witnesses++;
    if (voteType(vote) === VOTE_TYPE.committee) committee++;
  }
  check(witnesses >= options.num_witness, ACCOUNT_RULE_ERRORS.too_few_votes, { which: 'witness' });
  check(committee >= options.num_committee, ACCOUNT_RULE_ERRORS.too_few_votes, { which: 'committee member' });
}

export function validateSpecialAuthority(
  special: readonly [0, object] | readonly [1, { num_top_holders: number }] | undefined,
): void {
  if (special === undefined || special[0] === 0) return;
  check(special[1].num_top_holders > 0, ACCOUNT_RULE_ERRORS.top_holders_zero);
}
