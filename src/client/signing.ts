import { equalBytes } from '../base/bytes.js';
import { check, defineErrors, fail } from '../base/errors.js';
import { encodeWith } from '../codec/binary.js';
import { type ChainId, signatureDigest } from '../crypto/digests.js';
import type { PrivateKey } from '../crypto/private-key.js';
import type { PublicKey } from '../crypto/public-key.js';
import { signRepeatably } from '../crypto/repeatable-signature.js';
import { type SignedTransaction, transaction } from '../protocol/transaction.js';
import type { NodeClient } from './client.js';
import { idOfTransaction } from './transactions.js';

export const COMBINING_ERRORS = defineErrors({
  combine_nothing: { text: 'there is nothing to combine' },
  combine_other: { text: 'transaction ${other} is not ${id}: only signatures of one transaction can be combined' },
});

type Asked = Pick<NodeClient, 'database'>;

/** Holds private keys. */
export interface KeyHolder {
  has(key: PublicKey): boolean;
  get(key: PublicKey): PrivateKey;
}

/** Of the keys at hand the fewest that, with those that have signed, satisfy what the transaction needs. */
export async function fewestSigners(
  { database }: Asked,
  tx: SignedTransaction,
  has: (key: PublicKey) => boolean,
): Promise<PublicKey[]> {
  // Signatures that are there can end the node's search for keys before its end.
  const potential = await database.get_potential_signatures({ trx: { ...tx, signatures: [] } });
  return database.get_required_signatures({ trx: tx, available_keys: potential.filter(has) });
}

/** What is signed. */
export function digestOf(tx: SignedTransaction, chainId: ChainId): Uint8Array {
  return encodeWith(transaction, tx, (bytes) => signatureDigest(chainId, bytes));
}

/** Adds a signature of each key, in the given order; the same keys give the same signatures again. */
export function addSignatures(tx: SignedTransaction, chainId: ChainId, keys: readonly PrivateKey[]): SignedTransaction {
  const digest = digestOf(tx, chainId);
  return { ...tx, signatures: [...tx.signatures, ...keys.map((key) => signRepeatably(digest, key))] };
}

/**
 * Adds the signatures that are needed and can be given here. Those that are there stay. Without a chain that is meant the
 * node says for which one is signed.
 */
export async function signWithFewest(
  client: Asked,
  tx: SignedTransaction,
  holder: KeyHolder,
  chainId?: ChainId,
): Promise<SignedTransaction> {
  const keys = await fewestSigners(client, tx, (key) => holder.has(key));
  return addSignatures(
    tx,
    chainId ?? (await client.database.get_chain_id()),
    keys.map((key) => holder.get(key)),
  );
}

/** One transaction with the signatures of all its copies. */
export function combineSignatures(copies: readonly SignedTransaction[]): SignedTransaction {
  const [first] = copies;
  if (first === undefined) return fail(COMBINING_ERRORS.combine_nothing);
  const id = idOfTransaction(first);
  const signatures: Uint8Array[] = [];
  for (const one of copies) {
    const other = idOfTransaction(one);
    check(other === id, COMBINING_ERRORS.combine_other, { id, other });
    for (const signature of one.signatures) {
      if (!signatures.some((known) => equalBytes(known, signature))) signatures.push(signature);
    }
  }
  return { ...first, signatures };
}
