import { PrivateKey } from '../../crypto/private-key.js';
import { publicKeyToText } from '../../crypto/public-key.js';
import { formatObjectId } from '../../protocol/ids.js';
import { accountObject } from '../../state/objects/account.js';
import { isLifetimeMember } from '../../state/rules/accounts.js';
import type { ReadState } from '../../state/views.js';

/**
 * The development network of genesis/dev.json. Its keys are the sha256 of public texts: everybody has them, nothing on
 * such a chain is worth anything.
 */

export interface DevAccount {
  readonly name: string;
  /** Owner and active key are the same, so that one signature does everything. */
  readonly key: PrivateKey;
}

const account = (name: string): DevAccount => ({ name, key: PrivateKey.fromSeed(`trustnode dev ${name}`) });

/** Funded in the genesis file; the first one is a lifetime member. */
export const DEV_ACCOUNTS: readonly DevAccount[] = [account('alice'), account('bob'), account('carol')];

/** One of those that the operator may have asked for; counted from 1. */
export const moreDevAccount = (number: number): DevAccount => account(`dev-${number}`);

/** Accounts of the witnesses 1.6.1 to 1.6.3. */
export const DEV_WITNESS_ACCOUNTS: readonly DevAccount[] = [account('init0'), account('init1'), account('init2')];

/** Pays for accounts that scripts and SDK faucets create, and for the set-up of the chain; issuer of the core asset. */
export const DEV_FAUCET: DevAccount = account('faucet');

/** The faucet of a fork, where an account called faucet may be somebody's. */
export const FORK_FAUCET: DevAccount = account('dev-faucet');

export const DEV_WITNESSES = [1, 2, 3] as const;
export const DEV_SIGNING_KEYS: readonly PrivateKey[] = DEV_WITNESS_ACCOUNTS.map(({ name }) =>
  PrivateKey.fromSeed(`trustnode dev ${name} signing`),
);

export interface DevAccountEntry {
  readonly name: string;
  readonly id: string;
  readonly wif: string;
  readonly public_key: string;
  readonly lifetime_member: boolean;
}

/** What dev-accounts.json and the banner say. */
export function devAccountEntries(state: ReadState): DevAccountEntry[] {
  return [...DEV_ACCOUNTS, FORK_FAUCET, ...moreAccounts(state)].flatMap(({ name, key }) => {
    const account = state.findBy(accountObject.by.name, name);
    // On a fork of another chain it may be somebody else's.
    const isOurs = account?.active.key_auths.some(([one]) => one === key.publicKey) === true;
    if (account === undefined || !isOurs) return [];
    return {
      name,
      id: formatObjectId(1, 2, account.id),
      wif: key.toWif(),
      public_key: publicKeyToText(key.publicKey, state.network.keyPrefix),
      lifetime_member: isLifetimeMember(account),
    };
  });
}

/** As many as the chain was begun with. */
function* moreAccounts(state: ReadState): Generator<DevAccount> {
  for (let number = 1; ; number++) {
    const one = moreDevAccount(number);
    if (state.findBy(accountObject.by.name, one.name) === undefined) return;
    yield one;
  }
}
