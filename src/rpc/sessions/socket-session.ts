import { ChainError } from '../../base/errors.js';
import type { Caller } from '../../http/caller.js';
import { HTTP_ERRORS } from '../../http/errors.js';
import type { OpenSocket, SocketSession } from '../../http/handler.js';
import { RPC_ERRORS } from '../errors.js';
import type { Rpc } from '../rpc.js';
import { wireError } from '../wire-error.js';
import type { Session } from './session.js';

export interface SocketParts {
  readonly rpc: Rpc;
  readonly limits: {
    /** Requests of one connection that wait for something. */
    readonly waiting_per_connection_max: number;
  };
  /** Takes one request from what its address may ask. */
  mayAsk(): boolean;
}

/** The life of one WebSocket: its session, its requests under way, its end. */
export class RpcSocketSession implements SocketSession {
  readonly #parts: SocketParts;
  readonly #socket: OpenSocket;
  readonly #session: Session;
  #waiting = 0;
  readonly #outbox: string[] = [];

  constructor(
    parts: SocketParts,
    socket: OpenSocket,
    caller: Caller,
    credentials: readonly [string, string] | undefined,
  ) {
    this.#parts = parts;
    this.#socket = socket;
    const connection = {
      address: caller.countedAs,
      caller,
      canNotify: true,
      send: (text: string) => void socket.send(text),
      mayAsk: () => parts.mayAsk(),
    };
    this.#session = parts.rpc.openSession(connection, credentials);
  }

  message(text: string | Uint8Array): void {
    const { rpc, limits } = this.#parts;
    if (!this.#parts.mayAsk()) {
      this.#refuse(new ChainError(HTTP_ERRORS.http_rate));
      return;
    }
    if (this.#waiting >= limits.waiting_per_connection_max) {
      this.#refuse(new ChainError(RPC_ERRORS.rpc_overloaded, { count: this.#waiting }));
      return;
    }
    const reply = rpc.dispatcher.handle(text, this.#session);
    if (!(reply instanceof Promise)) {
      if (reply !== undefined) this.#socket.send(reply);
      return;
    }
    this.#waiting++;
    void reply.then((later) => {
      this.#waiting--;
      if (later !== undefined) this.#sendSoon(later);
    });
  }

  /** Answers that were waited for come in bundles, such as the transactions of one batch of signatures. */
  #sendSoon(text: string): void {
    this.#outbox.push(text);
    if (this.#outbox.length > 1) return;
    setImmediate(() => {
      const texts = this.#outbox.splice(0);
      this.#socket.together(() => {
        for (const one of texts) this.#socket.send(one);
      });
    });
  }

  #refuse(error: ChainError): void {
    this.#socket.send(JSON.stringify({ id: null, jsonrpc: '2.0', error: wireError(error) }));
  }

  close(): void {
    this.#session.close();
  }
}
