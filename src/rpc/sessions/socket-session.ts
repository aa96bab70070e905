import { ChainError } from '../../base/errors.js';
import type { Caller } from '../../http/caller.js';
import { HTTP_ERRORS } from '../../http/errors.js';
import type { OpenSocket, SocketSession } from '../../http/handler.js';
import type { Room } from '../../http/memory-budget.js';
import type { Reply } from '../dispatcher.js';
import { RPC_ERRORS } from '../errors.js';
import type { Rpc } from '../rpc.js';
import { AnswerOrder, type Place } from './answer-order.js';
import type { Session } from './session.js';

export interface SocketParts {
  readonly rpc: Rpc;
  readonly limits: {
    /** Requests of one connection that wait for something. */
    readonly waiting_per_connection_max: number;
    /** Characters of its answers that wait for older ones; with more it has to wait before it asks again. */
    readonly held_chars_max: number;
  };
  /** Counts answers that are ready and wait for older ones. */
  readonly room?: Room | undefined;
  /** Takes one request from what its address may ask. */
  mayAsk(): boolean;
}

/** The life of one WebSocket: its session, its requests under way, its end. */
export class RpcSocketSession implements SocketSession {
  readonly #parts: SocketParts;
  readonly #socket: OpenSocket;
  readonly #session: Session;
  readonly #order: AnswerOrder;
  #waiting = 0;
  #answersAtOnce = false;
  readonly #outbox: string[] = [];

  constructor(
    parts: SocketParts,
    socket: OpenSocket,
    caller: Caller,
    credentials: readonly [string, string] | undefined,
  ) {
    this.#parts = parts;
    this.#socket = socket;
    this.#order = new AnswerOrder((text) => this.#leave(text), parts.room);
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
    const { dispatcher } = this.#parts.rpc;
    const hasRoom = this.#hasRoom;
    const why = this.#whyNot(hasRoom);
    if (why !== undefined) {
      const refusal = dispatcher.refuse(text, why);
      if (hasRoom) this.#answer(this.#order.open(), refusal);
      // It does not stand in the order, whose places are taken.
      else if (refusal !== undefined) this.#socket.send(refusal);
      return;
    }
    const place = this.#order.open();
    const reply = dispatcher.handle(text, this.#session, place);
    if (!(reply instanceof Promise)) {
      this.#answer(place, reply);
      return;
    }
    this.#waiting++;
    void reply.then((later) => {
      this.#waiting--;
      this.#order.answer(place, later);
    });
  }

  #whyNot(hasRoom: boolean): ChainError | undefined {
    if (!this.#parts.mayAsk()) return new ChainError(HTTP_ERRORS.http_rate);
    if (hasRoom) return undefined;
    return new ChainError(RPC_ERRORS.rpc_overloaded, { count: Math.max(this.#waiting, this.#order.size) });
  }

  get #hasRoom(): boolean {
    const { waiting_per_connection_max: max, held_chars_max } = this.#parts.limits;
    const { size, heldChars } = this.#order;
    return this.#waiting < max && size < max && heldChars < held_chars_max;
  }

  #answer(place: Place, reply: Reply): void {
    this.#answersAtOnce = true;
    this.#order.answer(place, reply);
    this.#answersAtOnce = false;
  }

  #leave(text: string): void {
    if (this.#answersAtOnce && this.#outbox.length === 0) this.#socket.send(text);
    else this.#sendSoon(text);
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

  close(): void {
    this.#order.close();
    this.#session.close();
  }
}
