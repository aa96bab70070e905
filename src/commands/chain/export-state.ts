import type { Command } from '../command.js';
import { writeNamed } from './line-file.js';
import { chainOptions } from './open.js';
import { stateLines } from './state-lines.js';
import { withState } from './with-state.js';

export const exportStateCommand: Command = {
  builder: (yargs) =>
    chainOptions(yargs)
      .positional('file', {
        type: 'string',
        demandOption: true,
        describe: 'Gzipped if the name ends with .gz; - is the standard output',
      })
      .option('at-block', { type: 'number', describe: 'State after this block instead of the last one' })
      .option('with-ids', {
        type: 'string',
        array: true,
        default: [] as string[],
        describe: 'Only these objects (2.5.17) or types of objects (2.5)',
      }),
  handler: async (args, terminal) => {
    await withState(terminal, args, async ({ state, number }) => {
      const lines = stateLines(state, args.withIds as string[]);
      await writeNamed(String(args.file), lines, terminal, (count) => `${count} objects as of block ${number}`);
    });
  },
};
