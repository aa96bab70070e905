import type { Command } from '../command.js';
import { decodeCommand, encodeCommand } from './convert.js';
import { deriveCommand, newCommand, showCommand, suggestCommand } from './make.js';
import { signMessageCommand, signTransactionCommand, verifyMessageCommand, verifyTransactionCommand } from './sign.js';

const SUBCOMMANDS: readonly Command[] = [
  newCommand,
  suggestCommand,
  deriveCommand,
  showCommand,
  signMessageCommand,
  verifyMessageCommand,
  signTransactionCommand,
  verifyTransactionCommand,
  decodeCommand,
  encodeCommand,
];

export const keysCommand: Command = {
  command: 'keys <action>',
  describe: 'Make, show and use keys; sign, verify and decode transactions and blocks',
  builder: (yargs) => {
    let all = yargs
      .option('json', { type: 'boolean', default: false, describe: 'Print JSON for scripts' })
      .option('prefix', { type: 'string', default: 'GXC', describe: 'Text in front of public keys and addresses' })
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
