import { Chain } from '../../src/chain/chain.js';
import { type GenesisSource, readGenesis } from '../../src/chain/genesis-source.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import type { BlockId } from '../../src/crypto/digests.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import { testEngine } from '../support/engine.js';
import type { LocalNode } from './local-node.js';

/** The slots of a finished chain: who was to fill which, and whether that happened. */

export interface Slot {
  readonly timeSec: number;
  /** Of witness 1.6.1 it is 0, as in its account's name. */
  readonly witness: number;
  /** Number of the block that fills it. */
  readonly block: number | undefined;
}

export interface FinalChain {
  readonly slots: readonly Slot[];
  /** Ids from block 1 on. */
  readonly ids: readonly BlockId[];
  readonly times: readonly number[];
  readonly transactions: ReadonlySet<string>;
}

/** All blocks of a node, applied once more here with all checks. */
export async function finalChain(node: LocalNode, genesisBytes: Uint8Array, last: number): Promise<FinalChain> {
  const genesis: GenesisSource = readGenesis(genesisBytes);
  const { blocks: door, queries } = new Chain({ genesis, engine: testEngine(), blocks: new MemoryBlockStore() });
  const client = await node.client();
  const slots: Slot[] = [];
  const ids: BlockId[] = [];
  const times: number[] = [];
  const transactions = new Set<string>();
  for (let number = 1; number <= last; number++) {
    const found = await client.database.get_block({ block_num: number });
    if (found === undefined) throw new Error(`node ${node.index} has no block ${number}`);
    const block: SignedBlock = found;
    const count = queries.slotAt(block.timestamp);
    // The first block lies behind all that the genesis time makes slots of.
    for (let slot = number === 1 ? count : 1; slot <= count; slot++) {
      const isFilled = slot === count;
      slots.push({
        timeSec: queries.slotTime(slot),
        witness: queries.scheduledWitness(slot) - 1,
        block: isFilled ? number : undefined,
      });
    }
    door.push({ block });
    ids.push(queries.head.id);
    times.push(block.timestamp);
    for (const id of found.transaction_ids) transactions.add(id);
  }
  return { slots, ids, times, transactions };
}
