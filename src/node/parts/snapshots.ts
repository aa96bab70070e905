import { definePart } from '../../plugin/part.js';
import { copyFolder, snapshotPort } from '../ports/snapshot-port.js';
import { snapshotOptions } from '../settings/options.js';
import { followersPart } from './followers.js';
import { storagePart } from './storage.js';

/** Snapshots are made of the chain as it is, not on the way there. */
const NEW_BLOCK_MS = 60_000;

export const snapshotsPart = definePart({
  name: 'snapshots',
  needs: { stored: storagePart, followers: followersPart },
  options: { title: 'Chain', table: snapshotOptions },
  logModule: 'storage',
  open({ needs: { stored, followers }, options, clock, log }) {
    const { chain, storage } = stored;
    const where = { folder: options['state-snapshots-dir'], keep: options['state-snapshot-keep'] };
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
      },
    };
  },
});
