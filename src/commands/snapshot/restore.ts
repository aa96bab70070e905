import { cpSync, existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { check } from '../../base/errors.js';
import type { GenesisSource } from '../../chain/genesis-source.js';
import { packedBlock, SNAPSHOT_FILE_ERRORS, type SnapshotHead } from '../../node/chain/snapshot-file.js';
import { BlockLog } from '../../storage/block-log.js';
import { guarded } from '../../storage/errors.js';
import { nodeFiles } from '../../storage/files.js';
import { LevelKv } from '../../storage/level-kv.js';
import { STORAGE_FOLDERS } from '../../storage/storage.js';
import type { Command } from '../command.js';
import {
  type Checked,
  checkedSnapshot,
  checkThere,
  dataDirOptions,
  genesisOf,
  isFolder,
  SNAPSHOT_ERRORS,
} from './opened.js';
import { withUnpacked } from './unpacked.js';

const isAddress = (source: string): boolean => /^https?:\/\//.test(source);

/** A block log that has the block goes on; an empty one begins with it; any other is of no use beside this state. */
function prepareLog(
  path: string,
  genesis: GenesisSource,
  { number, id }: Checked,
  head: SnapshotHead | undefined,
): void {
  const log = new BlockLog(nodeFiles, path, genesis.chainId);
  try {
    if (log.headNumber === 0 && head !== undefined) log.append(id, packedBlock(head));
    check(log.idOf(number) === id, SNAPSHOT_ERRORS.snapshot_block_missing, { path, number, id });
  } finally {
    log.close();
  }
}

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
    const unfinished = `${objects}.tmp`;
    nodeFiles.remove(unfinished);
    nodeFiles.makeFolder(unfinished);
    const finish = (checked: Checked, head?: SnapshotHead): Checked => {
      const { stateHash: found } = checked;
      check(wanted === undefined || wanted === found, SNAPSHOT_FILE_ERRORS.snapshot_other_hash, {
        path: source,
        found,
        wanted,
      });
      prepareLog(join(dataDir, STORAGE_FOLDERS.blockLog), genesis, checked, head);
      nodeFiles.remove(objects);
      nodeFiles.rename(unfinished, objects);
      if (!existsSync(copy)) nodeFiles.writeText(copy, bytes.toString('utf8'));
      return checked;
    };
    let done: Checked;
    try {
      if (isFolder(source)) {
        guarded(unfinished, () => cpSync(source, unfinished, { recursive: true }));
        const kv = await LevelKv.open(unfinished);
        const checked = await checkedSnapshot(kv, genesis).finally(() => kv.close());
        done = finish(checked);
      } else {
        done = await withUnpacked(source, genesis, finish, unfinished);
      }
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
    terminal.out(`${done.stateHash} block ${done.number} ${done.id}\n`);
  },
};
