import { invariant } from '../base/errors.js';
import { encode } from '../codec/binary.js';
import type { BlockId } from '../crypto/digests.js';
import { type SignedBlock, signedBlock } from '../protocol/block.js';
import type { BlockFacts } from './facts.js';
import type { BlockStore } from './ports.js';

/** Blocks in memory: for tests, simulations and nodes that keep nothing. */
export class MemoryBlockStore implements BlockStore {
  readonly #blocks: { readonly id: BlockId; readonly block: SignedBlock; readonly carriedIndex: number }[] = [];

  get headNumber(): number {
    return this.#blocks.length;
  }

  get carriedIndex(): number {
    return this.#blocks.at(-1)?.carriedIndex ?? 0;
  }

  append({ id, number, block }: BlockFacts): void {
    invariant(number === this.headNumber + 1, 'blocks are appended in order');
    const carriedIndex = block.transactions.at(-1)?.operations.length ?? this.carriedIndex;
    this.#blocks.push({ id, block, carriedIndex });
  }

  settle(): void {
    // Nothing is kept anywhere else.
  }

  cutAbove(number: number): void {
    if (number < this.#blocks.length) this.#blocks.length = number;
  }

  byNumber(number: number): SignedBlock | undefined {
    return this.#blocks[number - 1]?.block;
  }

  bytesOf(number: number): Uint8Array | undefined {
    const block = this.byNumber(number);
    return block === undefined ? undefined : encode(signedBlock, block);
  }

  idOf(number: number): BlockId | undefined {
    return this.#blocks[number - 1]?.id;
  }
}
