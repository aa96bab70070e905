import type { ContractEngine } from '../../src/operations/contract/engine.js';
import { chainContractEngine } from '../../src/vm/chain-engine.js';
import { contractKeys } from '../../src/vm/keys.js';
import { NETWORK } from './network.js';

/** The real engine, as the node builds it. */
export function testEngine(): ContractEngine {
  return chainContractEngine(contractKeys(NETWORK));
}
