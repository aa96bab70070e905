import { join } from 'node:path';
import { definePart } from '../../plugin/part.js';
import { removeLater } from '../../storage/files-later.js';
import { copyFolder, holdSnapshotFolder, snapshotPort } from '../ports/snapshot-port.js';
import { snapshotOptions } from '../settings/options.js';
import { followersPart } from './followers.js';
import { storagePart } from './storage.js';

/** Snapshots are made of the chain as it is, not on the way there. */
const NEW_BLOCK_MS = 60_000;

/** Below the data directory. */
const COPIES = 'state-copies';

export const snapshotsPart = definePart({
  name: 'snapshots',
  needs: { stored: storagePart, followers: followersPart },
  options: { title: 'Chain', table: snapshotOptions },
  logModule: 'storage',
  async open({ needs: { stored, followers }, options, dataDir, clock, log }) {
    const { chain, storage } = stored;
    const copies = join(dataDir, COPIES);
    const where = { folder: options['state-snapshots-dir'], keep: options['state-snapshot-keep'], copies };
    // Whoever asked an earlier process for them reads them no more.
    await removeLater(copies);
    const letGo = where.folder === undefined ? undefined : await holdSnapshotFolder(where.folder);
    const value = snapshotPort({ chain, storage, followers, copy: copyFolder }, where, log);
    const every = options['state-snapshot-every'];
    let underWay: Promise<unknown> = Promise.resolve();
    const stop = chain.blocks.subscribe((event) => {
      if (event.kind !== 'applied' || every === 0 || where.folder === undefined) return;
      const { number, block } = event.block;
      const isNew = clock.nowMs() - block.timestamp * 1000 < NEW_BLOCK_MS;
      if (number % every !== 0 || !isNew) return;
      // Not while the block is at work.
      underWay = new Promise((resolve) => setImmediate(resolve))
        .then(() => value.create())
        .catch((error: unknown) => log.error('no snapshot could be made', { block: number, error: String(error) }));
    });
    return {
      value,
      async close() {
        stop();
        await underWay;
        await value.over();
        await letGo?.();
      },
    };
  },
});
