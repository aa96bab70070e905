import { ChainError, invariant } from '../../base/errors.js';
import type { Caller, CallerFacts } from '../../http/caller.js';
import { CHUNK_BYTES, type Held } from '../../http/memory-budget.js';
import { loadUws, type Uws, type UwsRequest, type UwsResponse, type UwsSocket } from '../../http/uws-library.js';
import { RPC_ERRORS } from '../errors.js';
import { READ_AT_ONCE } from '../pieces/json.js';
import { basicCredentials } from '../sessions/access.js';
import { SocketSession } from '../sessions/socket-session.js';
import { type HttpAnswer, type HttpRequest, refuseHost, STATUS_TEXTS } from './http-answers.js';
import type { RunningTransport, Transport, TransportOptions } from './transport.js';

/** The fast server: uWebSockets.js. Native, so it may be missing; `node-http.ts` does the same then. */

interface SocketData {
  readonly caller: Caller;
  readonly credentials: readonly [string, string] | undefined;
  session: SocketSession | undefined;
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
    listen: (options) => listen(library, options),
  };
}

/** Without it two nodes would share a port without a word. */
const LISTEN_EXCLUSIVE = 1;

const decoder = new TextDecoder();

/** IPv6 comes in its long form. */
function addressOf(bytes: ArrayBuffer): string {
  return decoder.decode(bytes);
}

/** Small documents as text; a large one as a copy of its bytes, which are read in pieces: the memory is the server's. */
function readable(message: ArrayBuffer): string | Uint8Array {
  return message.byteLength <= READ_AT_ONCE ? decoder.decode(message) : new Uint8Array(message.slice(0));
}

function listen(library: Uws, options: TransportOptions): Promise<RunningTransport> {
  const { limits, at } = options;
  invariant('host' in at, 'socket files are for the other server');
  const app = library.app(options.tls);
  app.ws<SocketData>('/*', {
    maxPayloadLength: limits.message_bytes_max,
    idleTimeout: limits.idle_timeout_sec,
    sendPingsAutomatically: true,
    maxBackpressure: limits.backlog_bytes_max,
    closeOnBackpressureLimit: true,
    compression: library.noCompression,
    upgrade: (response, request, context) => upgrade(options, at.host, response, request, context),
    open: (socket) => open(options, socket),
    message: (socket, message) => socket.getUserData().session?.message(readable(message)),
    drain: (socket) => void socket.getUserData().unsent?.set(socket.getBufferedAmount()),
    close: (socket) => {
      const data = socket.getUserData();
      data.isClosed = true;
      data.unsent?.set(0);
      data.session?.close();
    },
  });
  app.any('/*', (response, request) => handle(options, at.host, response, request));
  return new Promise((resolve, reject) => {
    app.listen(at.host, at.port, LISTEN_EXCLUSIVE, (token) => {
      if (token === false) {
        reject(new ChainError(RPC_ERRORS.rpc_listen, { endpoint: `${at.host}:${at.port}` }));
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
  { gate, metrics, http, callers }: TransportOptions,
  listensOn: string,
  res: UwsResponse,
  req: UwsRequest,
  context: unknown,
): void {
  const facts = readFacts(res, req);
  const refusal = refuseHost(callers, facts, listensOn);
  if (refusal !== undefined) {
    metrics?.refused('host');
    writeAndEnd(res, http.refusal(...refusal));
    return;
  }
  const caller = callers.callerOf(facts);
  if (!gate.enter(caller)) {
    metrics?.refused('connections');
    writeAndEnd(res, http.refusal(503, new ChainError(RPC_ERRORS.rpc_connections)));
    return;
  }
  const data: SocketData = {
    caller,
    credentials: basicCredentials(req.getHeader('authorization')),
    session: undefined,
    unsent: undefined,
    isClosed: false,
  };
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
  const unsent = options.memory.open(() => {
    if (!data.isClosed) socket.close();
  });
  data.unsent = unsent;
  const writer = {
    send(text: string): boolean {
      // 2: dropped, because more waits for this client than may. The server then closes it by itself.
      const isTaken = socket.send(text, false, false) !== 2;
      return isTaken && !data.isClosed && unsent.set(socket.getBufferedAmount());
    },
    together: (work: () => void) => void socket.cork(work),
  };
  data.session = new SocketSession(options, writer, data.caller, data.credentials);
}

function writeHead(res: UwsResponse, answer: HttpAnswer): void {
  res.writeStatus(STATUS_TEXTS[answer.status] ?? String(answer.status));
  for (const [name, value] of answer.headers) res.writeHeader(name, value);
}

/** The rest of what comes is not read: the connection ends with the answer. */
function writeAndEnd(res: UwsResponse, answer: HttpAnswer): void {
  writeHead(res, answer);
  res.end(answer.body, true);
}

/** What the client does not take at once stays here, where it can be counted; the server would keep any amount. */
function write(res: UwsResponse, answer: HttpAnswer, unsent: Held, isHead: boolean): void {
  writeHead(res, answer);
  if (isHead) {
    res.endWithoutBody();
    return;
  }
  const body = typeof answer.body === 'string' ? Buffer.from(answer.body, 'utf8') : answer.body;
  if (body.length === 0) {
    res.end('');
    return;
  }
  const begin = res.getWriteOffset();
  if (res.tryEnd(body, body.length)[1]) return;
  res.onWritable((offset) => {
    const [isTaken, isDone] = res.tryEnd(body.subarray(offset - begin), body.length);
    if (isDone) unsent.set(0);
    return isTaken;
  });
  unsent.set(body.length);
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

function handle(options: TransportOptions, listensOn: string, res: UwsResponse, req: UwsRequest): void {
  const { http, limits, metrics, memory, callers } = options;
  const facts = readFacts(res, req);
  const badHost = refuseHost(callers, facts, listensOn);
  if (badHost !== undefined) {
    metrics?.refused('host');
    writeAndEnd(res, http.refusal(...badHost));
    return;
  }
  const request: HttpRequest = {
    method: req.getMethod().toUpperCase(),
    path: req.getUrl(),
    caller: callers.callerOf(facts),
    header: facts.header,
  };
  let aborted = false;
  let onAbort: (() => void) | undefined;
  const unsent = memory.open(() => {
    if (!aborted) res.close();
  });
  const refuse = (status: 413 | 503): void => {
    if (aborted) return;
    // The budget tells of what it ends.
    if (status === 413) metrics?.refused('size');
    const error =
      status === 413
        ? new ChainError(RPC_ERRORS.rpc_request_size, { limit: limits.request_bytes_max })
        : new ChainError(RPC_ERRORS.rpc_uploads);
    aborted = true;
    upload.set(0);
    res.cork(() => writeAndEnd(res, http.refusal(status, error)));
  };
  const upload = memory.open(() => refuse(503));
  res.onAborted(() => {
    aborted = true;
    upload.set(0);
    unsent.set(0);
    onAbort?.();
  });
  const answer = (body: string | Uint8Array): void => {
    const given = http.answer(request, body, (run) => (onAbort = run));
    const send = (ready: HttpAnswer): void => {
      if (!aborted) res.cork(() => write(res, ready, unsent, request.method === 'HEAD'));
    };
    if (given instanceof Promise) void given.then(send);
    else send(given);
  };
  if (!http.wantsBody(request.method)) {
    answer('');
    return;
  }
  if (Number(facts.header('content-length')) > limits.request_bytes_max) {
    refuse(413);
    return;
  }
  collectBody(res, { bytesMax: limits.request_bytes_max, upload, isAborted: () => aborted, done: answer, refuse });
}

interface Collecting {
  readonly bytesMax: number;
  readonly upload: Held;
  isAborted(): boolean;
  done(body: string | Uint8Array): void;
  refuse(status: 413): void;
}

/** Chunks must be copied: their memory is the server's. */
function collectBody(res: UwsResponse, { bytesMax, upload, isAborted, done, refuse }: Collecting): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  res.onData((chunk, isLast) => {
    if (isAborted()) return;
    bytes += chunk.byteLength;
    if (bytes > bytesMax) refuse(413);
    else if (isLast && chunks.length === 0) {
      done(readable(chunk));
      return;
    } else if (upload.set(bytes + CHUNK_BYTES * chunks.length)) {
      chunks.push(Buffer.from(new Uint8Array(chunk).slice()));
      if (!isLast) return;
      const whole = Buffer.concat(chunks);
      upload.set(0);
      done(whole);
    }
    chunks.length = 0;
  });
}
