import { PrivateKey } from '../crypto/private-key.js';

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

/** Accounts of the witnesses 1.6.1 to 1.6.3. */
export const DEV_WITNESS_ACCOUNTS: readonly DevAccount[] = [account('init0'), account('init1'), account('init2')];

export const DEV_WITNESSES = [1, 2, 3] as const;
export const DEV_SIGNING_KEYS: readonly PrivateKey[] = DEV_WITNESS_ACCOUNTS.map(({ name }) =>
  PrivateKey.fromSeed(`trustnode dev ${name} signing`),
);
