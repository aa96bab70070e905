import { resolve } from 'node:path';
import { type Checked, checkedSnapshot, isFolder } from '../../node/chain/checked-snapshot.js';
import { withUnpacked } from '../../node/chain/unpacked-snapshot.js';
import type { Command } from '../command.js';
import { checkThere, dataDirOptions, genesisOf, openFolder } from './opened.js';

export const verifyCommand: Command = {
  builder: (yargs) =>
    dataDirOptions(
      yargs.positional('snapshot', { type: 'string', demandOption: true, describe: 'Folder or packed file' }),
    ),
  handler: async (args, terminal) => {
    const path = resolve(String(args.snapshot));
    checkThere(path);
    const { genesis } = genesisOf(args);
    let checked: Checked;
    if (isFolder(path)) {
      const kv = await openFolder(path);
      try {
        checked = await checkedSnapshot(kv, genesis);
      } finally {
        await kv.close();
      }
    } else {
      checked = await withUnpacked(path, genesis, (found) => found);
    }
    terminal.out(`${checked.stateHash} block ${checked.number} ${checked.id}\n`);
  },
};
