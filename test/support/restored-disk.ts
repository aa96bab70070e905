import { join } from 'node:path';
import { packSnapshot, unpackSnapshot } from '../../src/node/chain/snapshot-file.js';
import { type SnapshotSource, snapshotPort } from '../../src/node/ports/snapshot-port.js';
import { BlockLog } from '../../src/storage/block-log.js';
import { LevelKv } from '../../src/storage/level-kv.js';
import { STORAGE_FOLDERS } from '../../src/storage/storage.js';
import type { FollowedChain } from './followed-chain.js';
import { MemoryDisk } from './memory-disk.js';

/** For stores that are no folders. */
export const copyHere: SnapshotSource['copy'] = (objects, target) => ({
  begun: Promise.resolve(),
  whole: objects.copyTo(target),
});

/** The disk of a node that begins with a snapshot of this one, as create_snapshot, pack and restore make it in `folder`. */
export async function restoredDisk(from: FollowedChain, folder: string): Promise<MemoryDisk> {
  const { chain, storage, genesis } = from.stored;
  const port = snapshotPort(
    { chain, storage, followers: from.host, copy: copyHere },
    { folder, keep: 1, copies: join(folder, 'copies') },
    from.log,
  );
  const { head_block_num: block, head_block_id: id, snapshot_dir: path } = await port.create();
  const kv = await LevelKv.open(path);
  const file = join(folder, 'packed');
  const head = { format: 1, chain_id: genesis.chainId, block, block_id: id, state_hash: '', packed_block: '' };
  await packSnapshot(kv, head, file);
  await kv.close();
  const disk = new MemoryDisk(genesis);
  await unpackSnapshot(file, disk.kv);
  const log = new BlockLog(disk.files, join('data', STORAGE_FOLDERS.blockLog), genesis.chainId);
  log.append(id, storage.log.read(block) as Uint8Array);
  log.close();
  return disk;
}
