import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { StatusSource } from '../../http/status-pages.js';
import type { TransportMetrics } from '../../http/transport-metrics.js';
import type { DispatcherMetrics } from '../dispatcher.js';

/** Health and metrics, on an endpoint of their own: what an operator's machines ask must not depend on clients. */

export interface MonitorFacts {
  readonly headNumber: number;
  readonly irreversibleNumber: number;
  /** Seconds between the head's time and now. */
  readonly headAgeSec: number;
  readonly pendingTransactions: number;
}

export interface MonitorOptions {
  facts(): MonitorFacts;
  /** Why the node is not ready for clients, or undefined when it is. */
  notReady(): string | undefined;
  /** What the operator has to see to all the same, or undefined. */
  warning(): string | undefined;
}

/** Most calls take microseconds, the slowest must stay visible. */
const BUCKETS_SEC = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

export class RpcMetrics implements DispatcherMetrics, TransportMetrics {
  readonly registry = new Registry();
  readonly #calls: Counter<'method' | 'outcome'>;
  readonly #duration: Histogram<'method'>;
  readonly #connections: Gauge;
  readonly #refused: Counter<'reason'>;

  constructor() {
    const registers = [this.registry];
    this.#calls = new Counter({
      name: 'trustnode_rpc_calls_total',
      help: 'RPC calls by method and outcome',
      labelNames: ['method', 'outcome'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'trustnode_rpc_call_duration_seconds',
      help: 'Time from a decoded request to its printed answer',
      labelNames: ['method'],
      buckets: BUCKETS_SEC,
      registers,
    });
    this.#connections = new Gauge({ name: 'trustnode_rpc_connections', help: 'Open WebSocket connections', registers });
    this.#refused = new Counter({
      name: 'trustnode_rpc_refused_total',
      help: 'Connections and requests that were turned away',
      labelNames: ['reason'],
      registers,
    });
  }

  /** Unknown methods share one label, so that clients cannot make series. */
  call(method: string, ms: number, ok: boolean): void {
    this.#calls.inc({ method, outcome: ok ? 'ok' : 'error' });
    this.#duration.observe({ method }, ms / 1000);
  }

  connections(count: number): void {
    this.#connections.set(count);
  }

  refused(reason: Parameters<TransportMetrics['refused']>[0]): void {
    this.#refused.inc({ reason });
  }
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
  gauge('trustnode_chain_head_block', 'Number of the head block', (f) => f.headNumber);
  gauge('trustnode_chain_irreversible_block', 'Number of the newest irreversible block', (f) => f.irreversibleNumber);
  gauge('trustnode_chain_head_age_seconds', 'Age of the head block', (f) => f.headAgeSec);
  gauge('trustnode_chain_pending_transactions', 'Transactions that wait for a block', (f) => f.pendingTransactions);
}

/** What an operator's machines ask for. */
export class MonitorPages implements StatusSource {
  readonly #options: MonitorOptions;
  readonly metrics: Registry;

  constructor(metrics: RpcMetrics, options: MonitorOptions) {
    this.metrics = metrics.registry;
    this.#options = options;
    collectDefaultMetrics({ register: metrics.registry });
    chainGauges(metrics.registry, options.facts);
  }

  notReady(): string | undefined {
    return this.#options.notReady();
  }

  warning(): string | undefined {
    return this.#options.warning();
  }
}
