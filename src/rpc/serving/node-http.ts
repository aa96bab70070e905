import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { ChainError } from '../../base/errors.js';
import { type Caller, type CallerFacts, OPERATOR } from '../../http/caller.js';
import { CHUNK_BYTES, type Held } from '../../http/memory-budget.js';
import { Lane } from '../dispatch/scheduler.js';
import { RPC_ERRORS } from '../errors.js';
import { basicCredentials } from '../sessions/access.js';
import { SocketSession } from '../sessions/socket-session.js';
import { type HttpAnswer, type HttpRequest, refuseHost, STATUS_TEXTS } from './http-answers.js';
import type { RunningTransport, Transport, TransportOptions } from './transport.js';

/** The server that runs everywhere: node:http and ws. Slower than `server.ts`, with the same behaviour. */

const HEADER_BYTES_MAX = 16_000;
/** A request must be there within this time, however slowly it comes. */
const REQUEST_TIMEOUT_MS = 60_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** How often the two limits above are looked at. */
const CHECK_MS = 5_000;
const KEEP_ALIVE_MS = 65_000;

/** As the bytes of a whole answer, where there is no response object to write it. The connection ends with it. */
function wholeAnswer({ status, headers, body }: HttpAnswer): string {
  const all = [...headers, ['Connection', 'close'], ['Content-Length', String(Buffer.byteLength(body))]];
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${STATUS_TEXTS[status] ?? status}\r\n${lines}\r\n${body}`;
}

export const nodeTransport: Transport = { name: 'node-http', countsMessages: true, listen };

async function listen(options: TransportOptions): Promise<RunningTransport> {
  const { tls, limits } = options;
  const settings = {
    maxHeaderSize: HEADER_BYTES_MAX,
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    noDelay: true,
  };
  const listensOn = 'host' in options.at ? options.at.host : undefined;
  const handler = (req: IncomingMessage, res: ServerResponse): void => {
    req.socket.setTimeout(0);
    handle(options, listensOn, req, res);
  };
  let server: Server;
  if (tls === undefined) server = createServer(settings, handler);
  else {
    const pem = readFileSync(tls.pem);
    server = createTlsServer(
      { ...settings, handshakeTimeout: HEADERS_TIMEOUT_MS, key: pem, cert: pem, passphrase: tls.password },
      handler,
    );
  }
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.message_bytes_max,
    // Never on: ws (8.22 and 8.23 at least) throws outside of every handler, which ends the process, when a compressed
    // message is still being unpacked while a text that is not UTF-8 and one more frame come behind it.
    perMessageDeflate: false,
  });
  // Who connects and says nothing has no request whose time could run out.
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    socket.setTimeout(HEADERS_TIMEOUT_MS, () => socket.destroy());
  });
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    req.socket.setTimeout(0);
    socket.on('error', () => socket.destroy());
    const facts = readFacts(req);
    const badHost = refuseHost(options.callers, facts, listensOn);
    if (badHost !== undefined) {
      options.metrics?.refused('host');
      socket.end(wholeAnswer(options.http.refusal(...badHost)));
      return;
    }
    const caller = callerOf(options, facts, listensOn);
    if (!options.gate.enter(caller)) {
      options.metrics?.refused('connections');
      socket.end(wholeAnswer(options.http.refusal(503, new ChainError(RPC_ERRORS.rpc_connections))));
      return;
    }
    // A handshake that fails ends the socket before there is a session to give the place back.
    let isOpen = false;
    socket.once('close', () => {
      if (!isOpen) options.gate.leave(caller);
    });
    sockets.handleUpgrade(req, socket, head, (client) => {
      isOpen = true;
      open(options, client, socket, caller, basicCredentials(req.headers.authorization));
    });
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  await startListening(server, options.at);
  const keepAlive = startPings(sockets, limits.idle_timeout_sec);
  return {
    name: 'node-http',
    port: listensOn === undefined ? 0 : (server.address() as AddressInfo).port,
    close: async () => {
      clearInterval(keepAlive);
      for (const client of sockets.clients) client.terminate();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A socket file is its owner's alone from the very moment when it appears. */
const OTHERS = 0o177;

function startListening(server: Server, at: TransportOptions['at']): Promise<void> {
  return new Promise((resolve, reject) => {
    const endpoint = 'host' in at ? `${at.host}:${at.port}` : at.socket;
    server.once('error', () => reject(new ChainError(RPC_ERRORS.rpc_listen, { endpoint })));
    if ('host' in at) {
      server.listen(at.port, at.host, resolve);
      return;
    }
    const before = process.umask(OTHERS);
    try {
      // The file is made before this returns.
      server.listen(at.socket, resolve);
    } finally {
      process.umask(before);
    }
  });
}

/** Two pings without a sign of life and the client is gone. */
function startPings(sockets: WebSocketServer, idleSec: number): NodeJS.Timeout {
  const waiting = new WeakSet<WebSocket>();
  const timer = setInterval(
    () => {
      for (const client of sockets.clients) {
        if (waiting.has(client)) client.terminate();
        else {
          waiting.add(client);
          client.ping();
          client.once('pong', () => waiting.delete(client));
          client.once('message', () => waiting.delete(client));
        }
      }
    },
    (idleSec * 1000) / 2,
  );
  timer.unref();
  return timer;
}

function addressOf(req: IncomingMessage): string {
  return req.socket.remoteAddress ?? '';
}

function readFacts(req: IncomingMessage): CallerFacts {
  return { remote: addressOf(req), header: (name) => String(req.headers[name] ?? '') };
}

/** Whoever can open the socket file is the operator. */
function callerOf({ callers }: TransportOptions, facts: CallerFacts, listensOn: string | undefined): Caller {
  return listensOn === undefined ? OPERATOR : callers.callerOf(facts);
}

function open(
  options: TransportOptions,
  client: WebSocket,
  socket: Duplex,
  caller: Caller,
  credentials: readonly [string, string] | undefined,
): void {
  const { limits, memory } = options;
  const unsent = memory.open(() => client.terminate());
  const writer = {
    send(text: string): boolean {
      if (client.readyState !== WebSocket.OPEN) return true;
      if (client.bufferedAmount > limits.backlog_bytes_max) {
        client.terminate();
        return false;
      }
      client.send(text, () => {
        if (unsent.bytes > 0) unsent.set(client.bufferedAmount);
      });
      return unsent.set(client.bufferedAmount);
    },
    together: (work: () => void) => work(),
  };
  const session = new SocketSession(options, writer, caller, credentials);
  const unfinished = new UnfinishedMessage(memory.open(() => client.terminate()));
  client.on('message', (data: RawData) => {
    const bytes = bytesOf(data);
    unfinished.took(bytes.length);
    session.message(bytes);
  });
  client.on('ping', (data: Buffer) => unfinished.took(data.length));
  client.on('pong', (data: Buffer) => unfinished.took(data.length));
  // Behind the listener of the library: what this piece completes has been told by then.
  socket.on('data', (piece: Buffer) => unfinished.got(piece.length));
  client.on('close', () => {
    unfinished.end();
    unsent.set(0);
    session.close();
  });
  // A message above the limit or a broken frame: ws closes the connection by itself.
  client.on('error', () => client.terminate());
}

/** Of a client's frame: two bytes, the length where it has more than seven bits, the mask. */
const frameHeadBytes = (payload: number): number => (payload < 126 ? 6 : payload < 65_536 ? 8 : 14);

/**
 * What the library holds of a message that is not whole. It does not say, so the bytes are counted as they come. Of a
 * message in several frames the first bytes of the others are not seen, so it may be thought to hold a few more.
 */
class UnfinishedMessage {
  readonly #held: Held;
  #bytes = 0;
  #pieces = 0;
  /** Of what became whole with the newest piece. */
  #taken = 0;

  constructor(held: Held) {
    this.#held = held;
  }

  took(bytes: number): void {
    this.#taken += bytes + frameHeadBytes(bytes);
  }

  got(bytes: number): void {
    if (this.#taken === 0) {
      this.#bytes += bytes;
      this.#pieces++;
    } else {
      // What is left is a part of this piece.
      this.#bytes = Math.max(0, Math.min(bytes, this.#bytes + bytes - this.#taken));
      this.#pieces = this.#bytes > 0 ? 1 : 0;
      this.#taken = 0;
    }
    this.#held.set(this.#bytes + this.#pieces * CHUNK_BYTES);
  }

  end(): void {
    this.#held.set(0);
  }
}

function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}

/** Requests may come on a connection before the earlier ones are answered: they share its lane. */
const lanes = new WeakMap<object, Lane>();

function laneOf(req: IncomingMessage): Lane {
  let lane = lanes.get(req.socket);
  if (lane === undefined) {
    lane = new Lane(addressOf(req));
    lanes.set(req.socket, lane);
  }
  return lane;
}

function readRequest(req: IncomingMessage, caller: Caller): HttpRequest {
  const url = req.url ?? '/';
  const query = url.indexOf('?');
  return {
    method: req.method ?? 'GET',
    path: query < 0 ? url : url.slice(0, query),
    caller,
    lane: laneOf(req),
    header: readFacts(req).header,
  };
}

function write(req: IncomingMessage, res: ServerResponse, answer: HttpAnswer): void {
  for (const [name, value] of answer.headers) res.setHeader(name, value);
  const body = typeof answer.body === 'string' ? Buffer.from(answer.body, 'utf8') : answer.body;
  if (answer.status !== 204) res.setHeader('Content-Length', body.length);
  res.writeHead(answer.status);
  if (req.method === 'HEAD') res.end();
  else res.end(body);
}

function handle(
  options: TransportOptions,
  listensOn: string | undefined,
  req: IncomingMessage,
  res: ServerResponse,
): void {
  const { http, limits, metrics, memory } = options;
  const facts = readFacts(req);
  // Before 1.1 nobody had to name a host.
  const badHost =
    req.httpVersion === '1.0' && facts.header('host') === ''
      ? undefined
      : refuseHost(options.callers, facts, listensOn);
  if (badHost !== undefined) {
    metrics?.refused('host');
    res.setHeader('Connection', 'close');
    write(req, res, http.refusal(...badHost));
    res.once('finish', () => req.destroy());
    return;
  }
  const request = readRequest(req, callerOf(options, facts, listensOn));
  let onAbort: (() => void) | undefined;
  const unsent = memory.open(() => req.destroy());
  const chunks: Buffer[] = [];
  let bytes = 0;
  let refused = false;
  const refuse = (status: 413 | 503): void => {
    if (refused) return;
    refused = true;
    chunks.length = 0;
    upload.set(0);
    // The budget tells of what it ends.
    if (status === 413) metrics?.refused('size');
    const error =
      status === 413
        ? new ChainError(RPC_ERRORS.rpc_request_size, { limit: limits.request_bytes_max })
        : new ChainError(RPC_ERRORS.rpc_uploads);
    // The rest of the body is not read: the connection ends with the answer.
    res.setHeader('Connection', 'close');
    write(req, res, http.refusal(status, error));
    res.once('finish', () => req.destroy());
  };
  const upload = memory.open(() => refuse(503));
  res.on('close', () => {
    upload.set(0);
    unsent.set(0);
    if (!res.writableEnded) onAbort?.();
  });
  req.on('error', () => undefined);
  const answer = (body: string | Uint8Array): void => {
    const given = http.answer(request, body, (run) => (onAbort = run));
    const send = (ready: HttpAnswer): void => {
      if (res.destroyed) return;
      write(req, res, ready);
      if (!res.writableFinished) unsent.set(ready.body.length);
    };
    if (given instanceof Promise) void given.then(send);
    else send(given);
  };
  if (!http.wantsBody(request.method)) {
    req.resume();
    answer('');
    return;
  }
  if (Number(req.headers['content-length'] ?? 0) > limits.request_bytes_max) {
    refuse(413);
    return;
  }
  req.on('data', (chunk: Buffer) => {
    if (refused) return;
    bytes += chunk.length;
    if (bytes > limits.request_bytes_max) refuse(413);
    else if (upload.set(bytes + CHUNK_BYTES * chunks.length)) chunks.push(chunk);
  });
  req.on('end', () => {
    if (refused) return;
    const whole = Buffer.concat(chunks);
    chunks.length = 0;
    upload.set(0);
    answer(whole);
  });
}
