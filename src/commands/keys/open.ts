import { openKey } from '../../trade/key-file.js';
import type { Command } from '../command.js';
import { secretsFrom } from '../secrets.js';
import { readInput, textOf } from './input.js';

/** What the page of a market has saved, for programs that want the key itself: to the standard output, and nowhere else. */
export const openCommand: Command = {
  builder: (yargs) => yargs.positional('file', { type: 'string', demandOption: true }),
  handler: async (args, terminal) => {
    const file = readInput(terminal, textOf(args, 'file'));
    const key = await openKey(file, await secretsFrom(terminal)('Password of the key file: '));
    terminal.out(`${key.toWif()}\n`);
  },
};
