import type { ArgumentsCamelCase } from 'yargs';
import { ChainError } from '../base/errors.js';
import { type Command, type CommandEntry, wayAlong, wordOf } from './command.js';
import { commandList, groupHelp } from './help.js';
import { COMMANDS } from './index.js';
import { parsePlain } from './plain-line.js';
import { EXIT, type Terminal } from './terminal.js';

export interface RunOptions {
  readonly version: string;
  /** Called before a command that may run contracts. */
  prepareStack(): Promise<void> | void;
  /** Called when all modules of the command are there, before it begins. */
  loaded?(): void;
}

/**
 * Runs one command line to its end: output and exit code go to the terminal. Loading the parser takes longer than a bare
 * Node: the list of commands, and a line without anything unusual, do without it.
 */
export async function runCommandLine(given: readonly string[], terminal: Terminal, options: RunOptions): Promise<void> {
  let words: readonly string[];
  try {
    words = await spelledOut(given);
  } catch (error) {
    report(error, terminal);
    return;
  }
  const run = async ({ handler }: Command, entry: CommandEntry, args: ArgumentsCamelCase): Promise<void> => {
    if (entry.appliesBlocks === true) await options.prepareStack();
    options.loaded?.();
    await handler(args, terminal);
  };
  try {
    const list = await helpOf(words, terminal.columns);
    if (list !== undefined) {
      terminal.out(`${list}\n`);
      return;
    }
    const members = await membersOf(words, terminal.columns);
    if (members !== undefined) {
      terminal.err(`${members}\n`);
      terminal.exitCode = EXIT.usage;
      return;
    }
    const plain = await parsePlain(words, COMMANDS);
    if (plain !== undefined) {
      await run(plain.command, plain.entry, plain.args);
      return;
    }
  } catch (error) {
    report(error, terminal);
    return;
  }
  const { parseCommandLine, UsageError } = await import('./parser.js');
  try {
    await parseCommandLine(words, COMMANDS, terminal, options.version, run);
  } catch (error) {
    if (!(error instanceof UsageError)) {
      report(error, terminal);
      return;
    }
    const isSaid = (await entryOf(words)?.reportUsage?.(words, error.message)) === true;
    if (!isSaid)
      terminal.err(
        `${error.message}\nTry: ${['trustnode', ...(await wayAlong(words, COMMANDS)).names].join(' ')} --help\n`,
      );
    terminal.exitCode = EXIT.usage;
  }
}

async function spelledOut(words: readonly string[]): Promise<readonly string[]> {
  const [first = '', ...rest] = words;
  const entry = entryOf(words);
  return entry?.spellOut === undefined ? words : [first, ...(await entry.spellOut(rest))];
}

const entryOf = ([first = '']: readonly string[]): CommandEntry | undefined =>
  COMMANDS.find((entry) => wordOf(entry) === first);

async function helpOf(words: readonly string[], columns: number | undefined): Promise<string | undefined> {
  const [first = '', second] = words;
  if (words.length === 1 && first === '--help') return commandList(COMMANDS, columns);
  if (words.length !== 2 || second !== '--help') return undefined;
  const entry = entryOf(words);
  return entry === undefined ? undefined : groupHelp(entry, columns);
}

/** What a group of commands that is named alone can do. */
async function membersOf(words: readonly string[], columns: number | undefined): Promise<string | undefined> {
  const [first = ''] = words;
  const entry = words.length === 1 ? COMMANDS.find(({ command }) => command === `${first} <action>`) : undefined;
  return entry === undefined ? undefined : groupHelp(entry, columns);
}

/** For who has typed the command; errors that are no refusals are not for them. */
export function report(error: unknown, terminal: Terminal): void {
  if (!(error instanceof ChainError)) throw error;
  terminal.err(`${error.row.name} (${error.code}) ${error.key}: ${error.message}\n`);
  if (error.hint !== undefined) terminal.err(`  ${error.hint}\n`);
  for (const frame of error.context) if (frame.text !== '') terminal.err(`  ${frame.text}\n`);
  terminal.exitCode = EXIT.refused;
}
