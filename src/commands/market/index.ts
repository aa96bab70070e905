import { addOptions } from '../../config/command-line.js';
import { MARKET_OPTIONS } from '../../services/market/options.js';
import type { Command } from '../command.js';
import { readServiceOptions } from '../service/options.js';
import type { CopyAction } from './copy-market.js';

export const marketCommand: Command = {
  builder: (yargs) =>
    addOptions(yargs, [['Market', MARKET_OPTIONS]])
      .positional('action', {
        choices: ['backup', 'restore', 'move'],
        describe:
          'Copy the database to a file, while services run or without them; put such a copy in its place; or move what a file has into the empty PostgreSQL of option database',
      })
      .positional('file', { type: 'string', describe: 'The copy, or the file to move from' }),
  handler: async (args, terminal) => {
    const options = readServiceOptions(args, MARKET_OPTIONS);
    if (args.action !== undefined) {
      const { copyMarket } = await import('./copy-market.js');
      await copyMarket(options, args.action as CopyAction, args.file as string | undefined, terminal);
      return;
    }
    const { runMarket } = await import('./run-market.js');
    await runMarket(options);
  },
};
