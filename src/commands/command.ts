import type { ArgumentsCamelCase, Argv } from 'yargs';
import type { Terminal } from './terminal.js';

/** A command that does something. The handler's promise decides: a refusal is printed and gives exit code 1. */
export interface Command {
  builder(yargs: Argv): Argv;
  handler(args: ArgumentsCamelCase, terminal: Terminal): Promise<void> | void;
}

/** A command that only gathers others: `trustnode keys new`. */
export interface CommandGroup {
  readonly members: readonly CommandEntry[];
  /** What all of them take. */
  options?(yargs: Argv): Argv;
}

/**
 * What a list of commands shows. The command itself is loaded when it is called: making a key must not wait for a
 * contract engine and a database.
 */
export interface CommandEntry {
  readonly command: string;
  readonly describe: string;
  /** It may run contracts, which need a large native stack. */
  readonly appliesBlocks?: boolean;
  /** Says what is mistaken on a command line in another form than a sentence; false where a sentence is right. */
  reportUsage?(words: readonly string[], message: string): Promise<boolean>;
  /** Spells out what another program, whose place this command takes, lets people write. */
  spellOut?(words: readonly string[]): Promise<readonly string[]>;
  load(): Promise<Command | CommandGroup>;
}

export const wordOf = ({ command }: CommandEntry): string => command.split(' ')[0] as string;

/** How far the first words of a line lead. */
export interface Way {
  readonly names: readonly string[];
  /** Among which the next word would have to be; absent once a command is reached. */
  readonly members?: readonly CommandEntry[];
}

export async function wayAlong(words: readonly string[], entries: readonly CommandEntry[]): Promise<Way> {
  const names: string[] = [];
  let members = entries;
  for (const word of words) {
    const entry = members.find((one) => wordOf(one) === word);
    if (entry === undefined) break;
    names.push(word);
    const found = await entry.load();
    if ('handler' in found) return { names };
    members = found.members;
  }
  return { names, members };
}

/** For groups that print records and read or write keys. */
export function jsonAndPrefix(prefixIs: string): (yargs: Argv) => Argv {
  return (yargs) =>
    yargs
      .option('json', { type: 'boolean', default: false, describe: 'Print JSON for scripts' })
      .option('prefix', { type: 'string', default: 'GXC', describe: prefixIs });
}
