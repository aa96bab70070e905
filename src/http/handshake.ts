import { ChainError } from '../base/errors.js';
import type { Caller } from './caller.js';
import { HTTP_ERRORS } from './errors.js';
import type { HttpAnswer, HttpRequest, OpenSocket, SocketHandler, SocketSession } from './handler.js';
import type { TransportOptions } from './transport.js';

/** A socket of a server, which knows how to end it. */
export interface ServerSocket extends OpenSocket {
  drop(): void;
}

/** The answer to a handshake that is refused, or the place that it was given. */
export function admit(options: TransportOptions, handler: SocketHandler, request: HttpRequest): HttpAnswer | Place {
  const { gate, metrics, http } = options;
  if (!gate.enter(request.caller)) {
    metrics?.refused('connections');
    return http.refusal(request, 503, new ChainError(HTTP_ERRORS.http_connections));
  }
  try {
    return new Place(options, request.caller, handler.greet(request));
  } catch (error) {
    gate.leave(request.caller);
    options.log.error('a handshake met a bug', { path: request.path, error });
    return http.refusal(request, 500, new ChainError(HTTP_ERRORS.http_bug));
  }
}

/** The place of one WebSocket among those that may be open, from its handshake to its end. */
export class Place {
  readonly #options: TransportOptions;
  readonly #caller: Caller;
  readonly #start: (socket: OpenSocket) => SocketSession;
  #socket: ServerSocket | undefined;
  #session: SocketSession | undefined;
  #isClosed = false;

  constructor(options: TransportOptions, caller: Caller, start: (socket: OpenSocket) => SocketSession) {
    this.#options = options;
    this.#caller = caller;
    this.#start = start;
  }

  open(socket: ServerSocket): void {
    const { metrics, gate } = this.#options;
    this.#socket = socket;
    metrics?.connections(gate.connections);
    this.#guard(() => {
      this.#session = this.#start({
        send: (text) => {
          if (this.#isClosed) return false;
          const isTaken = socket.send(text);
          if (!isTaken) metrics?.refused('backlog');
          return isTaken;
        },
        together: (work) => {
          if (!this.#isClosed) socket.together(work);
        },
      });
    });
  }

  message(text: string | Uint8Array): void {
    this.#guard(() => this.#session?.message(text));
  }

  /** A bug in a session ends its connection and no other. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#options.log.error('a WebSocket met a bug', { error });
      if (!this.#isClosed) this.#socket?.drop();
    }
  }

  /** Also where the handshake has failed before there was a socket. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { gate, metrics } = this.#options;
    gate.leave(this.#caller);
    metrics?.connections(gate.connections);
    this.#guard(() => this.#session?.close());
  }
}
