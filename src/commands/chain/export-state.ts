import { resolve } from 'node:path';
import type { Command } from '../command.js';
import { stateAt } from './at-block.js';
import { writeLines } from './line-file.js';
import { chainOptions, openChain } from './open.js';
import { stateLines } from './state-lines.js';

export const exportStateCommand: Command = {
  builder: (yargs) =>
    chainOptions(yargs)
      .positional('file', { type: 'string', demandOption: true, describe: 'Gzipped if the name ends with .gz' })
      .option('at-block', { type: 'number', describe: 'State after this block instead of the last one' })
      .option('with-ids', {
        type: 'string',
        array: true,
        default: [] as string[],
        describe: 'Only these objects (2.5.17) or types of objects (2.5)',
      }),
  handler: async (args, terminal) => {
    const path = resolve(String(args.file));
    const opened = await openChain(terminal, args, { mustExist: true });
    try {
      const { state, number } = stateAt(opened, args.atBlock as number | undefined);
      const count = await writeLines(path, stateLines(state, args.withIds as string[]));
      terminal.err(`${count} objects as of block ${number} written to ${path}\n`);
    } finally {
      await opened.close();
    }
  },
};
