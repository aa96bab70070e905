import { join } from 'node:path';
import { Gauge, type Metric } from 'prom-client';
import { check } from '../../base/errors.js';
import { FOLLOWERS, type Followers } from '../../plugin/api.js';
import { FOLLOWER_ERRORS } from '../../plugin/errors.js';
import { BlockFeed } from '../../plugin/feed.js';
import type { Follower, FollowerStatus } from '../../plugin/follower.js';
import { FollowerHost } from '../../plugin/host.js';
import { definePart } from '../../plugin/part.js';
import { STORAGE_FOLDERS } from '../../storage/storage.js';
import { feedLog } from '../chain/feed-log.js';
import { followerOptions } from '../settings/options.js';
import { FollowerInThread } from '../threads/follower-thread.js';
import type { LogPaths } from '../threads/thread-logs.js';
import { storagePart } from './storage.js';

export const blockFeedPart = definePart({
  name: 'block feed',
  needs: { stored: storagePart },
  open({ needs: { stored } }) {
    return { value: new BlockFeed(stored.chain.blocks, feedLog(stored.storage)) };
  },
});

/** What the node itself does with followers, beside what plugins may. */
export interface NodeFollowers extends Followers {
  readonly carry: FollowerHost['carry'];
}

const isOver = ({ state }: FollowerStatus): boolean => state === 'failed' || state === 'refused';

function gauge(
  host: FollowerHost,
  name: string,
  help: string,
  value: (status: FollowerStatus) => number | undefined,
): Metric {
  return new Gauge({
    name,
    help,
    labelNames: ['follower'],
    registers: [],
    collect() {
      for (const status of host.statuses) {
        const found = value(status);
        if (found !== undefined) this.set({ follower: status.name }, found);
      }
    },
  });
}

/**
 * Whoever reads the chain block by block beside it. A stopped follower is a warning, not the end of readiness: blocks and
 * all other answers are as right as before, and what stops a follower is often in a block, so that a proxy which asks
 * `/readyz` would find every node with the same plugin red at the same time and have none left.
 */
export const followersPart = definePart({
  name: FOLLOWERS.name,
  needs: { feed: blockFeedPart, stored: storagePart },
  logModule: 'chain',
  options: { title: 'RPC', table: followerOptions },
  open({ needs: { feed, stored }, options, dataDir, clock, log }) {
    const { objects, journal } = stored.storage;
    const host = new FollowerHost({ feed, clock, log, carried: (name, place) => objects.carried(name, place) });
    const { isKept } = journal;
    const logs: LogPaths = {
      blockLogPath: join(dataDir, STORAGE_FOLDERS.blockLog),
      journalPath: join(dataDir, STORAGE_FOLDERS.journal),
      chainId: stored.chain.chainId,
    };
    const needed = options['ready-needs-follower'];
    const stopped = (isNeeded: boolean): string | undefined => {
      const over = host.statuses.filter((one) => isOver(one) && needed.includes(one.name) === isNeeded);
      const reasons = over.map(
        ({ name, position, reason }) => `${name} stopped at block ${position.number}: ${reason}`,
      );
      return reasons.length === 0 ? undefined : reasons.join('; ');
    };
    const checkJournal = ({ name, reads }: Pick<Follower, 'name' | 'reads'>): void =>
      check(isKept || reads === 'blocks', FOLLOWER_ERRORS.follower_needs_journal, { name });
    const value: NodeFollowers = {
      carry: (place, writeFor) => host.carry(place, writeFor),
      add(follower) {
        checkJournal(follower);
        return host.add(follower);
      },
      inThread({ url, settings, ...what }, listener) {
        checkJournal(what);
        return new FollowerInThread(
          { program: url.href, settings, logs },
          { ...listener, chain: () => ({ head: feed.headNumber, irreversible: feed.irreversibleNumber }) },
        );
      },
    };
    return {
      value,
      close: () => host.close(),
      health: () => stopped(true),
      warning: () => stopped(false),
      metrics: [
        gauge(
          host,
          'trustnode_follower_block',
          'Last block that a follower of the chain has taken',
          (one) => one.position.number,
        ),
        gauge(
          host,
          'trustnode_follower_first_block',
          'First block that a follower of the chain knows of: 1, or the one behind the snapshot that the node has begun with',
          (one) => one.from,
        ),
        gauge(
          host,
          'trustnode_follower_blocks_behind',
          'Blocks of the chain that a follower has not taken yet',
          (one) => Math.max(0, feed.headNumber - one.position.number),
        ),
        gauge(
          host,
          'trustnode_follower_records',
          'Operations, or transactions for one that reads blocks, that a follower has taken since the start',
          (one) => one.records,
        ),
        gauge(host, 'trustnode_follower_stopped', '1 when a follower of the chain has stopped for an error', (one) =>
          isOver(one) ? 1 : 0,
        ),
      ],
    };
  },
});
