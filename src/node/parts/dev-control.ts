import { ChainError, check } from '../../base/errors.js';
import type { Logger } from '../../base/world.js';
import { definePart } from '../../plugin/part.js';
import { STORAGE_ERRORS } from '../../storage/errors.js';
import { nodeFiles } from '../../storage/files.js';
import { cutDebugUpdates, keepDebugUpdate, keptDebugUpdates } from '../chain/debug-updates-file.js';
import { DevControl } from '../dev/dev-control.js';
import { DEV_SIGNING_KEYS } from '../dev/dev-network.js';
import { logPrints } from '../dev/print-log.js';
import { absolute, devOptions } from '../settings/options.js';
import { chainPart } from './chain.js';
import { devChainPart } from './dev-chain.js';
import { devTracesPart } from './dev-traces.js';
import { DEV_CLOCK, SETTINGS, WORLD } from './given.js';
import { importerPart } from './importer.js';

/** Time and blocks in the hands of whoever tests on a development chain; undefined on every other one. */
export const devControlPart = definePart({
  name: 'development control',
  needs: {
    settings: SETTINGS,
    world: WORLD,
    devClock: DEV_CLOCK,
    chain: chainPart,
    dev: devChainPart,
    importer: importerPart,
    traces: devTracesPart,
  },
  options: { title: 'Development chain', table: devOptions },
  logModule: 'node',
  open({ needs: { settings, world, devClock: clock, chain, dev, importer, traces }, options, dataDir, log }) {
    if (clock === undefined || traces === undefined || dev === undefined) return { value: undefined };
    traces.state = chain.chain.queries.state;
    // That option has every run in the log.
    const isLogged = settings.options['contracts-console'];
    const endPrints = isLogged ? () => undefined : logPrints(chain.chain, traces, world.log.child('contract'));
    const keys = [...DEV_SIGNING_KEYS, ...settings.options['private-key']];
    const { 'load-state': from, 'dump-state': to } = options;
    const value = new DevControl({
      chain: chain.chain,
      clock,
      importer,
      keys,
      faucet: dev.faucet,
      base: dev.base,
      blockMs: options['dev-block-ms'],
      loadState: from === undefined ? undefined : textOf(absolute(from)),
      traces,
      updates: () => keptDebugUpdates(nodeFiles, dataDir),
      keepUpdate: (block, update) => keepDebugUpdate(nodeFiles, dataDir, block, update),
      keepUpdates: (count) => cutDebugUpdates(nodeFiles, dataDir, count),
      log,
    });
    return {
      value,
      close() {
        endPrints();
        if (to !== undefined) writeDump(value, absolute(to), log);
      },
    };
  },
});

function textOf(path: string): string {
  const text = nodeFiles.readText(path);
  check(text !== undefined, STORAGE_ERRORS.storage_missing, { path });
  return text;
}

/** The node stops in any case. */
function writeDump(control: DevControl, path: string, log: Logger): void {
  try {
    nodeFiles.writeText(path, `${control.dumpState()}\n`);
    log.info('the state of the chain was dumped', { path });
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    log.error('the state of the chain could not be dumped', { path, error: error.message });
  }
}
