import { check, defineErrors } from '../../base/errors.js';
import { type AccountOptions, type Authority, authoritySize } from '../../protocol/authority.js';
import { voteId, voteInstance } from '../../protocol/vote.js';
import { accountObject } from '../objects/account.js';
import { globalPropertyObject } from '../objects/global-property.js';
import type { ReadState } from '../views.js';
import { parameters } from './parameters.js';

/** Checks on authorities and votes that account creation and account update share. */

const row = (code: number, name: string, title: string, text: string) => ({ code, name, title, text });
const FAN_OUT = 'Exceeds max authority fan-out';
const NOT_FOUND = 'Auth account not found';
const TOO_MANY = 'Maximum authority membership exceeded';
const MISSING = 'Account ${a} specified in authority does not exist';

export const AUTHORITY_MEMBER_ERRORS = defineErrors({
  account_create_max_auth: row(3050501, 'account_create_max_auth_exceeded', FAN_OUT, TOO_MANY),
  account_create_auth_missing: row(3050502, 'account_create_auth_account_not_found', NOT_FOUND, MISSING),
  account_update_max_auth: row(3050601, 'account_update_max_auth_exceeded', FAN_OUT, TOO_MANY),
  account_update_auth_missing: row(3050602, 'account_update_auth_account_not_found', NOT_FOUND, MISSING),
});

export const VOTE_CHECK_ERRORS = defineErrors({
  votes_witness_count: {
    text: 'options.num_witness <= chain_params.maximum_witness_count: Voted for more witnesses than currently allowed (${c})',
  },
  votes_committee_count: {
    text: 'options.num_committee <= chain_params.maximum_committee_count: Voted for more committee members than currently allowed (${c})',
  },
  votes_proxy_missing: { text: 'db.find_object(options.voting_account): Invalid proxy account specified.' },
  votes_unknown: { text: 'id < max_vote_id: assert ${a} < ${b} failed' },
});

export function checkAuthorityMembers(s: ReadState, auth: Authority, of: 'account_create' | 'account_update'): void {
  const max = parameters(s).maximum_authority_membership;
  check(authoritySize(auth) <= max, AUTHORITY_MEMBER_ERRORS[`${of}_max_auth`]);
  for (const [account] of auth.account_auths) {
    const exists = s.find(accountObject, account) !== undefined;
    check(exists, AUTHORITY_MEMBER_ERRORS[`${of}_auth_missing`], () => ({ a: `1.2.${account}` }));
  }
}

export function checkVotes(s: ReadState, options: AccountOptions): void {
  const p = parameters(s);
  check(options.num_witness <= p.maximum_witness_count, VOTE_CHECK_ERRORS.votes_witness_count, {
    c: p.maximum_witness_count,
  });
  check(options.num_committee <= p.maximum_committee_count, VOTE_CHECK_ERRORS.votes_committee_count, {
    c: p.maximum_committee_count,
  });
  check(s.find(accountObject, options.voting_account) !== undefined, VOTE_CHECK_ERRORS.votes_proxy_missing);
  const next = s.single(globalPropertyObject).next_available_vote_id;
  for (const id of options.votes) {
    check(voteInstance(id) < next, VOTE_CHECK_ERRORS.votes_unknown, () => ({ a: voteId.toJson(id), b: next }));
  }
}
