import { Chain } from '../../src/chain/chain.js';
import type { GenesisSource } from '../../src/chain/genesis-source.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import { parseJson } from '../../src/codec/json.js';
import { type SignedBlock, signedBlock } from '../../src/protocol/block.js';
import type { Instance } from '../../src/protocol/ids.js';
import { testEngine } from '../support/engine.js';
import { NETWORK } from '../support/network.js';
import { rpcText } from '../support/rpc-call.js';

/** A slot that its witness has left empty: it could still fill it, beside the block that came behind. */
export interface EmptySlot {
  readonly witness: Instance;
  readonly timestamp: number;
  /** The block before it, and the one that came instead. */
  readonly previous: string;
  readonly next: SignedBlock;
  readonly number: number;
}

/** The same chain in this process, from the blocks that the node gives out: whoever attacks knows what it looks like. */
export class Mirror {
  readonly chain: Chain;
  readonly blocks: SignedBlock[] = [];
  readonly emptySlots: EmptySlot[] = [];
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
    this.#noteEmptySlots(block);
    this.chain.blocks.push({ block });
    this.blocks.push(block);
    return true;
  }

  async catchUp(): Promise<void> {
    while (await this.follow());
  }

  #noteEmptySlots(next: SignedBlock): void {
    const { queries } = this.chain;
    const { head } = queries;
    const slots = queries.slotAt(next.timestamp);
    // Before the first block the chain only waits for its node.
    for (let slot = 1; slot < slots && head.number > 0; slot++) {
      const [witness, timestamp] = [queries.scheduledWitness(slot), queries.slotTime(slot)];
      this.emptySlots.push({ witness, timestamp, previous: head.id, next, number: head.number + 1 });
    }
  }
}
