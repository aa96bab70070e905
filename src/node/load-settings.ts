import { dirname, join } from 'node:path';
import { check, defineErrors, FAMILY } from '../base/errors.js';
import type { OptionTable } from '../config/define.js';
import { exampleIni } from '../config/example.js';
import {
  type GivenOptions,
  givenNames,
  type IniFile,
  parseIni,
  resolveOptions,
  unknownOptions,
} from '../config/load.js';
import { NULL_BLOCK_ID } from '../crypto/digests.js';
import type { AnyPart } from '../plugin/part.js';
import { type Files, nodeFiles, PRIVATE } from '../storage/files.js';
import { NODE_PARTS } from './parts/list.js';
import { FirstStart } from './runtime/first-start.js';
import { keysOfFiles } from './settings/key-files.js';
import { forkDefaults, NETWORK_DEFAULTS, type NetworkName } from './settings/networks.js';
import {
  absolute,
  type Checkpoint,
  CONFIG_FILE,
  type NodeOptions,
  nodeOptions,
  type Settings,
} from './settings/options.js';
import { optionSections, optionTable } from './settings/sections.js';

export const SETTINGS_ERRORS = defineErrors({
  options_exclude: { ...FAMILY.invalidArgument, text: 'options ${one} and ${other} cannot be used together' },
  option_needs: { ...FAMILY.invalidArgument, text: 'option ${option} needs ${needs}' },
  endpoint_twice: { ...FAMILY.invalidArgument, text: 'options ${one} and ${other} name one port, ${endpoint}' },
  log_folder: {
    ...FAMILY.invalidArgument,
    text: 'option log-file: there is no folder ${folder}',
    hint: 'make it, or name a file in another one',
  },
});

function withDefaults(table: OptionTable, defaults: Readonly<Record<string, unknown>>): OptionTable {
  const out: Record<string, OptionTable[string]> = { ...table };
  for (const [name, initial] of Object.entries(defaults)) {
    const option = out[name];
    if (option !== undefined) out[name] = { ...option, initial };
  }
  return out;
}

/** Text of config.ini.example and of the file that a first start writes. */
export function configExample(parts: readonly AnyPart[] = NODE_PARTS): string {
  return exampleIni(optionSections(parts));
}

/** A text that is no network is refused when the options are read. */
function networkGiven(given: GivenOptions): NetworkName | undefined {
  const dev = given.get('dev')?.at(-1);
  if (dev !== undefined && nodeOptions.dev.kind.parse(dev) === true) return 'dev';
  return networkNamed(given);
}

function networkNamed(given: GivenOptions): NetworkName | undefined {
  const network = given.get('network')?.at(-1);
  return network === undefined ? undefined : nodeOptions.network.kind.parse(network);
}

const asksForFork = (given: GivenOptions): boolean => (given.get('fork-snapshot')?.at(-1) ?? '') !== '';

/** The values that options have, for what somebody has given. */
function resolver(commandLine: GivenOptions, table: OptionTable) {
  const network = (file: GivenOptions) => networkGiven(commandLine) ?? networkGiven(file);
  const resolve = (file: GivenOptions, dataDir?: string): NodeOptions => {
    const name = network(file);
    const isFork = name === 'dev' && (asksForFork(commandLine) || asksForFork(file));
    const ofNetwork = name === undefined ? {} : NETWORK_DEFAULTS[name];
    const defaults = isFork ? forkDefaults(networkNamed(commandLine) ?? networkNamed(file)) : ofNetwork;
    const resolved = (initial: Readonly<Record<string, unknown>>): NodeOptions =>
      // The parts bring all of these tables, as a test holds.
      resolveOptions(withDefaults(table, initial), commandLine, file, dataDir) as NodeOptions;
    const options = resolved(defaults);
    if (options['operation-journal']) return options;
    // Whoever wants no journal wants no histories, unless they say so.
    const { 'max-ops-per-account': _, ...others } = defaults;
    return resolved(others);
  };
  return { network, resolve };
}

/** Command line over config.ini over defaults. Writes a commented config.ini where there is none. */
export function loadSettings(
  commandLine: GivenOptions,
  parts: readonly AnyPart[] = NODE_PARTS,
  files: Files = nodeFiles,
): Settings {
  // The command line is judged before anything is written: a typing error leaves no folder behind.
  const early = resolver(commandLine, optionTable(parts)).resolve(new Map());
  checkTogether(early, commandLine);
  const dataDir = absolute(early['data-dir']);
  const configPath = join(dataDir, CONFIG_FILE);
  const before = new FirstStart(dataDir);
  try {
    files.makeFolder(dataDir);
    const text = files.readText(configPath);
    if (text === undefined) files.writeText(configPath, configExample(parts), PRIVATE);
    const settings = settingsOf(
      { commandLine, file: parseIni(text ?? '', configPath), dataDir, isFirstStart: text === undefined, before },
      parts,
    );
    checkTogether(settings.options, commandLine);
    return withKeysOfFiles(settings, files);
  } catch (error) {
    before.undo();
    throw error;
  }
}

export interface SettingsGiven {
  readonly commandLine: GivenOptions;
  readonly file: IniFile;
  readonly dataDir: string;
  readonly isFirstStart: boolean;
  readonly before: FirstStart;
}

export function settingsOf(given: SettingsGiven, parts: readonly AnyPart[]): Settings {
  const { commandLine, file, dataDir, isFirstStart, before } = given;
  const table = optionTable(parts);
  const { network, resolve } = resolver(commandLine, table);
  return {
    options: resolve(file.given, dataDir),
    dataDir,
    isDev: network(file.given) === 'dev',
    configPath: join(dataDir, CONFIG_FILE),
    isFirstStart,
    before,
    foreignSections: file.foreignSections,
    unknownOptions: unknownOptions(table, file.given),
    givenOptions: givenNames(table, commandLine, file.given),
  };
}

/** Keys of files take the place of the default keys, and stand beside those that somebody has given. */
export function withKeysOfFiles(settings: Settings, files: Files): Settings {
  const { options, givenOptions } = settings;
  const keys = keysOfFiles(options, files);
  if (keys.length === 0) return settings;
  const beside = givenOptions.has('private-key') ? options['private-key'] : [];
  return { ...settings, options: { ...options, 'private-key': [...beside, ...keys] } };
}

type Rule = (options: NodeOptions, commandLine: GivenOptions) => void;

const isFork = (options: NodeOptions): boolean => options['fork-snapshot'] !== undefined;
const isDevelopment = (options: NodeOptions): boolean => options.dev || options.network === 'dev';

/** A fork meets nobody, has no blocks before it that its state could be built from, and is of the chain as it is. */
const FORK_EXCLUDES = [
  'p2p-endpoint',
  'seed-node',
  'seed-nodes',
  'p2p-peer',
  'replay-blockchain',
  'resync-blockchain',
  'truncate',
  'genesis-timestamp',
  'dbg-init-key',
  'first-transactions',
] as const;

const isGiven = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;

/** What no single option can know. */
export const TOGETHER: readonly Rule[] = [
  (options) => {
    const both = options['replay-blockchain'] && options['resync-blockchain'];
    check(!both, SETTINGS_ERRORS.options_exclude, { one: 'replay-blockchain', other: 'resync-blockchain' });
  },
  (options) => {
    for (const other of ['replay-blockchain', 'resync-blockchain'] as const) {
      const isBoth = options.truncate !== undefined && options[other];
      check(!isBoth, SETTINGS_ERRORS.options_exclude, { one: 'truncate', other });
    }
  },
  (options, commandLine) => {
    const two = isDevelopment(options) && !isFork(options) && commandLine.has('genesis-json');
    const one = options.dev ? 'dev' : 'network = dev';
    check(!two, SETTINGS_ERRORS.options_exclude, { one, other: 'genesis-json' });
  },
  (options) => {
    const isFit = isDevelopment(options) || options['dev-accounts'] === 0;
    check(isFit, SETTINGS_ERRORS.option_needs, { option: 'dev-accounts', needs: 'dev' });
  },
  (options) => {
    for (const option of ['dev-block-ms', 'load-state', 'dump-state', 'fork-snapshot'] as const) {
      const isFit = isDevelopment(options) || options[option] === undefined;
      check(isFit, SETTINGS_ERRORS.option_needs, { option, needs: 'dev' });
    }
  },
  (options) => {
    const other = options.dev && !isFork(options) && options.network !== undefined && options.network !== 'dev';
    check(!other, SETTINGS_ERRORS.options_exclude, { one: 'dev', other: `network = ${options.network}` });
  },
  (options) => {
    if (!isFork(options)) return;
    const given = FORK_EXCLUDES.find((name) => isGiven(options[name]));
    check(given === undefined, SETTINGS_ERRORS.options_exclude, { one: 'fork-snapshot', other: given });
  },
  ({ checkpoint }) => checkCheckpoints(checkpoint),
  checkEndpoints,
];

function checkTogether(options: NodeOptions, commandLine: GivenOptions): void {
  for (const rule of TOGETHER) rule(options, commandLine);
}

const ENDPOINTS = ['rpc-endpoint', 'rpc-tls-endpoint', 'monitor-endpoint', 'p2p-endpoint'] as const;
const WILDCARDS = ['0.0.0.0', '::'];

function checkEndpoints(options: NodeOptions): void {
  const taken: { readonly name: string; readonly host: string; readonly port: number }[] = [];
  for (const name of ENDPOINTS) {
    const at = options[name];
    // Of port 0 each gets another one from the system.
    if (at === undefined || at.port === 0) continue;
    const meets = (host: string): boolean => host === at.host || [host, at.host].some((one) => WILDCARDS.includes(one));
    const other = taken.find(({ host, port }) => port === at.port && meets(host));
    const endpoint = `${at.host}:${at.port}`;
    check(other === undefined, SETTINGS_ERRORS.endpoint_twice, { one: other?.name, other: name, endpoint });
    taken.push({ name, ...at });
  }
}

/** Before the log is opened, which would name the file as what is missing. */
export function checkLogFolder({ options, dataDir }: Settings): void {
  if (options['log-file'] === undefined) return;
  const folder = dirname(absolute(options['log-file']));
  // A first start makes that one.
  check(folder === dataDir || nodeFiles.exists(folder), SETTINGS_ERRORS.log_folder, { folder });
}

/** The same one may stand in the file and on the command line. */
function checkCheckpoints(checkpoints: readonly Checkpoint[]): void {
  const ids = new Map<number, string>();
  for (const { number, id } of checkpoints) {
    const isSame = (ids.get(number) ?? id) === id;
    check(isSame, SETTINGS_ERRORS.options_exclude, { one: 'checkpoint', other: 'checkpoint for the same block' });
    ids.set(number, id);
  }
  const highest = Math.max(0, ...ids.keys());
  for (const [number, id] of ids) {
    const isUsable = id !== NULL_BLOCK_ID || number === highest;
    check(isUsable, SETTINGS_ERRORS.option_needs, {
      option: 'checkpoint',
      needs: 'the zero id on its highest block only',
    });
  }
}
