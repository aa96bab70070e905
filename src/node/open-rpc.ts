import { join } from 'node:path';
import type { BlockDoor, PendingDoor } from '../chain/doors.js';
import type { ChainPort, DebugPort, SnapshotPort, TransactionIndexPort } from '../rpc/ports.js';
import { type RunningRpc, serveRpc } from '../rpc/serving/serve.js';
import { PUBLIC_TEST_KEY } from '../witness/options.js';
import type { NodeMetrics } from './runtime/metrics.js';
import type { Shutdown } from './runtime/shutdown.js';
import type { Settings } from './settings/settings.js';
import type { World } from './world.js';

export interface OpenRpcParts {
  readonly settings: Settings;
  readonly port: ChainPort;
  readonly blocks: BlockDoor;
  readonly pending: PendingDoor;
  readonly transactions: TransactionIndexPort;
  readonly debug: DebugPort;
  readonly snapshots: SnapshotPort;
  readonly metrics: NodeMetrics;
  readonly world: World;
  readonly shutdown: Shutdown;
  /** The node must not go on with a state that it cannot trust. */
  onFailure(error: unknown): void;
}

/** In the data directory, for the node's own user. */
export const OPERATOR_SOCKET = 'operator.sock';

/** A head that is older than so many seconds is not what clients want to read from. */
const HEAD_AGE_SEC_MAX = 120;

/** Opens every endpoint that the options name, on the real ports. */
export async function openRpc(parts: OpenRpcParts): Promise<RunningRpc> {
  const { settings, blocks, pending, world, shutdown } = parts;
  const { options } = settings;
  // The family's nodes have the debug API in a plugin; who may use it is another question.
  const hasDebug = options['enable-debug-api'] || options.plugins.includes('debug_witness');
  const running = await serveRpc(options, {
    node: {
      chain: parts.port,
      clock: world.clock,
      log: world.log.child('rpc'),
      transactions: parts.transactions,
      snapshots: parts.snapshots,
      ...(hasDebug ? { debug: parts.debug } : {}),
      mockContractFee: options['rpc-mock-calc-fee'],
      pendingCount: () => pending.count,
      onStateLost: (error) => parts.onFailure(error),
    },
    operatorSocket: process.platform === 'win32' ? undefined : join(settings.dataDir, OPERATOR_SOCKET),
    holdsKeys: options['private-key'].some(({ publicKey }) => publicKey !== PUBLIC_TEST_KEY.publicKey),
    // One person's chain: nobody can be slowed down by long walks through it.
    openApis: settings.isDev ? ['asset_api', 'block_api'] : [],
    addMetrics: (registry) => parts.metrics.register(registry),
    notReady: () => {
      const bug = blocks.haltingBug;
      if (bug !== undefined) return `${bug.where} ${bug.id} has met a bug of this node, which makes no more blocks`;
      const ageSec = Math.floor(world.clock.nowMs() / 1000) - blocks.head.time;
      return ageSec > HEAD_AGE_SEC_MAX ? `the head block is ${ageSec} seconds old` : undefined;
    },
  });
  shutdown.add('rpc', () => running.close());
  return running;
}
