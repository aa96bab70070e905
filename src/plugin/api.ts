import type { QueryDoor } from '../chain/doors.js';
import type { ChainListener } from '../chain/events.js';
import type { SignedBlock } from '../protocol/block.js';
import type { HistorySource } from '../rpc/history-source.js';
import type { KeyValueStore } from '../storage/kv.js';
import type { AddedFollower, Follower } from './follower.js';
import type { FollowerProgramFile, FollowerThread, ThreadListener } from './follower-thread.js';
import { partRef } from './part.js';
import type { StoreWriter, WriterProgram } from './store-writer.js';

export type { ChainEvent } from '../chain/events.js';
export type { KeyValue, KeyValueChange, KeyValueStore } from '../storage/kv.js';

/** What a plugin may need: parts of the node that are there for others. */

export interface ChainView {
  /** The chain as it is now, pending transactions included. Valid until the next await. */
  readonly queries: QueryDoor;
  /** Tells of every block and pending transaction from now on; the listener must not throw, change or wait. */
  subscribe(listener: ChainListener): () => void;
}

/** The way of blocks to the chain, for a plugin that gets some from elsewhere. */
export interface BlockIntake {
  /** It is checked in full, as one that a peer has sent. Rejects with the refusal. `from`: for logs. */
  take(block: SignedBlock, from: string): Promise<void>;
}

export interface Followers {
  /**
   * Brings the follower to the head and keeps it there, beside the chain. Whoever adds one closes it by what this
   * returns; see follower.ts.
   */
  add(follower: Follower): AddedFollower;
  /** A thread for one whose work would take the chain's time; it is added like any other when it has begun. */
  inThread(program: FollowerProgramFile, listener: ThreadListener): FollowerThread;
}

export interface PluginStores {
  /** `limit-batch`: entries that plugins write together; undefined when nobody has said so. */
  readonly entriesAtOnce: number | undefined;
  /**
   * An ordered store of bytes for this plugin alone, in `plugins/<name>` of the data directory unless `path` says
   * where. What can no longer be read, and what belongs to a chain that `resync-blockchain` has given up, is gone from
   * it: a plugin builds its data anew from the chain.
   */
  open(name: string, path?: string): Promise<KeyValueStore>;
  /** The same store with nothing in it; `why` is told to the operator. The one that was opened is closed. */
  renew(store: KeyValueStore, why: string): Promise<KeyValueStore>;
  /** A thread that writes this store; it begins with the first write. Undefined where there are no files for it. */
  writer?(store: KeyValueStore, program: WriterProgram): StoreWriter;
}

/** What the plugins opened so far show of histories. */
export interface HistoryView {
  readonly current: HistorySource | undefined;
}

export const HISTORY_VIEW = partRef<HistoryView>('history view');

export const FOLLOWERS = partRef<Followers>('followers');

export const CHAIN_VIEW = partRef<ChainView>('chain view');

export const BLOCK_INTAKE = partRef<BlockIntake>('block intake');

export const PLUGIN_STORES = partRef<PluginStores>('plugin stores');
