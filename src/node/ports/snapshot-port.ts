import { join } from 'node:path';
import { invariant } from '../../base/errors.js';
import type { Logger } from '../../base/world.js';
import type { Chain } from '../../chain/chain.js';
import { NULL_BLOCK_ID } from '../../crypto/digests.js';
import type { FollowerHost } from '../../plugin/host.js';
import type { SnapshotPort } from '../../rpc/ports.js';
import { writeCarried } from '../../storage/carried.js';
import { entriesLater, makeFolderLater, removeLater, renameLater } from '../../storage/files-later.js';
import { LevelKv } from '../../storage/level-kv.js';
import type { ObjectStore, StoreHead } from '../../storage/object-store.js';
import type { Storage } from '../../storage/storage.js';
import { absolute } from '../settings/options.js';
import { type Copying, copyInThread } from '../threads/copy-thread.js';

type Answer = Awaited<ReturnType<SnapshotPort['create']>>;

export interface SnapshotSource {
  readonly chain: Chain;
  readonly storage: Pick<Storage, 'whileStored' | 'objects'>;
  readonly followers: Pick<FollowerHost, 'carry'>;
  /** Copies what is stored to an open store. */
  copy(objects: ObjectStore, target: LevelKv): Copying;
}

/** In a thread, for a node whose stores are folders. */
export const copyFolder: SnapshotSource['copy'] = (objects, target) =>
  copyInThread({ from: objects.path, to: target.path });

const NOTHING: Answer = { head_block_num: 0, head_block_id: NULL_BLOCK_ID, snapshot_dir: '' };

/**
 * Snapshots of a running node: its object store as of the last irreversible block, copied, and what followers of the
 * chain need to go on behind that block with the same numbers. To restore one, stop the
 * node and put the folder in place of `blockchain/object_database`; the blocks after it come from the block log. Every
 * page has a checksum, so a damaged snapshot is refused when it is loaded.
 */
export function snapshotPort(
  source: SnapshotSource,
  { folder, keep }: { readonly folder: string | undefined; readonly keep: number },
  log: Logger,
): SnapshotPort & { over(): Promise<unknown> } {
  let underWay: Promise<Answer> | undefined;
  return {
    /** Settles when none is under way. What is copied must not be closed before: the thread uses it too. */
    over: () => Promise.allSettled([underWay]),
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

async function writeTo(unfinished: string, source: SnapshotSource): Promise<StoreHead> {
  const { chain, storage, followers } = source;
  await removeLater(unfinished);
  await makeFolderLater(unfinished);
  const kv = await LevelKv.openForThreads(unfinished);
  try {
    chain.blocks.save();
    const { head, copied, carried } = await storage.whileStored(async () => {
      const { head } = storage.objects;
      invariant(head !== undefined, 'a chain that has begun is stored');
      // Both begin before any later block can be on the disk.
      const { begun, whole } = source.copy(storage.objects, kv);
      const carried = followers.carry(head, (name) => (entries) => writeCarried(kv, name, head, entries));
      carried.catch(() => undefined);
      await Promise.allSettled([begun]);
      return { head, copied: whole, carried };
    });
    const [objects] = await whenAllAreOver(copied, carried);
    invariant(objects?.id === head.id, 'what is copied is the block that was stored last');
    return head;
  } finally {
    await kv.close();
  }
}

/** Nothing is closed that one of them still uses. Throws the first error. */
async function whenAllAreOver<T, U>(first: Promise<T>, second: Promise<U>): Promise<[T, U]> {
  await Promise.allSettled([first, second]);
  return Promise.all([first, second]);
}

/** `given`: the folder as the option names it, and as the answer does. */
async function write(source: SnapshotSource, given: string, keep: number, log: Logger): Promise<Answer> {
  const folder = absolute(given);
  await makeFolderLater(folder);
  const unfinished = join(folder, 'object_database.tmp');
  const head = await writeTo(unfinished, source);
  const name = `object_database-${head.id}`;
  const finished = join(folder, name);
  await removeLater(finished);
  await renameLater(unfinished, finished);
  await removeOldest(folder, name, keep, log);
  log.info('snapshot written', { block: head.number, folder: finished });
  return { head_block_num: head.number, head_block_id: head.id, snapshot_dir: `${given}/${name}` };
}

export const SNAPSHOT = /^object_database-[0-9a-f]{40}$/;

async function removeOldest(folder: string, newest: string, keep: number, log: Logger): Promise<void> {
  const others = await entriesLater(folder, (name) => SNAPSHOT.test(name) && name !== newest);
  const byAge = [...others].sort((a, b) => b.changedMs - a.changedMs);
  for (const { name } of byAge.slice(keep - 1)) {
    await removeLater(join(folder, name));
    log.info('removed an old snapshot', { folder: join(folder, name) });
  }
}
