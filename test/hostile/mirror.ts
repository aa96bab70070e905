import { Chain } from '../../src/chain/chain.js';
import type { GenesisSource } from '../../src/chain/genesis-source.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import { parseJson } from '../../src/codec/json.js';
import { type SignedBlock, signedBlock } from '../../src/protocol/block.js';
import { testEngine } from '../support/engine.js';
import { NETWORK } from '../support/network.js';
import { rpcText } from '../support/rpc-call.js';

/** The same chain in this process, from the blocks that the node gives out: whoever attacks knows what it looks like. */
export class Mirror {
  readonly chain: Chain;
  readonly blocks: SignedBlock[] = [];
  readonly #endpoint: string;

  constructor(genesis: GenesisSource, endpoint: string) {
    this.chain = new Chain({ genesis, engine: testEngine(), blocks: new MemoryBlockStore() });
    this.#endpoint = endpoint;
  }

  /** Takes what the node has made since; false when it has nothing new. A block that is refused here is an error. */
  async follow(): Promise<boolean> {
    const next = this.chain.blocks.head.number + 1;
    const answer = parseJson(await rpcText(this.#endpoint, 'get_block', [next])) as { result?: unknown };
    if (answer.result === undefined || answer.result === null) return false;
    const block = signedBlock.fromJson(answer.result as never, NETWORK);
    this.chain.blocks.push({ block });
    this.blocks.push(block);
    return true;
  }

  async catchUp(): Promise<void> {
    while (await this.follow());
  }

  /** Slots that stayed empty between two blocks of the chain. */
  missedSlots(first: number, last: number, blockSec: number): number {
    let missed = 0;
    for (let number = first + 1; number <= last; number++) {
      const [before, after] = [this.blocks[number - 2], this.blocks[number - 1]];
      if (before === undefined || after === undefined) throw new Error(`there is no block ${number}`);
      missed += (after.timestamp - before.timestamp) / blockSec - 1;
    }
    return missed;
  }
}
