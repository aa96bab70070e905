import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { invariant } from '../../base/errors.js';
import type { Logger } from '../../base/world.js';
import type { Chain } from '../../chain/chain.js';
import { NULL_BLOCK_ID } from '../../crypto/digests.js';
import type { SnapshotPort } from '../../rpc/ports.js';
import { guarded } from '../../storage/errors.js';
import { nodeFiles } from '../../storage/files.js';
import { LevelKv } from '../../storage/level-kv.js';
import type { StoreHead } from '../../storage/object-store.js';
import type { Storage } from '../../storage/storage.js';
import { absolute } from '../settings/options.js';

type Answer = Awaited<ReturnType<SnapshotPort['create']>>;

export interface SnapshotSource {
  readonly chain: Chain;
  readonly storage: Pick<Storage, 'flush' | 'objects'>;
}

const NOTHING: Answer = { head_block_num: 0, head_block_id: NULL_BLOCK_ID, snapshot_dir: '' };

/**
 * Snapshots of a running node: its object store as of the last irreversible block, copied. To restore one, stop the
 * node and put the folder in place of `blockchain/object_database`; the blocks after it come from the block log. Every
 * page has a checksum, so a damaged snapshot is refused when it is loaded.
 */
export function snapshotPort(
  source: SnapshotSource,
  { folder, keep }: { readonly folder: string | undefined; readonly keep: number },
  log: Logger,
): SnapshotPort {
  let underWay: Promise<Answer> | undefined;
  return {
    create() {
      if (folder === undefined) return Promise.resolve(NOTHING);
      // Two at once would be two copies of the same state.
      underWay ??= write(source, folder, keep, log).finally(() => {
        underWay = undefined;
      });
      return underWay;
    },
  };
}

/** `given`: the folder as the option names it, and as the answer does. */
async function write({ chain, storage }: SnapshotSource, given: string, keep: number, log: Logger): Promise<Answer> {
  const folder = absolute(given);
  nodeFiles.makeFolder(folder);
  const unfinished = join(folder, 'object_database.tmp');
  nodeFiles.remove(unfinished);
  nodeFiles.makeFolder(unfinished);
  chain.blocks.save();
  await storage.flush();
  const kv = await LevelKv.open(unfinished);
  let head: StoreHead | undefined;
  try {
    head = await storage.objects.copyTo(kv);
  } finally {
    await kv.close();
  }
  invariant(head !== undefined, 'a chain that has begun is stored');
  const name = `object_database-${head.id}`;
  const finished = join(folder, name);
  nodeFiles.remove(finished);
  nodeFiles.rename(unfinished, finished);
  removeOldest(folder, name, keep, log);
  log.info('snapshot written', { block: head.number, folder: finished });
  return { head_block_num: head.number, head_block_id: head.id, snapshot_dir: `${given}/${name}` };
}

export const SNAPSHOT = /^object_database-[0-9a-f]{40}$/;

function removeOldest(folder: string, newest: string, keep: number, log: Logger): void {
  const others = guarded(folder, () => readdirSync(folder)).filter((name) => SNAPSHOT.test(name) && name !== newest);
  const ageOf = (name: string): number => guarded(folder, () => statSync(join(folder, name)).mtimeMs);
  const byAge = others.map((name) => ({ name, age: ageOf(name) })).sort((a, b) => b.age - a.age);
  for (const { name } of byAge.slice(keep - 1)) {
    nodeFiles.remove(join(folder, name));
    log.info('removed an old snapshot', { folder: join(folder, name) });
  }
}
