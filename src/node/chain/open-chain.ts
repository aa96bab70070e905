import type { BugListener } from '../../chain/bugs.js';
import type { GenesisSource } from '../../chain/genesis-source.js';
import type { StorageStart } from '../../storage/storage.js';
import type { Shutdown } from '../runtime/shutdown.js';
import type { NodeOptions } from '../settings/options.js';
import { checkpointsOf, type Settings } from '../settings/settings.js';
import type { World } from '../world.js';
import { BlockLogCheck } from './block-log-check.js';
import { type Beginning, flushInBackground, openStoredChain, type StoredChain } from './stored-chain.js';

export interface OpenChainParts {
  readonly settings: Settings;
  readonly genesis: GenesisSource;
  readonly beginning: Beginning | undefined;
  readonly world: World;
  readonly shutdown: Shutdown;
  /** A write to the disk has failed; the node cannot go on. */
  readonly onFailure: (error: unknown) => void;
  readonly onBug: BugListener;
  /** A block far behind the head cannot be read any more; the node goes on. */
  readonly onDamagedBlock: (number: number) => void;
  readonly signal: AbortSignal | undefined;
}

const startOf = (options: NodeOptions): StorageStart =>
  options['resync-blockchain'] ? 'resync' : options['replay-blockchain'] ? 'replay' : 'normal';

/** Opens what is on disk, brings the chain to the end of the block log, and keeps the disk up to date from there. */
export async function openChain(parts: OpenChainParts): Promise<StoredChain> {
  const { settings, genesis, beginning, world, shutdown, signal } = parts;
  const { options, dataDir } = settings;
  const log = world.log.child('storage');
  const startMs = world.clock.monotonicMs();
  const stored = await openStoredChain({
    dataDir,
    genesis,
    beginning,
    start: startOf(options),
    log,
    dataTransactionLifetime: options['data-transaction-lifetime'],
    chain: {
      checkpoints: checkpointsOf(options.checkpoint),
      contractTimeUsMax: options['max-transaction-time'],
      onBug: parts.onBug,
    },
    ...(signal === undefined ? {} : { signal }),
    ...(options['contracts-console'] ? { contractLog: world.log.child('contract') } : {}),
  });
  // Everything irreversible goes to the disk; the blocks above it are in the log and are applied at the next start.
  shutdown.add('storage', () => stored.close());
  const { chain, recovered } = stored;
  const { head } = chain.blocks;
  log.info(head.number === 0 ? 'a new chain from the genesis file' : 'the chain is at the end of the block log', {
    block: head.number,
    applied: Math.max(0, recovered.to - recovered.from + 1),
    ms: Math.round(world.clock.monotonicMs() - startMs),
  });
  flushInBackground(stored, parts.onFailure);
  const check = new BlockLogCheck({
    log: stored.storage.log,
    irreversible: () => chain.blocks.head.irreversible,
    clock: world.clock,
    logger: log,
    onDamage: parts.onDamagedBlock,
  });
  shutdown.add('check of the block log', () => check.stop());
  check.start();
  return stored;
}
