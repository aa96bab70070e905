import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { ChainError } from '../base/errors.js';
import type { DispatcherMetrics } from './dispatcher.js';
import { RPC_ERRORS } from './errors.js';
import type { TransportMetrics } from './transport-metrics.js';

/** Health and metrics, on an endpoint of their own: what an operator's machines ask must not depend on clients. */

export interface MonitorFacts {
  readonly headNumber: number;
  readonly irreversibleNumber: number;
  /** Seconds between the head's time and now. */
  readonly headAgeSec: number;
  readonly pendingTransactions: number;
}

export interface MonitorOptions {
  readonly host: string;
  readonly port: number;
  facts(): MonitorFacts;
  /** Why the node is not ready for clients, or undefined when it is. */
  notReady(): string | undefined;
}

/** Most calls take microseconds, the slowest must stay visible. */
const BUCKETS_MS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 5000];

export class RpcMetrics implements DispatcherMetrics, TransportMetrics {
  readonly registry = new Registry();
  readonly #calls: Counter<'method' | 'outcome'>;
  readonly #duration: Histogram<'method'>;
  readonly #connections: Gauge;
  readonly #refused: Counter<'reason'>;

  constructor() {
    const registers = [this.registry];
    this.#calls = new Counter({
      name: 'rpc_calls_total',
      help: 'RPC calls by method and outcome',
      labelNames: ['method', 'outcome'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'rpc_call_duration_ms',
      help: 'Time from a decoded request to its printed answer',
      labelNames: ['method'],
      buckets: BUCKETS_MS,
      registers,
    });
    this.#connections = new Gauge({ name: 'rpc_connections', help: 'Open WebSocket connections', registers });
    this.#refused = new Counter({
      name: 'rpc_refused_total',
      help: 'Connections and requests that were turned away',
      labelNames: ['reason'],
      registers,
    });
  }

  /** Unknown methods share one label, so that clients cannot make series. */
  call(method: string, ms: number, ok: boolean): void {
    this.#calls.inc({ method, outcome: ok ? 'ok' : 'error' });
    this.#duration.observe({ method }, ms);
  }

  connections(count: number): void {
    this.#connections.set(count);
  }

  refused(reason: Parameters<TransportMetrics['refused']>[0]): void {
    this.#refused.inc({ reason });
  }
}

export interface RunningMonitor {
  readonly port: number;
  close(): Promise<void>;
}

function chainGauges(registry: Registry, facts: () => MonitorFacts): void {
  const gauge = (name: string, help: string, value: (facts: MonitorFacts) => number): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value(facts()));
      },
    });
  };
  gauge('chain_head_block', 'Number of the head block', (f) => f.headNumber);
  gauge('chain_irreversible_block', 'Number of the newest irreversible block', (f) => f.irreversibleNumber);
  gauge('chain_head_age_seconds', 'Age of the head block', (f) => f.headAgeSec);
  gauge('chain_pending_transactions', 'Transactions that wait for a block', (f) => f.pendingTransactions);
}

export async function startMonitor(options: MonitorOptions, metrics: RpcMetrics): Promise<RunningMonitor> {
  collectDefaultMetrics({ register: metrics.registry });
  chainGauges(metrics.registry, options.facts);
  const server: Server = createServer((request, response) => {
    const answer = (status: number, type: string, body: string): void => {
      response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) });
      response.end(body);
    };
    switch ((request.url ?? '').split('?')[0]) {
      case '/healthz':
        // The process answers, so its loop turns: that is all that health means.
        answer(200, 'text/plain', 'ok\n');
        return;
      case '/readyz': {
        const reason = options.notReady();
        answer(reason === undefined ? 200 : 503, 'text/plain', `${reason ?? 'ready'}\n`);
        return;
      }
      case '/metrics':
        metrics.registry.metrics().then(
          (text) => answer(200, metrics.registry.contentType, text),
          (error: unknown) => answer(500, 'text/plain', `${String(error)}\n`),
        );
        return;
      default:
        answer(404, 'text/plain', '/healthz, /readyz and /metrics are here\n');
    }
  });
  server.requestTimeout = 10_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', () =>
      reject(new ChainError(RPC_ERRORS.rpc_listen, { endpoint: `${options.host}:${options.port}` })),
    );
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
