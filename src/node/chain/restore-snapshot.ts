import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ChainError, check } from '../../base/errors.js';
import type { GenesisSource } from '../../chain/genesis-source.js';
import { BlockLog } from '../../storage/block-log.js';
import { guarded, STORAGE_ERRORS } from '../../storage/errors.js';
import { nodeFiles } from '../../storage/files.js';
import { LevelKv } from '../../storage/level-kv.js';
import { replaceState, takeBackState } from '../../storage/replace-state.js';
import { STORAGE_FOLDERS } from '../../storage/storage.js';
import { FirstStart } from '../runtime/first-start.js';
import { type Checked, checkedSnapshot, isFolder, SNAPSHOT_ERRORS } from './checked-snapshot.js';
import { packedBlock, type SnapshotHead } from './snapshot-file.js';
import { withUnpacked } from './unpacked-snapshot.js';

export interface RestoreTarget {
  readonly genesis: GenesisSource;
  readonly dataDir: string;
  /** The snapshot is whole and of this chain; what throws here leaves everything as it was. */
  accept(checked: Checked): void;
}

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

/**
 * The state that is to be replaced, whose lock keeps it from a node; undefined where there is none, or where nothing can
 * open it, which is what a snapshot is restored for.
 */
async function lockedState(path: string): Promise<LevelKv | undefined> {
  if (!nodeFiles.exists(path)) return undefined;
  try {
    return await LevelKv.open(path);
  } catch (error) {
    if (!(error instanceof ChainError) || error.row === STORAGE_ERRORS.storage_in_use) throw error;
    return undefined;
  }
}

/** Takes the place of the state that is there, in one step; `source` is a folder, a packed file, or the address of one. */
export async function restoreSnapshot(source: string, { genesis, dataDir, accept }: RestoreTarget): Promise<Checked> {
  const objects = join(dataDir, STORAGE_FOLDERS.objects);
  const unfinished = join(dataDir, STORAGE_FOLDERS.restored);
  const before = new FirstStart(dataDir);
  takeBackState(nodeFiles, objects);
  let former = await lockedState(objects);
  const finish = async (checked: Checked, head?: SnapshotHead): Promise<Checked> => {
    accept(checked);
    // A node may have begun a chain there meanwhile.
    former ??= await lockedState(objects);
    prepareLog(join(dataDir, STORAGE_FOLDERS.blockLog), genesis, checked, head);
    // Before the new one has its name: what the database does when it is closed is meant for the former files.
    await former?.close();
    former = undefined;
    replaceState(nodeFiles, objects, unfinished);
    return checked;
  };
  try {
    nodeFiles.remove(unfinished);
    nodeFiles.makeFolder(unfinished);
    if (!isFolder(source)) return await withUnpacked(source, genesis, finish, unfinished);
    guarded(unfinished, () => cpSync(source, unfinished, { recursive: true }));
    const kv = await LevelKv.open(unfinished);
    return await finish(await checkedSnapshot(kv, genesis).finally(() => kv.close()));
  } catch (error) {
    before.undo();
    throw error;
  } finally {
    await former?.close();
    rmSync(unfinished, { recursive: true, force: true });
  }
}
