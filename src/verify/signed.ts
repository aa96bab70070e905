import { encodeWith } from '../codec/binary.js';
import { Writer } from '../codec/writer.js';
import {
  blockHeaderDigest,
  blockId,
  type ChainId,
  merkleLeaf,
  merkleRoot,
  nextBlockNum,
  signatureDigest,
  transactionId,
} from '../crypto/digests.js';
import type { PublicKey } from '../crypto/public-key.js';
import { blockHeader, type SignedBlock, signedBlockHeader } from '../protocol/block.js';
import {
  type ProcessedTransaction,
  processedTransaction,
  type SignedTransaction,
  transaction,
} from '../protocol/transaction.js';
import type { VerifiedBlock, VerifiedTransaction } from '../protocol/verified.js';
import { packBatch, type RecoveredKeys, type SignatureVerifier, type SignedDigest } from './verify.js';

/** What of a transaction is computed before its signatures are looked at. */
export interface PackedTransaction<T extends SignedTransaction = SignedTransaction> {
  readonly transaction: T;
  readonly id: string;
  readonly packedBytes: number;
  /** What its signers have signed. */
  readonly digest: Uint8Array;
}

export function packTransaction<T extends SignedTransaction>(chainId: ChainId, tx: T): PackedTransaction<T> {
  return encodeWith(transaction, tx, (bytes) => ({
    transaction: tx,
    id: transactionId(bytes),
    packedBytes: bytes.length,
    digest: signatureDigest(chainId, bytes),
  }));
}

/** Signing keys of transactions: one batch for all of their signatures. */
export async function verifyPacked<T extends SignedTransaction>(
  verifier: SignatureVerifier,
  packed: readonly PackedTransaction<T>[],
): Promise<VerifiedTransaction<T>[]> {
  const items: SignedDigest[] = [];
  for (const { transaction: tx, digest } of packed) {
    for (const signature of tx.signatures) items.push({ digest, signature });
  }
  const recovered = await verifier.recover(packBatch(items));
  let from = 0;
  return packed.map(({ transaction: tx, id, packedBytes }) => {
    from += tx.signatures.length;
    const keys = keysOf(recovered, from - tx.signatures.length, tx.signatures.length);
    return { transaction: tx, id, packedBytes, ...keys };
  });
}

/** Transactions of a block that are packed or hashed before others have their turn: a few milliseconds of work. */
const TRANSACTIONS_AT_ONCE = 256;

/** Everything about a block that needs no state: id, Merkle root, the witness's key, keys of all transactions. */
export async function verifyBlock(
  verifier: SignatureVerifier,
  chainId: ChainId,
  block: SignedBlock,
): Promise<VerifiedBlock> {
  const num = nextBlockNum(block.previous);
  const { transactions } = block;
  const isLarge = transactions.length > TRANSACTIONS_AT_ONCE;
  const writer = isLarge ? new Writer() : scratch;
  writer.length = 0;
  blockHeader.write(writer, block);
  const items: SignedDigest[] = [{ digest: blockHeaderDigest(writer.peek()), signature: block.witness_signature }];
  signedBlockHeader.fields.witness_signature.write(writer, block.witness_signature);
  const headerEnd = writer.length;
  writer.varint(transactions.length);
  const ends: number[] = [];
  const packed: Packed<ProcessedTransaction>[] = [];
  for (const [i, tx] of transactions.entries()) {
    if (isTurnOver(i)) await turn();
    packed.push(pack(writer, chainId, tx, items));
    processedTransaction.fields.signatures.write(writer, tx.signatures);
    processedTransaction.fields.operation_results.write(writer, tx.operation_results);
    ends.push(writer.length);
  }
  // While the threads are at work on the signatures, this one hashes.
  const recovering = verifier.recover(packBatch(items));
  // It is awaited below; until then a refusal must not count as nobody's.
  recovering.catch(() => undefined);
  const bytes = isLarge ? writer.peek() : writer.finish();
  const id = blockId(bytes.subarray(0, headerEnd), num);
  const ids: string[] = [];
  const leaves: Uint8Array[] = [];
  for (const [i, { start, end }] of packed.entries()) {
    if (isTurnOver(i)) await turn();
    ids.push(transactionId(bytes.subarray(start, end)));
    leaves.push(merkleLeaf(bytes.subarray(start, ends[i])));
  }
  const root = merkleRoot(leaves);
  const recovered = await recovering;
  const verified: VerifiedTransaction<ProcessedTransaction>[] = [];
  for (const [i, one] of packed.entries()) {
    if (isTurnOver(i)) await turn();
    verified.push(finish(one, ids[i] as string, recovered));
  }
  const signingKeyError = recovered.errorAt(0);
  return {
    block,
    id,
    num,
    bytes,
    merkleRoot: root,
    signingKey: signingKeyError === undefined ? recovered.keyAt(0) : undefined,
    signingKeyError,
    transactions: verified,
  };
}

const isTurnOver = (i: number): boolean => i > 0 && i % TRANSACTIONS_AT_ONCE === 0;
const turn = (): Promise<void> => new Promise(setImmediate);

/**
 * A block as it is packed, each transaction once for all of its hashes and for the log. Used from the start of a call to its first
 * wait, so one is enough for all calls; a block that is packed in several turns has a writer of its own.
 */
const scratch = new Writer();

interface Packed<T> {
  readonly transaction: T;
  /** Where its bytes without signatures stand in the writer. */
  readonly start: number;
  readonly end: number;
  /** Where its signatures begin in the batch. */
  readonly from: number;
}

function pack<T extends SignedTransaction>(writer: Writer, chainId: ChainId, tx: T, items: SignedDigest[]): Packed<T> {
  const from = items.length;
  const start = writer.length;
  transaction.write(writer, tx);
  const end = writer.length;
  if (tx.signatures.length > 0) {
    const digest = signatureDigest(chainId, writer.peek().subarray(start));
    for (const signature of tx.signatures) items.push({ digest, signature });
  }
  return { transaction: tx, start, end, from };
}

function finish<T extends SignedTransaction>(
  { transaction: tx, start, end, from }: Packed<T>,
  id: string,
  recovered: RecoveredKeys,
): VerifiedTransaction<T> {
  return { transaction: tx, id, packedBytes: end - start, ...keysOf(recovered, from, tx.signatures.length) };
}

function keysOf(recovered: RecoveredKeys, from: number, count: number): Pick<VerifiedTransaction, 'keys' | 'keyError'> {
  // Nearly always one, for as long as the transaction waits: a list that grows has room for seventeen.
  if (count === 1 && recovered.errorAt(from) === undefined)
    return { keys: [recovered.keyAt(from)], keyError: undefined };
  const keys: PublicKey[] = [];
  for (let i = from; i < from + count; i++) {
    const keyError = recovered.errorAt(i);
    if (keyError !== undefined) return { keys, keyError };
    keys.push(recovered.keyAt(i));
  }
  return { keys, keyError: undefined };
}
