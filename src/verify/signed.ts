import type { ChainError } from '../base/errors.js';
import { encodeWith } from '../codec/binary.js';
import { Writer } from '../codec/writer.js';
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
  scratch.length = 0;
  const packed = transactions.map((tx) => pack(chainId, tx, items));
  const recovering = verifier.recover(packBatch(items));
  const ids = idsOf(packed);
  const recovered = await recovering;
  return packed.map((one, i) => finish(one, ids[i] as string, recovered));
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
  scratch.length = 0;
  const ends: number[] = [];
  const packed = block.transactions.map((tx) => {
    const one = pack(chainId, tx, items);
    processedTransaction.fields.signatures.write(scratch, tx.signatures);
    processedTransaction.fields.operation_results.write(scratch, tx.operation_results);
    ends.push(scratch.length);
    return one;
  });
  // While the threads are at work on the signatures, this one hashes.
  const recovering = verifier.recover(packBatch(items));
  const id = encodeWith(signedBlockHeader, block, (bytes) => blockId(bytes, num));
  const bytes = scratch.peek();
  const ids = idsOf(packed);
  const root = merkleRoot(packed.map(({ start }, i) => merkleLeaf(bytes.subarray(start, ends[i]))));
  const recovered = await recovering;
  const signingKeyError = recovered.errorAt(0);
  return {
    block,
    id,
    num,
    merkleRoot: root,
    signingKey: signingKeyError === undefined ? recovered.keyAt(0) : undefined,
    signingKeyError,
    transactions: packed.map((one, i) => finish(one, ids[i] as string, recovered)),
  };
}

/**
 * Transactions one after another, each packed once for all of its hashes. Used from the start of a call to its first
 * wait, so one is enough for all calls.
 */
const scratch = new Writer();

interface Packed<T> {
  readonly transaction: T;
  /** Where its bytes without signatures stand in `scratch`. */
  readonly start: number;
  readonly end: number;
  /** Where its signatures begin in the batch. */
  readonly from: number;
}

function pack<T extends SignedTransaction>(chainId: ChainId, tx: T, items: SignedDigest[]): Packed<T> {
  const from = items.length;
  const start = scratch.length;
  transaction.write(scratch, tx);
  const end = scratch.length;
  if (tx.signatures.length > 0) {
    const digest = signatureDigest(chainId, scratch.peek().subarray(start));
    for (const signature of tx.signatures) items.push({ digest, signature });
  }
  return { transaction: tx, start, end, from };
}

function idsOf(packed: readonly Packed<unknown>[]): string[] {
  const bytes = scratch.peek();
  return packed.map(({ start, end }) => transactionId(bytes.subarray(start, end)));
}

function finish<T extends SignedTransaction>(
  { transaction: tx, start, end, from }: Packed<T>,
  id: string,
  recovered: RecoveredKeys,
): VerifiedTransaction<T> {
  const keys: PublicKey[] = [];
  let keyError: ChainError | undefined;
  for (let i = from; i < from + tx.signatures.length; i++) {
    keyError = recovered.errorAt(i);
    if (keyError !== undefined) break;
    keys.push(recovered.keyAt(i));
  }
  return { transaction: tx, id, packedBytes: end - start, keys: keyError === undefined ? keys : [], keyError };
}
