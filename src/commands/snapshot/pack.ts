import { join, resolve } from 'node:path';
import { check } from '../../base/errors.js';
import { checkedSnapshot, SNAPSHOT_ERRORS } from '../../node/chain/checked-snapshot.js';
import { packedBlockText, packSnapshot, SNAPSHOT_FORMAT } from '../../node/chain/snapshot-file.js';
import { BlockLog } from '../../storage/block-log.js';
import { nodeFiles } from '../../storage/files.js';
import { readOnlyFiles } from '../../storage/read-only-files.js';
import { STORAGE_FOLDERS } from '../../storage/storage.js';
import type { Command } from '../command.js';
import { checkThere, dataDirOptions, genesisOf, openFolder } from './opened.js';

export const packCommand: Command = {
  builder: (yargs) =>
    dataDirOptions(
      yargs
        .positional('snapshot', {
          type: 'string',
          demandOption: true,
          describe: 'Folder that create_snapshot has made',
        })
        .positional('file', { type: 'string', demandOption: true, describe: 'What to write' }),
    ),
  handler: async (args, terminal) => {
    const snapshot = resolve(String(args.snapshot));
    checkThere(snapshot);
    const { genesis, dataDir } = genesisOf(args);
    const file = resolve(String(args.file));
    const kv = await openFolder(snapshot);
    // The node may be running.
    const log = new BlockLog(readOnlyFiles, join(dataDir, STORAGE_FOLDERS.blockLog), genesis.chainId);
    try {
      const { number, id, stateHash } = await checkedSnapshot(kv, genesis);
      const block = log.idOf(number) === id ? log.read(number) : undefined;
      check(block !== undefined, SNAPSHOT_ERRORS.snapshot_block_missing, { path: log.path, number, id });
      const head = {
        format: SNAPSHOT_FORMAT,
        chain_id: genesis.chainId,
        block: number,
        block_id: id,
        state_hash: stateHash,
        packed_block: packedBlockText(block),
      };
      await packSnapshot(kv, head, `${file}.tmp`);
      nodeFiles.rename(`${file}.tmp`, file);
      terminal.out(`${stateHash} block ${number} ${id}\n`);
    } finally {
      log.abandon();
      await kv.close();
    }
  },
};
