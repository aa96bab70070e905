import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ArgumentsCamelCase } from 'yargs';
import '../../operations/index.js';
import { check, defineErrors, FAMILY } from '../../base/errors.js';
import { readGenesis } from '../../chain/genesis-source.js';
import type { JsonObject } from '../../codec/json.js';
import { timeFromText } from '../../codec/time.js';
import { type Endpoint, endpoint } from '../../config/define.js';
import { PrivateKey } from '../../crypto/private-key.js';
import { publicKeyToText } from '../../crypto/public-key.js';
import { MAINNET_FORKS } from '../../protocol/forks.js';
import { PRIVATE, replaceFile } from '../../storage/files.js';
import type { Command } from '../command.js';
import type { Terminal } from '../terminal.js';
import { describeGenesis, printFacts } from './describe.js';
import { firstTransactions } from './first-transactions.js';
import { KEYS_FILE, type MadeNetwork, nodeName, writeNetworkFolder } from './network-folder.js';
import { type NamedKey, type NewGenesis, newGenesis } from './template.js';

export const GENESIS_CREATE_ERRORS = defineErrors({
  genesis_file_exists: { ...FAMILY.invalidArgument, text: '${path} exists; --force replaces it' },
  genesis_folder_exists: {
    ...FAMILY.invalidArgument,
    text: '${path} exists; a network is made in a folder of its own',
  },
  genesis_option: { ...FAMILY.invalidArgument, text: 'option ${option}: ${what}' },
});

const UNIT = 100_000n;
const WITNESSES_MAX = 1001;
const NODES_MAX = 100;
const P2P_PORT = 6789;

export const createCommand: Command = {
  builder: (yargs) =>
    yargs
      .positional('file', {
        type: 'string',
        demandOption: true,
        describe:
          'NAME.json: the genesis file and its keys alone. Any other name: a folder with all that a network needs',
      })
      .option('nodes', { type: 'number', describe: 'Folder: how many nodes, on this machine; 1 by default' })
      .option('host', {
        type: 'string',
        array: true,
        nargs: 1,
        describe: 'Folder: where a node is reached by the others, host or host:port; once for each node',
      })
      .option('timestamp', {
        type: 'string',
        describe:
          'Genesis time, YYYY-MM-DDTHH:MM:SS; by default the latest at which reference nodes can begin a chain. With --all-forks also: now',
      })
      .option('witnesses', {
        type: 'number',
        describe:
          'How many witnesses, named init0, init1, …; by default 11, for a folder as many as nodes, or one more',
      })
      .option('account', {
        type: 'string',
        array: true,
        nargs: 1,
        default: ['treasury'],
        describe: 'Funded account; may be repeated',
      })
      .option('symbol', { type: 'string', default: 'GXS', describe: 'Symbol of the core asset 1.3.1' })
      .option('supply', { type: 'number', default: 100_000_000, describe: 'Coins that the accounts share' })
      .option('block-interval', { type: 'number', default: 3, describe: 'Seconds from block to block' })
      .option('maintenance-interval', { type: 'number', default: 3600, describe: 'Seconds' })
      .option('all-forks', {
        type: 'boolean',
        default: false,
        describe: 'All rules from the start; reference nodes cannot join such a chain',
      })
      .option('prefix', { type: 'string', default: 'GXC', describe: 'Text in front of public keys' })
      .option('name', { type: 'string', describe: 'Name of the network' })
      .option('seed', {
        type: 'string',
        describe: 'Derive all keys from this text instead of making new ones: for tests, everybody can do the same',
      })
      .option('force', { type: 'boolean', default: false, describe: 'Replace an existing file' })
      .option('json', { type: 'boolean', default: false, describe: 'Print JSON for scripts' }),
  handler: create,
};

function create(args: ArgumentsCamelCase, terminal: Terminal): void {
  const path = resolve(String(args.file));
  if (path.endsWith('.json')) createFile(args, path, terminal);
  else createFolder(args, path, terminal);
}

function createFile(args: ArgumentsCamelCase, path: string, terminal: Terminal): void {
  for (const option of ['nodes', 'host']) {
    const what = 'is for a folder, and the name ends with .json';
    check(args[option] === undefined, GENESIS_CREATE_ERRORS.genesis_option, { option, what });
  }
  const keyPath = `${path.replace(/\.json$/, '')}.keys.json`;
  const isSeeded = typeof args.seed === 'string';
  for (const one of isSeeded ? [path] : [path, keyPath]) {
    check(args.force === true || !existsSync(one), GENESIS_CREATE_ERRORS.genesis_file_exists, { path: one });
  }
  const genesis = genesisOf(args, args.allForks === true, count(args, 'witnesses', 1, WITNESSES_MAX, 11));
  const bytes = bytesOf(genesis);
  // Nothing is written before a chain could be begun with it.
  const facts = describeGenesis(readGenesis(bytes));
  // The keys come first: no new genesis file is there whose keys nobody has.
  if (!isSeeded) replaceFile(keyPath, keyFile(genesis.keys, String(args.prefix)), PRIVATE);
  replaceFile(path, bytes);
  printFacts(terminal, { file: path, ...(isSeeded ? {} : { keys: keyPath }), ...facts }, args.json === true);
}

/** Everything that a network of trustnodes needs from the first start on. */
function createFolder(args: ArgumentsCamelCase, folder: string, terminal: Terminal): void {
  check(!existsSync(folder), GENESIS_CREATE_ERRORS.genesis_folder_exists, { path: folder });
  const nodes = nodesOf(args);
  // An odd number can take turns without anybody's vote.
  const witnesses = count(args, 'witnesses', nodes.length, WITNESSES_MAX, nodes.length | 1);
  const genesis = genesisOf({ ...args, timestamp: args.timestamp ?? 'now' }, true, witnesses);
  const bytes = bytesOf(genesis);
  const source = readGenesis(bytes);
  const facts = describeGenesis(source);
  const keys = genesis.keys.filter(({ purpose }) => purpose === 'account').map(({ name, key }) => [name, key] as const);
  const prefix = String(args.prefix);
  const network: MadeNetwork = {
    name: source.network.name,
    chainId: source.chainId,
    genesis: bytes,
    keys: genesis.keys,
    prefix,
    symbol: String(args.symbol),
    accounts: accountsOf(args),
    firstTransactions: firstTransactions(source, new Map(keys)),
    witnesses,
    nodes,
    blockInterval: Number(args.blockInterval),
  };
  writeNetworkFolder(folder, network, keyFile(genesis.keys, prefix));
  const more = { folder, nodes: nodes.map((_, i) => join(folder, nodeName(i))), keys: join(folder, KEYS_FILE) };
  printFacts(terminal, { ...more, ...facts, read_next: join(folder, 'README.md') }, args.json === true);
}

function nodesOf(args: ArgumentsCamelCase): Endpoint[] {
  const hosts = args.host as string[] | undefined;
  if (hosts === undefined) {
    const nodes = count(args, 'nodes', 1, NODES_MAX, 1);
    return Array.from({ length: nodes }, (_, i) => ({ host: '127.0.0.1', port: P2P_PORT + i }));
  }
  const given = args.nodes === undefined || Number(args.nodes) === hosts.length;
  const once = `is given ${hosts.length} times for ${String(args.nodes)} nodes`;
  check(given, GENESIS_CREATE_ERRORS.genesis_option, { option: 'host', what: once });
  const nodes = hosts.map((text) => {
    const read = endpoint.parse(text) ?? endpoint.parse(`${text}:${P2P_PORT}`);
    const what = `${text} is neither a host nor host:port`;
    check(read !== undefined, GENESIS_CREATE_ERRORS.genesis_option, { option: 'host', what });
    return read;
  });
  const isOnce = new Set(nodes.map((one) => endpoint.format(one))).size === nodes.length;
  check(isOnce, GENESIS_CREATE_ERRORS.genesis_option, { option: 'host', what: 'two nodes have one address' });
  return nodes;
}

const accountsOf = (args: ArgumentsCamelCase): string[] => (args.account as string[]).filter((name) => name !== '');

const bytesOf = ({ file }: NewGenesis): Uint8Array => new TextEncoder().encode(`${JSON.stringify(file, null, 2)}\n`);

function genesisOf(args: ArgumentsCamelCase, allForks: boolean, witnesses: number): NewGenesis {
  const prefix = String(args.prefix);
  const network = networkMember(args, prefix, allForks);
  const isSeeded = typeof args.seed === 'string';
  const keyOf = (seed: string): PrivateKey =>
    isSeeded ? PrivateKey.fromSeed(`${String(args.seed)} ${seed}`) : PrivateKey.fromBytes(randomBytes(32));
  return newGenesis(
    {
      timestamp: timestampOf(args, allForks),
      blockInterval: Number(args.blockInterval),
      maintenanceInterval: Number(args.maintenanceInterval),
      witnesses,
      accounts: accountsOf(args),
      symbol: String(args.symbol),
      supply: BigInt(count(args, 'supply', 1, 1_000_000_000_000)) * UNIT,
      prefix,
      network,
    },
    keyOf,
  );
}

function networkMember(args: ArgumentsCamelCase, prefix: string, allForks: boolean): JsonObject | undefined {
  const name = args.name as string | undefined;
  if (name === undefined && prefix === 'GXC' && !allForks) return undefined;
  return { name: name ?? 'private network', key_prefix: prefix, forks: allForks ? 'all_active' : 'mainnet' };
}

function timestampOf(args: ArgumentsCamelCase, allForks: boolean): number {
  const given = args.timestamp as string | undefined;
  if (given === 'now') {
    const what = 'now needs --all-forks: under the rules of the main network no chain begins after fork 1008';
    check(allForks, GENESIS_CREATE_ERRORS.genesis_option, { option: 'timestamp', what });
    const now = Math.floor(Date.now() / 1000);
    return now - (now % 5);
  }
  return given === undefined ? MAINNET_FORKS.HF_1008 : timeFromText(given);
}

function count(args: ArgumentsCamelCase, option: string, min: number, max: number, initial?: number): number {
  const value = Number(args[option] ?? initial);
  const what = `${String(args[option])} is not a whole number from ${min} to ${max}`;
  const fits = Number.isInteger(value) && value >= min && value <= max;
  check(fits, GENESIS_CREATE_ERRORS.genesis_option, { option, what });
  return value;
}

function keyFile(keys: readonly NamedKey[], prefix: string): string {
  const rows = keys.map(({ name, purpose, key }) => ({
    name,
    purpose,
    wif: key.toWif(),
    public_key: publicKeyToText(key.publicKey, prefix),
  }));
  return `${JSON.stringify(rows, null, 2)}\n`;
}
