import { ChainError, check, defineErrors } from '../base/errors.js';
import { authority, type RequiredAuthorities } from '../protocol/authority.js';
import { COMMITTEE_ACCOUNT, compareInstances, type Instance } from '../protocol/ids.js';
import type { Operation } from '../protocol/operation-slot.js';
import { accountObject } from '../state/objects/account.js';
import { AuthorityWalk } from '../state/rules/authority-walk.js';
import { parameters } from '../state/rules/parameters.js';
import type { ReadState } from '../state/views.js';
import { definitionOf } from './registered.js';

export const AUTHORITY_ERRORS = defineErrors({
  active_auth_missing: {
    code: 3030001,
    name: 'tx_missing_active_auth',
    title: 'missing required active authority',
    text: 'Missing Active Authority ${id}',
  },
  owner_auth_missing: {
    code: 3030002,
    name: 'tx_missing_owner_auth',
    title: 'missing required owner authority',
    text: 'Missing Owner Authority ${id}',
  },
  other_auth_missing: {
    code: 3030003,
    name: 'tx_missing_other_auth',
    title: 'missing required other authority',
    text: 'Missing Authority',
  },
  signature_irrelevant: {
    code: 3030004,
    name: 'tx_irrelevant_sig',
    title: 'irrelevant signature included',
    text: 'Unnecessary signature(s) detected',
  },
  signature_duplicate: {
    code: 3030005,
    name: 'tx_duplicate_sig',
    title: 'duplicate signature included',
    text: 'Duplicate Signature detected',
  },
  committee_approval_invalid: {
    code: 3030006,
    name: 'invalid_committee_approval',
    title: 'committee account cannot directly approve transaction',
    text: 'Committee account may only propose transactions',
  },
});

/** What all operations of a transaction demand together: every payer's active authority, and what each asks besides. */
export function requiredAuthorities(operations: readonly Operation[]): RequiredAuthorities {
  const required: RequiredAuthorities = { active: new Set(), owner: new Set(), other: [] };
  for (const [tag, body] of operations) {
    const definition = definitionOf(tag);
    required.active.add(definition.payer(body));
    definition.authorities?.(body, required);
  }
  return required;
}

export interface AuthorityProof {
  /** Keys that signed, or key approvals of a proposal. */
  readonly keys: readonly string[];
  readonly activeApprovals?: readonly Instance[];
  readonly ownerApprovals?: readonly Instance[];
  /** Only proposals may act for the committee account. */
  readonly allowsCommittee?: boolean;
}

const ascending = (accounts: ReadonlySet<Instance>): Iterable<Instance> =>
  accounts.size < 2 ? accounts : [...accounts].sort(compareInstances);

/** Refuses when something is missing, and when a key was not needed. */
export function verifyAuthority(state: ReadState, required: RequiredAuthorities, proof: AuthorityProof): void {
  if (proof.allowsCommittee !== true) {
    check(!required.active.has(COMMITTEE_ACCOUNT), AUTHORITY_ERRORS.committee_approval_invalid);
  }
  const owners = proof.ownerApprovals ?? [];
  const walk = new AuthorityWalk(state, proof.keys, parameters(state).max_authority_depth, [
    ...(proof.activeApprovals ?? []),
    ...owners,
  ]);
  for (const other of required.other) {
    check(walk.isSatisfied(other), AUTHORITY_ERRORS.other_auth_missing, () => ({ auth: authority.toJson(other) }));
  }
  for (const id of ascending(required.active)) {
    if (walk.isApproved(id)) continue;
    const account = state.get(accountObject, id);
    const isSatisfied = walk.isSatisfied(account.active) || walk.isSatisfied(account.owner);
    check(isSatisfied, AUTHORITY_ERRORS.active_auth_missing, () => ({
      id: `1.2.${id}`,
      auth: authority.toJson(account.active),
      owner: authority.toJson(account.owner),
    }));
  }
  for (const id of ascending(required.owner)) {
    if (owners.includes(id)) continue;
    const { owner } = state.get(accountObject, id);
    check(walk.isSatisfied(owner), AUTHORITY_ERRORS.owner_auth_missing, () => ({
      id: `1.2.${id}`,
      auth: authority.toJson(owner),
    }));
  }
  check(walk.allKeysUsed, AUTHORITY_ERRORS.signature_irrelevant);
}

/** The same question where an answer is wanted, not a refusal. */
export function isAuthorized(state: ReadState, required: RequiredAuthorities, proof: AuthorityProof): boolean {
  try {
    verifyAuthority(state, required, proof);
    return true;
  } catch (error) {
    if (error instanceof ChainError) return false;
    throw error;
  }
}
