import { Gauge, type Metric } from 'prom-client';
import { FOLLOWERS } from '../../plugin/api.js';
import { BlockFeed } from '../../plugin/feed.js';
import type { FollowerStatus } from '../../plugin/follower.js';
import { FollowerHost } from '../../plugin/host.js';
import { definePart } from '../../plugin/part.js';
import { feedLog } from '../chain/feed-log.js';
import { followerOptions } from '../settings/options.js';
import { storagePart } from './storage.js';

export const blockFeedPart = definePart({
  name: 'block feed',
  needs: { stored: storagePart },
  open({ needs: { stored } }) {
    return { value: new BlockFeed(stored.chain.blocks, feedLog(stored.storage)) };
  },
});

const isOver = ({ state }: FollowerStatus): boolean => state === 'failed' || state === 'refused';

function gauge(host: FollowerHost, name: string, help: string, value: (status: FollowerStatus) => number): Metric {
  return new Gauge({
    name,
    help,
    labelNames: ['follower'],
    registers: [],
    collect() {
      for (const status of host.statuses) this.set({ follower: status.name }, value(status));
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
  needs: { feed: blockFeedPart },
  logModule: 'chain',
  options: { title: 'RPC', table: followerOptions },
  open({ needs: { feed }, options, clock, log }) {
    const value = new FollowerHost({ feed, clock, log });
    const needed = options['ready-needs-follower'];
    const stopped = (isNeeded: boolean): string | undefined => {
      const over = value.statuses.filter((one) => isOver(one) && needed.includes(one.name) === isNeeded);
      const reasons = over.map(
        ({ name, position, reason }) => `${name} stopped at block ${position.number}: ${reason}`,
      );
      return reasons.length === 0 ? undefined : reasons.join('; ');
    };
    return {
      value,
      close: () => value.close(),
      health: () => stopped(true),
      warning: () => stopped(false),
      metrics: [
        gauge(
          value,
          'follower_block',
          'Last block that a follower of the chain has taken',
          (one) => one.position.number,
        ),
        gauge(value, 'follower_stopped', '1 when a follower of the chain has stopped for an error', (one) =>
          isOver(one) ? 1 : 0,
        ),
      ],
    };
  },
});
