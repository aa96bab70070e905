import { resolve } from 'node:path';
import { ChainError, check, defineErrors, FAMILY } from '../base/errors.js';
import { nearest } from '../base/nearest.js';
import { OPTION_ERRORS, type Option, type OptionTable, type OptionValues, parseOption } from './define.js';
import { quotedName } from './quotable.js';

export const LOAD_ERRORS = defineErrors({
  config_section: { ...FAMILY.invalidArgument, text: '${file} line ${line}: sections are not used here' },
});

/** Texts of one option in the order they were given. */
export type GivenOptions = ReadonlyMap<string, readonly string[]>;

export interface IniFile {
  readonly given: GivenOptions;
  /** Where each of these texts stands. */
  readonly lines: ReadonlyMap<string, readonly number[]>;
  /** Names of sections that configure the logs of other programs of the family; their lines mean nothing here. */
  readonly foreignSections: readonly string[];
}

/** `[log.console_appender.stderr]`, `[logger.default]`: a config.ini may be brought along from another node. */
const FOREIGN_SECTION = /^\[(log(?:ger)?\.[^\]]*)\]$/;

const quotedSection = (section: string): string => section.split('.').map(quotedName).join('.');

/** For whoever wants to hear of all mistakes instead of the first one. */
export type OnMistake = (error: ChainError, line: number) => void;

/** `name = value` lines; `#` starts a comment line. A repeated name is a list. */
export function parseIni(text: string, file: string, onMistake?: OnMistake): IniFile {
  const given = new Map<string, string[]>();
  const lines = new Map<string, number[]>();
  const foreignSections: string[] = [];
  const readLine = (raw: string, index: number): void => {
    const line = raw.trim();
    if (line === '' || line.startsWith('#') || line.startsWith(';')) return;
    if (line.startsWith('[')) {
      const section = FOREIGN_SECTION.exec(line)?.[1];
      check(section !== undefined, LOAD_ERRORS.config_section, { file, line: index + 1 });
      foreignSections.push(quotedSection(section));
      return;
    }
    if (foreignSections.length > 0) return;
    const at = line.indexOf('=');
    check(at > 0, OPTION_ERRORS.config_line, { file, line: index + 1 });
    const name = line.slice(0, at).trim();
    given.set(name, [...(given.get(name) ?? []), line.slice(at + 1).trim()]);
    lines.set(name, [...(lines.get(name) ?? []), index + 1]);
  };
  text.split(/\r?\n/).forEach((raw, index) => {
    try {
      readLine(raw, index);
    } catch (error) {
      if (onMistake === undefined || !(error instanceof ChainError)) throw error;
      onMistake(error, index + 1);
    }
  });
  return { given, lines, foreignSections };
}

/** A name of the file that stands for no option there. */
export interface UnknownOption {
  readonly name: string;
  /** It is one, but of the command line alone. */
  readonly commandLineOnly: boolean;
  readonly nearest: string | undefined;
}

const isOfFile = (option: Option<unknown> | undefined): boolean =>
  option !== undefined && option.commandLineOnly !== true;

/** A config file may come from another program of the family. What is unknown in it must be seen, and stops nobody. */
export function unknownOptions(table: OptionTable, given: GivenOptions): UnknownOption[] {
  const known = Object.keys(table).filter((name) => isOfFile(table[name]));
  const aliases = known.map((name) => table[name]?.alias);
  return [...given.keys()]
    .filter((name) => !isOfFile(table[name]) && !aliases.includes(name))
    .map((name) => {
      const commandLineOnly = table[name] !== undefined;
      return { name: quotedName(name), commandLineOnly, nearest: commandLineOnly ? undefined : nearest(name, known) };
    });
}

/**
 * Command line over file over default; lists join what both say. Names that the command line does not know are refused:
 * a typing error must not become a silent default. Relative paths of the file are meant from `fileBase`; without it they
 * stay as they are.
 */
export function resolveOptions<T extends OptionTable>(
  table: T,
  commandLine: GivenOptions,
  file: GivenOptions,
  fileBase?: string,
): OptionValues<T> {
  for (const name of commandLine.keys()) {
    check(table[name] !== undefined, OPTION_ERRORS.option_unknown, { where: 'command line', option: quotedName(name) });
  }
  const out: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(table)) {
    const texts = isOfFile(option) ? givenUnder(file, name, option) : undefined;
    const isPath = option.kind.isPath === true && fileBase !== undefined;
    const inFile = isPath ? texts?.map((text) => (text === '' ? text : resolve(fileBase, text))) : texts;
    const onLine = commandLine.get(name);
    const isList = option.kind.isList === true;
    out[name] = resolveOne(name, option, isList ? [...(inFile ?? []), ...(onLine ?? [])] : (onLine ?? inFile));
  }
  return out as OptionValues<T>;
}

/** Options that somebody has given a value, on the command line or in the file. */
export function givenNames(table: OptionTable, commandLine: GivenOptions, file: GivenOptions): ReadonlySet<string> {
  const isGiven = (texts: readonly string[] | undefined): boolean => texts?.some((text) => text !== '') === true;
  const names = Object.entries(table).filter(
    ([name, option]) => isGiven(commandLine.get(name)) || (isOfFile(option) && isGiven(givenUnder(file, name, option))),
  );
  return new Set(names.map(([name]) => name));
}

function givenUnder(given: GivenOptions, name: string, { alias }: Option<unknown>): readonly string[] | undefined {
  const other = alias === undefined ? undefined : given.get(alias);
  const own = given.get(name);
  return own === undefined ? other : [...(other ?? []), ...own];
}

function resolveOne(name: string, option: Option<unknown>, texts: readonly string[] | undefined): unknown {
  // An empty value in the file means: not given.
  const given = texts?.filter((text) => text !== '');
  if (given === undefined || given.length === 0) return option.initial;
  if (option.kind.isList === true) return given.flatMap((text) => parseOption(name, option, text) as unknown[]);
  check(given.length === 1, OPTION_ERRORS.option_repeated, { option: name, count: given.length });
  return parseOption(name, option, given[0] as string);
}
