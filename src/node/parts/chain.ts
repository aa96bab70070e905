import type { Chain } from '../../chain/chain.js';
import type { BlockDoor } from '../../chain/doors.js';
import { CHAIN_VIEW, type ChainView } from '../../plugin/api.js';
import { definePart } from '../../plugin/part.js';
import { blockLogLines } from '../chain/block-log-lines.js';
import { withFailureTold } from '../chain/failing-door.js';
import { waitingTrials } from '../chain/waiting-trials.js';
import { Stopwatch } from '../runtime/stopwatch.js';
import { readyOptions } from '../settings/options.js';
import { metricsPart } from './metrics.js';
import { storagePart } from './storage.js';

export interface NodeChain {
  readonly chain: Chain;
  /** The chain's own door, measured and watched: whoever brings blocks takes this one. */
  readonly blocks: BlockDoor;
}

export const chainPart = definePart({
  name: 'chain',
  needs: { stored: storagePart, metrics: metricsPart },
  options: { title: 'Readiness', table: readyOptions },
  open({ needs: { stored, metrics }, options, clock, log, fail }) {
    const { chain } = stored;
    const stopwatch = new Stopwatch(clock);
    const blocks = withFailureTold(stopwatch.around(chain.blocks), fail);
    const blockMs = (): number => stopwatch.elapsedMs();
    chain.blocks.subscribe(blockLogLines({ queries: chain.queries, clock, log, blockMs }));
    chain.blocks.subscribe(metrics.listener(blockMs));
    chain.blocks.subscribe(waitingTrials(chain.pending));
    const value: NodeChain = { chain, blocks };
    return {
      value,
      health() {
        const bug = blocks.haltingBug;
        if (bug !== undefined) return `${bug.where} ${bug.id} has met a bug of this node, which makes no more blocks`;
        const ageSec = Math.floor(clock.nowMs() / 1000) - blocks.head.time;
        return ageSec > options['ready-head-age'] ? `the head block is ${ageSec} seconds old` : undefined;
      },
    };
  },
});

/** The chain as plugins see it: they look and listen, and change nothing. */
export const chainViewPart = definePart({
  name: CHAIN_VIEW.name,
  needs: { chain: chainPart },
  open({ needs }) {
    const { queries, blocks } = needs.chain.chain;
    const value: ChainView = { queries, subscribe: (listener) => blocks.subscribe(listener) };
    return { value };
  },
});
