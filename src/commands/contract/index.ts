import type { Command } from '../command.js';
import { abiCommand } from './abi.js';
import { packCommand, unpackCommand } from './arguments.js';
import { inspectCommand } from './inspect.js';
import { profileCommand } from './profile.js';

const SUBCOMMANDS: readonly Command[] = [inspectCommand, abiCommand, packCommand, unpackCommand, profileCommand];

export const contractCommand: Command = {
  command: 'contract <action>',
  describe: 'Look into contracts: code, ABI, arguments, and what a call costs',
  builder: (yargs) => {
    let all = yargs
      .option('json', { type: 'boolean', default: false, describe: 'Print JSON for scripts' })
      .option('prefix', { type: 'string', default: 'GXC', describe: 'Text in front of public keys' })
      .demandCommand(1);
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
