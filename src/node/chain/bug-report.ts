import type { Logger } from '../../base/world.js';
import type { Bug, BugListener } from '../../chain/bugs.js';
import type { NodeMetrics } from '../runtime/metrics.js';

const WHAT: Readonly<Record<Bug['where'], string>> = {
  transaction: 'a transaction has met a bug of this node and is refused; please report it',
  block: 'a block has met a bug of this node and is refused; please report it',
  listener: 'what clients and indexes are told has met a bug of this node; please report it',
};

/** The loudest that a node can be without stopping. The chain tells of each bug once. */
export function bugReport(log: Logger, metrics: Pick<NodeMetrics, 'bug'>): BugListener {
  return (bug) => {
    metrics.bug(bug);
    const { where, id, error, isHalting } = bug;
    log.error(WHAT[where], { [where]: id, error });
    if (isHalting) log.error('block production is off until this node is started again', { [where]: id });
  };
}
