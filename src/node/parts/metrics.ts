import { definePart } from '../../plugin/part.js';
import { NodeMetrics } from '../runtime/metrics.js';

/** Figures of the chain and of block production, which other parts move. */
export const metricsPart = definePart({
  name: 'metrics',
  needs: {},
  open() {
    const value = new NodeMetrics();
    return { value, metrics: value.all };
  },
});
