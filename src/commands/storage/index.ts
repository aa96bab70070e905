import { addOptions } from '../../config/command-line.js';
import { STORAGE_OPTIONS } from '../../services/storage/options.js';
import type { Command } from '../command.js';
import { readServiceOptions } from '../service/options.js';
import type { CopyAction } from './copy-storage.js';

export const storageCommand: Command = {
  builder: (yargs) =>
    addOptions(yargs, [['Storage', STORAGE_OPTIONS]])
      .positional('action', {
        choices: ['verify', 'backup', 'restore', 'move'],
        describe:
          'Read every stored block and tell which are damaged or missing; or copy all that is kept into a folder, while the service runs or without it; put such a copy in its place; or move what a file of a database has into the empty PostgreSQL of option database',
      })
      .positional('folder', { type: 'string', describe: 'The copy, or the file to move from' }),
  handler: async (args, terminal) => {
    const options = readServiceOptions(args, STORAGE_OPTIONS);
    if (args.action === 'verify') {
      const { verifyStorage } = await import('./verify.js');
      await verifyStorage(options, terminal);
      return;
    }
    if (args.action !== undefined) {
      const { copyStorage } = await import('./copy-storage.js');
      await copyStorage(options, args.action as CopyAction, args.folder as string | undefined, terminal);
      return;
    }
    const { runStorage } = await import('./run-storage.js');
    await runStorage(options);
  },
};
