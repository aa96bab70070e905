import { join } from 'node:path';
import { BlockLog } from './block-log.js';
import { nodeFiles } from './files.js';
import { LevelKv } from './level-kv.js';
import { ObjectStore } from './object-store.js';
import { STORAGE_FOLDERS, type StorageOptions } from './storage.js';

export interface Truncated {
  /** Last block before and after; 0 for none. */
  readonly from: number;
  readonly to: number;
  /** The stored state was made by a block that is gone now, and is gone too. */
  readonly isStateDropped: boolean;
}

/**
 * Cuts the block log of a stopped node so that the highest block is the one before `number`. The state goes first: what
 * is left after a crash in between is a log whose blocks are applied again.
 */
export async function truncateBlocks(options: StorageOptions, number: number): Promise<Truncated> {
  const { dataDir, chainId, definitions, files = nodeFiles, openKv = LevelKv.open } = options;
  const objectsPath = join(dataDir, STORAGE_FOLDERS.objects);
  files.makeFolder(objectsPath);
  const to = Math.max(0, number - 1);
  // Held until the end: its lock keeps a running node's files from being cut.
  const kv = await openKv(objectsPath);
  let isStateDropped = false;
  let log: BlockLog | undefined;
  try {
    const { head } = new ObjectStore(kv, chainId, definitions);
    log = new BlockLog(files, join(dataDir, STORAGE_FOLDERS.blockLog), chainId);
    const from = log.headNumber;
    isStateDropped = to < from && head !== undefined && head.number > to;
    if (isStateDropped) {
      await kv.close();
      files.remove(objectsPath);
    }
    log.cut(to);
    log.sync();
    return { from, to: log.headNumber, isStateDropped };
  } finally {
    log?.close();
    if (!isStateDropped) await kv.close();
  }
}
