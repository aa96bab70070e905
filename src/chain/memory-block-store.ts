import { invariant } from '../base/errors.js';
import type { BlockId } from '../crypto/digests.js';
import type { SignedBlock } from '../protocol/block.js';
import type { BlockStore } from './ports.js';
import type { BlockFacts } from './verified.js';

/** Blocks in memory: for tests, simulations and nodes that keep nothing. */
export class MemoryBlockStore implements BlockStore {
  readonly #blocks: { readonly id: BlockId; readonly block: SignedBlock }[] = [];

  get headNumber(): number {
    return this.#blocks.length;
  }

  append(facts: BlockFacts): void {
    invariant(facts.number === this.headNumber + 1, 'blocks are appended in order');
    this.#blocks.push({ id: facts.id, block: facts.block });
  }

  cutAbove(number: number): void {
    if (number < this.#blocks.length) this.#blocks.length = number;
  }

  byNumber(number: number): SignedBlock | undefined {
    return this.#blocks[number - 1]?.block;
  }

  idOf(number: number): BlockId | undefined {
    return this.#blocks[number - 1]?.id;
  }
}
