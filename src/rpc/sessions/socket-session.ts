import { ChainError } from '../../base/errors.js';
import type { Caller } from '../../http/caller.js';
import type { Gate } from '../../http/gate.js';
import type { TransportMetrics } from '../../http/transport-metrics.js';
import { RPC_ERRORS } from '../errors.js';
import type { Rpc } from '../rpc.js';
import type { TransportLimits } from '../serving/transport.js';
import { wireError } from '../wire-error.js';
import type { Session } from './session.js';

/** What a WebSocket of any server can do. */
export interface SocketWriter {
  /** Sends a text; false when the client is too slow and was dropped. */
  send(text: string): boolean;
  /** Runs work that sends several texts, so that they leave in one piece where the server can. */
  together(work: () => void): void;
}

export interface SocketParts {
  readonly rpc: Rpc;
  readonly gate: Gate;
  readonly limits: TransportLimits;
  readonly metrics: TransportMetrics | undefined;
}

/** The life of one WebSocket: its session, its requests under way, its end. */
export class SocketSession {
  readonly #parts: SocketParts;
  readonly #writer: SocketWriter;
  readonly #caller: Caller;
  readonly #session: Session;
  #waiting = 0;
  readonly #outbox: string[] = [];
  #closed = false;

  constructor(
    parts: SocketParts,
    writer: SocketWriter,
    caller: Caller,
    credentials: readonly [string, string] | undefined,
  ) {
    this.#parts = parts;
    this.#writer = writer;
    this.#caller = caller;
    const connection = {
      address: caller.address,
      caller,
      canNotify: true,
      send: (text: string) => this.#send(text),
      mayAsk: () => this.#mayAsk(),
    };
    this.#session = parts.rpc.openSession(connection, credentials);
    parts.metrics?.connections(parts.gate.connections);
  }

  message(text: string | Uint8Array): void {
    const { rpc, limits } = this.#parts;
    if (!this.#mayAsk()) {
      this.#refuse(new ChainError(RPC_ERRORS.rpc_rate));
      return;
    }
    if (this.#waiting >= limits.waiting_per_connection_max) {
      this.#refuse(new ChainError(RPC_ERRORS.rpc_overloaded, { count: this.#waiting }));
      return;
    }
    const reply = rpc.dispatcher.handle(text, this.#session);
    if (!(reply instanceof Promise)) {
      if (reply !== undefined) this.#send(reply);
      return;
    }
    this.#waiting++;
    void reply.then((later) => {
      this.#waiting--;
      if (later !== undefined) this.#sendSoon(later);
    });
  }

  #mayAsk(): boolean {
    const { gate, metrics } = this.#parts;
    const may = gate.mayAsk(this.#caller);
    if (!may) metrics?.refused('rate');
    return may;
  }

  /** Answers that were waited for come in bundles, such as the transactions of one batch of signatures. */
  #sendSoon(text: string): void {
    this.#outbox.push(text);
    if (this.#outbox.length > 1) return;
    setImmediate(() => {
      const texts = this.#outbox.splice(0);
      if (this.#closed) return;
      this.#writer.together(() => {
        for (const one of texts) this.#send(one);
      });
    });
  }

  #refuse(error: ChainError): void {
    this.#send(JSON.stringify({ id: null, jsonrpc: '2.0', error: wireError(error) }));
  }

  #send(text: string): void {
    if (this.#closed) return;
    if (!this.#writer.send(text)) this.#parts.metrics?.refused('backlog');
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#session.close();
    this.#parts.gate.leave(this.#caller);
    this.#parts.metrics?.connections(this.#parts.gate.connections);
  }
}
