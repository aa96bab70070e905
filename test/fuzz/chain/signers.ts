import type { PrivateKey } from '../../../src/crypto/private-key.js';
import { authoritySource, requiredAuthorities } from '../../../src/operations/authorities.js';
import type { Operation } from '../../../src/protocol/operation-slot.js';
import type { ChainState } from '../../../src/state/chain-state.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { minimalSignatures } from '../../support/minimal-signatures.js';
import { keyByPublic } from './keys.js';

/** Keys that may play a part: those of the accounts that are asked, and of the members of their authorities. */
function keysNear(state: ChainState, { active, owner, other }: ReturnType<typeof requiredAuthorities>): string[] {
  const accounts = new Set([...active, ...owner]);
  const keys: string[] = other.flatMap((auth) => auth.key_auths.map(([key]) => key));
  for (const auth of other) for (const [account] of auth.account_auths) accounts.add(account);
  for (const id of accounts) {
    if (accounts.size > 60) break;
    const account = state.find(accountObject, id);
    if (account === undefined) continue;
    for (const auth of [account.active, account.owner]) {
      for (const [key] of auth.key_auths) keys.push(key);
      for (const [member] of auth.account_auths) accounts.add(member);
    }
  }
  return keys.filter((key) => keyByPublic(key) !== undefined);
}

/** As few of the known keys as do, or as many as there are. */
export function signersOf(state: ChainState, operations: readonly Operation[]): PrivateKey[] {
  const required = requiredAuthorities(operations);
  const available = [...new Set(keysNear(state, required))];
  return minimalSignatures(authoritySource(state), required, { signed: [], available }).map(
    (key) => keyByPublic(key) as PrivateKey,
  );
}
