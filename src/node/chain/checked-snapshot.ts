import { existsSync, statSync } from 'node:fs';
import { check, defineErrors } from '../../base/errors.js';
import { emptyState } from '../../chain/chain.js';
import type { GenesisSource } from '../../chain/genesis-source.js';
import type { ChainState } from '../../state/chain-state.js';
import { stateHash } from '../../state/state-hash.js';
import { checkCarried } from '../../storage/carried.js';
import type { KeyValueStore } from '../../storage/kv.js';
import { ObjectStore, type StoreHead } from '../../storage/object-store.js';

export const SNAPSHOT_ERRORS = defineErrors(
  {
    snapshot_empty: { text: '${path} holds no state' },
    snapshot_in_use: { text: '${path} has a state already: --replace puts the snapshot in its place' },
    snapshot_block_missing: {
      text: 'the block log in ${path} does not have block ${number} ${id}, which the snapshot stands on',
      hint: 'trustnode snapshot pack, with the data directory that it was made in, makes a file of it that has the block too',
    },
    snapshot_hash_wanted: {
      text: 'a snapshot from ${url} is believed only with --state-hash, as a node that you trust prints it',
    },
  },
  'environment',
);

export interface Checked extends StoreHead {
  readonly stateHash: string;
}

export interface LoadedSnapshot extends StoreHead {
  readonly state: ChainState;
}

/** Loads all of it: whatever is damaged, missing or of another chain is refused by name. */
export async function loadedSnapshot(kv: KeyValueStore, genesis: GenesisSource): Promise<LoadedSnapshot> {
  const state = emptyState(genesis);
  const store = new ObjectStore(kv, genesis.chainId, state.definitions);
  const { head } = store;
  check(head !== undefined, SNAPSHOT_ERRORS.snapshot_empty, { path: kv.path });
  await store.load(state);
  await checkCarried(kv);
  return { number: head.number, id: head.id, state };
}

export async function checkedSnapshot(kv: KeyValueStore, genesis: GenesisSource): Promise<Checked> {
  const { number, id, state } = await loadedSnapshot(kv, genesis);
  return { number, id, stateHash: stateHash(state) };
}

export const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();
