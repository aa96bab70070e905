import type { ArgumentsCamelCase, Argv } from 'yargs';

/** One subcommand of `trustnode`. The handler's promise decides the exit code: a refusal is printed and gives 1. */
export interface Command {
  readonly command: string;
  readonly describe: string;
  /** It may run contracts, which need a large native stack. */
  readonly appliesBlocks?: boolean;
  builder(yargs: Argv): Argv;
  handler(args: ArgumentsCamelCase): Promise<void> | void;
}
