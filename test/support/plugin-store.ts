import type { ChainView, PluginStores } from '../../src/plugin/api.js';
import { NO_BLOCK } from '../../src/plugin/follower.js';
import { openStored, type StoredData, type StoreWanted } from '../../src/plugin/stored-follower.js';
import { MemoryKv } from '../../src/storage/memory-kv.js';
import type { FollowedChain } from './followed-chain.js';

/** An empty store of a follower. */
export function emptyStore(): StoredData {
  const cursor = { format: 1, chain: 'chain', options: '', place: NO_BLOCK, from: 1, next: {} };
  return { store: new MemoryKv(), cursor, renew: async () => new MemoryKv() };
}

/** What stays of the stores of plugins when the node ends. */
export class PluginDisk {
  readonly stores: Map<string, MemoryKv>;
  readonly renewed: string[] = [];

  constructor(stores: ReadonlyMap<string, MemoryKv> = new Map()) {
    this.stores = new Map([...stores].map(([name, store]) => [name, store.clone()]));
  }

  /** As after a crash at this instant. */
  image(): PluginDisk {
    return new PluginDisk(this.stores);
  }

  readonly port: PluginStores = {
    entriesAtOnce: undefined,
    open: async (name) => {
      const store = this.stores.get(name) ?? new MemoryKv(name);
      this.stores.set(name, store);
      return store;
    },
    renew: async ({ path }, why) => {
      this.renewed.push(why);
      const store = new MemoryKv(path);
      this.stores.set(path, store);
      return store;
    },
  };

  openFor(chain: FollowedChain, wanted: StoreWanted): Promise<StoredData> {
    return openStored(this.port, viewOf(chain), wanted);
  }

  /** Everything in a store, in order. */
  contents(name: string): string[] {
    const entries = [...(this.stores.get(name)?.entries ?? [])];
    return entries.map(([key, [, value]]) => `${key} ${Buffer.from(value).toString('hex')}`).sort();
  }
}

export function viewOf(chain: FollowedChain): ChainView {
  const { queries, blocks } = chain.stored.chain;
  return { queries, subscribe: (listener) => blocks.subscribe(listener) };
}
