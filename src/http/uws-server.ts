import { ChainError, invariant } from '../base/errors.js';
import { anyCaller, type CallerFacts } from './caller.js';
import { HTTP_ERRORS } from './errors.js';
import { type AnswerHead, type Carrier, Exchange, TEXT_BYTES_MAX } from './exchange.js';
import type { HttpAnswer, HttpRequest, SocketHandler } from './handler.js';
import { admit, Place } from './handshake.js';
import type { Held } from './memory-budget.js';
import { statusText } from './status.js';
import type { RunningTransport, Transport, TransportOptions } from './transport.js';
import { loadUws, type Uws, type UwsRequest, type UwsResponse, type UwsSocket } from './uws-library.js';

/** The fast server: uWebSockets.js. Native, so it may be missing; `node-server.ts` does the same then. */

interface SocketData {
  readonly place: Place;
  /** What waits for the client. */
  unsent: Held | undefined;
  isClosed: boolean;
}

export function uwsTransport(): Transport | undefined {
  const library = loadUws();
  if (library === undefined) return undefined;
  return {
    name: 'uWebSockets.js',
    countsMessages: false,
    countsConnections: false,
    listen: (options) => listen(library, options),
  };
}

/** Without it two nodes would share a port without a word. */
const LISTEN_EXCLUSIVE = 1;
/** The library does not tell which. */
const NO_REASON = 'another program has it, this machine has no such address, or the system does not allow it';

const decoder = new TextDecoder();

/** IPv6 comes in its long form. */
function addressOf(bytes: ArrayBuffer): string {
  return decoder.decode(bytes);
}

/** Small documents as text; a large one as a copy of its bytes, which are read in pieces: the memory is the server's. */
function readable(message: ArrayBuffer): string | Uint8Array {
  return message.byteLength <= TEXT_BYTES_MAX ? decoder.decode(message) : new Uint8Array(message.slice(0));
}

function listen(library: Uws, options: TransportOptions): Promise<RunningTransport> {
  const { limits, at, sockets } = options;
  invariant('host' in at, 'socket files are for the other server');
  const app = library.app(options.tls);
  if (sockets !== undefined) {
    app.ws<SocketData>('/*', {
      maxPayloadLength: limits.message_bytes_max,
      idleTimeout: limits.idle_timeout_sec,
      sendPingsAutomatically: true,
      maxBackpressure: limits.backlog_bytes_max,
      closeOnBackpressureLimit: true,
      compression: library.noCompression,
      upgrade: (response, request, context) => upgrade(options, sockets, at.host, response, request, context),
      open: (socket) => open(options, socket),
      message: (socket, message) => socket.getUserData().place.message(readable(message)),
      drain: (socket) => void socket.getUserData().unsent?.set(socket.getBufferedAmount()),
      close: (socket) => {
        const data = socket.getUserData();
        data.isClosed = true;
        data.unsent?.set(0);
        data.place.close();
      },
    });
  }
  app.any('/*', (response, request) => handle(options, at.host, response, request));
  return new Promise((resolve, reject) => {
    app.listen(at.host, at.port, LISTEN_EXCLUSIVE, (token) => {
      if (token === false) {
        const endpoint = `${at.host}:${at.port}`;
        reject(new ChainError(HTTP_ERRORS.http_listen, { endpoint, reason: NO_REASON }));
        return;
      }
      resolve({
        name: 'uWebSockets.js',
        port: library.portOf(token),
        close: async () => {
          library.close(app, token);
          // The sockets are really closed at the end of this turn of the loop.
          await new Promise(setImmediate);
        },
      });
    });
  });
}

function upgrade(
  options: TransportOptions,
  handler: SocketHandler,
  listensOn: string,
  res: UwsResponse,
  req: UwsRequest,
  context: unknown,
): void {
  const facts = readFacts(res, req);
  const request = readRequest(options, req, facts);
  const badHost = refusalOfHost(options, facts, listensOn);
  const place = badHost === undefined ? admit(options, handler, request) : options.http.refusal(request, ...badHost);
  if (!(place instanceof Place)) {
    writeAndEnd(res, place);
    return;
  }
  const data: SocketData = { place, unsent: undefined, isClosed: false };
  res.upgrade(
    data,
    req.getHeader('sec-websocket-key'),
    req.getHeader('sec-websocket-protocol'),
    req.getHeader('sec-websocket-extensions'),
    context,
  );
}

function open(options: TransportOptions, socket: UwsSocket<SocketData>): void {
  const data = socket.getUserData();
  const drop = (): void => {
    if (!data.isClosed) socket.close();
  };
  const unsent = options.memory.open(drop);
  data.unsent = unsent;
  data.place.open({
    send(text: string): boolean {
      // 2: dropped, because more waits for this client than may. The server then closes it by itself.
      const isTaken = socket.send(text, false, false) !== 2;
      return isTaken && !data.isClosed && unsent.set(socket.getBufferedAmount());
    },
    together: (work) => void socket.cork(work),
    drop,
  });
}

function writeHead(res: UwsResponse, { status, headers }: AnswerHead): void {
  res.writeStatus(statusText(status));
  for (const [name, value] of headers) res.writeHeader(name, value);
}

/** The rest of what comes is not read: the connection ends with the answer. */
function writeAndEnd(res: UwsResponse, answer: HttpAnswer): void {
  writeHead(res, answer);
  res.end(typeof answer.body === 'string' ? answer.body : '', true);
}

/** Headers are gone when the handler returns: what is needed later is read now. */
function readFacts(res: UwsResponse, req: UwsRequest): CallerFacts {
  const headers = new Map<string, string>();
  // Proxies add headers of a name that is there already, and the client's own is the first.
  req.forEachHeader((name, value) => {
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  });
  return { remote: addressOf(res.getRemoteAddressAsText()), header: (name) => headers.get(name) ?? '' };
}

function readRequest({ callers }: TransportOptions, req: UwsRequest, facts: CallerFacts): HttpRequest {
  return {
    method: req.getMethod().toUpperCase(),
    path: req.getUrl(),
    query: req.getQuery() ?? '',
    caller: callers?.callerOf(facts) ?? anyCaller(facts.remote),
    connection: undefined,
    header: facts.header,
  };
}

function refusalOfHost(
  { callers, metrics }: TransportOptions,
  facts: CallerFacts,
  listensOn: string,
): [status: number, error: ChainError] | undefined {
  const refusal = callers?.refusalOfHost(facts, listensOn);
  if (refusal !== undefined) metrics?.refused('host');
  return refusal;
}

function handle(options: TransportOptions, listensOn: string, res: UwsResponse, req: UwsRequest): void {
  const facts = readFacts(res, req);
  const carrier = new UwsCarrier(res, options);
  const exchange = new Exchange(options, readRequest(options, req, facts), carrier);
  res.onAborted(() => {
    carrier.aborted();
    exchange.gone();
  });
  const badHost = refusalOfHost(options, facts, listensOn);
  if (badHost !== undefined) exchange.refuseHead(...badHost);
  // Chunks must be copied: their memory is the server's.
  else if (exchange.begin()) res.onData((chunk, isLast) => exchange.got(new Uint8Array(chunk), isLast, false));
}

/** A piece that the client has not taken yet, or not whole. */
interface Waiting {
  readonly piece: Uint8Array;
  /** Bytes of the answer before it. */
  readonly begin: number;
  readonly resolve: () => void;
}

/** One request of uWebSockets.js and its answer. The response must not be touched when it is done or aborted. */
class UwsCarrier implements Carrier {
  readonly #res: UwsResponse;
  readonly #options: TransportOptions;
  #unsent: Held | undefined;
  #isAborted = false;
  /** Of an answer in pieces; undefined: nobody knows. */
  #bytes: number | undefined;
  #waiting: Waiting | undefined;

  constructor(res: UwsResponse, options: TransportOptions) {
    this.#res = res;
    this.#options = options;
  }

  aborted(): void {
    this.#isAborted = true;
    this.#unsent?.set(0);
    this.#waiting?.resolve();
  }

  pause(): void {
    this.#res.pause();
  }

  resume(): void {
    this.#res.resume();
  }

  drop(): void {
    if (!this.#isAborted) this.#res.close();
  }

  sendHead(head: AnswerHead, bytes: number | undefined, isLast: boolean): void {
    this.#res.cork(() => {
      writeHead(this.#res, head);
      // A length that the library is told is one that it waits for: the connection would be of no more use.
      if (bytes !== undefined) this.#res.writeHeader('Content-Length', String(bytes));
      if (isLast) this.#res.writeHeader('Connection', 'close');
      this.#res.endWithoutBody();
    });
  }

  /** What the client does not take at once stays here, where it can be counted; the server would keep any amount. */
  send(head: AnswerHead, body: string | Uint8Array, isLast: boolean): void {
    const res = this.#res;
    res.cork(() => {
      writeHead(res, head);
      if (isLast || body.length === 0) {
        res.end(body, isLast);
        return;
      }
      const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
      const begin = res.getWriteOffset();
      if (res.tryEnd(bytes, bytes.length)[1]) return;
      const unsent = this.#options.memory.open(() => this.drop());
      this.#unsent = unsent;
      res.onWritable((offset) => {
        const [isTaken, isDone] = res.tryEnd(bytes.subarray(offset - begin), bytes.length);
        if (isDone) unsent.set(0);
        return isTaken;
      });
      unsent.set(bytes.length);
    });
  }

  begin(head: AnswerHead, bytes: number | undefined): void {
    const res = this.#res;
    this.#bytes = bytes;
    res.cork(() => writeHead(res, head));
    res.onWritable((offset) => {
      const waiting = this.#waiting;
      if (waiting === undefined) return true;
      // The library keeps what it could not send of a piece whose answer has no length.
      if (this.#bytes !== undefined) {
        const [isTaken] = res.tryEnd(waiting.piece.subarray(offset - waiting.begin), this.#bytes);
        if (!isTaken) return false;
      }
      this.#waiting = undefined;
      waiting.resolve();
      return true;
    });
  }

  put(piece: Uint8Array): Promise<void> | undefined {
    const res = this.#res;
    let isTaken = true;
    let begin = 0;
    res.cork(() => {
      begin = res.getWriteOffset();
      isTaken = this.#bytes === undefined ? res.write(piece) : res.tryEnd(piece, this.#bytes)[0];
    });
    if (isTaken) return undefined;
    return new Promise((resolve) => {
      this.#waiting = { piece, begin, resolve };
    });
  }

  finish(): void {
    // An answer whose length was told is done with its last byte.
    if (this.#bytes === undefined) this.#res.cork(() => void this.#res.end());
    else if (this.#bytes === 0) this.#res.cork(() => void this.#res.end(''));
  }
}
