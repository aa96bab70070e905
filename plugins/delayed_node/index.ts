import { Gauge, type Metric } from 'prom-client';
import { check } from '../../src/base/errors.js';
import { BLOCK_INTAKE, CHAIN_VIEW } from '../../src/plugin/api.js';
import { definePart } from '../../src/plugin/part.js';
import { DelayedBlocks } from './delayed-blocks.js';
import { DELAYED_START_ERRORS } from './errors.js';
import { delayedOptions } from './options.js';

function gauge(name: string, help: string, value: () => number): Metric {
  return new Gauge({
    name,
    help,
    registers: [],
    collect() {
      this.set(value());
    },
  });
}

/** A node that has no block which the network could still take back: it gets them from a node that is trusted. */
export default definePart({
  name: 'delayed_node',
  needs: { chain: CHAIN_VIEW, intake: BLOCK_INTAKE },
  options: { title: 'Delayed node (plugin delayed_node)', table: delayedOptions },
  plugin: { isDefault: false },
  open({ needs: { chain, intake }, options, clock, log }) {
    const url = options['trusted-node'];
    check(url !== undefined, DELAYED_START_ERRORS.delayed_without_node);
    const blocks = new DelayedBlocks({ url, chain, intake, clock, log });
    return {
      value: undefined,
      close: () => blocks.close(),
      warning: () =>
        blocks.trouble === undefined ? undefined : `nothing comes from the trusted node: ${blocks.trouble}`,
      metrics: [
        gauge('trustnode_delayed_node_connected', '1 while the trusted node answers', () =>
          blocks.isConnected ? 1 : 0,
        ),
        gauge(
          'trustnode_delayed_node_blocks_behind',
          'Irreversible blocks of the trusted node that are not here yet',
          () => Math.max(0, blocks.last - chain.queries.head.number),
        ),
      ],
    };
  },
});
