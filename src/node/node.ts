import '../operations/index.js';
import type { Chain } from '../chain/chain.js';
import type { AnyPart } from '../plugin/part.js';
import type { DevPort } from '../rpc/ports.js';
import type { RunningRpc } from '../rpc/serving/serve.js';
import { Assembly } from './parts/assembly.js';
import { chainPart } from './parts/chain.js';
import { devControlPart } from './parts/dev-control.js';
import { genesisPart } from './parts/genesis.js';
import { NODE_PARTS } from './parts/list.js';
import { rpcPart } from './parts/rpc.js';
import type { Settings } from './settings/options.js';
import type { World } from './world.js';

export interface RunningNode {
  readonly chain: Chain;
  readonly chainId: string;
  readonly networkName: string;
  /** Where it listens, with the real ports: `127.0.0.1:8090`. */
  readonly endpoints: Pick<RunningRpc, 'plain' | 'tls' | 'monitor'>;
  /** Time, blocks and snapshots in the hands of whoever tests, on a development chain alone. */
  readonly dev: DevPort | undefined;
  /** Settles when the node cannot go on, with the reason; otherwise never. */
  readonly failed: Promise<unknown>;
  /** In reverse order of the start; true when everything closed without an error. */
  stop(): Promise<boolean>;
}

/**
 * Opens the parts of a node one after the other. A start that fails closes what it had opened. Undefined when `signal`
 * stopped the start: a replay may take long.
 */
export async function startNode(
  settings: Settings,
  world: World,
  signal: AbortSignal = new AbortController().signal,
  parts: readonly AnyPart[] = NODE_PARTS,
): Promise<RunningNode | undefined> {
  const assembly = new Assembly(settings, world);
  try {
    if (!(await assembly.open(parts, signal))) {
      await assembly.stop();
      return undefined;
    }
  } catch (error) {
    await assembly.stop();
    throw error;
  }
  const { chain } = assembly.value(chainPart);
  const { source } = assembly.value(genesisPart);
  const { head } = chain.queries;
  const log = world.log.child('node');
  log.info('the node is running', { blocks: head.number, irreversible: head.irreversible, chain: source.chainId });
  return {
    chain,
    chainId: source.chainId,
    networkName: source.network.name,
    endpoints: assembly.value(rpcPart),
    dev: assembly.value(devControlPart),
    failed: assembly.failed,
    stop: () => assembly.stop(),
  };
}
