import type { Network } from '../codec/type.js';
import { AccountSet, type Authority, type RequiredAuthorities } from '../protocol/authority.js';
import type { AuthorityProof, AuthoritySource, KeysAtHand } from '../protocol/authority-check.js';
import * as authorityCheck from '../protocol/authority-check.js';
import { COMMITTEE_ACCOUNT, type Instance, TEMP_ACCOUNT } from '../protocol/ids.js';
import type { Operation } from '../protocol/operation-slot.js';
import { accountObject } from '../state/objects/account.js';
import { parameters } from '../state/rules/parameters.js';
import type { ReadState } from '../state/views.js';
import { definitionOf } from './registered.js';

/** What all operations of a transaction demand together: every payer's active authority, and what each asks besides. */
export function requiredAuthorities(operations: readonly Operation[]): RequiredAuthorities {
  const required: RequiredAuthorities = { active: new AccountSet(), owner: new AccountSet(), other: [] };
  for (const [tag, body] of operations) {
    const definition = definitionOf(tag);
    required.active.add(definition.payer(body));
    definition.authorities?.(body, required);
  }
  return required;
}

/** The accounts of the state, for the questions of authority-check. */
class StateAuthorities implements AuthoritySource {
  readonly #state: ReadState;

  constructor(state: ReadState) {
    this.#state = state;
  }

  get depthMax(): number {
    return parameters(this.#state).max_authority_depth;
  }

  get network(): Network {
    return this.#state.network;
  }

  active(account: Instance): Authority {
    return this.#state.get(accountObject, account).active;
  }

  owner(account: Instance): Authority {
    return this.#state.get(accountObject, account).owner;
  }
}

export const authoritySource = (state: ReadState): AuthoritySource => new StateAuthorities(state);

/** The account that all these operations ask for, if they ask for nothing else. */
function onlyPayerOf(operations: readonly Operation[]): Instance | undefined {
  let only: Instance | undefined;
  for (const [tag, body] of operations) {
    const definition = definitionOf(tag);
    const account = definition.payer(body);
    if (definition.authorities !== undefined || (only ?? account) !== account) return undefined;
    only = account;
  }
  return only;
}

/**
 * Nearly every transaction: one key, for one account alone whose active authority begins with it and asks for no more. False
 * says nothing, `verifyAuthority` has to be asked then; true is what it would come to.
 */
export function isPlainlySigned(state: ReadState, operations: readonly Operation[], keys: readonly string[]): boolean {
  if (keys.length !== 1) return false;
  const account = onlyPayerOf(operations);
  if (account === undefined || account === COMMITTEE_ACCOUNT || account === TEMP_ACCOUNT) return false;
  return state.plainKey(account) === keys[0];
}

/** Refuses when something is missing, and when a key was not needed. */
export function verifyAuthority(state: ReadState, required: RequiredAuthorities, proof: AuthorityProof): void {
  authorityCheck.verifyAuthority(authoritySource(state), required, proof);
}

export function isAuthorized(state: ReadState, required: RequiredAuthorities, proof: AuthorityProof): boolean {
  return authorityCheck.isAuthorized(authoritySource(state), required, proof);
}

/** Which of the available keys should sign a transaction. */
export function requiredSignatures(state: ReadState, operations: readonly Operation[], atHand: KeysAtHand): string[] {
  return authorityCheck.requiredSignatures(authoritySource(state), requiredAuthorities(operations), atHand);
}

/** Every key that could play a part in signing. */
export function potentialKeys(state: ReadState, operations: readonly Operation[], signed: readonly string[]): string[] {
  return authorityCheck.potentialKeys(authoritySource(state), requiredAuthorities(operations), signed);
}

/** Every address of old that could play a part in signing. */
export function potentialAddresses(
  state: ReadState,
  operations: readonly Operation[],
  signed: readonly string[],
): string[] {
  return authorityCheck.potentialAddresses(authoritySource(state), requiredAuthorities(operations), signed);
}
