import { encodeWith } from '../codec/binary.js';
import { addressOfKey } from '../crypto/address.js';
import { signatureDigest } from '../crypto/digests.js';
import { PrivateKey } from '../crypto/private-key.js';
import { publicKeyToText } from '../crypto/public-key.js';
import { signatureBackend } from '../crypto/signature.js';
import { makeAsset } from '../protocol/asset.js';
import { formatObjectId, ORIGINAL_CORE_ASSET } from '../protocol/ids.js';
import { keyPrefix } from '../protocol/networks.js';
import type { Operation, OperationBody } from '../protocol/operation-slot.js';
import { type SignedTransaction, transaction } from '../protocol/transaction.js';
import { accountObject } from '../state/objects/account.js';
import { balanceObject } from '../state/objects/balance.js';
import { isLifetimeMember } from '../state/rules/accounts.js';
import type { ReadState } from '../state/views.js';

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

/** Pays for accounts that scripts and SDK faucets create. */
const FAUCET = account('faucet');

const BALANCE_CLAIM = 37;
/** Claims must not be remembered for ever; the first block comes long before. */
const CLAIM_LIFETIME_SEC = 3600;

/**
 * Genesis balances belong to addresses and must be claimed. A claim pays its fee of 0 in the original core asset, which
 * is impossible once fork 1008 is active; in block 1 the rules of the genesis time still hold. Therefore the node that
 * begins a development chain puts these transactions into its first block, and everybody finds the money in place.
 */
export function genesisClaims(state: ReadState): SignedTransaction[] {
  const claims: SignedTransaction[] = [];
  for (const owner of [...DEV_ACCOUNTS, ...DEV_WITNESS_ACCOUNTS, FAUCET]) {
    const account = state.findBy(accountObject.by.name, owner.name);
    const address = addressOfKey(owner.key.publicKey);
    if (account === undefined) continue;
    const operations = state.group(balanceObject.by.owner, address).map((balance): Operation => {
      const body = {
        fee: makeAsset(0n, ORIGINAL_CORE_ASSET),
        deposit_to_account: account.id,
        balance_to_claim: balance.id,
        balance_owner_key: owner.key.publicKey,
        total_claimed: balance.balance,
      };
      return [BALANCE_CLAIM, body as OperationBody];
    });
    if (operations.length > 0) claims.push(signed(state, operations, owner.key));
  }
  return claims;
}

/** The first block's transactions refer to no block before them. */
function signed(state: ReadState, operations: Operation[], key: PrivateKey): SignedTransaction {
  const body = {
    ref_block_num: 0,
    ref_block_prefix: 0,
    expiration: state.headTime + CLAIM_LIFETIME_SEC,
    operations,
    extensions: [],
  };
  const digest = encodeWith(transaction, body, (bytes) => signatureDigest(state.chainId, bytes));
  return { ...body, signatures: [signatureBackend().sign(digest, key)] };
}

export interface DevAccountEntry {
  readonly name: string;
  readonly id: string;
  readonly wif: string;
  readonly public_key: string;
  readonly lifetime_member: boolean;
}

/** What dev-accounts.json and the banner say. */
export function devAccountEntries(state: ReadState): DevAccountEntry[] {
  return DEV_ACCOUNTS.flatMap(({ name, key }) => {
    const account = state.findBy(accountObject.by.name, name);
    if (account === undefined) return [];
    return {
      name,
      id: formatObjectId(1, 2, account.id),
      wif: key.toWif(),
      public_key: publicKeyToText(key.publicKey, keyPrefix()),
      lifetime_member: isLifetimeMember(account),
    };
  });
}
