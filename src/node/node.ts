import { cpus } from 'node:os';
import '../operations/index.js';
import { ChainError } from '../base/errors.js';
import type { Logger } from '../base/world.js';
import type { Chain } from '../chain/chain.js';
import type { BlockDoor } from '../chain/doors.js';
import { checkGenesis } from '../chain/genesis-source.js';
import { timeToText } from '../codec/time.js';
import { publicKeyToText } from '../crypto/public-key.js';
import { signatureBackend } from '../crypto/signature.js';
import { keyPrefix } from '../protocol/networks.js';
import type { RunningRpc } from '../rpc/serving/serve.js';
import { inlineVerifier } from '../verify/inline.js';
import { PoolVerifier } from '../verify/pool.js';
import type { SignatureVerifier } from '../verify/verify.js';
import { Producer } from '../witness/producer.js';
import { blockLogLines } from './chain/block-log-lines.js';
import { bugReport } from './chain/bug-report.js';
import { withFailureTold } from './chain/failing-door.js';
import { loadGenesis } from './chain/genesis.js';
import { openChain } from './chain/open-chain.js';
import { openTransactionIndex } from './chain/open-transaction-index.js';
import { headSigningKeys } from './chain/signing-keys.js';
import { devSetup, isDevSetupDone } from './dev/dev-setup.js';
import { openRpc } from './open-rpc.js';
import { chainPort } from './ports/chain-port.js';
import { debugPort } from './ports/debug-port.js';
import { TransactionIntake } from './ports/intake.js';
import { ObjectStream } from './ports/object-stream.js';
import { snapshotPort } from './ports/snapshot-port.js';
import { NodeMetrics } from './runtime/metrics.js';
import { Shutdown } from './runtime/shutdown.js';
import { Stopwatch } from './runtime/stopwatch.js';
import type { Settings } from './settings/settings.js';
import type { World } from './world.js';

export interface RunningNode {
  readonly chain: Chain;
  readonly chainId: string;
  readonly networkName: string;
  /** Where it listens, with the real ports: `127.0.0.1:8090`. */
  readonly endpoints: Pick<RunningRpc, 'plain' | 'tls' | 'monitor'>;
  /** Settles when the node cannot go on, with the reason; otherwise never. */
  readonly failed: Promise<unknown>;
  /** In reverse order of the start; true when everything closed without an error. */
  stop(): Promise<boolean>;
}

const THREADS_MAX = 8;
/** A development chain that is not set up by then never will be. */
const DEV_SETUP_BLOCKS = 20;

/** One processor stays with the main thread; more threads than that help nobody. */
function threadsFor(wanted: number | undefined): number {
  return wanted ?? Math.min(THREADS_MAX, Math.max(1, cpus().length - 1));
}

/**
 * The only place where the parts of a node are built and joined. A start that fails closes what it had opened.
 * Undefined when `signal` stopped the start: a replay may take long.
 */
export async function startNode(
  settings: Settings,
  world: World,
  signal?: AbortSignal,
): Promise<RunningNode | undefined> {
  const shutdown = new Shutdown(world.clock, world.log.child('node'));
  try {
    const node = await start(settings, world, shutdown, signal);
    if (node === undefined) await shutdown.stop();
    return node;
  } catch (error) {
    await shutdown.stop();
    throw error;
  }
}

async function start(
  settings: Settings,
  world: World,
  shutdown: Shutdown,
  signal: AbortSignal | undefined,
): Promise<RunningNode | undefined> {
  const { options } = settings;
  const { clock, log } = world;
  const nodeLog = log.child('node');

  const { source: genesis, changes, beginning, keepCopy } = loadGenesis(settings, clock.nowMs());
  checkGenesis(genesis);
  nodeLog.info('starting', { network: genesis.network.name, chain: genesis.chainId, data: settings.dataDir });

  if (changes.timestamp !== undefined || changes.initKey !== undefined) {
    const key = changes.initKey === undefined ? {} : { key: publicKeyToText(changes.initKey, keyPrefix()) };
    nodeLog.info('the genesis file is changed for this chain', {
      time: timeToText(genesis.file.initial_timestamp),
      ...key,
    });
  }
  const verifier = openVerifier(options['verify-threads'], nodeLog);
  shutdown.add('signature threads', () => verifier.close());

  let onFailure: (error: unknown) => void = () => undefined;
  const failed = new Promise<unknown>((resolve) => (onFailure = resolve));
  const metrics = new NodeMetrics();
  const onBug = bugReport(log.child('chain'), metrics);
  const onDamagedBlock = (): void => metrics.damagedBlock();
  const { chain, storage } = await openChain({
    settings,
    genesis,
    beginning,
    world,
    shutdown,
    onFailure,
    onBug,
    onDamagedBlock,
    signal,
  });
  if (signal?.aborted === true) return undefined;
  keepCopy();
  const stopwatch = new Stopwatch(clock);
  const blocks = withFailureTold(stopwatch.around(chain.blocks), onFailure);
  const blockMs = (): number => stopwatch.elapsedMs();
  chain.blocks.subscribe(blockLogLines({ queries: chain.queries, clock, log: log.child('chain'), blockMs }));
  chain.blocks.subscribe(metrics.listener(blockMs));
  if (settings.isDev) setUpDevChain(chain, nodeLog);

  const intake = new TransactionIntake(verifier, genesis.chainId);
  const port = chainPort({
    blocks,
    pending: chain.pending,
    queries: chain.queries,
    verifier,
    intake,
    nowMs: () => clock.nowMs(),
  });
  const transactions = await openTransactionIndex({ settings, chain, world, shutdown, onFailure });
  const stream = new ObjectStream(port, settings.dataDir);
  shutdown.add('object stream', () => stream.close());
  const debug = debugPort({
    chain,
    blocks,
    dataDir: settings.dataDir,
    keys: options['debug-private-key'],
    stream,
    log: log.child('rpc'),
  });
  const snapshots = snapshotPort(
    { chain, history: () => storage.journal.head },
    { folder: options['state-snapshots-dir'], keep: options['state-snapshot-keep'] },
    log.child('storage'),
  );
  const endpoints = await openRpc({
    settings,
    port,
    blocks,
    pending: chain.pending,
    transactions,
    debug,
    snapshots,
    metrics,
    world,
    shutdown,
    onFailure,
  });

  if (options.plugins.includes('witness')) {
    const producer = makeProducer(settings, world, chain, blocks, metrics);
    shutdown.add('block production', () => producer.stop());
    producer.start();
  } else {
    nodeLog.info('block production is left out (see --plugins)', {});
  }
  const { head } = chain.queries;
  nodeLog.info('the node is running', { blocks: head.number, irreversible: head.irreversible, chain: genesis.chainId });
  return {
    chain,
    chainId: genesis.chainId,
    networkName: genesis.network.name,
    endpoints,
    failed,
    stop: () => shutdown.stop(),
  };
}

/** What a fresh development chain needs, now and after its first blocks. */
function setUpDevChain(chain: Chain, log: Logger): void {
  const push = (): void => {
    for (const transaction of devSetup(chain.queries.state)) {
      try {
        chain.pending.push({ transaction });
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        // Somebody uses --dev with a chain that has gone other ways; it is theirs.
        log.warn('the development network is not as it is expected to be', { error: error.message });
      }
    }
  };
  push();
  const stop = chain.blocks.subscribe((event) => {
    if (event.kind !== 'applied' || event.block.number > DEV_SETUP_BLOCKS) return;
    // A listener must not change the chain that is telling it something.
    if (isDevSetupDone(chain.queries.state)) stop();
    else if (chain.pending.count === 0) setImmediate(push);
  });
}

function openVerifier(wanted: number | undefined, log: Logger): SignatureVerifier {
  const workers = threadsFor(wanted);
  const verifier = workers === 0 ? inlineVerifier() : new PoolVerifier({ workers });
  log.info('signatures', { library: verifier.backend, threads: workers });
  return verifier;
}

function makeProducer(
  settings: Settings,
  { clock, log }: World,
  chain: Chain,
  blocks: BlockDoor,
  metrics: NodeMetrics,
): Producer {
  const { options } = settings;
  const { queries } = chain;
  return new Producer(
    {
      witnesses: options['witness-id'],
      keys: options['private-key'],
      staleProduction: options['enable-stale-production'],
      participationMin: options['required-participation'],
    },
    {
      clock,
      log: log.child('witness'),
      onAnswer: (code) => metrics.answer(code),
      view: {
        slotTime: (slot) => queries.slotTime(slot),
        slotAt: (time) => queries.slotAt(time),
        scheduledWitness: (slot) => queries.scheduledWitness(slot),
        signingKey: headSigningKeys(chain, options['witness-id']),
        participation: () => queries.participation(),
      },
      produce: ({ slotSec, witness }, key) => {
        const signer = {
          publicKey: key.publicKey,
          sign: (digest: Uint8Array) => signatureBackend().sign(digest, key),
        };
        const { number, id, transactions } = blocks.produce({ when: slotSec, witness, signer });
        return { number, id, transactions: transactions.length };
      },
    },
  );
}
