import { encodeWith } from '../codec/binary.js';
import { Writer } from '../codec/writer.js';
import {
  blockHeaderDigestInto,
  blockId,
  type ChainId,
  merkleLeafInto,
  merkleRootOf,
  nextBlockNum,
  roomForLeaves,
  signatureDigest,
  signatureDigestInto,
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
import { BatchWriter, type RecoveredKeys, type SignatureVerifier } from './verify.js';

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
  const batch = new BatchWriter(signaturesIn(packed.map(({ transaction: tx }) => tx)));
  for (const { transaction: tx, digest } of packed) batch.add(digest, tx.signatures);
  const recovered = await verifier.recover(batch);
  let from = 0;
  return packed.map(({ transaction: tx, id, packedBytes }) => {
    from += tx.signatures.length;
    return verifiedTransaction(tx, id, packedBytes, recovered, from - tx.signatures.length);
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
  const { length: count } = transactions;
  const isLarge = count > TRANSACTIONS_AT_ONCE;
  const writer = isLarge ? new Writer() : scratch;
  writer.length = 0;
  const batch = new BatchWriter(1 + signaturesIn(transactions));
  blockHeader.write(writer, block);
  blockHeaderDigestInto(writer.peek(), batch.digests, batch.digestAt);
  batch.sign([block.witness_signature]);
  signedBlockHeader.fields.witness_signature.write(writer, block.witness_signature);
  const headerEnd = writer.length;
  writer.varint(count);
  const packed: Packed[] = [];
  for (let i = 0; i < count; i++) {
    if (isTurnOver(i)) await turn();
    packed.push(pack(writer, chainId, transactions[i] as ProcessedTransaction, batch));
  }
  // While the threads are at work on the signatures, this one hashes.
  const recovering = verifier.recover(batch);
  // It is awaited below; until then a refusal must not count as nobody's.
  recovering.catch(() => undefined);
  const bytes = isLarge ? writer.peek() : writer.finish();
  const id = blockId(bytes.subarray(0, headerEnd), num);
  const ids: string[] = [];
  const leaves = roomForLeaves(count);
  for (let i = 0; i < count; i++) {
    if (isTurnOver(i)) await turn();
    const { start, unsigned, end } = packed[i] as Packed;
    ids.push(transactionId(unsigned));
    merkleLeafInto(bytes.subarray(start, end), leaves, i);
  }
  const root = merkleRootOf(leaves);
  const recovered = await recovering;
  const verified: VerifiedTransaction<ProcessedTransaction>[] = [];
  for (let i = 0; i < count; i++) {
    if (isTurnOver(i)) await turn();
    const { unsigned, from } = packed[i] as Packed;
    const tx = transactions[i] as ProcessedTransaction;
    verified.push(verifiedTransaction(tx, ids[i] as string, unsigned.length, recovered, from));
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

function signaturesIn(transactions: readonly SignedTransaction[]): number {
  let count = 0;
  for (const { signatures } of transactions) count += signatures.length;
  return count;
}

/**
 * A block as it is packed, each transaction once for all of its hashes and for the log. Used from the start of a call to its first
 * wait, so one is enough for all calls; a block that is packed in several turns has a writer of its own.
 */
const scratch = new Writer();

interface Packed {
  /** Its bytes without signatures; a writer that has to grow leaves them where they are. */
  readonly unsigned: Uint8Array;
  /** Where all of its bytes stand in the block. */
  readonly start: number;
  readonly end: number;
  /** Where its signatures begin in the batch. */
  readonly from: number;
}

function pack(writer: Writer, chainId: ChainId, tx: ProcessedTransaction, batch: BatchWriter): Packed {
  const from = batch.count;
  const start = writer.length;
  transaction.write(writer, tx);
  const unsigned = writer.peek(start);
  if (tx.signatures.length > 0) {
    signatureDigestInto(chainId, unsigned, batch.digests, batch.digestAt);
    batch.sign(tx.signatures);
  }
  processedTransaction.fields.signatures.write(writer, tx.signatures);
  processedTransaction.fields.operation_results.write(writer, tx.operation_results);
  return { unsigned, start, end: writer.length, from };
}

/** `from`: where its signatures begin among those whose keys were recovered. */
function verifiedTransaction<T extends SignedTransaction>(
  tx: T,
  id: string,
  packedBytes: number,
  recovered: RecoveredKeys,
  from: number,
): VerifiedTransaction<T> {
  const { length: count } = tx.signatures;
  // Nearly always one, for as long as the transaction waits: a list that grows has room for seventeen.
  if (count === 1 && recovered.errorAt(from) === undefined) {
    return { transaction: tx, id, packedBytes, keys: [recovered.keyAt(from)], keyError: undefined };
  }
  const keys: PublicKey[] = [];
  for (let i = from; i < from + count; i++) {
    const keyError = recovered.errorAt(i);
    if (keyError !== undefined) return { transaction: tx, id, packedBytes, keys, keyError };
    keys.push(recovered.keyAt(i));
  }
  return { transaction: tx, id, packedBytes, keys, keyError: undefined };
}
