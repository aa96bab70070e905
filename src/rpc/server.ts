import { ChainError } from '../base/errors.js';
import { basicCredentials } from './access.js';
import { RPC_ERRORS } from './errors.js';
import { type HttpAnswer, type HttpRequest, STATUS_TEXTS } from './http.js';
import { READ_AT_ONCE } from './json-pieces.js';
import { SocketSession } from './socket-session.js';
import type { RunningTransport, Transport, TransportOptions } from './transport.js';
import { type Upload, UploadBudget } from './upload-budget.js';
import { loadUws, type Uws, type UwsRequest, type UwsResponse, type UwsSocket } from './uws.js';

/** The fast server: uWebSockets.js. Native, so it may be missing; `node-http.ts` does the same then. */

interface SocketData {
  readonly address: string;
  readonly credentials: readonly [string, string] | undefined;
  session: SocketSession | undefined;
}

export function uwsTransport(): Transport | undefined {
  const library = loadUws();
  if (library === undefined) return undefined;
  return { name: 'uWebSockets.js', listen: (options) => listen(library, options) };
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
  const { limits } = options;
  const uploads = new UploadBudget(limits.uploads_bytes_max);
  const app = library.app(options.tls);
  app.ws<SocketData>('/*', {
    maxPayloadLength: limits.message_bytes_max,
    idleTimeout: limits.idle_timeout_sec,
    sendPingsAutomatically: true,
    maxBackpressure: limits.backlog_bytes_max,
    closeOnBackpressureLimit: true,
    compression: library.noCompression,
    upgrade: (response, request, context) => upgrade(options, response, request, context),
    open: (socket) => open(options, socket),
    message: (socket, message) => socket.getUserData().session?.message(readable(message)),
    close: (socket) => socket.getUserData().session?.close(),
  });
  app.any('/*', (response, request) => handle(options, uploads, response, request));
  return new Promise((resolve, reject) => {
    app.listen(options.host, options.port, LISTEN_EXCLUSIVE, (token) => {
      if (token === false) {
        reject(new ChainError(RPC_ERRORS.rpc_listen, { endpoint: `${options.host}:${options.port}` }));
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

function upgrade({ gate, metrics, http }: TransportOptions, res: UwsResponse, req: UwsRequest, context: unknown): void {
  const address = addressOf(res.getRemoteAddressAsText());
  if (!gate.enter(address)) {
    metrics?.refused('connections');
    write(res, http.refusal(503, new ChainError(RPC_ERRORS.rpc_connections)));
    return;
  }
  const data: SocketData = {
    address,
    credentials: basicCredentials(req.getHeader('authorization')),
    session: undefined,
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
  const writer = {
    send(text: string): boolean {
      // 2: dropped, because more waits for this client than may. The server then closes it by itself.
      return socket.send(text, false, false) !== 2;
    },
    together: (work: () => void) => void socket.cork(work),
  };
  data.session = new SocketSession(options, writer, data.address, data.credentials);
}

function write(res: UwsResponse, answer: HttpAnswer, isHead = false): void {
  res.writeStatus(STATUS_TEXTS[answer.status] ?? String(answer.status));
  for (const [name, value] of answer.headers) res.writeHeader(name, value);
  if (isHead) res.endWithoutBody();
  else res.end(answer.body);
}

/** Headers are gone when the handler returns: what is needed later is read now. */
function readRequest(res: UwsResponse, req: UwsRequest): HttpRequest {
  const headers = new Map<string, string>();
  for (const name of ['accept', 'accept-encoding', 'authorization']) headers.set(name, req.getHeader(name));
  return {
    method: req.getMethod().toUpperCase(),
    path: req.getUrl(),
    address: addressOf(res.getRemoteAddressAsText()),
    header: (name) => headers.get(name) ?? '',
  };
}

function handle(options: TransportOptions, uploads: UploadBudget, res: UwsResponse, req: UwsRequest): void {
  const { http, limits, metrics } = options;
  const request = readRequest(res, req);
  let aborted = false;
  let onAbort: (() => void) | undefined;
  const upload = uploads.begin();
  res.onAborted(() => {
    aborted = true;
    upload.end();
    onAbort?.();
  });
  const answer = (body: string | Uint8Array): void => {
    const given = http.answer(request, body, (run) => (onAbort = run));
    const send = (ready: HttpAnswer): void => {
      if (!aborted) res.cork(() => write(res, ready, request.method === 'HEAD'));
    };
    if (given instanceof Promise) void given.then(send);
    else send(given);
  };
  if (!http.wantsBody(request.method)) {
    answer('');
    return;
  }
  const refuse = (status: 413 | 503): void => {
    metrics?.refused(status === 413 ? 'size' : 'uploads');
    const error =
      status === 413
        ? new ChainError(RPC_ERRORS.rpc_request_size, { limit: limits.request_bytes_max })
        : new ChainError(RPC_ERRORS.rpc_uploads);
    aborted = true;
    upload.end();
    res.cork(() => {
      res.writeStatus(STATUS_TEXTS[status] as string);
      const refusal = http.refusal(status, error);
      for (const [name, value] of refusal.headers) res.writeHeader(name, value);
      // The rest of the body is not read: the connection ends with the answer.
      res.end(refusal.body, true);
    });
  };
  if (Number(req.getHeader('content-length')) > limits.request_bytes_max) {
    refuse(413);
    return;
  }
  collectBody(res, { bytesMax: limits.request_bytes_max, upload, isAborted: () => aborted, done: answer, refuse });
}

interface Collecting {
  readonly bytesMax: number;
  readonly upload: Upload;
  isAborted(): boolean;
  done(body: string | Uint8Array): void;
  refuse(status: 413 | 503): void;
}

/** Chunks must be copied: their memory is the server's. */
function collectBody(res: UwsResponse, { bytesMax, upload, isAborted, done, refuse }: Collecting): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  res.onData((chunk, isLast) => {
    if (isAborted()) return;
    bytes += chunk.byteLength;
    if (bytes > bytesMax || !upload.add(chunk.byteLength)) {
      chunks.length = 0;
      refuse(bytes > bytesMax ? 413 : 503);
      return;
    }
    if (isLast) upload.end();
    if (isLast && chunks.length === 0) {
      done(readable(chunk));
      return;
    }
    chunks.push(Buffer.from(new Uint8Array(chunk).slice()));
    if (isLast) done(Buffer.concat(chunks));
  });
}
