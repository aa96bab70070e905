import { Chain, emptyState } from '../chain/chain.js';
import type { GenesisSource } from '../chain/genesis-source.js';
import { keyPrefix } from '../protocol/networks.js';
import { parameters } from '../state/rules/parameters.js';
import { recover } from '../storage/recover.js';
import { Storage, type StorageStart } from '../storage/storage.js';
import { chainContractEngine } from '../vm/chain-engine.js';
import { contractKeys } from '../vm/keys.js';
import type { NodeOptions } from './options.js';
import type { Shutdown } from './runtime/shutdown.js';
import type { Settings } from './settings.js';
import type { World } from './world.js';

export interface OpenChainParts {
  readonly settings: Settings;
  readonly genesis: GenesisSource;
  readonly world: World;
  readonly shutdown: Shutdown;
  /** A write to the disk has failed; the node cannot go on. */
  readonly onFailure: (error: unknown) => void;
  readonly signal: AbortSignal | undefined;
}

export interface OpenedChain {
  readonly chain: Chain;
  readonly storage: Storage;
}

const startOf = (options: NodeOptions): StorageStart =>
  options['resync-blockchain'] ? 'resync' : options['replay-blockchain'] ? 'replay' : 'normal';

/** Opens what is on disk, loads the state, and brings the chain to the end of the block log. */
export async function openChain(parts: OpenChainParts): Promise<OpenedChain> {
  const { settings, genesis, world, shutdown, signal } = parts;
  const { options, dataDir } = settings;
  const { clock } = world;
  const log = world.log.child('storage');
  const state = emptyState(genesis);
  const startMs = clock.monotonicMs();
  const start = startOf(options);
  if (start !== 'normal') log.info(start === 'replay' ? 'dropping the state' : 'dropping state and blocks', {});
  const storage = await Storage.open({ dataDir, chainId: genesis.chainId, definitions: state.definitions, start });
  let chain: Chain | undefined;
  shutdown.add('storage', async () => {
    // Everything irreversible goes to the disk; the blocks above it are in the log and are applied at the next start.
    chain?.blocks.save();
    await storage.close();
  });
  const { cut } = storage.repair;
  if (cut !== undefined) {
    log.warn('an unfinished block was cut from the block log', {
      block: cut.number,
      bytes: cut.bytes,
      why: cut.reason,
    });
  }
  const hasState = await storage.load(state);
  chain = new Chain({
    genesis,
    engine: chainContractEngine(contractKeys(keyPrefix())),
    blocks: storage.blocks,
    state,
    store: storage.objects,
    checkpoints: new Map(options.checkpoint.map(({ number, id }) => [number, id])),
    contractTimeUsMax: options['max-transaction-time'],
  });
  const loadedMs = Math.round(clock.monotonicMs() - startMs);
  const stored = chain.blocks.head.number;
  log.info(hasState ? 'state loaded' : 'new state from the genesis file', { block: stored, ms: loadedMs });

  const missing = storage.missingBlocks;
  if (missing > 0) log.info('applying blocks of the log', { from: stored + 1, blocks: missing });
  await recover(storage, chain.blocks, {
    expirationSecMax: parameters(state).maximum_time_until_expiration,
    onProgress: ({ number, last, transactions }) =>
      log.info('applied', { block: number, of: last, percent: Math.floor((100 * number) / last), txs: transactions }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (missing > 0) {
    const ms = Math.round(clock.monotonicMs() - startMs);
    log.info('the chain is at the end of the log', { block: chain.blocks.head.number, ms });
  }
  chain.blocks.subscribe((event) => {
    if (event.kind === 'applied') void storage.flushIfDue()?.catch(parts.onFailure);
  });
  return { chain, storage };
}
