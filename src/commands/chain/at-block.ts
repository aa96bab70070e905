import { check, defineErrors, FAMILY, fail } from '../../base/errors.js';
import { Chain } from '../../chain/chain.js';
import { decodeTrusted } from '../../codec/binary.js';
import { REPLAY_SKIP } from '../../importer/recover.js';
import type { StoredChain } from '../../node/chain/stored-chain.js';
import { SKIP } from '../../operations/define.js';
import { signedBlock } from '../../protocol/block.js';
import type { ChainState } from '../../state/chain-state.js';
import { LogBlockStore } from '../../storage/block-store.js';
import { chainContractEngine } from '../../vm/chain-engine.js';
import { contractKeys } from '../../vm/keys.js';

export const AT_BLOCK_ERRORS = defineErrors({
  at_block: { ...FAMILY.invalidArgument, text: '--at-block ${number}: the chain has the blocks 0 to ${head}' },
  at_block_unlogged: {
    ...FAMILY.invalidArgument,
    text: '--at-block ${number}: the block log begins with block ${first}, earlier states cannot be rebuilt',
  },
});

export interface StateAt {
  readonly state: ChainState;
  readonly number: number;
  readonly id: string;
}

/**
 * The state after a block. Earlier states are rebuilt in memory from the block log; what is stored stays as it is.
 */
export function stateAt(opened: StoredChain, number: number | undefined): StateAt {
  const { head } = opened.chain.queries;
  if (number === undefined || number === head.number) {
    return { state: opened.chain.snapshots.withHeadState((state) => state), number: head.number, id: head.id };
  }
  check(Number.isInteger(number) && number >= 0 && number < head.number, AT_BLOCK_ERRORS.at_block, {
    number,
    head: head.number,
  });
  const { log } = opened.storage;
  check(log.firstNumber === 1, AT_BLOCK_ERRORS.at_block_unlogged, { number, first: log.firstNumber });
  const chain = new Chain({
    genesis: opened.genesis,
    engine: chainContractEngine(contractKeys(opened.genesis.network)),
    // The blocks are in the log already; nothing is written, and memory does not grow with them.
    blocks: new LogBlockStore(log),
    saveBlocks: 1,
    debugUpdates: opened.debugUpdates,
  });
  // Duplicates are remembered here: the result is to be what a node has that received the blocks.
  const skip = REPLAY_SKIP & ~SKIP.transactionDupeCheck;
  for (const block of log.walk(1, number)) {
    chain.blocks.push({ block: decodeTrusted(signedBlock, block.bytes), id: block.id }, skip);
  }
  if (chain.queries.head.number !== number) fail(AT_BLOCK_ERRORS.at_block, { number, head: head.number });
  return chain.snapshots.withHeadState((state) => ({ state, number, id: chain.queries.head.id }));
}
