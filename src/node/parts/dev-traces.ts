import { definePart } from '../../plugin/part.js';
import { ContractTraces } from '../dev/contract-traces.js';
import { DEV_CLOCK } from './given.js';

/** What contract calls do on a development chain; undefined on every other one, where nobody looks. */
export const devTracesPart = definePart({
  name: 'development traces',
  needs: { devClock: DEV_CLOCK },
  open: ({ needs: { devClock } }) => ({ value: devClock === undefined ? undefined : new ContractTraces() }),
});
