import type { Chain } from '../../../src/chain/chain.js';
import { CallerRules } from '../../../src/http/caller.js';
import { RECEIVED_BYTES_MAX } from '../../../src/importer/border.js';
import { BlockImporter } from '../../../src/importer/importer.js';
import { chainPort } from '../../../src/node/ports/chain-port.js';
import { TransactionIntake } from '../../../src/node/ports/intake.js';
import type { ApiDef } from '../../../src/rpc/define.js';
import type { DispatcherLimits, Reply } from '../../../src/rpc/dispatcher.js';
import type { RpcPorts } from '../../../src/rpc/ports.js';
import { Rpc } from '../../../src/rpc/rpc.js';
import { ApiAccess } from '../../../src/rpc/sessions/access.js';
import { inlineVerifier } from '../../../src/verify/inline.js';
import type { SignatureVerifier } from '../../../src/verify/verify.js';
import { FakeClock } from '../../support/fake-clock.js';
import { MemoryLog } from '../../support/memory-log.js';
import { loadedChain } from './golden-node.js';

/** All APIs are open, as on the node that was recorded. */
export const EVERY_API = ['network_node_api', 'debug_api', 'dev_api', 'asset_api', 'block_api'];

/** Ports to the recorded chain at its final height. */
export function goldenPorts(
  chain: Chain = loadedChain(),
  verifier: SignatureVerifier = inlineVerifier(),
): RpcPorts & { readonly log: MemoryLog } {
  const port = chainPort({
    blocks: chain.blocks,
    pending: chain.pending,
    queries: chain.queries,
    importer: new BlockImporter({
      door: chain.blocks,
      network: { decoder: 'new' },
      chainId: chain.chainId,
      verifier,
      nowMs: () => Number.MAX_SAFE_INTEGER,
      bytesMax: () => RECEIVED_BYTES_MAX,
    }),
    intake: new TransactionIntake(verifier, chain.chainId),
  });
  return { chain: port, clock: new FakeClock(), log: new MemoryLog() };
}

export interface Asking {
  readonly rpc: Rpc;
  /** Documents that came without being asked for, over the WebSocket session. */
  readonly notices: string[];
  ask(transport: string, request: string): Promise<Reply>;
}

export function askable(ports: RpcPorts, limits: Partial<DispatcherLimits> = {}, apis: readonly ApiDef[] = []): Asking {
  const rpc = new Rpc(ports, { access: ApiAccess.open(EVERY_API), limits, apis });
  const notices: string[] = [];
  // As the operator sits in front of the node.
  const caller = new CallerRules().callerOf({ remote: '127.0.0.1', header: () => '' });
  const connect = (canNotify: boolean) =>
    rpc.openSession({ address: caller.address, caller, canNotify, send: (text) => notices.push(text) });
  const socket = connect(true);
  return {
    rpc,
    notices,
    async ask(transport, request) {
      return rpc.dispatcher.handle(request, transport === 'ws' ? socket : connect(false));
    },
  };
}
