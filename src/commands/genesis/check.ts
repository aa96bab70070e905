import { resolve } from 'node:path';
import '../../operations/index.js';
import { checkGenesis } from '../../chain/genesis-source.js';
import { readGenesisFile } from '../chain/open.js';
import type { Command } from '../command.js';
import { describeGenesis, printFacts } from './describe.js';

export const checkCommand: Command = {
  command: 'check <file>',
  describe: 'Begin a chain with a genesis file in memory; print its id, counts and supply, or the field that is wrong',
  builder: (yargs) =>
    yargs
      .positional('file', { type: 'string', demandOption: true })
      .option('json', { type: 'boolean', default: false, describe: 'Print JSON for scripts' }),
  handler: (args) => {
    const source = readGenesisFile(resolve(String(args.file)));
    checkGenesis(source);
    printFacts(describeGenesis(source), args.json === true);
  },
};
