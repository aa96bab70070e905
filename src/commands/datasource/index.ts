import { addOptions } from '../../config/command-line.js';
import { DATASOURCE_OPTIONS } from '../../services/datasource/options.js';
import type { Command } from '../command.js';
import { readServiceOptions } from '../service/options.js';

export const datasourceCommand: Command = {
  builder: (yargs) => addOptions(yargs, [['Data source', DATASOURCE_OPTIONS]]),
  handler: async (args) => {
    const options = readServiceOptions(args, DATASOURCE_OPTIONS);
    const { runDatasource } = await import('./run-datasource.js');
    await runDatasource(options);
  },
};
