import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { ChainError } from '../base/errors.js';
import { listenReason } from '../base/listening.js';
import { anyCaller, type Caller, type CallerFacts, OPERATOR } from './caller.js';
import { HTTP_ERRORS } from './errors.js';
import { type AnswerHead, type Carrier, Exchange } from './exchange.js';
import type { HttpAnswer, HttpRequest, SocketHandler } from './handler.js';
import { admit, Place } from './handshake.js';
import { CHUNK_BYTES, type Held, type MemoryBudget } from './memory-budget.js';
import { statusText } from './status.js';
import type { RunningTransport, Transport, TransportOptions } from './transport.js';

/** The server that runs everywhere: node:http and ws. Slower than `uws-server.ts`, with the same behaviour. */

const HEADER_BYTES_MAX = 16_000;
/** What a connection takes on which nothing happens: measured, see docs/decisions/http.md. */
export const CONNECTION_BYTES = 8192;
const TLS_CONNECTION_BYTES = 49_152;
const BODY_BYTES_PER_SECOND_MIN = 16_384;

/** In milliseconds. */
export interface NodeTimes {
  /** For the first byte of a connection, and for the head of a request. */
  readonly head: number;
  /** For a body, unless it comes at the rate above. */
  readonly body: number;
  /** How often the two limits are looked at. */
  readonly check: number;
  /** Between two requests. */
  readonly keepAlive: number;
  /** An answer of which the client takes nothing for so long is given up. */
  readonly stall: number;
}

const TIMES: NodeTimes = { head: 10_000, body: 60_000, check: 5_000, keepAlive: 65_000, stall: 60_000 };

/** So long the rest of a body that was refused is read for the sake of the answer. */
const LINGER_MS = 2000;

const NOTHING = new Uint8Array();

/** As the bytes of a whole answer, where there is no response object to write it. The connection ends with it. */
function wholeAnswer({ status, headers, body }: HttpAnswer): string {
  const text = typeof body === 'string' ? body : '';
  const all = [...headers, ['Connection', 'close'], ['Content-Length', String(Buffer.byteLength(text))]];
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${statusText(status)}\r\n${lines}\r\n${text}`;
}

export function nodeTransportWith(times: Partial<NodeTimes>): Transport {
  return {
    name: 'node-http',
    countsMessages: true,
    countsConnections: true,
    listen: (options) => new NodeServer(options, { ...TIMES, ...times }).listen(),
  };
}

export const nodeTransport = nodeTransportWith({});

/** A flood is told of once in a while. */
const DROPS_QUIET_MS = 60_000;

/** A body that is under way, and when it was first looked at. */
interface Watched {
  sinceMs: number;
  bytes: number;
}

class NodeServer {
  readonly #options: TransportOptions;
  readonly #times: NodeTimes;
  readonly #connectionBytes: number;
  /** Undefined for a socket file: no page gets there, and whoever can open it is the operator. */
  readonly #listensOn: string | undefined;
  readonly #connections = new WeakMap<object, Held>();
  /** Connections of TLS that are not open yet, by their peers: the open one is another object. */
  readonly #handshakes = new Map<string, Held>();
  readonly #bodies = new Map<Exchange, Watched>();
  /** Of each connection with a request that is not answered: what came behind it. */
  readonly #behind = new WeakMap<Socket, (() => void)[]>();

  constructor(options: TransportOptions, times: NodeTimes) {
    this.#options = options;
    this.#times = times;
    this.#connectionBytes = options.tls === undefined ? CONNECTION_BYTES : TLS_CONNECTION_BYTES;
    this.#listensOn = 'host' in options.at ? options.at.host : undefined;
  }

  async listen(): Promise<RunningTransport> {
    const { tls, limits, at, sockets: handler } = this.#options;
    const settings = {
      maxHeaderSize: HEADER_BYTES_MAX,
      requestTimeout: 0,
      headersTimeout: this.#times.head,
      connectionsCheckingInterval: this.#times.check,
      keepAliveTimeout: this.#times.keepAlive,
      noDelay: true,
    };
    const onRequest = (req: IncomingMessage, res: ServerResponse): void => this.#inTurn(req, res);
    let server: Server;
    if (tls === undefined) server = createServer(settings, onRequest);
    else {
      const pem = readFileSync(tls.pem);
      server = createTlsServer(
        { ...settings, handshakeTimeout: this.#times.head, key: pem, cert: pem, passphrase: tls.password },
        onRequest,
      );
    }
    if (tls !== undefined) server.on('connection', (socket: Socket) => this.#handshaking(socket));
    server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => this.#connected(socket));
    server.on('clientError', (_error, socket) => socket.destroy());
    const sockets = new WebSocketServer({
      noServer: true,
      maxPayload: limits.message_bytes_max,
      // Never on: ws (8.22 and 8.23 at least) throws outside of every handler, which ends the process, when a compressed
      // message is still being unpacked while a text that is not UTF-8 and one more frame come behind it.
      perMessageDeflate: false,
    });
    if (handler !== undefined) {
      server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) =>
        this.#upgrade(handler, sockets, req, socket, head),
      );
    }
    if (limits.sockets_max !== undefined) this.#limit(server, limits.sockets_max);
    await startListening(server, at);
    const keepAlive = startPings(sockets, limits.idle_timeout_sec);
    const watch = setInterval(() => this.#checkBodies(), this.#times.check);
    watch.unref();
    return {
      name: 'node-http',
      port: this.#listensOn === undefined ? 0 : (server.address() as AddressInfo).port,
      close: async () => {
        clearInterval(keepAlive);
        clearInterval(watch);
        for (const client of sockets.clients) client.terminate();
        const closed = new Promise<void>((resolve) => server.close(() => resolve()));
        server.closeAllConnections();
        await closed;
      },
    };
  }

  /** Who comes beyond it is closed at once: a process without a file to open can store nothing. */
  #limit(server: Server, max: number): void {
    const { log, metrics } = this.#options;
    server.maxConnections = max;
    let quietUntilMs = 0;
    server.on('drop', () => {
      metrics?.refused('connections');
      const nowMs = performance.now();
      if (nowMs < quietUntilMs) return;
      quietUntilMs = nowMs + DROPS_QUIET_MS;
      log.warn('connections are refused: as many are open as the limit of open files leaves room for', { max });
    });
  }

  /** It takes its memory from the first byte on; the server ends it by itself when it takes too long. */
  #handshaking(socket: Socket): void {
    const held = this.#options.memory.open(() => socket.destroy());
    const peer = peerOf(socket);
    this.#handshakes.set(peer, held);
    socket.once('close', () => {
      held.set(0);
      if (this.#handshakes.get(peer) === held) this.#handshakes.delete(peer);
    });
    held.set(this.#connectionBytes);
  }

  #connected(socket: Socket): void {
    const peer = peerOf(socket);
    this.#handshakes.get(peer)?.set(0);
    this.#handshakes.delete(peer);
    // Who connects and says nothing has no request whose time could run out.
    socket.setTimeout(this.#times.head, () => socket.destroy());
    const held = this.#options.memory.open(() => socket.destroy());
    this.#connections.set(socket, held);
    socket.once('close', () => void held.set(0));
    held.set(this.#connectionBytes);
  }

  #checkBodies(): void {
    const now = performance.now();
    for (const [exchange, watched] of this.#bodies) {
      const bytes = exchange.bytes - watched.bytes;
      const ms = now - watched.sinceMs;
      // Whoever is held back by a reader is not slow.
      if (!exchange.isClientsTurn) this.#bodies.set(exchange, { sinceMs: now, bytes: exchange.bytes });
      else if (ms >= this.#times.body && bytes < (ms / 1000) * BODY_BYTES_PER_SECOND_MIN) exchange.tooSlow();
    }
  }

  #callerOf(facts: CallerFacts): Caller {
    if (this.#listensOn === undefined) return OPERATOR;
    return this.#options.callers?.callerOf(facts) ?? anyCaller(facts.remote);
  }

  #readRequest(req: IncomingMessage, facts: CallerFacts): HttpRequest {
    const url = req.url ?? '/';
    const query = url.indexOf('?');
    return {
      method: req.method ?? 'GET',
      path: query < 0 ? url : url.slice(0, query),
      query: query < 0 ? '' : url.slice(query + 1),
      caller: this.#callerOf(facts),
      // Requests may come on a connection before the earlier ones are answered.
      connection: req.socket,
      header: facts.header,
    };
  }

  #refusalOfHost(req: IncomingMessage, facts: CallerFacts): [status: number, error: ChainError] | undefined {
    if (this.#listensOn === undefined) return undefined;
    // Before 1.1 nobody had to name a host.
    if (req.httpVersion === '1.0' && facts.header('host') === '') return undefined;
    const refusal = this.#options.callers?.refusalOfHost(facts, this.#listensOn);
    if (refusal !== undefined) this.#options.metrics?.refused('host');
    return refusal;
  }

  #upgrade(handler: SocketHandler, sockets: WebSocketServer, req: IncomingMessage, socket: Duplex, head: Buffer): void {
    req.socket.setTimeout(0);
    socket.on('error', () => socket.destroy());
    const facts = readFacts(req);
    const request = this.#readRequest(req, facts);
    const badHost = this.#refusalOfHost(req, facts);
    const place =
      badHost === undefined ? admit(this.#options, handler, request) : this.#options.http.refusal(request, ...badHost);
    if (!(place instanceof Place)) {
      // Whoever keeps its side open would hold the connection for ever, and the server's end with it.
      socket.end(wholeAnswer(place), () => socket.destroy());
      return;
    }
    // A handshake that fails ends the socket before there is a session to give the place back.
    socket.once('close', () => place.close());
    sockets.handleUpgrade(req, socket, head, (client) => {
      // It has a place of its own among the WebSockets.
      this.#connections.get(req.socket)?.set(0);
      open(this.#options, client, socket, place);
    });
  }

  /**
   * Answers leave in the order of their requests, so what a client sends behind one that is not answered waits, unread: done
   * at once, all of it would be under way together, before any of its answers is counted.
   */
  #inTurn(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    const behind = this.#behind.get(socket);
    req.on('error', () => undefined);
    if (behind === undefined) {
      this.#behind.set(socket, []);
      this.#handle(req, res);
      return;
    }
    behind.push(() => this.#handle(req, res));
    socket.pause();
  }

  #next(socket: Socket): void {
    const behind = this.#behind.get(socket);
    if (behind === undefined || socket.destroyed) return;
    const first = behind.shift();
    if (first === undefined) {
      this.#behind.delete(socket);
      return;
    }
    first();
    if (behind.length === 0) socket.resume();
  }

  #handle(req: IncomingMessage, res: ServerResponse): void {
    req.socket.setTimeout(0);
    // Until its answer is sent, what counts of it is what the request holds.
    const idle = this.#connections.get(req.socket);
    idle?.set(0);
    const facts = readFacts(req);
    const exchange = new Exchange(
      this.#options,
      this.#readRequest(req, facts),
      new NodeCarrier(req, res, this.#options.memory, this.#times.stall),
    );
    res.on('close', () => {
      this.#bodies.delete(exchange);
      if (!res.writableEnded) exchange.gone();
      if (!req.socket.destroyed) idle?.set(this.#connectionBytes);
      this.#next(req.socket);
    });
    const badHost = this.#refusalOfHost(req, facts);
    if (badHost !== undefined) {
      exchange.refuseHead(...badHost);
      return;
    }
    if (!exchange.begin()) {
      req.resume();
      return;
    }
    this.#bodies.set(exchange, { sinceMs: performance.now(), bytes: 0 });
    req.on('data', (chunk: Buffer) => exchange.got(chunk, false, true));
    req.on('end', () => {
      this.#bodies.delete(exchange);
      exchange.got(NOTHING, true, true);
    });
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Node 24 says a moment later that an answer is finished, when the system has taken all of it long since. */
const SAYS_LATE = Number(process.versions.node.split('.')[0]) >= 24;

/** One request of node:http and its answer. */
class NodeCarrier implements Carrier {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #memory: MemoryBudget;
  readonly #stallMs: number;

  constructor(req: IncomingMessage, res: ServerResponse, memory: MemoryBudget, stallMs: number) {
    this.#req = req;
    this.#res = res;
    this.#memory = memory;
    this.#stallMs = stallMs;
  }

  pause(): void {
    this.#req.pause();
  }

  resume(): void {
    this.#req.resume();
  }

  #head({ status, headers }: AnswerHead, bytes: number | undefined, isLast: boolean): void {
    const res = this.#res;
    // Of one name there may be several: each part of an answer adds what it varies with.
    for (const [name, value] of headers) res.appendHeader(name, value);
    if (bytes !== undefined) res.setHeader('Content-Length', bytes);
    if (isLast) {
      res.setHeader('Connection', 'close');
      this.#endAfterAnswer();
    }
    res.writeHead(status);
  }

  /**
   * A connection that is closed while a client still sends is reset, and takes the answer with it: the client would see
   * the reset and no 413. So it is closed from this side alone, and for a while what comes of the body is thrown away.
   */
  #endAfterAnswer(): void {
    const req = this.#req;
    const { socket } = req;
    // The server calls it behind an answer that says close.
    socket.destroySoon = () => {
      socket.end();
      if (req.complete) socket.destroy();
      else {
        const timer = setTimeout(() => socket.destroy(), LINGER_MS);
        const over = (): void => void socket.destroy();
        req.once('end', over);
        socket.once('close', () => clearTimeout(timer));
        req.resume();
      }
    };
  }

  send(head: AnswerHead, body: string | Uint8Array, isLast: boolean): void {
    const bytes = typeof body === 'string' ? Buffer.byteLength(body, 'utf8') : body.length;
    this.#head(head, bytes, isLast);
    const res = this.#res;
    // A text leaves together with its head, in one piece.
    res.end(body, 'utf8');
    if (res.writableFinished || (SAYS_LATE && res.writableLength === 0)) return;
    const unsent = this.#memory.open(() => this.drop());
    res.once('close', () => void unsent.set(0));
    this.#giveUpWhenStalled();
    unsent.set(bytes);
  }

  sendHead(head: AnswerHead, bytes: number | undefined, isLast: boolean): void {
    this.#head(head, bytes, isLast);
    this.#res.end();
  }

  begin(head: AnswerHead, bytes: number | undefined): void {
    this.#head(head, bytes, false);
    this.#giveUpWhenStalled();
  }

  put(piece: Uint8Array): Promise<void> | undefined {
    const res = this.#res;
    if (res.write(piece)) return undefined;
    return new Promise((resolve) => {
      const done = (): void => {
        res.off('drain', done);
        res.off('close', done);
        resolve();
      };
      res.on('drain', done);
      res.on('close', done);
    });
  }

  finish(): void {
    this.#res.end();
  }

  drop(): void {
    // Of a request that has come as a whole the object would end, and not its connection.
    this.#req.socket.destroy();
  }

  /** After the answer the server sets the time for the next request. */
  #giveUpWhenStalled(): void {
    this.#req.socket.setTimeout(this.#stallMs);
  }
}

/** A socket file is its owner's alone from the very moment when it appears. */
const OTHERS = 0o177;

function startListening(server: Server, at: TransportOptions['at']): Promise<void> {
  return new Promise((resolve, reject) => {
    const endpoint = 'host' in at ? `${at.host}:${at.port}` : at.socket;
    server.once('error', (error) => {
      reject(new ChainError(HTTP_ERRORS.http_listen, { endpoint, reason: listenReason(error) }));
    });
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

function readFacts(req: IncomingMessage): CallerFacts {
  return {
    remote: req.socket.remoteAddress ?? '',
    header: (name) => String(req.headers[name] ?? ''),
  };
}

function open({ limits, memory }: TransportOptions, client: WebSocket, socket: Duplex, place: Place): void {
  const unsent = memory.open(() => client.terminate());
  place.open({
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
    together: (work) => work(),
    drop: () => client.terminate(),
  });
  const unfinished = new UnfinishedMessage(memory.open(() => client.terminate()));
  client.on('message', (data: RawData) => {
    const bytes = bytesOf(data);
    unfinished.took(bytes.length);
    place.message(bytes);
  });
  client.on('ping', (data: Buffer) => unfinished.took(data.length));
  client.on('pong', (data: Buffer) => unfinished.took(data.length));
  // Behind the listener of the library: what this piece completes has been told by then.
  socket.on('data', (piece: Buffer) => unfinished.got(piece.length));
  client.on('close', () => {
    unfinished.end();
    unsent.set(0);
    place.close();
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
