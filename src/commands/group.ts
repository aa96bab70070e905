import type { Argv } from 'yargs';
import type { Command } from './command.js';

/** A command that only gathers others: `trustnode keys new`. `options` adds what all of them take. */
export function commandGroup(
  input: { readonly command: string; readonly describe: string },
  members: readonly Command[],
  options: (yargs: Argv) => Argv = (yargs) => yargs,
): Command {
  return {
    ...input,
    builder: (yargs) => {
      let all = options(yargs).demandCommand(1);
      for (const member of members) {
        all = all.command(
          member.command,
          member.describe,
          (y) => member.builder(y),
          (args) => member.handler(args),
        );
      }
      return all;
    },
    handler: () => undefined,
  };
}

/** For groups that print records and read or write keys. */
export function jsonAndPrefix(prefixIs: string): (yargs: Argv) => Argv {
  return (yargs) =>
    yargs
      .option('json', { type: 'boolean', default: false, describe: 'Print JSON for scripts' })
      .option('prefix', { type: 'string', default: 'GXC', describe: prefixIs });
}
