import { addOptions } from '../../config/command-line.js';
import { DES_OPTIONS } from '../../services/des/options.js';
import type { Command } from '../command.js';
import { readServiceOptions } from '../service/options.js';

export const desCommand: Command = {
  builder: (yargs) => addOptions(yargs, [['Exchange', DES_OPTIONS]]),
  handler: async (args) => {
    const options = readServiceOptions(args, DES_OPTIONS);
    const { runDes } = await import('./run-des.js');
    await runDes(options);
  },
};
