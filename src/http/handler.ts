import type { ChainError } from '../base/errors.js';
import type { Caller } from './caller.js';

/**
 * The two interfaces between the servers and those who answer: one for requests, one for WebSockets. Who implements them
 * knows no socket, and the servers know no service.
 */

/** The head of a request. */
export interface HttpRequest {
  /** Upper case. */
  readonly method: string;
  /** Without the query, percent signs as they came. */
  readonly path: string;
  /** What stands behind the question mark, as it came. */
  readonly query: string;
  readonly caller: Caller;
  /** The same for all requests of a connection, where several come without waiting for each other; else undefined. */
  readonly connection: object | undefined;
  /** Header by lower-case name, several of a name joined by commas; empty when absent. */
  header(name: string): string;
}

export type Header = readonly [name: string, value: string];

/** An answer that is made while it is sent: no more of it is asked for than the client takes. */
export interface BodyStream {
  /** All of it; undefined where nobody knows before the end. */
  readonly bytes: number | undefined;
  /** Called at most once. Left early, by `return` of the iterator, when the client goes away. */
  read(): AsyncIterable<Uint8Array>;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: string | Uint8Array | BodyStream;
}

/** The one who waits for an answer. */
export interface Client {
  /** What to run when the client goes away before its answer is there. */
  onGone(run: () => void): void;
}

type Reply = HttpAnswer | Promise<HttpAnswer>;

/** What is to become of the body of a request. */
export type Intake =
  /** Nobody looks at it. */
  | { readonly body: 'none'; answer(client: Client): Reply }
  /** Whole, as text or as its bytes: whichever costs the server less. Large ones are always bytes. */
  | { readonly body: 'document'; readonly bytesMax: number; answer(body: string | Uint8Array, client: Client): Reply }
  | { readonly body: 'bytes'; readonly bytesMax: number; answer(body: Uint8Array, client: Client): Reply }
  /**
   * As it comes: while nobody takes it, the client is held back. What is not taken when the answer is there ends with the
   * connection. Throws `http_gone` where the client goes away in the middle of it.
   */
  | {
      readonly body: 'stream';
      readonly bytesMax: number;
      answer(body: AsyncIterable<Uint8Array>, client: Client): Reply;
    };

export interface HttpHandler {
  /** Looks at the head of a request and says what is done with the rest. */
  receive(request: HttpRequest): Intake;
  /** The form of a refusal, also of those that the server itself makes. */
  refusal(request: HttpRequest, status: number, error: ChainError): HttpAnswer;
}

/** A part of a handler, for what it knows. */
export interface PartialHandler {
  /** Undefined: somebody else's request. */
  receive(request: HttpRequest): Intake | undefined;
}

/** A WebSocket as its session sees it. After its end nothing that is sent goes anywhere. */
export interface OpenSocket {
  /** False when the client does not keep up and was dropped. */
  send(text: string): boolean;
  /** Runs work that sends several texts, so that they leave in one piece where the server can. */
  together(work: () => void): void;
}

export interface SocketSession {
  /** A whole message, as text or as its bytes. */
  message(text: string | Uint8Array): void;
  /** The connection has ended, whoever did it. Called once. */
  close(): void;
}

export interface SocketHandler {
  /** Looks at the head of a handshake; what it needs of it later it reads now. */
  greet(request: HttpRequest): (socket: OpenSocket) => SocketSession;
}
