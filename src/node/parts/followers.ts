import { Gauge, type Metric } from 'prom-client';
import { FOLLOWERS } from '../../plugin/api.js';
import { BlockFeed } from '../../plugin/feed.js';
import type { FollowerStatus } from '../../plugin/follower.js';
import { FollowerHost } from '../../plugin/host.js';
import { definePart } from '../../plugin/part.js';
import { feedLog } from '../chain/feed-log.js';
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

/** Whoever reads the chain block by block beside it. */
export const followersPart = definePart({
  name: FOLLOWERS.name,
  needs: { feed: blockFeedPart },
  logModule: 'chain',
  open({ needs: { feed }, clock, log }) {
    const value = new FollowerHost({ feed, clock, log });
    return {
      value,
      close: () => value.close(),
      health() {
        const over = value.statuses.filter(isOver);
        const reasons = over.map(
          ({ name, position, reason }) => `${name} stopped at block ${position.number}: ${reason}`,
        );
        return reasons.length === 0 ? undefined : reasons.join('; ');
      },
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
