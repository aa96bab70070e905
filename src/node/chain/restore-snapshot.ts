import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { check } from '../../base/errors.js';
import type { GenesisSource } from '../../chain/genesis-source.js';
import { BlockLog } from '../../storage/block-log.js';
import { guarded } from '../../storage/errors.js';
import { nodeFiles } from '../../storage/files.js';
import { LevelKv } from '../../storage/level-kv.js';
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

/** Takes the place of the state that is there, in one step; `source` is a folder, a packed file, or the address of one. */
export async function restoreSnapshot(source: string, { genesis, dataDir, accept }: RestoreTarget): Promise<Checked> {
  const objects = join(dataDir, STORAGE_FOLDERS.objects);
  const unfinished = `${objects}.tmp`;
  const before = new FirstStart(dataDir);
  nodeFiles.remove(unfinished);
  nodeFiles.makeFolder(unfinished);
  const finish = (checked: Checked, head?: SnapshotHead): Checked => {
    accept(checked);
    prepareLog(join(dataDir, STORAGE_FOLDERS.blockLog), genesis, checked, head);
    nodeFiles.remove(objects);
    nodeFiles.rename(unfinished, objects);
    return checked;
  };
  try {
    if (!isFolder(source)) return await withUnpacked(source, genesis, finish, unfinished);
    guarded(unfinished, () => cpSync(source, unfinished, { recursive: true }));
    const kv = await LevelKv.open(unfinished);
    return finish(await checkedSnapshot(kv, genesis).finally(() => kv.close()));
  } catch (error) {
    before.undo();
    throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
