import { invariant } from '../base/errors.js';
import { TRUSTED_RULES } from '../codec/decode-rules.js';
import { Reader } from '../codec/reader.js';
import { type SignedBlock, signedBlockHeader } from '../protocol/block.js';
import { processedTransaction, type SignedTransaction } from '../protocol/transaction.js';
import type { RememberedTransaction, TransactionBodies } from '../state/objects/transaction.js';
import type { BlockStore } from './ports.js';

/**
 * Transactions of stored blocks, for who asks for them in their order, as the store does that writes what is remembered:
 * one after the other is decoded out of the block's bytes, since tens of thousands in one go would hold everybody up.
 */
export class StoredBodies {
  readonly #blocks: Pick<BlockStore, 'bytesOf'>;
  #number = 0;
  #reader: Reader | undefined;
  #count = 0;
  /** Of the transaction that the reader stands before. */
  #next = 0;
  #last: SignedTransaction | undefined;
  #wasAsked = false;

  constructor(blocks: Pick<BlockStore, 'bytesOf'>) {
    this.#blocks = blocks;
  }

  /** Undefined where the store does not have it. */
  transaction(number: number, position: number): SignedTransaction | undefined {
    this.#wasAsked = true;
    if (number !== this.#number || position < this.#next - 1) this.#begin(number);
    const reader = this.#reader;
    if (reader === undefined || position >= this.#count) return undefined;
    for (; this.#next <= position; this.#next++) this.#last = processedTransaction.read(reader);
    return this.#last;
  }

  #begin(number: number): void {
    const bytes = this.#blocks.bytesOf(number);
    this.#number = number;
    this.#reader = bytes === undefined ? undefined : new Reader(bytes, TRUSTED_RULES);
    this.#next = 0;
    this.#count = 0;
    this.#last = undefined;
    if (this.#reader === undefined) return;
    signedBlockHeader.read(this.#reader);
    this.#count = this.#reader.varint() as number;
  }

  /** A block is not kept for who has asked for nothing since the last time, and may never ask again. */
  forget(): void {
    if (!this.#wasAsked) this.lose(this.#number);
    this.#wasAsked = false;
  }

  /** Another block may take its number. */
  lose(number: number): void {
    if (number !== this.#number) return;
    this.#number = 0;
    this.#reader = undefined;
    this.#last = undefined;
  }
}

/** The transactions of one block: the block itself while it is new, or is being undone, otherwise as the store has it. */
export class BlockBodies implements TransactionBodies {
  readonly number: number;
  readonly #stored: StoredBodies;
  #block: SignedBlock | undefined;

  constructor(number: number, block: SignedBlock, stored: StoredBodies) {
    this.number = number;
    this.#block = block;
    this.#stored = stored;
  }

  get storedBlock(): number | undefined {
    return this.#block === undefined ? this.number : undefined;
  }

  bodyOf({ position }: RememberedTransaction): SignedTransaction {
    const found =
      this.#block === undefined ? this.#stored.transaction(this.number, position) : this.#block.transactions[position];
    invariant(found !== undefined, 'the block store has the blocks whose transactions are remembered');
    return found;
  }

  /** The store has it. */
  rest(): void {
    this.#block = undefined;
  }

  /** The store is about to lose it. */
  wake(block: SignedBlock): void {
    this.#block = block;
  }
}
