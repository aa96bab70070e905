import { basename, resolve } from 'node:path';
import { ChainError } from '../../base/errors.js';
import { parseJson } from '../../codec/json.js';
import {
  defineOptions,
  flag,
  integer,
  listOf,
  maybe,
  type OptionKind,
  type OptionValues,
  oneOf,
  pathOption,
  textOption,
} from '../../config/define.js';
import type { UnknownOption } from '../../config/load.js';
import { NULL_BLOCK_ID } from '../../crypto/digests.js';
import { isOnCurve } from '../../crypto/old-addresses.js';
import { PrivateKey } from '../../crypto/private-key.js';
import { DEFAULT_KEY_PREFIX, type PublicKey, publicKeyFromText, publicKeyToText } from '../../crypto/public-key.js';
import type { p2pOptions } from '../../p2p/options.js';
import type { rpcOptions } from '../../rpc/serving/options.js';
import { PUBLIC_TEST_KEY, signingKeyOption, type witnessOptions } from '../../witness/options.js';
import type { FirstStart } from '../runtime/first-start.js';
import { LOG_LEVELS, type LogLevel } from '../runtime/logger.js';
import { NETWORK_NAMES } from './networks.js';

export interface Checkpoint {
  readonly number: number;
  /** 20 bytes, hex. */
  readonly id: string;
}

const BLOCK_NUMBER_MAX = 0xffff_ffff;
const SECONDS_MAX = 0xffff_ffff;

function checkpointOf(number: unknown, id: unknown): Checkpoint | undefined {
  const num = typeof number === 'string' && /^\d{1,10}$/.test(number) ? Number(number) : number;
  if (typeof num !== 'number' || !Number.isInteger(num) || num < 1 || num > BLOCK_NUMBER_MAX) return undefined;
  if (typeof id !== 'string' || !/^[0-9a-fA-F]{40}$/.test(id)) return undefined;
  // An id begins with its block's number; a pair that does not fit is a typing error.
  if (!/^0+$/.test(id) && Number.parseInt(id.slice(0, 8), 16) !== num) return undefined;
  return { number: num, id: id.toLowerCase() };
}

export const checkpointOption: OptionKind<Checkpoint> = {
  wanted: 'a pair [<block number>, "<block id>"] whose id begins with the number, or is zero',
  parse: (text) => {
    const plain = /^(\d+):([0-9a-fA-F]+)$/.exec(text);
    if (plain !== null) return checkpointOf(plain[1], plain[2]);
    try {
      const pair = parseJson(text);
      return Array.isArray(pair) && pair.length === 2 ? checkpointOf(pair[0], pair[1]) : undefined;
    } catch (error) {
      if (error instanceof ChainError) return undefined;
      throw error;
    }
  },
  format: ({ number, id }) => JSON.stringify([number, id]),
};

/** `module=level`. */
const moduleLevelOption: OptionKind<readonly [module: string, level: LogLevel]> = {
  wanted: `a module and its level, such as witness=debug; levels are ${LOG_LEVELS.join(', ')}`,
  parse: (text) => {
    const match = /^([a-z][a-z0-9_-]*)\s*=\s*(\w+)$/.exec(text);
    const level = LOG_LEVELS.find((known) => known === match?.[2]);
    return match === null || level === undefined ? undefined : [match[1] as string, level];
  },
  format: ([module, level]) => `${module}=${level}`,
};

const KEY_PREFIX_CHARS_MAX = 10;

/** A public key with the prefix of whatever network, which is not known yet, or the private key that belongs to it. */
const anyKeyOption: OptionKind<PublicKey> = {
  wanted: 'a public key, or a private key whose public one is meant',
  // The text may be a private key.
  isSecret: true,
  parse: (text) => {
    for (const read of [
      () => PrivateKey.fromWif(text).publicKey,
      ...Array.from({ length: KEY_PREFIX_CHARS_MAX + 1 }, (_, chars) => () => publicKeyFromText(text.slice(chars), '')),
    ]) {
      try {
        const key = read();
        return isOnCurve(key) ? key : undefined;
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
      }
    }
    return undefined;
  },
  format: (key) => publicKeyToText(key, DEFAULT_KEY_PREFIX),
};

/** Names of plugins; `known` are those that this node has. */
export function pluginsOption(known: readonly string[]): OptionKind<readonly string[]> {
  const namesIn = (text: string): string[] =>
    text
      .split(/[\s,]+/)
      .filter((one) => one !== '')
      .map((word) => basename(word));
  const wrongName = (text: string) => namesIn(text).find((name) => !known.includes(name));
  return {
    wanted: `names separated by spaces, of ${known.join(', ')}, or folders such as ./my-plugin; none stands for no plugin`,
    parse: (text) => (text.trim() === 'none' ? [] : wrongName(text) === undefined ? namesIn(text) : undefined),
    wrongName,
    format: (names) => (names.length === 0 ? 'none' : names.join(' ')),
  };
}

export const CONFIG_FILE = 'config.ini';
export const DEFAULT_DATA_DIR = 'witness_node_data_dir';

export const nodeOptions = defineOptions({
  'data-dir': {
    kind: pathOption,
    initial: DEFAULT_DATA_DIR,
    help: `Folder of everything this node keeps, with its ${CONFIG_FILE}. Relative to the working directory.`,
    short: 'd',
    commandLineOnly: true,
  },
  network: {
    kind: maybe(oneOf(...NETWORK_NAMES)),
    initial: undefined,
    help: 'Sets what belongs to a network together: its genesis file with the key prefix, the nodes to connect to and the address to listen on for others (0.0.0.0:6789); for dev all that the development network needs. Each of them can still be given by itself.',
  },
  dev: {
    kind: flag,
    initial: false,
    help: 'The same as network = dev: one node that makes all blocks, with funded accounts whose keys are printed.',
    commandLineOnly: true,
  },
});

/** `plugins` itself: which ones there are is known when the parts are. */
export function pluginOptions(known: readonly string[], initial: readonly string[]) {
  return defineOptions({
    plugins: {
      kind: pluginsOption(known),
      initial,
      help:
        'Parts of the node to run. debug_witness has the debug API ready for those whom api-access lets use it; ' +
        'enable-debug-api opens it to everybody.',
    },
  });
}

export const pluginStoreOptions = defineOptions({
  'limit-batch': {
    kind: maybe(integer(1, 10_000_000, 'entries')),
    initial: undefined,
    help:
      'Entries that the history plugins with stores of their own write together. The default of account_history_kv is ' +
      '500; the index of transactions writes those of 1,000 blocks together whatever this says.',
  },
  'query-txid-path': {
    kind: maybe(pathOption),
    initial: undefined,
    help:
      'Folder of the index that finds transactions by their id. The default is in the data directory; in another one the ' +
      'index is built anew beside the running node.',
  },
});

export const runOnceOptions = defineOptions({
  'create-genesis-json': {
    kind: maybe(pathOption),
    initial: undefined,
    help:
      'Write an example genesis file whose keys everybody knows, or give an existing one the members that it lacks ' +
      '(which makes it the file of another chain; the old one is kept beside it), and exit. trustnode genesis create makes one with keys of its own.',
    commandLineOnly: true,
  },
});

export const threadOptions = defineOptions({
  'verify-threads': {
    kind: maybe(integer(0, 256, 'threads; 0 does the work in the main thread')),
    initial: undefined,
    help: 'Threads that check signatures. The default leaves one processor to the main thread.',
  },
});

export const genesisOptions = defineOptions({
  'genesis-json': {
    kind: maybe(pathOption),
    initial: undefined,
    help:
      'Genesis file of the network; its hash is the chain id. Needed at the first start, which keeps a copy as ' +
      'genesis.json in the data directory for the next ones.',
  },
  'genesis-timestamp': {
    kind: maybe(integer(0, SECONDS_MAX, 'seconds')),
    initial: undefined,
    help:
      'Begin a private chain with this genesis file at another time: now, one block interval and so many seconds, ' +
      'rounded down. The chain gets another id than the file; later starts keep to the time of the first one.',
    commandLineOnly: true,
  },
  'dbg-init-key': {
    kind: maybe(anyKeyOption),
    initial: undefined,
    help:
      'Begin a private chain in which the witnesses that are active from the start sign with this key instead of those ' +
      'of the genesis file. The chain gets another id than the file.',
  },
});

export const chainOptions = defineOptions({
  checkpoint: {
    kind: listOf(checkpointOption),
    initial: [],
    help:
      'A block that must have this id. Blocks up to the last checkpoint are applied without checks. The zero id on the ' +
      'highest block turns all checkpoints off.',
    short: 'c',
  },
  'replay-blockchain': {
    kind: flag,
    initial: false,
    help: 'Drop the state, keep the blocks, and build the state anew from them.',
    commandLineOnly: true,
  },
  'fast-replay': {
    kind: flag,
    initial: false,
    help: 'Accepted and always on: this node makes no pauses while it applies stored blocks.',
    commandLineOnly: true,
  },
  'resync-blockchain': {
    kind: flag,
    initial: false,
    help: 'Drop the state and the blocks and begin anew.',
    commandLineOnly: true,
  },
  truncate: {
    kind: maybe(integer(0, BLOCK_NUMBER_MAX, 'block number')),
    initial: undefined,
    help:
      'Cut the block log before this block and exit; a state that stands on what is cut is dropped, and the next start ' +
      'builds it from the blocks that are left.',
    short: 'x',
    commandLineOnly: true,
  },
  'recount-votes': {
    kind: flag,
    initial: false,
    help:
      'Count all votes anew at every maintenance and compare them with what was carried on from one to the next: where ' +
      'they differ, the block is not applied and the node says that it met a bug. Takes two seconds for 1,000,000 accounts.',
  },
  'force-validate': {
    kind: flag,
    initial: false,
    help: 'Accepted and always on: this node checks the signatures of all transactions in received blocks.',
  },
  'operation-journal': {
    kind: flag,
    initial: true,
    help:
      'Keep what blocks did beside their transactions: payments, what proposals and contracts did. Without it no plugin ' +
      'for histories can run, and one that is switched on later begins where the journal does, or needs a replay.',
  },
  'data-transaction-lifetime': {
    kind: maybe(integer(0, 65_535, 'hours of chain time; 0 keeps them')),
    initial: undefined,
    help:
      'When finished data transactions are forgotten. It is a rule of the network: all nodes must agree. Without it the ' +
      'network says so, in its genesis file, or 1.',
  },
});

export const firstTransactionOptions = defineOptions({
  'first-transactions': {
    kind: maybe(pathOption),
    initial: undefined,
    help:
      'JSON file with signed transactions for the first block of a new chain: under the rules of the main network ' +
      'balances of the genesis file can be claimed there and nowhere else. Passed over once the chain has begun.',
  },
});

export const snapshotOptions = defineOptions({
  'state-snapshots-dir': {
    kind: maybe(pathOption),
    initial: undefined,
    help: 'Folder for the snapshots of the state that the RPC method create_snapshot makes; each node has one of its own.',
  },
  'state-snapshot-every': {
    kind: integer(0, BLOCK_NUMBER_MAX, 'blocks; 0 makes none'),
    initial: 0,
    help: 'Make a snapshot into state-snapshots-dir by itself after every so many blocks.',
  },
  'state-snapshot-keep': {
    kind: integer(1, 10_000, 'snapshots'),
    initial: 3,
    help: 'So many snapshots stay in state-snapshots-dir; a new one removes the oldest beyond that.',
  },
});

export const readyOptions = defineOptions({
  'ready-head-age': {
    kind: integer(1, 4_294_967_295, 'seconds'),
    initial: 120,
    help: 'A node whose head block is older than so many seconds is not ready for clients: /readyz answers 503.',
  },
});

export const followerOptions = defineOptions({
  'ready-needs-follower': {
    kind: listOf(textOption),
    initial: [] as readonly string[],
    help: 'Name of a follower of the chain, such as a plugin that keeps a history, without which this node is not ready for clients: /readyz answers 503 when it has stopped. Otherwise it warns.',
  },
});

export const diskOptions = defineOptions({
  'disk-reserve': {
    kind: integer(0, 1_000_000, 'megabytes'),
    initial: 300,
    help: 'The node stops in order when less than this is left where its data directory is, and warns below five times as much. At most a twentieth of the file system counts. 0 turns it off.',
  },
});

export const logOptions = defineOptions({
  'log-level': { kind: oneOf(...LOG_LEVELS), initial: 'info' as LogLevel, help: 'How much is logged.' },
  'log-level-module': {
    kind: listOf(moduleLevelOption),
    initial: [],
    help: 'Level of one module alone. Modules are node, chain, storage, p2p, rpc, witness, contract, and the plugins by their names.',
  },
  'log-format': {
    kind: oneOf('text', 'json'),
    initial: 'text' as const,
    help: 'Lines for people, or JSON for programs. Logs go to the standard error output.',
  },
  'log-file': {
    // Other nodes of the family know it as a flag.
    kind: { ...maybe(pathOption), bare: '' },
    initial: undefined,
    help: 'Write the log to this file too. SIGHUP opens it anew after a rotation. Without a value it is accepted and has no effect.',
  },
});

export const debugOptions = defineOptions({
  'contracts-console': {
    kind: flag,
    initial: false,
    help: 'Log what contracts print, line by line, whenever a call runs: when it is tried, and when a block of others has it.',
  },
  'debug-private-key': {
    kind: listOf(signingKeyOption),
    initial: [PUBLIC_TEST_KEY],
    help: 'Keys that debug_generate_blocks may sign with when it is called without one.',
  },
});

export const devAccountOptions = defineOptions({
  'dev-accounts': {
    kind: integer(0, 100, 'accounts'),
    initial: 0,
    help: 'More funded accounts of a development chain that begins with this start: dev-1, dev-2 and so on. The key of each is the SHA-256 of "trustnode dev" and its name.',
  },
  'dev-balance': {
    kind: integer(0, 80_000, 'coins'),
    initial: 10_000,
    help: 'What each of dev-accounts has of the core asset.',
  },
});

export const forkOptions = defineOptions({
  'fork-snapshot': {
    kind: maybe(pathOption),
    initial: undefined,
    help: 'With dev: a fork of the chain that this packed snapshot is of (see network and genesis-json), with local keys for its witnesses. Begins with the snapshot at the first start and goes on at later ones. A fork has no peers.',
  },
});

export const devOptions = defineOptions({
  'dev-block-ms': {
    kind: maybe(integer(0, 3_600_000, 'milliseconds')),
    initial: undefined,
    help: 'On a development chain: a block every so many milliseconds, whatever the interval of the chain is, or with 0 as soon as a transaction waits. The clock of the node runs ahead where blocks come faster than their slots.',
  },
  'load-state': {
    kind: maybe(pathOption),
    initial: undefined,
    help: 'On a development chain: begin with the state in this file, as dev_dumpState or dump-state has it. A chain that has its blocks already goes on.',
  },
  'dump-state': {
    kind: maybe(pathOption),
    initial: undefined,
    help: 'On a development chain: write the state of the whole chain to this file when the node stops in order, for load-state.',
  },
});

/** Options of the node itself and of its own parts. Plugins have theirs besides, which nobody else reads. */
type OwnTable = typeof nodeOptions &
  ReturnType<typeof pluginOptions> &
  typeof pluginStoreOptions &
  typeof runOnceOptions &
  typeof threadOptions &
  typeof genesisOptions &
  typeof chainOptions &
  typeof firstTransactionOptions &
  typeof snapshotOptions &
  typeof diskOptions &
  typeof readyOptions &
  typeof followerOptions &
  typeof p2pOptions &
  typeof rpcOptions &
  typeof witnessOptions &
  typeof logOptions &
  typeof debugOptions &
  typeof devOptions &
  typeof forkOptions &
  typeof devAccountOptions;
export type NodeOptions = OptionValues<OwnTable>;

export interface Settings {
  readonly options: NodeOptions;
  readonly dataDir: string;
  readonly isDev: boolean;
  readonly configPath: string;
  /** The file was written by this start. */
  readonly isFirstStart: boolean;
  /** The data directory as this start found it. */
  readonly before: FirstStart;
  /** Sections of config.ini that were passed over. */
  readonly foreignSections: readonly string[];
  /** Names in config.ini that mean nothing there. */
  readonly unknownOptions: readonly UnknownOption[];
  /** Names of those that have a value from somebody, and not their default. */
  readonly givenOptions: ReadonlySet<string>;
}

/** By block. Quirk: the zero id on the highest one turns all of them off. */
export function checkpointsOf(checkpoints: readonly Checkpoint[]): Map<number, string> {
  const isOff = checkpoints.some(({ id }) => id === NULL_BLOCK_ID);
  return new Map(isOff ? [] : checkpoints.map(({ number, id }) => [number, id]));
}

export function absolute(path: string, base: string = process.cwd()): string {
  return resolve(base, path);
}
