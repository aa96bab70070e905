import { Chain, emptyState } from '../../src/chain/chain.js';
import type { GenesisSource } from '../../src/chain/genesis-source.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import type { KeyValue } from '../../src/storage/kv.js';
import { MemoryKv } from '../../src/storage/memory-kv.js';
import { Storage } from '../../src/storage/storage.js';
import { testEngine } from '../support/engine.js';
import { MemoryFiles } from '../support/memory-files.js';

export type StoredEntries = ReadonlyMap<string, KeyValue>;

const known = new Map<string, Promise<StoredEntries>>();

/**
 * What the object store of a node has that was ended right after its first start: building the genesis with its 65,536
 * block summaries again for each node of each world takes longer than anything that then happens to it.
 */
export function begunStore(genesis: GenesisSource): Promise<StoredEntries> {
  const found = known.get(genesis.chainId) ?? build(genesis);
  known.set(genesis.chainId, found);
  return found;
}

async function build(genesis: GenesisSource): Promise<StoredEntries> {
  const kv = new MemoryKv();
  const { chainId } = genesis;
  const { definitions } = emptyState(genesis);
  const files = new MemoryFiles();
  const storage = await Storage.open({ dataDir: 'data', chainId, definitions, files, openKv: async () => kv });
  new Chain({
    mustRecountVotes: true,
    genesis,
    engine: testEngine(),
    blocks: new MemoryBlockStore(),
    store: storage.objects,
  });
  await storage.close();
  return kv.entries;
}
