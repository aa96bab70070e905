import type { ChainError } from '../base/errors.js';
import { encodeWith } from '../codec/binary.js';
import {
  blockHeaderDigest,
  blockId,
  blockNumFromId,
  type ChainId,
  merkleLeaf,
  merkleRoot,
  signatureDigest,
  transactionId,
} from '../crypto/digests.js';
import type { PublicKey } from '../crypto/public-key.js';
import { blockHeader, type SignedBlock, signedBlockHeader } from '../protocol/block.js';
import { processedTransaction, type SignedTransaction, transaction } from '../protocol/transaction.js';
import type { VerifiedBlock, VerifiedTransaction } from '../protocol/verified.js';
import { packBatch, type RecoveredKeys, type SignatureVerifier, type SignedDigest } from './verify.js';

/** Ids and signing keys of transactions: one batch for all of their signatures. */
export async function verifyTransactions<T extends SignedTransaction>(
  verifier: SignatureVerifier,
  chainId: ChainId,
  transactions: readonly T[],
): Promise<VerifiedTransaction<T>[]> {
  const items: SignedDigest[] = [];
  const prepared = transactions.map((tx) => prepare(chainId, tx, items));
  const recovered = await verifier.recover(packBatch(items));
  return prepared.map((one) => finish(one, recovered));
}

/** Everything about a block that needs no state: id, Merkle root, the witness's key, keys of all transactions. */
export async function verifyBlock(
  verifier: SignatureVerifier,
  chainId: ChainId,
  block: SignedBlock,
): Promise<VerifiedBlock> {
  const num = blockNumFromId(block.previous) + 1;
  const items: SignedDigest[] = [
    { digest: encodeWith(blockHeader, block, blockHeaderDigest), signature: block.witness_signature },
  ];
  const prepared = block.transactions.map((tx) => prepare(chainId, tx, items));
  // While the threads are at work on the signatures, this one hashes.
  const recovering = verifier.recover(packBatch(items));
  const id = encodeWith(signedBlockHeader, block, (bytes) => blockId(bytes, num));
  const root = merkleRoot(block.transactions.map((tx) => encodeWith(processedTransaction, tx, merkleLeaf)));
  const recovered = await recovering;
  const signingKeyError = recovered.errorAt(0);
  return {
    block,
    id,
    num,
    merkleRoot: root,
    signingKey: signingKeyError === undefined ? recovered.keyAt(0) : undefined,
    signingKeyError,
    transactions: prepared.map((one) => finish(one, recovered)),
  };
}

interface Prepared<T> {
  readonly transaction: T;
  readonly id: string;
  readonly packedBytes: number;
  /** Where its signatures begin in the batch. */
  readonly from: number;
}

function prepare<T extends SignedTransaction>(chainId: ChainId, tx: T, items: SignedDigest[]): Prepared<T> {
  const from = items.length;
  return encodeWith(transaction, tx, (bytes) => {
    if (tx.signatures.length > 0) {
      const digest = signatureDigest(chainId, bytes);
      for (const signature of tx.signatures) items.push({ digest, signature });
    }
    return { transaction: tx, id: transactionId(bytes), packedBytes: bytes.length, from };
  });
}

function finish<T extends SignedTransaction>(prepared: Prepared<T>, recovered: RecoveredKeys): VerifiedTransaction<T> {
  const { transaction: tx, id, packedBytes, from } = prepared;
  const keys: PublicKey[] = [];
  let keyError: ChainError | undefined;
  for (let i = from; i < from + tx.signatures.length; i++) {
    keyError = recovered.errorAt(i);
    if (keyError !== undefined) break;
    keys.push(recovered.keyAt(i));
  }
  return { transaction: tx, id, packedBytes, keys: keyError === undefined ? keys : [], keyError };
}
