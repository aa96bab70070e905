import * as fs from 'node:fs';
import { join } from 'node:path';
import { ChainError, check, defineErrors, FAMILY } from '../../base/errors.js';
import { type GenesisOverrides, type GenesisSource, readGenesis } from '../../chain/genesis-source.js';
import { optional } from '../../codec/containers.js';
import { parseJson } from '../../codec/json.js';
import { text, time } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { decodeText } from '../../codec/text.js';
import type { Network } from '../../codec/type.js';
import { sha256Hex } from '../../crypto/hash.js';
import { publicKey } from '../../protocol/keys.js';
import { networkOf } from '../../protocol/network-definition.js';
import { guarded } from '../../storage/errors.js';
import { nodeFiles, replaceFile } from '../../storage/files.js';
import type { Settings } from '../settings/options.js';
import { absolute, type NodeOptions } from '../settings/options.js';
import { checkNoFork } from './fork-mark.js';
import type { Beginning } from './stored-chain.js';

export const NODE_GENESIS_ERRORS = defineErrors({
  genesis_missing: {
    ...FAMILY.invalidArgument,
    text: 'no genesis file: give --network mainnet or testnet, --genesis-json FILE to join or begin another network, or --dev for the development network',
  },
  genesis_differs: {
    ...FAMILY.invalidArgument,
    text: 'this data directory belongs to another network: ${stored} begins chain ${own}, and ${given} begins chain ${other}. Use another --data-dir, or drop its chain with --resync-blockchain',
  },
  genesis_changes_differ: {
    ...FAMILY.invalidArgument,
    text: '${path} changes another genesis file than ${given}. Use the file that this data directory was begun with, another --data-dir, or drop its chain with --resync-blockchain',
  },
  genesis_time_range: {
    ...FAMILY.invalidArgument,
    text: 'option genesis-timestamp: the chain would begin ${timestamp} seconds after 1970, and times end at 4294967295',
  },
  genesis_change_late: {
    ...FAMILY.invalidArgument,
    text: 'option ${option}: the chain of this data directory was begun without it or with another value. Use another --data-dir, or drop its chain with --resync-blockchain',
  },
});

/** The genesis file that a data directory was begun with. */
export const GENESIS_COPY = 'genesis.json';
/** What `genesis-timestamp` and `dbg-init-key` made of it: without this the chain could not be begun a second time. */
export const GENESIS_CHANGES = 'genesis-changes.json';

const changesFile = struct('genesis_changes', {
  /** Of the genesis file's bytes: all changed chains of one file share one id, so that the id alone says too little. */
  genesis_sha256: optional(text),
  initial_timestamp: optional(time),
  init_key: optional(publicKey),
});

export interface LoadedGenesis {
  readonly source: GenesisSource;
  readonly changes: GenesisOverrides;
  /** Keeps the changes, for replays and later starts; undefined when the chain has begun. */
  readonly beginning: Beginning | undefined;
  /** Keeps the file's exact bytes in the data directory; for when its store has accepted the chain id. */
  keepCopy(): void;
}

/** Reads the network's genesis file. */
export function loadGenesis(settings: Settings, nowMs: number): LoadedGenesis {
  const { dataDir, options } = settings;
  if (options['fork-snapshot'] === undefined) checkNoFork(dataDir);
  const stored = join(dataDir, GENESIS_COPY);
  const hasCopy = fs.existsSync(stored);
  const given = options['genesis-json'];
  check(given !== undefined || hasCopy, NODE_GENESIS_ERRORS.genesis_missing);
  const path = given === undefined ? stored : absolute(given);
  const bytes = guarded(path, () => fs.readFileSync(path));
  const copy = hasCopy ? guarded(stored, () => fs.readFileSync(stored)) : undefined;
  const isSame = copy?.equals(bytes) === true;
  const beginsAnew = options['resync-blockchain'];
  if (copy !== undefined && !beginsAnew) checkSameGenesis({ path: stored, bytes: copy }, { path, bytes });
  const kept = beginsAnew ? undefined : keptGenesisChanges(dataDir, { path, bytes });
  const begins = kept === undefined && (!hasCopy || beginsAnew);
  if (!begins) checkChanges(options, kept ?? {});
  const changes = begins ? wantedChanges(options, readNamed({ path, bytes }), nowMs) : (kept ?? {});
  const source = readNamed({ path, bytes }, changes);
  const hours = options['data-transaction-lifetime'];
  return {
    source:
      hours === undefined ? source : { ...source, network: { ...source.network, dataTransactionLifetimeHours: hours } },
    changes,
    beginning: begins ? beginningOf(dataDir, bytes, changes) : undefined,
    keepCopy: () => {
      if (!isSame) replaceFile(stored, bytes);
    },
  };
}

export interface GenesisBytes {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** What is wrong with a file is of no use to somebody who does not know which one it is. */
function readNamed({ path, bytes }: GenesisBytes, changes?: GenesisOverrides): GenesisSource {
  try {
    return readGenesis(bytes, changes);
  } catch (error) {
    throw error instanceof ChainError ? error.within(`while the genesis file ${path} was read`) : error;
  }
}

/** The genesis file of a data directory, and the one that it is to be used with. */
export function checkSameGenesis(stored: GenesisBytes, given: GenesisBytes): void {
  const [own, other] = [sha256Hex(stored.bytes), sha256Hex(given.bytes)];
  check(own === other, NODE_GENESIS_ERRORS.genesis_differs, { stored: stored.path, own, given: given.path, other });
}

/**
 * Undefined when the chain of this directory is that of the genesis file as it is. `given` is the file that is about to
 * be changed: it must be the one that the changes were made for.
 */
export function keptGenesisChanges(dataDir: string, given: GenesisBytes): GenesisOverrides | undefined {
  const path = join(dataDir, GENESIS_CHANGES);
  const content = nodeFiles.readText(path);
  if (content === undefined) return undefined;
  const file = changesFile.fromJson(parseJson(content), networkOfGenesis(given.bytes));
  const { genesis_sha256: hash, initial_timestamp: timestamp, init_key: initKey } = file;
  const isSame = hash === undefined || hash === sha256Hex(given.bytes);
  check(isSame, NODE_GENESIS_ERRORS.genesis_changes_differ, { path, given: given.path });
  return { ...(timestamp === undefined ? {} : { timestamp }), ...(initKey === undefined ? {} : { initKey }) };
}

const networkOfGenesis = (bytes: Uint8Array): Network => networkOf(decodeText(bytes, 0, bytes.length));

function beginningOf(dataDir: string, bytes: Uint8Array, { timestamp, initKey }: GenesisOverrides): Beginning {
  const path = join(dataDir, GENESIS_CHANGES);
  return {
    keep(isNew) {
      if (timestamp === undefined && initKey === undefined) {
        nodeFiles.remove(path);
        return;
      }
      // Somebody took genesis.json away; the chain that is stored here was begun without these changes or with others.
      const option = timestamp === undefined ? 'dbg-init-key' : 'genesis-timestamp';
      check(isNew, NODE_GENESIS_ERRORS.genesis_change_late, { option });
      const changes = { genesis_sha256: sha256Hex(bytes), initial_timestamp: timestamp, init_key: initKey };
      const json = changesFile.toJson(changes, networkOfGenesis(bytes));
      nodeFiles.writeText(path, `${JSON.stringify(json)}\n`);
    },
    undo: () => nodeFiles.remove(path),
  };
}

/** A chain that has begun keeps its first time; another key, or a change of a chain begun without one, is a mistake. */
function checkChanges(options: NodeOptions, kept: GenesisOverrides): void {
  const isLateTime = options['genesis-timestamp'] !== undefined && kept.timestamp === undefined;
  check(!isLateTime, NODE_GENESIS_ERRORS.genesis_change_late, { option: 'genesis-timestamp' });
  const key = options['dbg-init-key'];
  const isLateKey = key !== undefined && key !== kept.initKey;
  check(!isLateKey, NODE_GENESIS_ERRORS.genesis_change_late, { option: 'dbg-init-key' });
}

/** Every genesis time is divisible by this, whatever the block interval is. */
const TIME_STEP_SEC = 5;
/** Times have 32 bits. */
const TIME_MAX_SEC = 0xffff_ffff;

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));

function wantedChanges(options: NodeOptions, { file }: GenesisSource, nowMs: number): GenesisOverrides {
  const seconds = options['genesis-timestamp'];
  const initKey = options['dbg-init-key'];
  const interval = Math.max(1, file.initial_parameters.block_interval);
  const step = (interval * TIME_STEP_SEC) / greatestDivisor(interval, TIME_STEP_SEC);
  const at = Math.floor(nowMs / 1000) + interval + (seconds ?? 0);
  const timestamp = at - (at % step);
  const isInRange = seconds === undefined || timestamp <= TIME_MAX_SEC;
  check(isInRange, NODE_GENESIS_ERRORS.genesis_time_range, { timestamp });
  return {
    ...(seconds === undefined ? {} : { timestamp }),
    ...(initKey === undefined ? {} : { initKey }),
  };
}
