import type { Logger } from '../../base/world.js';
import type { CallerRules } from '../../http/caller.js';
import type { Gate } from '../../http/gate.js';
import type { MemoryBudget } from '../../http/memory-budget.js';
import type { TransportMetrics } from '../../http/transport-metrics.js';
import type { Rpc } from '../rpc.js';
import type { HttpAnswers } from './http-answers.js';

/** One listening socket for HTTP and WebSocket; `server.ts` and `node-http.ts` implement it. */

export interface TransportLimits {
  /** One HTTP body. */
  readonly request_bytes_max: number;
  /** One WebSocket message. */
  readonly message_bytes_max: number;
  /** What may wait for a slow WebSocket client before it is dropped. */
  readonly backlog_bytes_max: number;
  readonly idle_timeout_sec: number;
  /** Requests of one connection that wait for something. */
  readonly waiting_per_connection_max: number;
}

export interface TlsFiles {
  /** PEM with certificate chain and private key. */
  readonly pem: string;
  readonly password: string;
}

/** An address of which port 0 is any free one, or a socket file for the node's own user. */
export type ListenAt = { readonly host: string; readonly port: number } | { readonly socket: string };

export interface TransportOptions {
  readonly at: ListenAt;
  readonly callers: CallerRules;
  /** For unfinished requests and unsent answers of all connections. */
  readonly memory: MemoryBudget;
  readonly tls: TlsFiles | undefined;
  readonly rpc: Rpc;
  readonly http: HttpAnswers;
  readonly gate: Gate;
  readonly limits: TransportLimits;
  readonly log: Logger;
  readonly metrics: TransportMetrics | undefined;
}

export interface RunningTransport {
  readonly name: string;
  /** The real port; 0 for a socket file. */
  readonly port: number;
  /** Ends every connection and stops listening. */
  close(): Promise<void>;
}

export interface Transport {
  readonly name: string;
  /** Whether it can tell what unfinished WebSocket messages hold. One that cannot needs room for all of them. */
  readonly countsMessages: boolean;
  listen(options: TransportOptions): Promise<RunningTransport>;
}
