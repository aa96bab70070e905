import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ArgumentsCamelCase, Argv } from 'yargs';
import '../../operations/index.js';
import { check } from '../../base/errors.js';
import type { Logger, LogValues } from '../../base/world.js';
import { checkGenesis, type GenesisSource, readGenesis } from '../../chain/genesis-source.js';
import { decodeText } from '../../codec/text.js';
import { NODE_GENESIS_ERRORS } from '../../node/genesis.js';
import { DEFAULT_DATA_DIR } from '../../node/options.js';
import { openStoredChain, type StoredChain, type StoredChainOptions } from '../../node/stored-chain.js';
import { networkOf } from '../../protocol/network-definition.js';
import { useKeyPrefix } from '../../protocol/networks.js';
import { guarded } from '../../storage/errors.js';
import { nodeFiles } from '../../storage/files.js';
import { STORAGE_FOLDERS } from '../../storage/storage.js';

const GENESIS_COPY = 'genesis.json';

/** Options of all commands that work on a data directory while no node runs on it. */
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
      describe: 'Hours after which data transactions are forgotten, 0 for never; by default what the network says',
    });
}

/** Lines for people on the standard error output; results go to the standard output. */
export const plainLog: Logger = {
  debug: () => undefined,
  info: (text, values) => writeLine('', text, values),
  warn: (text, values) => writeLine('warning: ', text, values),
  error: (text, values) => writeLine('error: ', text, values),
  child: () => plainLog,
};

function writeLine(kind: string, text: string, values: LogValues = {}): void {
  const shown = Object.entries(values).map(([name, value]) => ` ${name}=${String(value)}`);
  process.stderr.write(`${kind}${text}${shown.join('')}\n`);
}

export function readGenesisFile(path: string): GenesisSource {
  const bytes = guarded(path, () => readFileSync(path));
  useKeyPrefix(networkOf(decodeText(bytes, 0, bytes.length)).keyPrefix);
  return readGenesis(bytes);
}

export interface OpenedChain extends StoredChain {
  readonly genesis: GenesisSource;
  readonly dataDir: string;
}

/** `mustExist`: a command that only reads makes no new data directory by a typing error. */
export async function openChain(
  args: ArgumentsCamelCase,
  how: { readonly mustExist: boolean } & Pick<StoredChainOptions, 'chain'>,
): Promise<OpenedChain> {
  const dataDir = resolve(String(args.dataDir));
  const copy = join(dataDir, GENESIS_COPY);
  const given = typeof args.genesisJson === 'string' ? resolve(args.genesisJson) : undefined;
  check(given !== undefined || existsSync(copy), NODE_GENESIS_ERRORS.genesis_missing);
  const path = given ?? copy;
  const source = readGenesisFile(path);
  checkGenesis(source);
  const lifetime = args.dataTransactionLifetime;
  const network =
    typeof lifetime === 'number' ? { ...source.network, dataTransactionLifetimeHours: lifetime } : source.network;
  const genesis = { ...source, network };
  if (how.mustExist)
    guarded(join(dataDir, STORAGE_FOLDERS.chain), () => mustExist(join(dataDir, STORAGE_FOLDERS.chain)));
  keepGenesis(path, copy, dataDir);
  const chain = how.chain === undefined ? {} : { chain: how.chain };
  const stored = await openStoredChain({ dataDir, genesis, log: plainLog, ...chain });
  return { ...stored, genesis, dataDir };
}

function mustExist(path: string): void {
  if (!existsSync(path)) throw Object.assign(new Error(`ENOENT: no such folder`), { code: 'ENOENT' });
}

/** Later commands and the node itself need no `--genesis-json` then. A copy that differs is refused by the node. */
function keepGenesis(path: string, copy: string, dataDir: string): void {
  nodeFiles.makeFolder(dataDir);
  const bytes = guarded(path, () => readFileSync(path));
  const stored = existsSync(copy) ? guarded(copy, () => readFileSync(copy)) : undefined;
  check(stored === undefined || stored.equals(bytes), NODE_GENESIS_ERRORS.genesis_differs, {
    stored: copy,
    given: path,
  });
  if (stored === undefined) nodeFiles.writeText(copy, bytes.toString('utf8'));
}
