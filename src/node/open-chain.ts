import { Chain } from '../chain/chain.js';
import type { GenesisSource } from '../chain/genesis-source.js';
import { MemoryBlockStore } from '../chain/memory-block-store.js';
import { keyPrefix } from '../protocol/networks.js';
import type { SignatureVerifier } from '../verify/verify.js';
import { chainContractEngine } from '../vm/chain-engine.js';
import { contractKeys } from '../vm/keys.js';
import type { World } from './node.js';
import type { Shutdown } from './runtime/shutdown.js';
import type { Settings } from './settings.js';

export interface OpenChainParts {
  readonly settings: Settings;
  readonly genesis: GenesisSource;
  readonly verifier: SignatureVerifier;
  readonly world: World;
  readonly shutdown: Shutdown;
}

export async function openChain({ settings, genesis }: OpenChainParts): Promise<Chain> {
  const { options } = settings;
  return new Chain({
    genesis,
    engine: chainContractEngine(contractKeys(keyPrefix())),
    blocks: new MemoryBlockStore(),
    checkpoints: new Map(options.checkpoint.map(({ number, id }) => [number, id])),
    contractTimeUsMax: options['max-transaction-time'],
  });
}
