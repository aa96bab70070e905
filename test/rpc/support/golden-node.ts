import { Chain, emptyState } from '../../../src/chain/chain.js';
import { BlockFacts } from '../../../src/chain/facts.js';
import { MemoryBlockStore } from '../../../src/chain/memory-block-store.js';
import '../../../src/operations/index.js';
import { parseObjectId } from '../../../src/protocol/ids.js';
import type { StateObject } from '../../../src/state/define.js';
import { OBJECTS } from '../../../src/state/objects/index.js';
import { testEngine } from '../../support/engine.js';
import { GOLDEN_LAST, goldenBlocks, goldenGenesis, goldenState } from '../../support/golden.js';
import { NETWORK } from '../../support/network.js';

/**
 * The recorded chain at its final height, made at once from the recorded state. The tests of the chain prove that an
 * import leads to the same objects; who only needs something to ask about saves the time.
 */
export function loadedChain(): Chain {
  const genesis = goldenGenesis();
  const state = emptyState(genesis);
  for (const [id, object] of goldenState(GOLDEN_LAST)) {
    const { space, type, instance } = parseObjectId(id);
    const definition = OBJECTS.find((one) => one.space === space && one.type === type);
    if (definition === undefined) continue;
    state.load(definition, instance, definition.schema.fromJson(object, NETWORK) as Omit<StateObject, 'id'>);
    state.setCounter(definition, instance + 1);
  }
  state.finishLoading();
  const blocks = new MemoryBlockStore();
  for (const block of goldenBlocks()) blocks.append(new BlockFacts(block));
  return new Chain({ genesis, engine: testEngine(), blocks, state });
}
