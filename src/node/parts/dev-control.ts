import { definePart } from '../../plugin/part.js';
import { nodeFiles } from '../../storage/files.js';
import { cutDebugUpdates, keepDebugUpdate } from '../chain/debug-updates-file.js';
import { DevControl } from '../dev/dev-control.js';
import { DEV_SIGNING_KEYS } from '../dev/dev-network.js';
import { devOptions } from '../settings/options.js';
import { chainPart } from './chain.js';
import { devTracesPart } from './dev-traces.js';
import { DEV_CLOCK, SETTINGS } from './given.js';
import { importerPart } from './importer.js';

/** Time and blocks in the hands of whoever tests on a development chain; undefined on every other one. */
export const devControlPart = definePart({
  name: 'development control',
  needs: { settings: SETTINGS, devClock: DEV_CLOCK, chain: chainPart, importer: importerPart, traces: devTracesPart },
  options: { title: 'Development chain', table: devOptions },
  logModule: 'node',
  open({ needs: { settings, devClock: clock, chain, importer, traces }, options, dataDir, log }) {
    if (clock === undefined || traces === undefined) return { value: undefined };
    traces.state = chain.chain.queries.state;
    const keys = [...DEV_SIGNING_KEYS, ...settings.options['private-key']];
    return {
      value: new DevControl({
        chain: chain.chain,
        clock,
        importer,
        keys,
        blockMs: options['dev-block-ms'],
        traces,
        keepUpdate: (block, update) => keepDebugUpdate(nodeFiles, dataDir, block, update),
        keepUpdates: (count) => cutDebugUpdates(nodeFiles, dataDir, count),
        log,
      }),
    };
  },
});
