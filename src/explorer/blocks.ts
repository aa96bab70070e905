import type { Amount, Block } from './answers.js';
import type { NodeLink } from './node.js';

/** The latest blocks, kept between views: home is looked at again and again. */

const KEPT = 60;
/** Full blocks have megabytes: a phone is shown fewer of them at first. */
const CHARS_AT_FIRST = 1_500_000;
const AT_ONCE_FIRST = 6;

type AskedNode = Pick<NodeLink, 'call' | 'received'>;

export class LatestBlocks {
  readonly #node: AskedNode;
  readonly #blocks = new Map<number, Block>();

  constructor(node: AskedNode) {
    this.#node = node;
  }

  /** After a fork switch the same numbers have other blocks, and a head may be lower than the one before. */
  #forgetFork(head: number, headId: string): void {
    for (const number of this.#blocks.keys()) if (number > head || number <= head - KEPT) this.#blocks.delete(number);
    const known = this.#blocks.get(head);
    if (known !== undefined && known.block_id !== headId) this.#blocks.clear();
  }

  /**
   * The newest `count` at most, newest first. Each has to be the one before the next: the chain may change its mind
   * between two questions.
   */
  async load(head: number, headId: string, count = KEPT): Promise<readonly Block[]> {
    this.#forgetFork(head, headId);
    const start = this.#node.received;
    const list: Block[] = [];
    const last = Math.max(0, head - Math.min(count, KEPT));
    let id = headId;
    // More at a time as long as they are small: each question takes as long as the line is.
    for (let [next, width] = [head, AT_ONCE_FIRST]; next > last; next -= width, width *= 2) {
      if (this.#node.received - start > CHARS_AT_FIRST) break;
      const numbers = Array.from({ length: Math.min(width, next - last) }, (_, i) => next - i);
      for (const block of await Promise.all(numbers.map((number) => this.#block(number)))) {
        if (block === undefined) return list;
        if (block.block_id !== id) {
          // Kept from a branch that was left: asked anew with the next block.
          this.#blocks.clear();
          return list;
        }
        list.push(block);
        id = block.previous;
      }
    }
    return list;
  }

  async #block(number: number): Promise<Block | undefined> {
    const known = this.#blocks.get(number);
    if (known !== undefined) return known;
    const block = (await this.#node.call<Block | null>('get_block', number)) ?? undefined;
    if (block !== undefined) this.#blocks.set(number, block);
    return block;
  }
}

/** Fees of a block in units of one asset. */
export function feesOf({ transactions }: Block, asset: string): bigint {
  let sum = 0n;
  for (const { operations } of transactions) {
    for (const [, body] of operations) {
      const fee = body.fee as Amount | undefined;
      if (fee?.asset_id === asset) sum += BigInt(fee.amount);
    }
  }
  return sum;
}
