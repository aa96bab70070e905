import type { Logger } from '../base/world.js';
import type { CallerRules } from './caller.js';
import type { Gate } from './gate.js';
import type { HttpHandler, SocketHandler } from './handler.js';
import type { MemoryBudget } from './memory-budget.js';
import type { TransportMetrics } from './transport-metrics.js';

/** One listening socket for HTTP and WebSocket; `uws-server.ts` and `node-server.ts` implement it. */

export interface TransportLimits {
  /** One WebSocket message. */
  readonly message_bytes_max: number;
  /** What may wait for a slow WebSocket client before it is dropped. */
  readonly backlog_bytes_max: number;
  readonly idle_timeout_sec: number;
  /** Of all kinds at this address, for a server that can count them; undefined: no limit. */
  readonly sockets_max?: number | undefined;
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
  /** Without rules nobody looks at the Host header, and whoever reaches the port is a stranger. */
  readonly callers: CallerRules | undefined;
  /** For unfinished requests, unsent answers and idle connections. */
  readonly memory: MemoryBudget;
  readonly tls: TlsFiles | undefined;
  readonly http: HttpHandler;
  /** Without one a handshake is a request as any other. */
  readonly sockets: SocketHandler | undefined;
  /** Places for WebSockets. How often an address may ask is for the handlers to look at. */
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
  /** Whether it can tell of connections on which nothing happens, so that the budget counts them. */
  readonly countsConnections: boolean;
  listen(options: TransportOptions): Promise<RunningTransport>;
}
