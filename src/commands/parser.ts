import yargs, { type ArgumentsCamelCase, type Argv } from 'yargs';
import { nearest } from '../base/nearest.js';
import { type Command, type CommandEntry, wayAlong, wordOf } from './command.js';
import { WIDTH_MAX } from './help.js';
import { camelCase, valueMistake } from './plain-line.js';
import type { Terminal } from './terminal.js';

/** A dash alone is a word, the standard output; the parser would make an empty text of it. */
const DASH = '\u0000-';
const masked = (word: string): string => (word === '-' ? DASH : word);
const unmasked = (args: ArgumentsCamelCase): ArgumentsCamelCase =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, value === DASH ? '-' : value]),
  ) as ArgumentsCamelCase;

/** A mistake on the command line. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message.replaceAll(DASH, '-'));
  }
}

/** The parser names an unknown option with dashes twice, as it would stand in a program too: `no-such, noSuch`. */
function onceEach(message: string): string {
  const [, names] = /^Unknown arguments: (.*)$/.exec(message) ?? [];
  if (names === undefined) return message;
  const all = names.split(', ');
  const inPrograms = new Set(all.filter((name) => name.includes('-')).map(camelCase));
  const said = all.filter((name) => !inPrograms.has(name));
  return `Unknown argument${said.length === 1 ? '' : 's'}: ${said.join(', ')}`;
}

/** The parser's own kind of error, which it does not export. */
const isParserError = (error: unknown): error is Error => error instanceof Error && error.name === 'YError';

/**
 * Said where a command is wanted and there is another word, or none; the parser would suggest one however little it looks
 * like that word.
 */
async function noCommand(words: readonly string[], entries: readonly CommandEntry[]): Promise<string | undefined> {
  const { names, members } = await wayAlong(words, entries);
  if (members === undefined) return undefined;
  const all = members.map(wordOf);
  const rest = words.slice(names.length);
  if (names.length > 0 && rest.every((one) => one.startsWith('-'))) {
    return `What of ${names.join(' ')}? It has ${all.join(', ')}`;
  }
  const word = rest[0];
  if (word === undefined || word.startsWith('-')) return undefined;
  const like = nearest(word, all);
  const what = `There is no command ${[...names, word].join(' ')}`;
  if (like !== undefined) return `${what}, did you mean ${[...names, like].join(' ')}?`;
  return names.length === 0 ? what : `${what}, but ${all.join(', ')}`;
}

export type RunCommand = (command: Command, entry: CommandEntry, args: ArgumentsCamelCase) => Promise<void>;

/**
 * Thrown to leave the parser with what it has found: when it is left by returning, it first puts the whole help text
 * together, which for `start` takes as long as reading all its modules.
 */
class Found extends Error {
  constructor(
    readonly command: Command,
    readonly entry: CommandEntry,
    readonly args: ArgumentsCamelCase,
  ) {
    super('a command was found');
  }
}

/** Any command line: help, mistakes and all. What is found is given to `run`. */
export async function parseCommandLine(
  words: readonly string[],
  entries: readonly CommandEntry[],
  terminal: Terminal,
  version: string,
  run: RunCommand,
): Promise<void> {
  const parser = yargs()
    .scriptName('trustnode')
    .usage('$0 <command> [options]')
    .version(version)
    .help()
    .alias('h', 'help')
    .alias('v', 'version')
    .strict()
    .demandCommand(1, 'Name a command, for example: trustnode start')
    .wrap(Math.min(WIDTH_MAX, terminal.columns ?? WIDTH_MAX))
    .fail((message, error) => {
      if (error !== undefined && error !== null && !isParserError(error)) throw error;
      throw new UsageError(onceEach(message));
    });
  try {
    await addCommands(parser, entries).parseAsync(words.map(masked), {}, (_error, _args, output) => {
      // Help and version; nothing else comes this way.
      if (output !== '') terminal.out(`${output}\n`);
    });
  } catch (error) {
    if (error instanceof Found) return run(error.command, error.entry, unmasked(error.args));
    // Some mistakes in the options of a command come here without asking `fail`.
    const isMistake = error instanceof UsageError || isParserError(error);
    throw isMistake ? new UsageError((await noCommand(words, entries)) ?? error.message) : error;
  }
}

function addCommands(parser: Argv, entries: readonly CommandEntry[]): Argv {
  let all = parser;
  for (const entry of entries) {
    // The parser asks for a command's options before it runs it, and for those of no other command.
    let loaded: Command | undefined;
    all = all.command(
      entry.command,
      entry.describe,
      async (yargs) => {
        const found = await entry.load();
        if ('handler' in found) {
          loaded = found;
          return found.builder(yargs);
        }
        return addCommands(found.options?.(yargs) ?? yargs, found.members).demandCommand(1);
      },
      (args) => {
        if (loaded === undefined) return;
        const mistake = valueMistake(loaded, args);
        if (mistake !== undefined) throw new UsageError(mistake);
        throw new Found(loaded, entry, args);
      },
    );
  }
  return all;
}
