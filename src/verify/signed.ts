import { passingBytes } from '../base/bytes.js';
import { invariant } from '../base/errors.js';
import { encodeWith } from '../codec/binary.js';
import { Writer } from '../codec/writer.js';
import {
  blockHeaderDigestInto,
  type ChainId,
  merkleLeafInto,
  merkleRootOf,
  roomForLeaves,
  signatureDigest,
  signatureDigestInto,
  transactionId,
} from '../crypto/digests.js';
import type { PublicKey } from '../crypto/public-key.js';
import type { SignedBlock } from '../protocol/block.js';
import { BlockPacking, PackedBlock } from '../protocol/packed-block.js';
import type { SourceBlock } from '../protocol/source-block.js';
import { type ProcessedTransaction, type SignedTransaction, transaction } from '../protocol/transaction.js';
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

/**
 * A block whose keys are there. Promises hand it over and are old by then, for they were made some hundred blocks ago: what an
 * old object leads to is kept until all old ones are looked at. So they lead to nothing but this, which lets go of what is
 * large in it.
 */
export class RecoveredBlock {
  #make: (() => OpenedBlock) | undefined;

  constructor(make: () => OpenedBlock) {
    this.#make = make;
  }

  /** To be called once. */
  open(): OpenedBlock {
    const make = this.#make;
    invariant(make !== undefined, 'a block is opened once');
    this.#make = undefined;
    return make();
  }
}

/** For who hands it on to say something more of it. */
export type OpenedBlock = VerifiedBlock & { keepsChecks?: boolean };

/** Everything about a block that needs no state: id, Merkle root, the witness's key, keys of all transactions. */
export async function verifyBlock(
  verifier: SignatureVerifier,
  chainId: ChainId,
  given: SourceBlock,
): Promise<RecoveredBlock> {
  if (given instanceof PackedBlock) return verifyAtOnce(verifier, chainId, given);
  const block = given.read();
  const isLarge = block.transactions.length > TRANSACTIONS_AT_ONCE;
  return isLarge ? verifyInTurns(verifier, chainId, block) : verifyAtOnce(verifier, chainId, packBlock(block));
}

/** Used from the start of a call to its first wait, so one is enough for all calls. */
const scratch = new Writer();

function packBlock(block: SignedBlock): PackedBlock {
  scratch.clear();
  const packing = new BlockPacking(scratch, block);
  for (const tx of block.transactions) packing.add(tx);
  const bytes = passingBytes(scratch.length);
  bytes.set(scratch.peek());
  return packing.finish(bytes);
}

/**
 * While the threads have its signatures, and until its turn has come, nothing is left of the block but its bytes, and it is
 * read then: the objects of hundreds of blocks that wait would be copied by one collection after the other, which takes
 * several times as long.
 */
function verifyAtOnce(verifier: SignatureVerifier, chainId: ChainId, packed: PackedBlock): Promise<RecoveredBlock> {
  const signed = new BlockSignatures(chainId, packed);
  for (let i = 0; i < packed.count; i++) signed.add(i);
  return verifier
    .recover(signed.batch)
    .then((recovered) => new RecoveredBlock(() => verifiedAtOnce(packed, recovered)));
}

function verifiedAtOnce(packed: PackedBlock, recovered: RecoveredKeys): VerifiedBlock {
  const block = packed.read();
  const hashes = new BlockHashes(packed);
  const verified = block.transactions.map((tx, i) => {
    hashes.add(i);
    return hashes.verified(i, tx, recovered);
  });
  return verifiedBlock(block, packed, hashes, recovered, verified);
}

/** One that takes several milliseconds: others have their turns meanwhile. */
async function verifyInTurns(
  verifier: SignatureVerifier,
  chainId: ChainId,
  block: SignedBlock,
): Promise<RecoveredBlock> {
  const writer = new Writer();
  const { transactions } = block;
  const { length: count } = transactions;
  const packing = new BlockPacking(writer, block);
  for (let i = 0; i < count; i++) {
    if (isTurnOver(i)) await turn();
    packing.add(transactions[i] as ProcessedTransaction);
  }
  const packed = packing.finish(writer.peek());
  const signed = new BlockSignatures(chainId, packed);
  for (let i = 0; i < count; i++) {
    if (isTurnOver(i)) await turn();
    signed.add(i);
  }
  // While the threads are at work on the signatures, this one hashes.
  const recovering = verifier.recover(signed.batch);
  // It is awaited below; until then a refusal must not count as nobody's.
  recovering.catch(() => undefined);
  const hashes = new BlockHashes(packed);
  for (let i = 0; i < count; i++) {
    if (isTurnOver(i)) await turn();
    hashes.add(i);
  }
  const recovered = await recovering;
  const transactionsVerified: VerifiedTransaction<ProcessedTransaction>[] = [];
  for (let i = 0; i < count; i++) {
    if (isTurnOver(i)) await turn();
    transactionsVerified.push(hashes.verified(i, transactions[i] as ProcessedTransaction, recovered));
  }
  const verified = verifiedBlock(block, packed, hashes, recovered, transactionsVerified);
  return new RecoveredBlock(() => verified);
}

const isTurnOver = (i: number): boolean => i > 0 && i % TRANSACTIONS_AT_ONCE === 0;
const turn = (): Promise<void> => new Promise(setImmediate);

function signaturesIn(transactions: readonly SignedTransaction[]): number {
  let count = 0;
  for (const { signatures } of transactions) count += signatures.length;
  return count;
}

/** What the threads get of a block, the witness's signature first. */
class BlockSignatures {
  readonly batch: BatchWriter;
  readonly #chainId: ChainId;
  readonly #packed: PackedBlock;

  constructor(chainId: ChainId, packed: PackedBlock) {
    const { bytes, unsignedHeader } = packed;
    this.#chainId = chainId;
    this.#packed = packed;
    this.batch = new BatchWriter(1 + packed.signatures);
    blockHeaderDigestInto(unsignedHeader, this.batch.digests, this.batch.digestAt);
    this.batch.sign(bytes, unsignedHeader.length, 1);
  }

  /** Those of one transaction, in their order. */
  add(i: number): void {
    const { batch } = this;
    const count = this.#packed.signaturesOf(i);
    if (count === 0) return;
    signatureDigestInto(this.#chainId, this.#packed.unsigned(i), batch.digests, batch.digestAt);
    batch.sign(this.#packed.bytes, this.#packed.signaturesAt(i), count);
  }
}

class BlockHashes {
  readonly #ids: string[] = [];
  readonly #packed: PackedBlock;
  readonly #leaves: Uint8Array;
  /** The witness's is the first. */
  #signaturesBefore = 1;

  constructor(packed: PackedBlock) {
    this.#packed = packed;
    this.#leaves = roomForLeaves(packed.count);
  }

  /** Those of one transaction, in their order. */
  add(i: number): void {
    this.#ids.push(transactionId(this.#packed.unsigned(i)));
    merkleLeafInto(this.#packed.transaction(i), this.#leaves, i);
  }

  /** A transaction that was added, each once and in their order. */
  verified(i: number, tx: ProcessedTransaction, recovered: RecoveredKeys): VerifiedTransaction<ProcessedTransaction> {
    const from = this.#signaturesBefore;
    this.#signaturesBefore += tx.signatures.length;
    return verifiedTransaction(tx, this.#ids[i] as string, this.#packed.unsignedBytes(i), recovered, from);
  }

  /** To be asked for once: the leaves are written over. */
  merkleRoot(): string {
    return merkleRootOf(this.#leaves);
  }
}

function verifiedBlock(
  block: SignedBlock,
  packed: PackedBlock,
  hashes: BlockHashes,
  recovered: RecoveredKeys,
  transactions: VerifiedBlock['transactions'],
): VerifiedBlock {
  const signingKeyError = recovered.errorAt(0);
  return {
    block,
    id: packed.id,
    num: packed.number,
    bytes: packed.bytes,
    merkleRoot: hashes.merkleRoot(),
    signingKey: signingKeyError === undefined ? recovered.keyAt(0) : undefined,
    signingKeyError,
    transactions,
  };
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
