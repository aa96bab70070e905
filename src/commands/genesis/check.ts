import { resolve } from 'node:path';
import '../../operations/index.js';
import { checkGenesis } from '../../chain/genesis-source.js';
import { readGenesisFile } from '../chain/open.js';
import type { Command } from '../command.js';
import { describeGenesis, printFacts } from './describe.js';

export const checkCommand: Command = {
  builder: (yargs) =>
    yargs
      .positional('file', { type: 'string', demandOption: true })
      .option('json', { type: 'boolean', default: false, describe: 'Print JSON for scripts' }),
  handler: (args, terminal) => {
    const source = readGenesisFile(resolve(String(args.file)));
    checkGenesis(source);
    printFacts(terminal, describeGenesis(source), args.json === true);
  },
};
