import type { ArgumentsCamelCase, Argv } from 'yargs';
import { type Command, type CommandEntry, wordOf } from './command.js';

/**
 * Command lines of which nothing needs explaining: a command, its words, options with values, each once. They get from
 * here what the parser would find, without the time that it takes to load it. Whatever is missing, unknown, repeated or
 * could be read in two ways is left to the parser, and so is every message.
 */

export interface PlainLine {
  readonly command: Command;
  readonly entry: CommandEntry;
  readonly args: ArgumentsCamelCase;
}

interface Spec {
  readonly type?: string;
  readonly default?: unknown;
  readonly alias?: string;
  readonly choices?: readonly unknown[];
  readonly demandOption?: boolean;
  readonly array?: boolean;
  readonly nargs?: number;
  readonly describe?: string;
}

const UNDERSTOOD = new Set(['type', 'default', 'alias', 'choices', 'demandOption', 'array', 'nargs', 'describe']);

/** Stands in for the parser while a command says what it takes. */
class Table {
  readonly options = new Map<string, Spec>();
  readonly words = new Map<string, Spec>();
  isUnderstood = true;

  option(name: string, spec: Spec): this {
    return this.#add(this.options, name, spec);
  }

  positional(name: string, spec: Spec): this {
    return this.#add(this.words, name, spec);
  }

  epilogue(): this {
    return this;
  }

  #add(where: Map<string, Spec>, name: string, spec: Spec): this {
    if (Object.keys(spec).some((key) => !UNDERSTOOD.has(key))) this.isUnderstood = false;
    where.set(name, spec);
    return this;
  }
}

/** A mistake that the parser lets pass: a number that is none, or an option of one value that is given twice. */
export function valueMistake({ builder }: Command, args: ArgumentsCamelCase): string | undefined {
  const table = new Table();
  builder(table as unknown as Argv);
  if (!table.isUnderstood) return undefined;
  for (const [name, { type, array }] of [...table.options, ...table.words]) {
    const value = args[name];
    const shown = table.options.has(name) ? `--${name}` : name;
    if (Array.isArray(value) && array !== true) return `${shown} takes one value and is given ${value.length} times`;
    const isWhole = Number.isSafeInteger(value) && (value as number) >= 0;
    if (type === 'number' && value !== undefined && !isWhole) return `${shown} takes a whole number`;
  }
  return undefined;
}

interface Found {
  readonly command: Command;
  readonly entry: CommandEntry;
  readonly names: readonly string[];
  readonly table: Table;
}

async function findCommand(words: readonly string[], entries: readonly CommandEntry[]): Promise<Found | undefined> {
  const table = new Table();
  const names: string[] = [];
  let members = entries;
  for (const word of words) {
    const entry = members.find((one) => wordOf(one) === word);
    if (entry === undefined) return undefined;
    names.push(word);
    const found = await entry.load();
    if ('handler' in found) {
      found.builder(table as unknown as Argv);
      return { command: found, entry, names, table };
    }
    found.options?.(table as unknown as Argv);
    members = found.members;
  }
  return undefined;
}

/** Undefined where the parser may see something else in it: quotes, numbers of other forms, a dash before more. */
function readValue({ type, choices }: Spec, text: string): string | number | undefined {
  if (/^$|^['"]|^-./.test(text)) return undefined;
  if (choices !== undefined) return choices.includes(text) ? text : undefined;
  if (type === 'number') return /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : undefined;
  return type === 'string' ? text : undefined;
}

/** `no-such` as it is called in a program: `noSuch`. */
export const camelCase = (name: string): string =>
  name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

function namesOf(name: string, { alias }: Spec): string[] {
  return [name, camelCase(name), ...(alias === undefined ? [] : [alias])];
}

const ARGUMENT = /^<([a-z-]+)>$/;

export async function parsePlain(
  words: readonly string[],
  entries: readonly CommandEntry[],
): Promise<PlainLine | undefined> {
  const found = await findCommand(words, entries);
  if (found === undefined || !found.table.isUnderstood) return undefined;
  const { command, entry, names, table } = found;
  const given = readWords(words.slice(names.length), table);
  if (given === undefined) return undefined;
  const wanted = entry.command.split(' ').slice(1);
  if (wanted.length !== given.words.length) return undefined;
  const args: Record<string, unknown> = { _: names, $0: 'trustnode' };
  for (const [i, form] of wanted.entries()) {
    const name = ARGUMENT.exec(form)?.[1];
    const spec = name === undefined ? undefined : table.words.get(name);
    const value = spec === undefined ? undefined : readValue(spec, given.words[i] as string);
    if (name === undefined || spec === undefined || value === undefined) return undefined;
    for (const key of namesOf(name, spec)) args[key] = value;
  }
  for (const [name, spec] of table.options) {
    const value = given.options.get(name) ?? spec.default;
    if (value === undefined && spec.demandOption === true) return undefined;
    if (value !== undefined) for (const key of namesOf(name, spec)) args[key] = value;
  }
  return { command, entry, args: args as ArgumentsCamelCase };
}

interface Words {
  readonly words: readonly string[];
  readonly options: ReadonlyMap<string, unknown>;
}

function readWords(all: readonly string[], table: Table): Words | undefined {
  const words: string[] = [];
  const options = new Map<string, unknown>();
  for (let i = 0; i < all.length; i++) {
    const word = all[i] as string;
    if (!word.startsWith('-')) {
      words.push(word);
      continue;
    }
    const [, dashes, name = '', , joined] = /^(--?)([a-z-]+)(=(.*))?$/.exec(word) ?? [];
    const option =
      dashes === '--' ? name : [...table.options].find(([, { alias }]) => alias === name && joined === undefined)?.[0];
    const spec = option === undefined ? undefined : table.options.get(option);
    if (option === undefined || spec === undefined || spec.array === true || options.has(option)) return undefined;
    const isFlag = spec.type === 'boolean';
    const next = all[i + 1];
    if (isFlag && (joined !== undefined || next === 'true' || next === 'false')) return undefined;
    const value = isFlag ? true : readValue(spec, joined ?? next ?? '');
    if (value === undefined) return undefined;
    options.set(option, value);
    if (!isFlag && joined === undefined) i++;
  }
  return { words, options };
}
