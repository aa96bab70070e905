import yargs, { type ArgumentsCamelCase, type Argv } from 'yargs';
import { ChainError } from '../base/errors.js';
import type { Command, CommandEntry } from './command.js';
import { COMMANDS } from './index.js';
import { EXIT, type Terminal } from './terminal.js';

const WIDTH_MAX = 110;

/** A mistake on the command line. */
class UsageError extends Error {}

/** The parser's own kind of error, which it does not export. */
const isParserError = (error: unknown): error is Error => error instanceof Error && error.name === 'YError';

export interface RunOptions {
  readonly version: string;
  /** Called before a command that may run contracts. */
  prepareStack(): Promise<void> | void;
}

/** Runs one command line to its end: output and exit code go to the terminal. */
export async function runCommandLine(words: readonly string[], terminal: Terminal, options: RunOptions): Promise<void> {
  const parser = yargs()
    .scriptName('trustnode')
    .usage('$0 <command> [options]')
    .version(options.version)
    .help()
    .alias('h', 'help')
    .alias('v', 'version')
    .strict()
    .demandCommand(1, 'Name a command, for example: trustnode start')
    .recommendCommands()
    .wrap(Math.min(WIDTH_MAX, terminal.columns ?? WIDTH_MAX))
    .fail((message, error) => {
      if (error !== undefined && error !== null && !isParserError(error)) throw error;
      throw new UsageError(message);
    });
  const run = async ({ handler }: Command, entry: CommandEntry, args: ArgumentsCamelCase): Promise<void> => {
    if (entry.appliesBlocks === true) await options.prepareStack();
    await handler(args, terminal);
  };
  try {
    await addCommands(parser, COMMANDS, run).parseAsync(words, {}, (_error, _args, output) => {
      // Help and version; nothing else comes this way.
      if (output !== '') terminal.out(`${output}\n`);
    });
  } catch (error) {
    report(error, terminal);
  }
}

type RunCommand = (command: Command, entry: CommandEntry, args: ArgumentsCamelCase) => Promise<void>;

function addCommands(parser: Argv, entries: readonly CommandEntry[], run: RunCommand): Argv {
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
        return addCommands(found.options?.(yargs) ?? yargs, found.members, run).demandCommand(1);
      },
      async (args) => {
        if (loaded !== undefined) await run(loaded, entry, args);
      },
    );
  }
  return all;
}

function report(error: unknown, terminal: Terminal): void {
  // Some mistakes in the options of a command come here without asking `fail`.
  if (error instanceof UsageError || isParserError(error)) {
    terminal.err(`${error.message}\nTry: trustnode --help\n`);
    terminal.exitCode = EXIT.usage;
    return;
  }
  if (!(error instanceof ChainError)) throw error;
  terminal.err(`${error.row.name} (${error.code}) ${error.key}: ${error.message}\n`);
  for (const frame of error.context) if (frame.text !== '') terminal.err(`  ${frame.text}\n`);
  terminal.exitCode = EXIT.refused;
}
