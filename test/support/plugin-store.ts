import type { ChainView, KeyValueStore, PluginStores } from '../../src/plugin/api.js';
import { type FeedBlock, NO_BLOCK } from '../../src/plugin/follower.js';
import type { Cursor, StoreWriter, Written } from '../../src/plugin/store-writer.js';
import {
  openStored,
  type StoredData,
  type StoredFollower,
  type StoreWanted,
  type Taken,
} from '../../src/plugin/stored-follower.js';
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

  /** The same, and a follower of its own writes the store, as in a thread. */
  async openWritten(chain: FollowedChain, wanted: StoreWanted, make: Make): Promise<StoredData> {
    const data = await this.openFor(chain, wanted);
    // A store that is built anew is another one.
    const store = (): KeyValueStore => this.stores.get(wanted.name) ?? data.store;
    return { ...data, writer: new WriterBeside(store, make, (number) => chain.feed.read(number)) };
  }

  /** Everything in a store, in order. */
  contents(name: string): string[] {
    const entries = [...(this.stores.get(name)?.entries ?? [])];
    return entries.map(([key, [, value]]) => `${key} ${Buffer.from(value).toString('hex')}`).sort();
  }
}

type Make = (data: StoredData) => StoredFollower<Taken>;

/** Fewer than are ever asked for at once. */
const BLOCKS_PER_ORDER = 7;

class WriterBeside implements StoreWriter {
  readonly #store: () => KeyValueStore;
  readonly #make: Make;
  readonly #read: (number: number) => FeedBlock | undefined;
  #follower: StoredFollower<Taken> | undefined;

  constructor(store: () => KeyValueStore, make: Make, read: (number: number) => FeedBlock | undefined) {
    this.#store = store;
    this.#make = make;
    this.#read = read;
  }

  async write(cursor: Cursor, number: number): Promise<Written> {
    const store = this.#store();
    this.#follower ??= this.#make({ store, cursor, renew: async () => store });
    const follower = this.#follower;
    let operations = 0;
    for (let i = 0; i < BLOCKS_PER_ORDER && follower.position.number < number; i++) {
      const block = this.#read(follower.position.number + 1);
      if (block === undefined) throw new Error('blocks that stay can be read');
      follower.apply(block);
      operations += block.operations.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    follower.settle(follower.position.number)?.catch(() => undefined);
    await follower.flush();
    return { cursor: follower.cursor, operations };
  }

  async close(): Promise<void> {
    await this.#follower?.close();
  }
}

export function viewOf(chain: FollowedChain): ChainView {
  const { queries, blocks } = chain.stored.chain;
  return { queries, subscribe: (listener) => blocks.subscribe(listener) };
}
