import { addOptions } from '../../config/command-line.js';
import { STORAGE_OPTIONS } from '../../services/storage/options.js';
import type { Command } from '../command.js';
import { readServiceOptions } from '../service/options.js';

export const storageCommand: Command = {
  builder: (yargs) =>
    addOptions(yargs, [['Storage', STORAGE_OPTIONS]]).positional('action', {
      choices: ['verify'],
      describe: 'Read every stored block and tell which are damaged or missing',
    }),
  handler: async (args, terminal) => {
    const options = readServiceOptions(args, STORAGE_OPTIONS);
    if (args.action === 'verify') {
      const { verifyStorage } = await import('./verify.js');
      await verifyStorage(options, terminal);
      return;
    }
    const { runStorage } = await import('./run-storage.js');
    await runStorage(options);
  },
};
