import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { StatusSource } from '../../http/status-pages.js';
import type { TransportMetrics } from '../../http/transport-metrics.js';
import type { DispatcherMetrics } from '../dispatcher.js';
import { CallTally, tallyMetric } from './duration-tally.js';

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

export class RpcMetrics implements DispatcherMetrics, TransportMetrics {
  readonly registry = new Registry();
  /** By method. */
  readonly #calls = new Map<string, CallTally>();
  readonly #connections: Gauge;
  readonly #refused: Counter<'reason'>;

  constructor() {
    const registers = [this.registry];
    const calls = this.#calls;
    new Counter({
      name: 'trustnode_rpc_calls_total',
      help: 'RPC calls by method and outcome',
      labelNames: ['method', 'outcome'],
      registers,
      collect() {
        this.reset();
        for (const [method, { ok, failed }] of calls) {
          if (ok > 0) this.inc({ method, outcome: 'ok' }, ok);
          if (failed > 0) this.inc({ method, outcome: 'error' }, failed);
        }
      },
    });
    const name = 'trustnode_rpc_call_duration_seconds';
    const times = function* () {
      for (const [method, tally] of calls) yield [{ method }, tally.times] as const;
    };
    this.registry.registerMetric(tallyMetric(name, 'Time from a decoded request to its printed answer', times));
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
    let tally = this.#calls.get(method);
    if (tally === undefined) {
      tally = new CallTally();
      this.#calls.set(method, tally);
    }
    tally.add(ms / 1000, ok);
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
