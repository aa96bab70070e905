import { ChainError } from '../base/errors.js';
import { encode, encodeWith, packedSize } from '../codec/binary.js';
import { varintBytes, Writer } from '../codec/writer.js';
import {
  type BlockId,
  blockHeaderDigest,
  blockId,
  type ChainId,
  merkleLeaf,
  merkleRoot,
  nextBlockNum,
  signatureDigest,
  type TransactionId,
  transactionId,
} from '../crypto/digests.js';
import type { PublicKey } from '../crypto/public-key.js';
import { SIGNATURE_BYTES, signatureBackend } from '../crypto/signature.js';
import { blockHeader, type SignedBlock, signedBlock, signedBlockHeader } from '../protocol/block.js';
import {
  type ProcessedTransaction,
  processedTransaction,
  type SignedTransaction,
  transaction,
} from '../protocol/transaction.js';
import type { VerifiedBlock, VerifiedTransaction } from '../protocol/verified.js';

/**
 * Facts of blocks and transactions that need no state: ids, digests, sizes, signers. Who verified ahead of time, in
 * threads, hands them in (protocol/verified.ts); whatever is absent is computed here when it is first asked for.
 * Nothing is taken for granted because it is absent.
 */

/** What a door accepts: a block, with as much as is known of it already. A `VerifiedBlock` is one. */
export type GivenBlock = Partial<VerifiedBlock> & {
  readonly block: SignedBlock;
  /** Nothing is left out for it because of a later checkpoint: somebody has sent it, who may have sent anything. */
  readonly keepsChecks?: boolean;
};
export type GivenTransaction = Partial<VerifiedTransaction> & { readonly transaction: SignedTransaction };

/** Keys in the order of their signatures, up to the first bad one, and that one's refusal. */
export interface Signers {
  readonly keys: readonly PublicKey[];
  readonly error: ChainError | undefined;
}

const scratch = new Writer();
const EMPTY_LIST_BYTES = 1;

/** Field by field: copying whatever fields there are takes the engine ten times as long. */
const withTheseResults = (
  value: SignedTransaction,
  operation_results: ProcessedTransaction['operation_results'],
): ProcessedTransaction => ({
  ref_block_num: value.ref_block_num,
  ref_block_prefix: value.ref_block_prefix,
  expiration: value.expiration,
  operations: value.operations,
  extensions: value.extensions,
  signatures: value.signatures,
  operation_results,
});

const asProcessed = (value: SignedTransaction): ProcessedTransaction =>
  'operation_results' in value ? (value as ProcessedTransaction) : withTheseResults(value, []);

export class TransactionFacts {
  readonly transaction: ProcessedTransaction;
  #id: TransactionId | undefined;
  #size: number | undefined;
  #unsignedBytes: number | undefined;
  #leaf: Uint8Array | undefined;
  #signers: Signers | undefined;
  #signersChain: ChainId = '';

  constructor(value: ProcessedTransaction) {
    this.transaction = value;
  }

  static of(given: GivenTransaction, chainId: ChainId): TransactionFacts {
    const facts = new TransactionFacts(asProcessed(given.transaction));
    facts.#id = given.id;
    facts.#unsignedBytes = given.packedBytes;
    if (given.keys !== undefined) facts.setSigners(chainId, { keys: given.keys, error: given.keyError });
    return facts;
  }

  /** The same transaction as it stands in a block; its id and its signers stay what they are. */
  withResults(chainId: ChainId, results: ProcessedTransaction['operation_results']): TransactionFacts {
    const facts = new TransactionFacts(withTheseResults(this.transaction, results));
    facts.#id = this.#id;
    facts.#unsignedBytes = this.#unsignedBytes;
    if (this.hasSigners(chainId)) facts.setSigners(chainId, this.#signers as Signers);
    return facts;
  }

  /** What stands behind the signed part. */
  #trailBytes(): number {
    const { signatures, operation_results } = this.transaction;
    const results = processedTransaction.fields.operation_results;
    return (
      varintBytes(signatures.length) +
      signatures.length * SIGNATURE_BYTES +
      (operation_results.length === 0 ? EMPTY_LIST_BYTES : packedSize(results, operation_results))
    );
  }

  /** One pass over the operations gives id, size and leaf. */
  pack(): void {
    const t = this.transaction;
    scratch.clear();
    transaction.write(scratch, t);
    const unsignedBytes = scratch.length;
    this.#unsignedBytes = unsignedBytes;
    processedTransaction.fields.signatures.write(scratch, t.signatures);
    processedTransaction.fields.operation_results.write(scratch, t.operation_results);
    const bytes = scratch.peek();
    this.#id ??= transactionId(bytes.subarray(0, unsignedBytes));
    this.#size = bytes.length;
    this.#leaf = merkleLeaf(bytes);
  }

  get id(): TransactionId {
    this.#id ??= encodeWith(transaction, this.transaction, transactionId);
    return this.#id;
  }

  /** Packed bytes with signatures and results. */
  get size(): number {
    if (this.#size === undefined) {
      if (this.#unsignedBytes === undefined) this.pack();
      else this.#size = this.#unsignedBytes + this.#trailBytes();
    }
    return this.#size as number;
  }

  /** Packed bytes without signatures and results. */
  get unsignedBytes(): number {
    if (this.#unsignedBytes === undefined) this.pack();
    return this.#unsignedBytes as number;
  }

  get leaf(): Uint8Array {
    if (this.#leaf === undefined) this.pack();
    return this.#leaf as Uint8Array;
  }

  /** What its signers have signed. */
  digest(chainId: ChainId): Uint8Array {
    return encodeWith(transaction, this.transaction, (bytes) => signatureDigest(chainId, bytes));
  }

  hasSigners(chainId: ChainId): boolean {
    return this.#signers !== undefined && this.#signersChain === chainId;
  }

  /** Of all signatures; undefined where nobody has recovered them yet, or one of them is bad. */
  knownKeys(chainId: ChainId): readonly PublicKey[] | undefined {
    return this.hasSigners(chainId) && this.#signers?.error === undefined ? this.#signers?.keys : undefined;
  }

  /** Takes what a pool has recovered from `digest(chainId)` and the signatures. */
  setSigners(chainId: ChainId, signers: Signers): void {
    this.#signersChain = chainId;
    this.#signers = signers;
  }

  signers(chainId: ChainId): Signers {
    if (!this.hasSigners(chainId)) this.setSigners(chainId, this.#recover(chainId));
    return this.#signers as Signers;
  }

  #recover(chainId: ChainId): Signers {
    const digest = this.digest(chainId);
    const backend = signatureBackend();
    const keys: PublicKey[] = [];
    try {
      for (const signature of this.transaction.signatures) keys.push(backend.recover(digest, signature));
      return { keys, error: undefined };
    } catch (error) {
      if (error instanceof ChainError) return { keys, error };
      throw error;
    }
  }
}

/** Of a block's transactions, known before its header is. */
export interface PackedTransactions {
  readonly merkleRoot: string;
  /** One after another, without their number. */
  readonly bytes: Uint8Array;
}

/** As `signedBlock` packs it. */
function joinPacked(block: SignedBlock, { bytes }: PackedTransactions): Uint8Array {
  return encodeWith(signedBlockHeader, block, (header) => {
    const writer = new Writer(header.length + COUNT_BYTES_MAX + bytes.length);
    writer.raw(header);
    writer.varint(block.transactions.length);
    writer.raw(bytes);
    return writer.peek();
  });
}

const COUNT_BYTES_MAX = 10;

export class BlockFacts {
  readonly block: SignedBlock;
  readonly number: number;
  readonly transactions: readonly TransactionFacts[];
  #id: BlockId | undefined;
  #size: number | undefined;
  #bytes: Uint8Array | undefined;
  #transactionIds: readonly TransactionId[] | undefined;
  #merkleRoot: string | undefined;
  #signer: PublicKey | ChainError | undefined;
  #packed: PackedTransactions | undefined;
  /** As it was packed ahead of time, until the log has it: a large block would be in memory twice. */
  #packedAhead: Uint8Array | undefined;

  keepsChecks = false;

  constructor(block: SignedBlock, transactions?: readonly TransactionFacts[], packed?: PackedTransactions) {
    this.block = block;
    this.number = nextBlockNum(block.previous);
    this.#packed = packed;
    this.#merkleRoot = packed?.merkleRoot;
    this.transactions = transactions ?? block.transactions.map((value) => new TransactionFacts(value));
  }

  static of(given: GivenBlock, chainId: ChainId): BlockFacts {
    const facts = new BlockFacts(
      given.block,
      given.transactions?.map((one) => TransactionFacts.of(one, chainId)),
    );
    facts.keepsChecks = given.keepsChecks === true;
    facts.#id = given.id;
    facts.#merkleRoot = given.merkleRoot;
    facts.#packedAhead = given.bytes;
    facts.#size = given.bytes?.length;
    facts.#signer = given.signingKeyError ?? given.signingKey;
    return facts;
  }

  get transactionIds(): readonly TransactionId[] {
    this.#transactionIds ??= this.transactions.map(({ id }) => id);
    return this.#transactionIds;
  }

  get id(): BlockId {
    this.#id ??= encodeWith(signedBlockHeader, this.block, (bytes) => blockId(bytes, this.number));
    return this.#id;
  }

  /** Hands the packed block to `use`, which does not keep it; nothing is packed again that is packed already. */
  withBytes(use: (bytes: Uint8Array) => void): void {
    const bytes = this.#bytes ?? this.#packedAhead;
    if (bytes === undefined) encodeWith(signedBlock, this.block, use);
    else use(bytes);
    this.#packedAhead = undefined;
  }

  /** The whole block, packed once: for whoever asks for one that is in no log. */
  get bytes(): Uint8Array {
    if (this.#bytes === undefined) {
      if (this.#packedAhead !== undefined) this.#bytes = this.#packedAhead;
      else if (this.#packed !== undefined) this.#bytes = joinPacked(this.block, this.#packed);
      else this.#bytes = encode(signedBlock, this.block);
      this.#packed = undefined;
      this.#packedAhead = undefined;
    }
    return this.#bytes;
  }

  /** Packed bytes of the whole block. */
  get size(): number {
    this.#size ??= this.#bytes?.length ?? encodeWith(signedBlock, this.block, (bytes) => bytes.length);
    return this.#size;
  }

  get merkleRoot(): string {
    this.#merkleRoot ??= merkleRoot(this.transactions.map((value) => value.leaf));
    return this.#merkleRoot;
  }

  /** What the witness has signed; the chain id is not in it. */
  headerDigest(): Uint8Array {
    return encodeWith(blockHeader, this.block, blockHeaderDigest);
  }

  /** Key that signed the header; throws where the signature is bad. */
  get signer(): PublicKey {
    this.#signer ??= this.#recoverSigner();
    if (this.#signer instanceof ChainError) throw this.#signer;
    return this.#signer;
  }

  #recoverSigner(): PublicKey | ChainError {
    try {
      return signatureBackend().recover(this.headerDigest(), this.block.witness_signature);
    } catch (error) {
      if (error instanceof ChainError) return error;
      throw error;
    }
  }
}
