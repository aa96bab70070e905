import { join } from 'node:path';
import { check } from '../base/errors.js';
import { BlockLog } from './block-log.js';
import { META_KEY, OBJECTS_FROM, OBJECTS_TO } from './buckets.js';
import { STORAGE_ERRORS } from './errors.js';
import { nodeFiles } from './files.js';
import type { KeyValueChange, KeyValueStore } from './kv.js';
import { ObjectStore } from './object-store.js';
import { takeBackState } from './replace-state.js';
import { openObjectKv, STORAGE_FOLDERS, type StorageOptions } from './storage.js';

export interface Truncated {
  /** Last block before and after; 0 for none. */
  readonly from: number;
  readonly to: number;
  /** The stored state was made by a block that is gone now, or for a replay up to one, and is gone too. */
  readonly isStateDropped: boolean;
}

/**
 * Cuts the block log of a stopped node so that the highest block is the one before `number`. The state goes first: what
 * is left after a crash in between is a log whose blocks are applied again.
 */
export async function truncateBlocks(options: StorageOptions, number: number): Promise<Truncated> {
  const { dataDir, chainId, definitions, files = nodeFiles, openKv = openObjectKv } = options;
  const objectsPath = join(dataDir, STORAGE_FOLDERS.objects);
  takeBackState(files, objectsPath);
  files.makeFolder(objectsPath);
  const to = Math.max(0, number - 1);
  // Open until the end: its lock keeps a running node's files from being cut, and a start from seeing half of this.
  const kv = await openKv(objectsPath);
  let log: BlockLog | undefined;
  try {
    const { head, storedReplayEnd = 0 } = new ObjectStore(kv, chainId, definitions);
    log = new BlockLog(files, join(dataDir, STORAGE_FOLDERS.blockLog), chainId);
    const from = log.headNumber;
    const isStateDropped = to < from && head !== undefined && Math.max(head.number, storedReplayEnd) > to;
    if (isStateDropped) {
      check(log.firstNumber === 1, STORAGE_ERRORS.truncate_needs_state, {
        number,
        first: log.firstNumber,
        stored: head.number,
      });
      await clear(kv);
    }
    log.cut(to);
    return { from, to: log.headNumber, isStateDropped };
  } finally {
    log?.close();
    await kv.close();
  }
}

/** In one batch, with the folder and its lock left where they are. */
async function clear(kv: KeyValueStore): Promise<void> {
  const gone: KeyValueChange[] = [{ key: META_KEY, value: undefined }];
  for await (const entries of kv.walk(OBJECTS_FROM, OBJECTS_TO)) {
    for (const [key] of entries) gone.push({ key, value: undefined });
  }
  await kv.write(gone);
}
