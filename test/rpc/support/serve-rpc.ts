import { CallerRules } from '../../../src/http/caller.js';
import { Gate } from '../../../src/http/gate.js';
import { MemoryBudget } from '../../../src/http/memory-budget.js';
import { nodeTransport } from '../../../src/http/node-server.js';
import type { RunningTransport } from '../../../src/http/transport.js';
import type { RpcPorts } from '../../../src/rpc/ports.js';
import type { Rpc } from '../../../src/rpc/rpc.js';
import { RpcHandler } from '../../../src/rpc/serving/rpc-handler.js';
import { explorerFiles } from '../../../src/rpc/serving/serve.js';

/** RPC and its page on a port of this machine, with limits that no test meets; pages of these origins are its own. */
export function serveRpcHere(
  rpc: Rpc,
  { clock, log }: Pick<RpcPorts, 'clock' | 'log'>,
  { port = 0, origins = [] }: { readonly port?: number; readonly origins?: readonly string[] } = {},
): Promise<RunningTransport> {
  const gate = new Gate(
    { connections_max: 10, connections_per_address_max: 0, requests_per_second: 0, requests_burst: 1 },
    clock,
  );
  const handler = new RpcHandler({
    rpc,
    gate,
    page: explorerFiles(),
    corsOrigin: '',
    limits: { request_bytes_max: 1e6, waiting_per_connection_max: 100, held_chars_max: 1e6 },
    metrics: undefined,
  });
  return nodeTransport.listen({
    at: { host: '127.0.0.1', port },
    callers: new CallerRules({ origins }),
    memory: new MemoryBudget(1e7),
    tls: undefined,
    http: handler,
    sockets: handler,
    gate,
    limits: { message_bytes_max: 1e6, backlog_bytes_max: 1e7, idle_timeout_sec: 60 },
    log,
    metrics: undefined,
  });
}
