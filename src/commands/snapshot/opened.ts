import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ArgumentsCamelCase, Argv } from 'yargs';
import '../../operations/index.js';
import { check, defineErrors } from '../../base/errors.js';
import { emptyState } from '../../chain/chain.js';
import { checkGenesis, type GenesisSource } from '../../chain/genesis-source.js';
import { GENESIS_COPY, keptGenesisChanges, NODE_GENESIS_ERRORS } from '../../node/chain/genesis.js';
import { DEFAULT_DATA_DIR } from '../../node/settings/options.js';
import { stateHash } from '../../state/state-hash.js';
import { checkCarried } from '../../storage/carried.js';
import { guarded } from '../../storage/errors.js';
import type { KeyValueStore } from '../../storage/kv.js';
import { LevelKv } from '../../storage/level-kv.js';
import { ObjectStore, type StoreHead } from '../../storage/object-store.js';
import { readGenesisFile } from '../chain/open.js';

export const SNAPSHOT_ERRORS = defineErrors(
  {
    snapshot_empty: { text: '${path} holds no state' },
    snapshot_in_use: { text: '${path} has a state already: --replace puts the snapshot in its place' },
    snapshot_block_missing: {
      text: 'the block log in ${path} does not have block ${number} ${id}, which the snapshot stands on',
    },
    snapshot_hash_wanted: {
      text: 'a snapshot from ${url} is believed only with --state-hash, as a node that you trust prints it',
    },
  },
  'environment',
);

export function dataDirOptions(yargs: Argv): Argv {
  return yargs
    .option('data-dir', {
      alias: 'd',
      type: 'string',
      default: DEFAULT_DATA_DIR,
      describe: 'Folder of a node of the same chain',
    })
    .option('genesis-json', { type: 'string', describe: 'Genesis file; by default the copy in the data directory' });
}

export interface GivenGenesis {
  readonly dataDir: string;
  readonly copy: string;
  readonly bytes: Buffer;
  readonly genesis: GenesisSource;
}

export function genesisOf(args: ArgumentsCamelCase): GivenGenesis {
  const dataDir = resolve(String(args.dataDir));
  const copy = join(dataDir, GENESIS_COPY);
  const path = typeof args.genesisJson === 'string' ? resolve(args.genesisJson) : copy;
  check(existsSync(path), NODE_GENESIS_ERRORS.genesis_missing);
  const bytes = guarded(path, () => readFileSync(path));
  const genesis = readGenesisFile(path, (read) => keptGenesisChanges(dataDir, { path, bytes: read }));
  checkGenesis(genesis);
  return { dataDir, copy, bytes, genesis };
}

export interface Checked extends StoreHead {
  readonly stateHash: string;
}

/** Loads all of it: whatever is damaged, missing or of another chain is refused by name. */
export async function checkedSnapshot(kv: KeyValueStore, genesis: GenesisSource): Promise<Checked> {
  const state = emptyState(genesis);
  const store = new ObjectStore(kv, genesis.chainId, state.definitions);
  const { head } = store;
  check(head !== undefined, SNAPSHOT_ERRORS.snapshot_empty, { path: kv.path });
  await store.load(state);
  await checkCarried(kv);
  return { number: head.number, id: head.id, stateHash: stateHash(state) };
}

export const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

/** What is missing is said before anything else is asked for. */
export function checkThere(path: string): void {
  guarded(path, () => statSync(path));
}

/** The folder as it lies there, or an error that names it: nothing is made by a typing error. */
export async function openFolder(path: string): Promise<LevelKv> {
  checkThere(path);
  check(existsSync(join(path, 'CURRENT')), SNAPSHOT_ERRORS.snapshot_empty, { path });
  return LevelKv.open(path);
}
