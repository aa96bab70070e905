import type { Json, JsonObject } from '../codec/json.js';
import { isJsonObject } from '../codec/struct.js';
import type { ClientSocket } from '../http/client-socket.js';

/** The node refused a call. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  /** Number of the kind of error, e.g. 3030001. */
  readonly code: number;
  /** Name of the kind of error, e.g. `tx_missing_active_auth`. */
  readonly kind: string;
  /** Stable name of the very check that failed; undefined from nodes of other makes. */
  readonly key: string | undefined;
  readonly error: JsonObject;

  constructor(error: JsonObject) {
    super(String(error.message));
    const data = (error.data ?? {}) as JsonObject;
    this.error = error;
    this.code = Number(data.code ?? error.code);
    this.kind = String(data.name ?? '');
    this.key = typeof data.key === 'string' ? data.key : undefined;
  }
}

/** The connection is gone; calls that were under way may or may not have had their effect. */
export class RpcConnectionError extends Error {
  override readonly name = 'RpcConnectionError';
}

export interface RpcConnection {
  /** Sends one document and resolves with the result; rejects with RpcError when the node refuses. */
  request(method: string, params: Json[]): Promise<Json>;
  /** WebSocket only: sends notices with this id to `listener`. Returns the id to pass as callback. */
  subscribe(listener: (argument: Json) => void): bigint;
  close(): void;
}

export interface ConnectOptions {
  /** Milliseconds after which a call is given up; 0: never. */
  readonly timeoutMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** In front of public keys and addresses of this chain; the node is asked for it when it is not given. */
  readonly keyPrefix?: string;
}

const TIMEOUT_MS = 30_000;

const isAnswer = (document: Json): document is JsonObject =>
  isJsonObject(document) && ['result', 'error', 'id'].some((member) => member in document);

/** Undefined: whoever sends such a text is no node. */
function readMessage(text: string): JsonObject | undefined {
  let document: Json;
  try {
    document = JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
  if (!isJsonObject(document)) return undefined;
  if (document.method !== 'notice') return document;
  const { params } = document;
  return Array.isArray(params) && Array.isArray(params[1]) ? document : undefined;
}

/** The result of a call, or its refusal. */
export function readAnswer(document: JsonObject): Json {
  if (document.error !== undefined && document.error !== null) throw new RpcError(document.error as JsonObject);
  return document.result ?? null;
}

export class HttpConnection implements RpcConnection {
  readonly #url: string;
  readonly #options: ConnectOptions;
  #id = 0;

  constructor(url: string, options: ConnectOptions) {
    this.#url = url;
    this.#options = options;
  }

  async request(method: string, params: Json[]): Promise<Json> {
    const timeoutMs = this.#options.timeoutMs ?? TIMEOUT_MS;
    const giveUp = new AbortController();
    // It holds the process, which `AbortSignal.timeout` does not: Node 20 forgets a request whose connection is closed at once.
    const timer = timeoutMs > 0 ? setTimeout(() => giveUp.abort(), timeoutMs) : undefined;
    let response: Response;
    let text: string;
    try {
      response = await fetch(this.#url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...this.#options.headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: ++this.#id, method, params }),
        signal: giveUp.signal,
      });
      // An answer may also break off, or stop, in its middle.
      text = await response.text();
    } catch (error) {
      throw new RpcConnectionError(`${this.#url} does not answer`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
    let document: Json;
    try {
      document = JSON.parse(text) as Json;
    } catch (error) {
      throw new RpcConnectionError(`${this.#url} answers with status ${response.status} and no JSON`, { cause: error });
    }
    if (isAnswer(document)) return readAnswer(document);
    // A page, a service: whatever it is, what it says is nobody's result.
    throw new RpcConnectionError(`${this.#url} answers with status ${response.status} and is no node`);
  }

  subscribe(): never {
    throw new RpcConnectionError('notices need a WebSocket');
  }

  close(): void {}
}

/** For whoever puts one connection in the place of another. */
export interface SocketEvents {
  /** A notice that no listener of this very connection has asked for. */
  notice?(callback: string, argument: Json): void;
  ended?(reason: string): void;
}

interface Waiting {
  resolve(value: Json): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout | undefined;
}

export class SocketConnection implements RpcConnection {
  readonly #options: ConnectOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, (argument: Json) => void>();
  readonly #events: SocketEvents;
  #socket: ClientSocket | undefined;
  #id = 0;

  private constructor(options: ConnectOptions, events: SocketEvents) {
    this.#options = options;
    this.#events = events;
  }

  static async open(url: string, options: ConnectOptions, events: SocketEvents = {}): Promise<SocketConnection> {
    // Programs that use HTTP alone do not load what a WebSocket needs.
    const { openClientSocket } = await import('../http/client-socket.js');
    const connection = new SocketConnection(options, events);
    const handlers = {
      message: (text: string) => connection.#message(text),
      end: (reason: string) => connection.#end(reason),
    };
    try {
      connection.#socket = await openClientSocket(url, handlers, { timeoutMs: TIMEOUT_MS, ...options });
    } catch (error) {
      throw new RpcConnectionError(`${url} does not answer`, { cause: error });
    }
    return connection;
  }

  request(method: string, params: Json[]): Promise<Json> {
    const id = ++this.#id;
    const timeoutMs = this.#options.timeoutMs ?? TIMEOUT_MS;
    return new Promise((resolve, reject) => {
      const socket = this.#socket;
      if (socket?.isOpen !== true) {
        reject(new RpcConnectionError('the connection is closed'));
        return;
      }
      const giveUp = (): void => {
        this.#waiting.delete(id);
        reject(new RpcConnectionError(`no answer to ${method} within ${timeoutMs} ms`));
      };
      const timer = timeoutMs > 0 ? setTimeout(giveUp, timeoutMs) : undefined;
      this.#waiting.set(id, { resolve, reject, timer });
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  }

  subscribe(listener: (argument: Json) => void): bigint {
    const id = ++this.#id;
    this.#listeners.set(String(id), listener);
    return BigInt(id);
  }

  #message(text: string): void {
    const document = readMessage(text);
    if (document === undefined) {
      this.close();
      this.#end('what answers there is no node');
      return;
    }
    if (document.method === 'notice') {
      const [callback, args] = document.params as [Json, Json[]];
      const listener = this.#listeners.get(String(callback));
      if (listener === undefined) this.#events.notice?.(String(callback), args[0] ?? null);
      else listener(args[0] ?? null);
      return;
    }
    const waiting = this.#waiting.get(Number(document.id));
    if (waiting === undefined) return;
    this.#waiting.delete(Number(document.id));
    clearTimeout(waiting.timer);
    try {
      waiting.resolve(readAnswer(document));
    } catch (error) {
      waiting.reject(error as RpcError);
    }
  }

  #end(reason: string): void {
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(new RpcConnectionError(reason));
    }
    this.#waiting.clear();
    this.#events.ended?.(reason);
  }

  get isOpen(): boolean {
    return this.#socket?.isOpen === true;
  }

  close(): void {
    this.#socket?.close();
  }
}
