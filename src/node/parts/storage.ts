import { definePart } from '../../plugin/part.js';
import { ID_SALT_BYTES } from '../../state/id-hash.js';
import type { StorageStart } from '../../storage/storage.js';
import { BlockLogCheck } from '../chain/block-log-check.js';
import { bugReport } from '../chain/bug-report.js';
import { flushInBackground, openStoredChain } from '../chain/stored-chain.js';
import { chainOptions, checkpointsOf, type NodeOptions } from '../settings/options.js';
import { devTracesPart } from './dev-traces.js';
import { genesisPart } from './genesis.js';
import { NODE_VIEW, SETTINGS, WORLD } from './given.js';
import { metricsPart } from './metrics.js';
import { startingPart } from './starting.js';

const startOf = (options: NodeOptions): StorageStart =>
  options['resync-blockchain'] ? 'resync' : options['replay-blockchain'] ? 'replay' : 'normal';

/** Opens what is on disk, brings the chain to the end of the block log, and keeps the disk up to date from there. */
export const storagePart = definePart({
  name: 'storage',
  needs: {
    settings: SETTINGS,
    world: WORLD,
    view: NODE_VIEW,
    genesis: genesisPart,
    metrics: metricsPart,
    traces: devTracesPart,
    starting: startingPart,
  },
  options: { title: 'Chain', table: chainOptions },
  async open({ needs, dataDir, clock, log, signal, fail }) {
    const { options } = needs.settings;
    const { source, beginning, keepCopy } = needs.genesis;
    const startMs = clock.monotonicMs();
    const value = await openStoredChain({
      dataDir,
      genesis: source,
      beginning,
      start: startOf(options),
      log,
      dataTransactionLifetime: options['data-transaction-lifetime'],
      chain: {
        checkpoints: checkpointsOf(options.checkpoint),
        contractTimeUsMax: options['max-transaction-time'],
        mustRecountVotes: options['recount-votes'],
        onBug: bugReport(needs.world.log.child('chain'), needs.metrics),
        idSalt: needs.world.random.bytes(ID_SALT_BYTES),
      },
      checkStart: () => needs.starting.checkPorts(),
      signal,
      monotonicMs: () => clock.monotonicMs(),
      tell: (detail, replayed) => needs.view.stage.tell(detail, replayed),
      storage: { journal: options['operation-journal'] },
      ...(needs.traces === undefined ? {} : { aroundEngine: (engine) => needs.traces?.around(engine) ?? engine }),
      ...(options['contracts-console'] ? { contractLog: needs.world.log.child('contract') } : {}),
    });
    const { chain, recovered } = value;
    const { head } = chain.blocks;
    log.info(head.number === 0 ? 'a new chain from the genesis file' : 'the chain is at the end of the block log', {
      block: head.number,
      applied: Math.max(0, recovered.to - recovered.from + 1),
      ms: Math.round(clock.monotonicMs() - startMs),
    });
    if (!signal.aborted) chain.replay.prepareMaintenance();
    flushInBackground(value, fail, () => clock.nowMs());
    if (!signal.aborted) keepCopy();
    // Everything irreversible goes to the disk; the blocks above it are in the log and are applied at the next start.
    return { value, close: () => value.close() };
  },
});

/** Damage far behind the head is found while somebody else still has the block. */
export const blockLogCheckPart = definePart({
  name: 'check of the block log',
  needs: { stored: storagePart, metrics: metricsPart },
  logModule: 'storage',
  open({ needs: { stored, metrics }, clock, log }) {
    const check = new BlockLogCheck({
      log: stored.storage.log,
      irreversible: () => stored.chain.blocks.head.irreversible,
      clock,
      logger: log,
      // The node goes on.
      onDamage: () => metrics.damagedBlock(),
    });
    check.start();
    return { value: undefined, close: () => check.stop() };
  },
});
