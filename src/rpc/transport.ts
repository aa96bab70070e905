import type { Logger } from '../base/world.js';
import type { Gate } from './gate.js';
import type { HttpAnswers } from './http.js';
import type { Rpc } from './rpc.js';
import type { TransportMetrics } from './transport-metrics.js';

/** One listening socket for HTTP and WebSocket; `server.ts` and `node-http.ts` implement it. */

export interface TransportLimits {
  /** One HTTP body. */
  readonly request_bytes_max: number;
  /** One WebSocket message. The servers do not say how much of one is there, so a sum over all clients has no limit. */
  readonly message_bytes_max: number;
  /** All HTTP bodies that are under way, together. */
  readonly uploads_bytes_max: number;
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

export interface TransportOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
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
  /** The real port. */
  readonly port: number;
  /** Ends every connection and stops listening. */
  close(): Promise<void>;
}

export interface Transport {
  readonly name: string;
  listen(options: TransportOptions): Promise<RunningTransport>;
}
