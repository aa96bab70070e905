import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ArgumentsCamelCase, Argv } from 'yargs';
import '../../operations/index.js';
import { check, defineErrors, FAMILY } from '../../base/errors.js';
import type { Logger, LogValues } from '../../base/world.js';
import { checkGenesis, type GenesisOverrides, type GenesisSource, readGenesis } from '../../chain/genesis-source.js';
import { checkSameGenesis, GENESIS_COPY, keptGenesisChanges, NODE_GENESIS_ERRORS } from '../../node/chain/genesis.js';
import { openStoredChain, type StoredChain, type StoredChainOptions } from '../../node/chain/stored-chain.js';
import { DEFAULT_DATA_DIR } from '../../node/settings/options.js';
import { BlockLog } from '../../storage/block-log.js';
import { guarded } from '../../storage/errors.js';
import { replaceFile } from '../../storage/files.js';
import { readOnlyFiles } from '../../storage/read-only-files.js';
import { STORAGE_FOLDERS } from '../../storage/storage.js';
import type { Terminal } from '../terminal.js';

export const OPEN_CHAIN_ERRORS = defineErrors({
  node_data_missing: {
    ...FAMILY.invalidArgument,
    text: '${path} has no data of a node: there is no ${file}. Name the folder with --data-dir',
  },
});

/** What lies in a folder that is closed to this user is not said to be missing. */
export function checkHasData(dataDir: string, file: string): void {
  const path = join(dataDir, file);
  const found = guarded(path, () => statSync(path, { throwIfNoEntry: false }));
  check(found !== undefined, OPEN_CHAIN_ERRORS.node_data_missing, { path: dataDir, file });
}

/** Options of all commands that work on a data directory. */
export function chainOptions(yargs: Argv): Argv {
  return yargs
    .option('data-dir', {
      alias: 'd',
      type: 'string',
      default: DEFAULT_DATA_DIR,
      describe: 'Folder of the node, from the working directory',
    })
    .option('genesis-json', {
      type: 'string',
      describe: 'Genesis file; by default the copy in the data directory',
    })
    .option('data-transaction-lifetime', {
      type: 'number',
      describe:
        'Hours after which data transactions are forgotten, 0 for never; by default as this folder was begun, or as the network says',
    });
}

/** Lines for people on the standard error output; results go to the standard output. */
export function plainLog(terminal: Terminal): Logger {
  const writer =
    (kind: string) =>
    (text: string, values: LogValues = {}): void => {
      const shown = Object.entries(values).map(([name, value]) => ` ${name}=${String(value)}`);
      terminal.err(`${kind}${text}${shown.join('')}\n`);
    };
  const log: Logger = {
    debug: () => undefined,
    info: writer(''),
    warn: writer('warning: '),
    error: writer('error: '),
    child: () => log,
  };
  return log;
}

export function readGenesisFile(
  path: string,
  changes: (bytes: Uint8Array) => GenesisOverrides | undefined = () => ({}),
): GenesisSource {
  const bytes = guarded(path, () => readFileSync(path));
  return readGenesis(bytes, changes(bytes));
}

export interface ChainPlace {
  readonly dataDir: string;
  readonly genesis: GenesisSource;
  /** Where the genesis file was read. */
  readonly path: string;
  /** Where the folder keeps its own. */
  readonly copy: string;
}

/** `mustExist`: a command that only reads makes no new data directory by a typing error. */
function placeOf(args: ArgumentsCamelCase, how: { readonly mustExist: boolean }): ChainPlace {
  const dataDir = resolve(String(args.dataDir));
  const copy = join(dataDir, GENESIS_COPY);
  const given = typeof args.genesisJson === 'string' ? resolve(args.genesisJson) : undefined;
  const hasGenesis = given !== undefined || existsSync(copy);
  if (how.mustExist && given === undefined) checkHasData(dataDir, GENESIS_COPY);
  check(hasGenesis, NODE_GENESIS_ERRORS.genesis_missing);
  const path = given ?? copy;
  const genesis = readGenesisFile(path, (bytes) => keptGenesisChanges(dataDir, { path, bytes }));
  checkGenesis(genesis);
  if (how.mustExist)
    guarded(join(dataDir, STORAGE_FOLDERS.chain), () => mustExist(join(dataDir, STORAGE_FOLDERS.chain)));
  return { dataDir, genesis, path, copy };
}

/** Of a data directory that a node may run on. */
export function placeToRead(args: ArgumentsCamelCase): ChainPlace {
  const place = placeOf(args, { mustExist: true });
  checkCopy(place.path, place.copy);
  return place;
}

/** The blocks alone, as they are on the disk at this moment: a node may run beside it, and goes on writing. */
export function openBlocks(args: ArgumentsCamelCase): { readonly log: BlockLog; readonly genesis: GenesisSource } {
  const { dataDir, genesis } = placeToRead(args);
  const log = BlockLog.openAsSource(readOnlyFiles, join(dataDir, STORAGE_FOLDERS.blockLog));
  return { log, genesis };
}

export async function openChain(
  terminal: Terminal,
  args: ArgumentsCamelCase,
  how: { readonly mustExist: boolean } & Pick<StoredChainOptions, 'chain'>,
): Promise<StoredChain> {
  const { dataDir, genesis, path, copy } = placeOf(args, how);
  const bytes = checkCopy(path, copy);
  const chain = how.chain === undefined ? {} : { chain: how.chain };
  const dataTransactionLifetime = args.dataTransactionLifetime as number | undefined;
  const stored = await openStoredChain({
    dataDir,
    genesis,
    log: plainLog(terminal),
    dataTransactionLifetime,
    ...chain,
  });
  // Only now is it certain that the folder belongs to this network.
  if (!existsSync(copy)) replaceFile(copy, bytes);
  return stored;
}

function mustExist(path: string): void {
  if (!existsSync(path)) throw Object.assign(new Error(`ENOENT: no such folder`), { code: 'ENOENT' });
}

/** The folder keeps a copy of its genesis file, so that later commands and the node need no `--genesis-json`. */
function checkCopy(path: string, copy: string): Buffer {
  const bytes = guarded(path, () => readFileSync(path));
  const stored = existsSync(copy) ? guarded(copy, () => readFileSync(copy)) : undefined;
  if (stored !== undefined) checkSameGenesis({ path: copy, bytes: stored }, { path, bytes });
  return bytes;
}
