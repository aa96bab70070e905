import { invariant } from '../base/errors.js';
import type { SignedBlock } from '../protocol/block.js';
import type { SignedTransaction } from '../protocol/transaction.js';
import type { RememberedTransaction, TransactionBodies } from '../state/objects/transaction.js';
import type { BlockStore } from './ports.js';

/** Blocks of the store one after another, for who asks for their transactions one by one: each is decoded once. */
export class StoredBodies {
  readonly #blocks: Pick<BlockStore, 'byNumber'>;
  #number = 0;
  #block: SignedBlock | undefined;

  constructor(blocks: Pick<BlockStore, 'byNumber'>) {
    this.#blocks = blocks;
  }

  block(number: number): SignedBlock | undefined {
    if (number !== this.#number) this.#block = this.#blocks.byNumber(number);
    this.#number = number;
    return this.#block;
  }

  /** The last block is not kept for who may never ask again. */
  forget(): void {
    this.#number = 0;
    this.#block = undefined;
  }
}

/** The transactions of one block: the block itself as long as it may be undone, afterwards as the store has it. */
export class BlockBodies implements TransactionBodies {
  readonly #number: number;
  readonly #stored: StoredBodies;
  #block: SignedBlock | undefined;

  constructor(number: number, block: SignedBlock, stored: StoredBodies) {
    this.#number = number;
    this.#block = block;
    this.#stored = stored;
  }

  get storedBlock(): number | undefined {
    return this.#block === undefined ? this.#number : undefined;
  }

  bodyOf({ position }: RememberedTransaction): SignedTransaction {
    const block = this.#block ?? this.#stored.block(this.#number);
    const found = block?.transactions[position];
    invariant(found !== undefined, 'the block store has the blocks whose transactions are remembered');
    return found;
  }

  /** The block stays in the store for ever. */
  rest(): void {
    this.#block = undefined;
  }
}
