import type { ContractEngine } from '../../src/operations/contract/engine.js';
import { keyPrefix } from '../../src/protocol/networks.js';
import { chainContractEngine } from '../../src/vm/chain-engine.js';
import { contractKeys } from '../../src/vm/keys.js';

/** The real engine, as the node builds it. */
export function testEngine(): ContractEngine {
  return chainContractEngine(contractKeys(keyPrefix()));
}
