import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ArgumentsCamelCase, Argv } from 'yargs';
import '../../operations/index.js';
import { check } from '../../base/errors.js';
import { checkGenesis, type GenesisSource } from '../../chain/genesis-source.js';
import { SNAPSHOT_ERRORS } from '../../node/chain/checked-snapshot.js';
import { GENESIS_COPY, keptGenesisChanges, NODE_GENESIS_ERRORS } from '../../node/chain/genesis.js';
import { DEFAULT_DATA_DIR } from '../../node/settings/options.js';
import { guarded } from '../../storage/errors.js';
import { LevelKv } from '../../storage/level-kv.js';
import { readGenesisFile } from '../chain/open.js';

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
