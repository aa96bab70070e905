import { accessSync, constants, lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ChainError } from '../base/errors.js';
import { checkGenesis } from '../chain/genesis-source.js';
import type { Network } from '../codec/type.js';
import { OPTION_ERRORS, type OptionTable, parseOption } from '../config/define.js';
import { type GivenOptions, type IniFile, parseIni } from '../config/load.js';
import { quotedName } from '../config/quotable.js';
import type { AnyPart } from '../plugin/part.js';
import { SERVING_RULES } from '../rpc/serving/serve.js';
import { guarded } from '../storage/errors.js';
import { nodeFiles } from '../storage/files.js';
import { STORAGE_FOLDERS } from '../storage/storage.js';
import { PUBLIC_TEST_KEY } from '../witness/options.js';
import { checkForkFile } from './chain/fork-mark.js';
import { loadGenesis } from './chain/genesis.js';
import { checkLogFolder, settingsOf, TOGETHER, withKeysOfFiles } from './load-settings.js';
import { checkParts, wantedParts } from './parts/assembly.js';
import { readFirstTransactions } from './parts/first-transactions.js';
import { ineffectiveOptions } from './parts/ineffective.js';
import { FirstStart, firstMissing } from './runtime/first-start.js';
import { looseKeyFiles } from './settings/key-files.js';
import { absolute, CONFIG_FILE, DEFAULT_DATA_DIR, type Settings } from './settings/options.js';
import { optionTable } from './settings/sections.js';

export interface Mistake {
  /** Undefined where several options together make it, or what they name. */
  readonly where: string | undefined;
  readonly error: ChainError;
}

export interface CheckedSettings {
  readonly configPath: string;
  readonly hasConfig: boolean;
  /** A start would be refused. */
  readonly mistakes: readonly Mistake[];
  /** A start would say these and go on. */
  readonly warnings: readonly string[];
  /** What a start would go by, without what is mistaken. */
  readonly settings: Settings;
}

/** What a start would find in its command line, config.ini and the files that they name: all of it, and nothing is written. */
export function checkSettings(commandLine: GivenOptions, parts: readonly AnyPart[], nowMs: number): CheckedSettings {
  const mistakes: Mistake[] = [];
  const table = optionTable(parts);
  const attempt = (where: string | undefined, work: () => void): boolean => {
    try {
      work();
      return true;
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      mistakes.push({ where, error });
      return false;
    }
  };

  const onLine = sound(table, commandLine, () => 'command line', attempt);
  const dataDir = absolute(onLine.get('data-dir')?.at(-1) ?? DEFAULT_DATA_DIR);
  const configPath = join(dataDir, CONFIG_FILE);
  let text: string | undefined;
  attempt(undefined, () => {
    checkDataDir(dataDir);
    text = nodeFiles.readText(configPath);
  });
  const lineOf = (line: number | undefined): string => `${CONFIG_FILE} line ${line}`;
  const file = parseIni(text ?? '', configPath, (error) => mistakes.push({ where: undefined, error }));
  const given = sound(table, file.given, (name, i) => lineOf(file.lines.get(name)?.[i]), attempt);

  const before = new FirstStart(dataDir);
  const hasConfig = text !== undefined;
  let settings = settingsOf(
    { commandLine: onLine, file: { ...file, given }, dataDir, isFirstStart: !hasConfig, before },
    parts,
  );
  for (const rule of TOGETHER) attempt(undefined, () => rule(settings.options, onLine));
  attempt(undefined, () => {
    settings = withKeysOfFiles(settings, nodeFiles);
  });
  let network: Network | undefined;
  attempt(undefined, () => {
    const { source } = loadGenesis(settings, nowMs);
    checkGenesis(source);
    network = source.network;
  });
  const first = settings.options['first-transactions'];
  const hasBegun = nodeFiles.exists(join(dataDir, STORAGE_FOLDERS.blockLog));
  if (first !== undefined && network !== undefined && !hasBegun) {
    const of = network;
    attempt(undefined, () => readFirstTransactions(absolute(first), of));
  }
  const wanted = wantedParts(parts, settings.options);
  attempt(undefined, () => checkParts(wanted, parts));
  const fork = settings.options['fork-snapshot'];
  if (fork !== undefined) attempt(undefined, () => checkForkFile(dataDir, absolute(fork)));
  for (const rule of SERVING_RULES) attempt(undefined, () => rule(settings.options));
  attempt(undefined, () => checkLogFolder(settings));
  const warnings = [
    ...warningsOf(settings, file),
    ...ineffectiveOptions(parts, wanted, settings).map(({ sentence }) => sentence),
  ];
  return { configPath, hasConfig, mistakes, warnings, settings };
}

/** A node writes there from its start on, or makes the folder, in the name of the user that it runs as. */
function checkDataDir(dataDir: string): void {
  const isThere = nodeFiles.exists(dataDir);
  const written = isThere ? dataDir : dirname(firstMissing(dataDir));
  if (isThere) guarded(dataDir, () => readdirSync(dataDir));
  else for (const name of dataDir.slice(written.length).split('/')) checkName(join(written, name));
  guarded(written, () => accessSync(written, constants.W_OK | constants.X_OK));
}

/** Refuses one that is too long for the file system there, or that stands below a file. */
function checkName(path: string): void {
  guarded(path, () => lstatSync(path, { throwIfNoEntry: false }));
}

type Attempt = (where: string | undefined, work: () => void) => boolean;

/** What is left of the texts without those that their options do not take. */
function sound(
  table: OptionTable,
  given: GivenOptions,
  where: (name: string, index: number) => string,
  attempt: Attempt,
): GivenOptions {
  const out = new Map<string, readonly string[]>();
  for (const [name, texts] of given) {
    const option = table[name] ?? Object.values(table).find(({ alias }) => alias === name);
    if (option === undefined) {
      out.set(name, texts);
      continue;
    }
    const good = texts.filter(
      (text, i) => text === '' || attempt(where(name, i), () => parseOption(name, option, text)),
    );
    const isRepeated = option.kind.isList !== true && texts.filter((text) => text !== '').length > 1;
    if (isRepeated) {
      const error = new ChainError(OPTION_ERRORS.option_repeated, { option: name, count: texts.length });
      attempt(where(name, texts.length - 1), () => {
        throw error;
      });
    }
    if (good.length > 0) out.set(name, isRepeated ? good.slice(0, 1) : good);
  }
  return out;
}

function warningsOf(settings: Settings, { lines }: IniFile): string[] {
  const { options, foreignSections, unknownOptions, isDev } = settings;
  const out: string[] = [];
  for (const { name, commandLineOnly, nearest } of unknownOptions) {
    const line = [...lines].find(([known]) => quotedName(known) === name)?.[1][0];
    const why = commandLineOnly ? 'only the command line takes it' : 'this node does not know it';
    const meant = nearest === undefined ? '' : `; is ${nearest} meant?`;
    out.push(`${CONFIG_FILE} line ${line}: option ${name} is passed over: ${why}${meant}`);
  }
  if (foreignSections.length > 0) {
    const sections = foreignSections.join(' ');
    out.push(
      `${CONFIG_FILE}: ${sections} and all behind it are of another program and passed over; use log-level here`,
    );
  }
  for (const path of looseKeyFiles(settings)) {
    out.push(`${path}: others on this machine may read it; chmod 600 keeps it to yourself`);
  }
  const isPublic = options['private-key'].some(({ publicKey }) => publicKey === PUBLIC_TEST_KEY.publicKey);
  if (options['witness-id'].length > 0 && isPublic && !isDev) {
    out.push('witness-id is given, and no signing key but the one that everybody knows: see private-key-file');
  }
  return out;
}
