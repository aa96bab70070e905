import { chainPort } from '../../../src/node/chain-port.js';
import { TransactionIntake } from '../../../src/node/intake.js';
import { ApiAccess } from '../../../src/rpc/access.js';
import type { Reply } from '../../../src/rpc/dispatcher.js';
import { Rpc } from '../../../src/rpc/rpc.js';
import { inlineVerifier } from '../../../src/verify/inline.js';
import { FakeClock } from '../../support/fake-clock.js';
import { MemoryLog } from '../../support/memory-log.js';
import { goldenChain } from './golden-node.js';

/** All APIs are open, as on the node that was recorded. */
const EVERY_API = ['network_node', 'debug'].map((name) => `${name}_api`);

export function goldenRpc(): { ask(transport: string, request: string): Promise<Reply> } {
  const chain = goldenChain();
  const verifier = inlineVerifier();
  const port = chainPort({
    blocks: chain.blocks,
    pending: chain.pending,
    queries: chain.queries,
    verifier,
    intake: new TransactionIntake(verifier, chain.chainId),
  });
  const rpc = new Rpc(
    { chain: port, clock: new FakeClock(), log: new MemoryLog() },
    { access: ApiAccess.open(EVERY_API) },
  );
  const connect = (canNotify: boolean) => rpc.openSession({ address: 'test', canNotify, send: () => undefined });
  const socket = connect(true);
  return {
    async ask(transport, request) {
      return rpc.dispatcher.handle(request, transport === 'ws' ? socket : connect(false));
    },
  };
}
