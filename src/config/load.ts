import { check, defineErrors, FAMILY } from '../base/errors.js';
import { OPTION_ERRORS, type Option, type OptionTable, type OptionValues, parseOption } from './define.js';

export const LOAD_ERRORS = defineErrors({
  config_section: { ...FAMILY.invalidArgument, text: '${file} line ${line}: sections are not used here' },
});

/** Texts of one option in the order they were given. */
export type GivenOptions = ReadonlyMap<string, readonly string[]>;

export interface IniFile {
  readonly given: GivenOptions;
  /** Names of sections that configure the logs of other programs of the family; their lines mean nothing here. */
  readonly foreignSections: readonly string[];
}

/** `[log.console_appender.stderr]`, `[logger.default]`: a config.ini may be brought along from another node. */
const FOREIGN_SECTION = /^\[(log(?:ger)?\.[^\]]*)\]$/;

/** `name = value` lines; `#` starts a comment line. A repeated name is a list. */
export function parseIni(text: string, file: string): IniFile {
  const given = new Map<string, string[]>();
  const foreignSections: string[] = [];
  text.split(/\r?\n/).forEach((raw, index) => {
    const line = raw.trim();
    if (line === '' || line.startsWith('#') || line.startsWith(';')) return;
    if (line.startsWith('[')) {
      const section = FOREIGN_SECTION.exec(line)?.[1];
      check(section !== undefined, LOAD_ERRORS.config_section, { file, line: index + 1 });
      foreignSections.push(section);
      return;
    }
    if (foreignSections.length > 0) return;
    const at = line.indexOf('=');
    check(at > 0, OPTION_ERRORS.config_line, { file, line: index + 1 });
    const name = line.slice(0, at).trim();
    const values = given.get(name) ?? [];
    values.push(line.slice(at + 1).trim());
    given.set(name, values);
  });
  return { given, foreignSections };
}

/** Command line over file over default. Unknown names are refused: a typing error must not become a silent default. */
export function resolveOptions<T extends OptionTable>(
  table: T,
  commandLine: GivenOptions,
  file: { readonly name: string; readonly given: GivenOptions },
): OptionValues<T> {
  for (const name of file.given.keys()) {
    const option = table[name];
    const known = option !== undefined && option.commandLineOnly !== true;
    check(known, OPTION_ERRORS.option_unknown, { where: file.name, option: name });
  }
  for (const name of commandLine.keys()) {
    check(table[name] !== undefined, OPTION_ERRORS.option_unknown, { where: 'command line', option: name });
  }
  const out: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(table)) {
    out[name] = resolveOne(name, option, commandLine.get(name) ?? file.given.get(name));
  }
  return out as OptionValues<T>;
}

function resolveOne(name: string, option: Option<unknown>, texts: readonly string[] | undefined): unknown {
  // An empty value in the file means: not given.
  const given = texts?.filter((text) => text !== '');
  if (given === undefined || given.length === 0) return option.initial;
  if (option.kind.isList === true) return given.flatMap((text) => parseOption(name, option, text) as unknown[]);
  check(given.length === 1, OPTION_ERRORS.option_repeated, { option: name, count: given.length });
  return parseOption(name, option, given[0] as string);
}
