import { join } from 'node:path';
import { ChainError, check, defineErrors, fail, invariant } from '../../base/errors.js';
import type { Logger } from '../../base/world.js';
import type { Chain } from '../../chain/chain.js';
import { NULL_BLOCK_ID } from '../../crypto/digests.js';
import type { FollowerHost } from '../../plugin/host.js';
import type { SnapshotMade, SnapshotPort } from '../../rpc/ports.js';
import { writeCarried } from '../../storage/carried.js';
import { STORAGE_ERRORS } from '../../storage/errors.js';
import { entriesLater, makeFolderLater, removeLater, renameLater } from '../../storage/files-later.js';
import { LevelKv } from '../../storage/level-kv.js';
import type { ObjectStore, StoreHead } from '../../storage/object-store.js';
import type { Storage } from '../../storage/storage.js';
import { absolute } from '../settings/options.js';
import { type Copying, copyInThread } from '../threads/copy-thread.js';

export interface SnapshotSource {
  readonly chain: Chain;
  readonly storage: Pick<Storage, 'whileStored' | 'objects'>;
  readonly followers: Pick<FollowerHost, 'carry'>;
  /** Copies what is stored to an open store. */
  copy(objects: ObjectStore, target: LevelKv): Copying;
}

export interface SnapshotPlaces {
  /** As the option names it. */
  readonly folder: string | undefined;
  /** So many stay there. */
  readonly keep: number;
  /** For copies that somebody asks for, reads once and removes. */
  readonly copies: string;
}

/** In a thread, for a node whose stores are folders. */
export const copyFolder: SnapshotSource['copy'] = (objects, target) =>
  copyInThread({ from: objects.path, to: target.path });

/** Whoever asks for a copy removes it; of those who did not, the oldest go. No more are asked for at once than stay there. */
const COPIES_MAX = 4;

export const SNAPSHOT_PORT_ERRORS = defineErrors(
  {
    state_copies_waiting: { text: '${count} copies of the state are being made already' },
    state_copies_over: { text: 'the node stops and makes no more copies of its state' },
  },
  'limit',
);

export const SNAPSHOT_FOLDER_ERRORS = defineErrors(
  {
    snapshot_folder_taken: {
      text: '${folder} is where another node that is running keeps its snapshots',
      hint: 'Give each node a state-snapshots-dir of its own: it removes what is unfinished there, and the oldest ones.',
    },
  },
  'environment',
);

const NOTHING: SnapshotMade = { head_block_num: 0, head_block_id: NULL_BLOCK_ID, snapshot_dir: '' };

/**
 * Snapshots of a running node: its object store as of the last irreversible block, copied, and what followers of the
 * chain need to go on behind that block with the same numbers. To restore one, stop the
 * node and put the folder in place of `blockchain/object_database`; the blocks after it come from the block log. Every
 * page has a checksum, so a damaged snapshot is refused when it is loaded.
 */
export function snapshotPort(
  source: SnapshotSource,
  { folder, keep, copies }: SnapshotPlaces,
  log: Logger,
): SnapshotPort & { over(): Promise<unknown> } {
  let underWay: Promise<SnapshotMade> | undefined;
  let copied: Promise<unknown> = Promise.resolve();
  let count = 0;
  let asked = 0;
  let isOver = false;
  return {
    /** Begins no more, and settles when none is under way: what is copied must not be closed before, the thread uses it too. */
    over() {
      isOver = true;
      return Promise.allSettled([underWay, copied]);
    },
    create() {
      if (folder === undefined) return Promise.resolve(NOTHING);
      // Two at once would be two copies of the same state.
      underWay ??= write(source, folder, keep, log).finally(() => {
        underWay = undefined;
      });
      return underWay;
    },
    async copy() {
      check(asked < COPIES_MAX, SNAPSHOT_PORT_ERRORS.state_copies_waiting, { count: asked });
      // Each has one of its own, which it removes; one is made after the other.
      const name = `${COPY}${++count}`;
      asked++;
      const made = copied.then(() => {
        check(!isOver, SNAPSHOT_PORT_ERRORS.state_copies_over);
        return writeCopy(source, copies, name);
      });
      copied = made.catch(() => undefined);
      return made.finally(() => asked--);
    },
  };
}

const COPY = 'copy-';

async function writeCopy(source: SnapshotSource, copies: string, name: string): Promise<SnapshotMade> {
  await makeFolderLater(copies);
  const others = await byAge(copies, (entry) => entry.startsWith(COPY));
  for (const other of others.slice(COPIES_MAX - 1)) await removeLater(join(copies, other));
  const path = join(copies, name);
  try {
    const head = await writeTo(path, source);
    return { head_block_num: head.number, head_block_id: head.id, snapshot_dir: path };
  } catch (error) {
    await removeLater(path);
    throw error;
  }
}

/** The newest first. */
async function byAge(folder: string, isWanted: (name: string) => boolean): Promise<string[]> {
  const entries = await entriesLater(folder, isWanted);
  return [...entries].sort((a, b) => b.changedMs - a.changedMs).map(({ name }) => name);
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

/** An empty database, for the sake of its lock, which goes with the process. */
const LOCK_FOLDER = 'folder.lock';

/**
 * Takes the folder for one node, without what a process has left there that was killed while it made a snapshot. Lets go
 * of it again when what it gives is called.
 */
export async function holdSnapshotFolder(given: string): Promise<() => Promise<void>> {
  const folder = absolute(given);
  await makeFolderLater(folder);
  try {
    const lock = await LevelKv.open(join(folder, LOCK_FOLDER));
    await removeLater(join(folder, UNFINISHED));
    return () => lock.close();
  } catch (error) {
    if (!(error instanceof ChainError) || error.row !== STORAGE_ERRORS.storage_in_use) throw error;
    return fail(SNAPSHOT_FOLDER_ERRORS.snapshot_folder_taken, { folder });
  }
}

/** `given`: the folder as the option names it, and as the answer does. */
async function write(source: SnapshotSource, given: string, keep: number, log: Logger): Promise<SnapshotMade> {
  const folder = absolute(given);
  await makeFolderLater(folder);
  const unfinished = join(folder, UNFINISHED);
  const head = await writeTo(unfinished, source);
  const name = `object_database-${head.id}`;
  const finished = join(folder, name);
  await removeLater(finished);
  await renameLater(unfinished, finished);
  await removeOldest(folder, name, keep, log);
  log.info('snapshot written', { block: head.number, folder: finished });
  return { head_block_num: head.number, head_block_id: head.id, snapshot_dir: `${given}/${name}` };
}

const UNFINISHED = 'object_database.tmp';
export const SNAPSHOT = /^object_database-[0-9a-f]{40}$/;

async function removeOldest(folder: string, newest: string, keep: number, log: Logger): Promise<void> {
  const others = await byAge(folder, (name) => SNAPSHOT.test(name) && name !== newest);
  for (const name of others.slice(keep - 1)) {
    await removeLater(join(folder, name));
    log.info('removed an old snapshot', { folder: join(folder, name) });
  }
}
