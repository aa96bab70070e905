import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { check } from '../../base/errors.js';
import { SNAPSHOT_ERRORS } from '../../node/chain/checked-snapshot.js';
import { restoreSnapshot } from '../../node/chain/restore-snapshot.js';
import { SNAPSHOT_FILE_ERRORS } from '../../node/chain/snapshot-file.js';
import { replaceFile } from '../../storage/files.js';
import { STORAGE_FOLDERS } from '../../storage/storage.js';
import type { Command } from '../command.js';
import { checkThere, dataDirOptions, genesisOf } from './opened.js';

const isAddress = (source: string): boolean => /^https?:\/\//.test(source);

export const restoreCommand: Command = {
  builder: (yargs) =>
    dataDirOptions(
      yargs
        .positional('snapshot', {
          type: 'string',
          demandOption: true,
          describe: 'Folder, packed file, or http(s) address of one',
        })
        .option('state-hash', {
          type: 'string',
          describe: 'State hash that it must have, as trustnode state-hash prints it elsewhere',
        })
        .option('replace', {
          type: 'boolean',
          default: false,
          describe: 'Take the place of the state that is there; its blocks stay',
        }),
    ),
  handler: async (args, terminal) => {
    const source = isAddress(String(args.snapshot)) ? String(args.snapshot) : resolve(String(args.snapshot));
    if (!isAddress(source)) checkThere(source);
    const { genesis, dataDir, copy, bytes } = genesisOf(args);
    const wanted = args.stateHash as string | undefined;
    check(wanted !== undefined || !isAddress(source), SNAPSHOT_ERRORS.snapshot_hash_wanted, { url: source });
    const objects = join(dataDir, STORAGE_FOLDERS.objects);
    check(args.replace === true || !existsSync(objects), SNAPSHOT_ERRORS.snapshot_in_use, { path: objects });
    const done = await restoreSnapshot(source, {
      genesis,
      dataDir,
      accept({ stateHash: found }) {
        const isWanted = wanted === undefined || wanted === found;
        check(isWanted, SNAPSHOT_FILE_ERRORS.snapshot_other_hash, { path: source, found, wanted });
      },
    });
    if (!existsSync(copy)) replaceFile(copy, bytes);
    terminal.out(`${done.stateHash} block ${done.number} ${done.id}\n`);
  },
};
