import type { ChainError } from '../../../src/base/errors.js';
import { CallerRules } from '../../../src/http/caller.js';
import { Gate } from '../../../src/http/gate.js';
import type { HttpAnswer, HttpHandler, HttpRequest, Intake, SocketHandler } from '../../../src/http/handler.js';
import { MemoryBudget } from '../../../src/http/memory-budget.js';
import type { RunningTransport, Transport } from '../../../src/http/transport.js';
import { FakeClock } from '../../support/fake-clock.js';
import { MemoryLog } from '../../support/memory-log.js';

/** A handler of one function; its refusals are the key of the error. */
export function handlerOf(receive: (request: HttpRequest) => Intake): HttpHandler {
  return {
    receive,
    refusal: (_request: HttpRequest, status: number, error: ChainError): HttpAnswer => ({
      status,
      headers: [['Content-Type', 'text/plain']],
      body: error.key,
    }),
  };
}

export interface Served {
  readonly port: number;
  readonly running: RunningTransport;
  readonly memory: MemoryBudget;
  readonly refused: string[];
  readonly log: MemoryLog;
  readonly gate: Gate;
}

/** Any handler on a port of this machine. */
export async function serveHandler(
  transport: Transport,
  t: { teardown(run: () => Promise<void>): void },
  http: HttpHandler,
  { memory: bytes = 10_000_000, sockets }: { memory?: number; sockets?: SocketHandler } = {},
): Promise<Served> {
  const refused: string[] = [];
  const memory = new MemoryBudget(bytes, () => refused.push('memory'));
  const log = new MemoryLog();
  const gate = new Gate(
    { connections_max: 100, connections_per_address_max: 0, requests_per_second: 0, requests_burst: 1 },
    new FakeClock(),
  );
  const running = await transport.listen({
    at: { host: '127.0.0.1', port: 0 },
    callers: new CallerRules(),
    memory,
    tls: undefined,
    http,
    sockets,
    gate,
    limits: { message_bytes_max: 50_000, backlog_bytes_max: 200_000, idle_timeout_sec: 60 },
    log,
    metrics: { connections: () => undefined, refused: (reason) => void refused.push(reason) },
  });
  t.teardown(() => running.close());
  return { port: running.port, running, memory, refused, log, gate };
}
