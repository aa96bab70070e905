import type { Command } from '../command.js';
import { checkCommand } from './check.js';
import { createCommand } from './create.js';

const SUBCOMMANDS: readonly Command[] = [createCommand, checkCommand];

export const genesisCommand: Command = {
  command: 'genesis <action>',
  describe: 'Make and check genesis files',
  builder: (yargs) => {
    let all = yargs.demandCommand(1);
    for (const sub of SUBCOMMANDS) {
      all = all.command(
        sub.command,
        sub.describe,
        (y) => sub.builder(y),
        (args) => sub.handler(args),
      );
    }
    return all;
  },
  handler: () => undefined,
};
