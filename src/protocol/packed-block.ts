import { check } from '../base/errors.js';
import { decodeTrusted } from '../codec/binary.js';
import { Reader } from '../codec/reader.js';
import type { Writer } from '../codec/writer.js';
import { type BlockId, blockId, nextBlockNum } from '../crypto/digests.js';
import { SIGNATURE_BYTES, SIGNATURE_ERRORS } from '../crypto/signature.js';
import { blockHeader, type SignedBlock, signedBlock, signedBlockHeader } from './block.js';
import { type ProcessedTransaction, processedTransaction, transaction } from './transaction.js';

type Header = Pick<SignedBlock, 'previous' | 'timestamp'>;

/** Of a transaction: where it begins, where what is signed of it ends, its first signature, their number, where it ends. */
const PLACES = 5;
/** A block of more is more than one turn's work: it is read, and looked at in several. */
const SCANNED_TRANSACTIONS_MAX = 256;
/** Far below what a list may have, and above what transactions have. */
const SIGNERS_MAX = 1000;

const { previous, timestamp } = blockHeader.fields;
const { witness_signature } = signedBlockHeader.fields;
const { signatures, operation_results } = processedTransaction.fields;

/** A block's bytes as this node writes them, and where its parts stand in them: all that is hashed of it is there in one piece. */
export class PackedBlock {
  readonly bytes: Uint8Array;
  readonly previous: BlockId;
  readonly timestamp: number;
  readonly number: number;
  readonly headerEnd: number;
  /** Of all its transactions. */
  readonly signatures: number;
  /** Side by side: an object for each transaction would be as large as what it says. */
  readonly #places: readonly number[];
  #id: BlockId | undefined;

  constructor(bytes: Uint8Array, header: Header, places: readonly number[], headerEnd: number, signatures: number) {
    this.bytes = bytes;
    this.previous = header.previous;
    this.timestamp = header.timestamp;
    this.number = nextBlockNum(header.previous);
    this.headerEnd = headerEnd;
    this.signatures = signatures;
    this.#places = places;
  }

  /**
   * Without making anything of what is in it. Undefined where it has to be read: it cannot be, or it is large, or it is not
   * written as this node would, which makes other hashes.
   */
  static scan(bytes: Uint8Array): PackedBlock | undefined {
    const reader = new Reader(bytes);
    if (signedBlockHeader.pass?.(reader) !== true) return undefined;
    const headerEnd = reader.position;
    const count = reader.plainVarint();
    if (count < 0 || count > SCANNED_TRANSACTIONS_MAX) return undefined;
    const places: number[] = [];
    let signed = 0;
    for (let i = 0; i < count; i++) {
      const start = reader.position;
      if (transaction.pass?.(reader) !== true) return undefined;
      const unsignedEnd = reader.position;
      const signers = reader.plainVarint();
      const signaturesAt = reader.position;
      if (signers < 0 || signers > SIGNERS_MAX || !reader.pass(signers * SIGNATURE_BYTES)) return undefined;
      if (operation_results.pass?.(reader) !== true) return undefined;
      signed += signers;
      places.push(start, unsignedEnd, signaturesAt, signers, reader.position);
    }
    if (reader.remaining !== 0) return undefined;
    reader.position = 0;
    const header = { previous: previous.read(reader), timestamp: timestamp.read(reader) };
    return new PackedBlock(bytes, header, places, headerEnd, signed);
  }

  get count(): number {
    return this.#places.length / PLACES;
  }

  get size(): number {
    return this.bytes.length;
  }

  get id(): BlockId {
    this.#id ??= blockId(this.bytes.subarray(0, this.headerEnd), this.number);
    return this.#id;
  }

  /** What the witness signs; its signature stands behind it. */
  get unsignedHeader(): Uint8Array {
    return this.bytes.subarray(0, this.headerEnd - SIGNATURE_BYTES);
  }

  /** What its signers sign. */
  unsigned(i: number): Uint8Array {
    return this.bytes.subarray(this.#place(i, 0), this.#place(i, 1));
  }

  unsignedBytes(i: number): number {
    return this.#place(i, 1) - this.#place(i, 0);
  }

  /** With signatures and results. */
  transaction(i: number): Uint8Array {
    return this.bytes.subarray(this.#place(i, 0), this.#place(i, 4));
  }

  /** Where its signatures stand, one after another. */
  signaturesAt(i: number): number {
    return this.#place(i, 2);
  }

  signaturesOf(i: number): number {
    return this.#place(i, 3);
  }

  #place(i: number, which: number): number {
    return this.#places[PLACES * i + which] as number;
  }

  read(): SignedBlock {
    return decodeTrusted(signedBlock, this.bytes);
  }
}

/** Places are reckoned with it. */
function checkLength({ length }: Uint8Array): void {
  check(length === SIGNATURE_BYTES, SIGNATURE_ERRORS.signature_length_wrong, { actual: length });
}

/** A block as it is packed, transaction by transaction. */
export class BlockPacking {
  readonly #writer: Writer;
  readonly #block: SignedBlock;
  readonly #headerEnd: number;
  readonly #places: number[] = [];
  #signatures = 0;

  /** What it writes begins where the writer does. */
  constructor(writer: Writer, block: SignedBlock) {
    this.#writer = writer;
    this.#block = block;
    checkLength(block.witness_signature);
    blockHeader.write(writer, block);
    witness_signature.write(writer, block.witness_signature);
    this.#headerEnd = writer.length;
    writer.varint(block.transactions.length);
  }

  add(tx: ProcessedTransaction): void {
    const writer = this.#writer;
    const { length: signers } = tx.signatures;
    const start = writer.length;
    transaction.write(writer, tx);
    const unsignedEnd = writer.length;
    for (const one of tx.signatures) checkLength(one);
    signatures.write(writer, tx.signatures);
    const signaturesAt = writer.length - signers * SIGNATURE_BYTES;
    operation_results.write(writer, tx.operation_results);
    this.#places.push(start, unsignedEnd, signaturesAt, signers, writer.length);
    this.#signatures += signers;
  }

  /** `bytes`: what was written. */
  finish(bytes: Uint8Array): PackedBlock {
    return new PackedBlock(bytes, this.#block, this.#places, this.#headerEnd, this.#signatures);
  }
}
