import { join } from 'node:path';
import { check, defineErrors, FAMILY } from '../base/errors.js';
import type { OptionTable } from '../config/define.js';
import { exampleIni } from '../config/example.js';
import { type GivenOptions, givenNames, parseIni, resolveOptions, unknownOptions } from '../config/load.js';
import { NULL_BLOCK_ID } from '../crypto/digests.js';
import type { AnyPart } from '../plugin/part.js';
import { type Files, nodeFiles, PRIVATE } from '../storage/files.js';
import { NODE_PARTS } from './parts/list.js';
import { FirstStart } from './runtime/first-start.js';
import { NETWORK_DEFAULTS, type NetworkName } from './settings/networks.js';
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
  const network = given.get('network')?.at(-1);
  if (dev !== undefined && nodeOptions.dev.kind.parse(dev) === true) return 'dev';
  return network === undefined ? undefined : nodeOptions.network.kind.parse(network);
}

/** Command line over config.ini over defaults. Writes a commented config.ini where there is none. */
export function loadSettings(
  commandLine: GivenOptions,
  parts: readonly AnyPart[] = NODE_PARTS,
  files: Files = nodeFiles,
): Settings {
  const table = optionTable(parts);
  const network = (file: GivenOptions) => networkGiven(commandLine) ?? networkGiven(file);
  const resolve = (file: GivenOptions, dataDir?: string): NodeOptions => {
    const name = network(file);
    const own = name === undefined ? table : withDefaults(table, NETWORK_DEFAULTS[name]);
    // The parts bring all of these tables, as a test holds.
    return resolveOptions(own, commandLine, file, dataDir) as NodeOptions;
  };
  // The command line is judged before anything is written: a typing error leaves no folder behind.
  const early = resolve(new Map());
  checkTogether(early, commandLine);
  const dataDir = absolute(early['data-dir']);
  const configPath = join(dataDir, CONFIG_FILE);
  const before = new FirstStart(dataDir);
  files.makeFolder(dataDir);
  const text = files.readText(configPath);
  if (text === undefined) files.writeText(configPath, configExample(parts), PRIVATE);
  const { given, foreignSections } = parseIni(text ?? '', configPath);
  const options = resolve(given, dataDir);
  checkTogether(options, commandLine);
  return {
    options,
    dataDir,
    isDev: network(given) === 'dev',
    configPath,
    isFirstStart: text === undefined,
    before,
    foreignSections,
    unknownOptions: unknownOptions(table, given),
    givenOptions: givenNames(table, commandLine, given),
  };
}

/** What no single option can know. */
function checkTogether(options: NodeOptions, commandLine: GivenOptions): void {
  const both = options['replay-blockchain'] && options['resync-blockchain'];
  check(!both, SETTINGS_ERRORS.options_exclude, { one: 'replay-blockchain', other: 'resync-blockchain' });
  for (const other of ['replay-blockchain', 'resync-blockchain'] as const) {
    const isBoth = options.truncate !== undefined && options[other];
    check(!isBoth, SETTINGS_ERRORS.options_exclude, { one: 'truncate', other });
  }
  const isDev = options.dev || options.network === 'dev';
  const two = isDev && commandLine.has('genesis-json');
  check(!two, SETTINGS_ERRORS.options_exclude, { one: options.dev ? 'dev' : 'network = dev', other: 'genesis-json' });
  check(isDev || options['dev-accounts'] === 0, SETTINGS_ERRORS.option_needs, { option: 'dev-accounts', needs: 'dev' });
  for (const option of ['dev-block-ms', 'load-state', 'dump-state'] as const) {
    check(isDev || options[option] === undefined, SETTINGS_ERRORS.option_needs, { option, needs: 'dev' });
  }
  const other = options.dev && options.network !== undefined && options.network !== 'dev';
  check(!other, SETTINGS_ERRORS.options_exclude, { one: 'dev', other: `network = ${options.network}` });
  checkCheckpoints(options.checkpoint);
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
