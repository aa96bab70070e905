import { check, defineErrors, FAMILY } from '../base/errors.js';
import { quotedName, quotedValue } from './quotable.js';

/**
 * Options belong to the part that uses them and are written once: command line help, config.ini, its example and the
 * validation at start all come from these tables.
 */

export const OPTION_ERRORS = defineErrors({
  option_value: { ...FAMILY.invalidArgument, text: 'option ${option}: ${value} is not ${wanted}' },
  option_unknown: { ...FAMILY.invalidArgument, text: '${where}: there is no option ${option}' },
  option_repeated: { ...FAMILY.invalidArgument, text: 'option ${option} is given ${count} times but takes one value' },
  config_line: { ...FAMILY.invalidArgument, text: '${file} line ${line}: expected name = value' },
});

/** How an option's text becomes a value. */
export interface OptionKind<V> {
  /** For help and messages: `a number of seconds`. */
  readonly wanted: string;
  /** What `--name` without a value stands for on the command line; without this an option needs a value. */
  readonly bare?: string;
  /** Values are keys or passwords: no message and no log repeats them. */
  readonly isSecret?: boolean;
  /** A file or a folder: what config.ini says relatively is meant from the data directory, and the command line as the shell means it. */
  readonly isPath?: boolean;
  /** May be given several times. */
  readonly isList?: boolean;
  /** Undefined when the text is not such a value. */
  parse(text: string): V | undefined;
  /** Of a text that is a list of names: the one that makes it wrong, which is repeated where it can be no key. */
  wrongName?(text: string): string | undefined;
  /** The text that parses to this value, for the example file. */
  format(value: V): string;
}

export interface Option<V> {
  readonly kind: OptionKind<V>;
  readonly initial: V;
  readonly help: string;
  /** One letter for the command line. */
  readonly short?: string;
  /** What other programs of the family call it: understood wherever it is given. */
  readonly alias?: string;
  /** Only on the command line: makes no sense in a file that is read at every start. */
  readonly commandLineOnly?: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: an option of some value type; its table knows which
export type OptionTable = Readonly<Record<string, Option<any>>>;
export type OptionValues<T extends OptionTable> = { readonly [K in keyof T]: T[K] extends Option<infer V> ? V : never };

export function defineOptions<T extends OptionTable>(table: T): T {
  return table;
}

export function parseOption<V>(name: string, option: Option<V>, text: string): V {
  const value = option.kind.parse(text);
  const wrongName = value === undefined ? option.kind.wrongName?.(text) : undefined;
  const quoted = wrongName === undefined ? quotedValue(text) : quotedName(wrongName);
  const shown = option.kind.isSecret === true ? '(not shown)' : quoted;
  check(value !== undefined, OPTION_ERRORS.option_value, { option: name, value: shown, wanted: option.kind.wanted });
  return value;
}

export const textOption: OptionKind<string> = { wanted: 'a text', parse: (text) => text, format: (value) => value };

/** An empty one stands for none. */
export const pathOption: OptionKind<string> = {
  wanted: 'a path',
  isPath: true,
  parse: (text) => (text.includes('\0') ? undefined : text),
  format: (value) => value,
};

export const flag: OptionKind<boolean> = {
  wanted: 'true or false',
  bare: 'true',
  parse: (text) => (/^(true|1|yes|on)$/i.test(text) ? true : /^(false|0|no|off)$/i.test(text) ? false : undefined),
  format: (value) => String(value),
};

export function integer(min: number, max: number, unit = ''): OptionKind<number> {
  return {
    wanted: `a whole number from ${min} to ${max}${unit === '' ? '' : ` (${unit})`}`,
    parse: (text) => {
      const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
    format: (value) => String(value),
  };
}

export function oneOf<const T extends readonly string[]>(...choices: T): OptionKind<T[number]> {
  return {
    wanted: `one of ${choices.join(', ')}`,
    parse: (text) => choices.find((choice) => choice === text),
    format: (value) => value,
  };
}

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** `host:port`; IPv6 hosts in brackets. */
export const endpoint: OptionKind<Endpoint> = {
  wanted: 'an address of the form host:port',
  parse: (text) => {
    const match = /^(?:\[([0-9a-fA-F:]+)\]|([^\s:[\]]+)):(\d{1,5})$/.exec(text);
    const port = Number(match?.[3]);
    return match !== null && port <= 65_535 ? { host: match[1] ?? match[2] ?? '', port } : undefined;
  },
  format: ({ host, port }) => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`),
};

/** An option that may be left out altogether. */
export function maybe<V>(of: OptionKind<V>): OptionKind<V | undefined> {
  return { ...of, format: (value) => (value === undefined ? '' : of.format(value)) };
}

/** An option that may be repeated; every occurrence adds one element. */
export function listOf<V>(of: OptionKind<V>): OptionKind<readonly V[]> {
  return {
    wanted: of.wanted,
    isList: true,
    isSecret: of.isSecret === true,
    isPath: of.isPath === true,
    parse: (text) => {
      const value = of.parse(text);
      return value === undefined ? undefined : [value];
    },
    format: (values) => values.map((value) => of.format(value)).join('\n'),
  };
}
