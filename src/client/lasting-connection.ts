import { ChainError, check, defineErrors, fail } from '../base/errors.js';
import type { Json } from '../codec/json.js';
import {
  type ConnectOptions,
  type RpcConnection,
  RpcConnectionError,
  RpcError,
  SocketConnection,
} from './connection.js';

/**
 * A WebSocket to a node that comes back. What was asked and not answered when it broke is asked again, but for what sends
 * something into the network: nobody knows whether that arrived. Whoever has subscribed to something says how, and it is
 * done again on each new connection.
 */

export const LASTING_ERRORS = defineErrors({
  client_other_chain: {
    kind: 'environment',
    text: 'the node at ${url} is of chain ${actual}, not of ${expected}',
  },
});

export interface LastingOptions extends ConnectOptions {
  /** Before the first new attempt, and at most before any: it doubles each time. */
  readonly retryMs?: { readonly first: number; readonly longest: number };
  /** Told each time that the connection is lost or there again. */
  readonly onState?: (state: 'open' | 'lost', reason: string) => void;
}

const RETRY_MS = { first: 250, longest: 10_000 };
const TIMEOUT_MS = 30_000;

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });

const isStarting = (error: unknown): boolean => error instanceof RpcError && error.key === 'rpc_starting';
const sendsSomething = (method: string, [api]: readonly Json[]): boolean =>
  method === 'call' && api === 'network_broadcast';

type Repeat = () => Promise<void>;

export class LastingConnection implements RpcConnection {
  readonly #url: string;
  readonly #options: LastingOptions;
  readonly #listeners = new Map<string, (argument: Json) => void>();
  readonly #repeats = new Set<Repeat>();
  readonly #over = new AbortController();
  #current: SocketConnection | undefined;
  /** While there is none: resolved when there is one again. */
  #next: Promise<void> = Promise.resolve();
  #chainId = '';
  #callbacks = 0n;

  private constructor(url: string, options: LastingOptions) {
    this.#url = url;
    this.#options = options;
  }

  /** Fails if nobody answers there now; a node that is starting is waited for. */
  static async open(url: string, options: LastingOptions = {}): Promise<LastingConnection> {
    const connection = new LastingConnection(url, options);
    const giveUpAt = performance.now() + (options.timeoutMs ?? TIMEOUT_MS);
    for (let waitMs = connection.#retry.first; ; waitMs = connection.#longer(waitMs)) {
      try {
        connection.#current = await connection.#connect();
        return connection;
      } catch (error) {
        if (!isStarting(error) || performance.now() > giveUpAt) throw error;
        await pause(waitMs, connection.#over.signal);
      }
    }
  }

  /** By its own program. */
  get isClosed(): boolean {
    return this.#over.signal.aborted;
  }

  get chainId(): string {
    return this.#chainId;
  }

  get #retry(): { readonly first: number; readonly longest: number } {
    return this.#options.retryMs ?? RETRY_MS;
  }

  #longer(waitMs: number): number {
    return Math.min(2 * waitMs, this.#retry.longest);
  }

  /** One that answers, and for the same chain as before. */
  async #connect(): Promise<SocketConnection> {
    let ended = (_reason: string): void => undefined;
    const socket = await SocketConnection.open(this.#url, this.#options, {
      notice: (callback, argument) => this.#listeners.get(callback)?.(argument),
      ended: (reason) => ended(reason),
    });
    ended = (reason) => this.#ended(socket, reason);
    try {
      const actual = String(await socket.request('get_chain_id', []));
      const expected = this.#chainId === '' ? actual : this.#chainId;
      check(actual === expected, LASTING_ERRORS.client_other_chain, { url: this.#url, actual, expected });
      if (!socket.isOpen) throw new RpcConnectionError('the connection was closed');
      this.#chainId = actual;
      return socket;
    } catch (error) {
      socket.close();
      throw error;
    }
  }

  #ended(socket: SocketConnection, reason: string): void {
    if (this.#current !== socket) return;
    this.#current = undefined;
    if (this.#over.signal.aborted) return;
    this.#options.onState?.('lost', reason);
    this.#next = this.#again();
    // Whoever waits for it is told; nobody has to.
    this.#next.catch(() => undefined);
  }

  async #again(): Promise<void> {
    const { signal } = this.#over;
    for (let waitMs = this.#retry.first; !signal.aborted; waitMs = this.#longer(waitMs)) {
      await pause(waitMs, signal);
      if (signal.aborted) return;
      try {
        const socket = await this.#connect();
        if (signal.aborted) return socket.close();
        this.#current = socket;
        this.#options.onState?.('open', '');
        for (const repeat of this.#repeats) this.#run(repeat);
        return;
      } catch (error) {
        if (error instanceof ChainError) throw error;
      }
    }
  }

  /** What fails because the connection is lost once more is done on the next one. */
  #run(repeat: Repeat): void {
    repeat().catch(() => undefined);
  }

  /** Now, and again on each new connection. Call what it returns to end that. */
  async always(work: Repeat): Promise<() => void> {
    this.#repeats.add(work);
    try {
      await work();
    } catch (error) {
      this.#repeats.delete(work);
      throw error;
    }
    return () => this.#repeats.delete(work);
  }

  /** Not now, but on each new connection. */
  onEachFurther(work: Repeat): () => void {
    this.#repeats.add(work);
    return () => this.#repeats.delete(work);
  }

  async request(method: string, params: Json[]): Promise<Json> {
    const timeoutMs = this.#options.timeoutMs ?? TIMEOUT_MS;
    const endAt = timeoutMs > 0 ? performance.now() + timeoutMs : Number.POSITIVE_INFINITY;
    for (;;) {
      const socket = await this.#open(endAt);
      try {
        return await socket.request(method, params);
      } catch (error) {
        const isLost = error instanceof RpcConnectionError && !socket.isOpen;
        if (!isLost || sendsSomething(method, params) || this.#over.signal.aborted) throw error;
      }
    }
  }

  async #open(endAt: number): Promise<SocketConnection> {
    while (this.#current === undefined) {
      if (this.#over.signal.aborted) throw new RpcConnectionError('the connection is closed');
      const left = endAt - performance.now();
      if (left <= 0) throw new RpcConnectionError(`${this.#url} is gone`);
      const timer = new AbortController();
      const late = Number.isFinite(left) ? [pause(left, timer.signal)] : [];
      await Promise.race([this.#next, ...late]).finally(() => timer.abort());
    }
    return this.#current;
  }

  /** The number stays the same on each new connection. */
  subscribe(listener: (argument: Json) => void): bigint {
    this.#callbacks += 1n;
    this.#listeners.set(String(this.#callbacks), listener);
    return this.#callbacks;
  }

  close(): void {
    const current = this.#current;
    this.#current = undefined;
    this.#over.abort();
    current?.close();
  }
}

/** For connections that cannot tell of anything. */
export function lastingOf(connection: RpcConnection): LastingConnection {
  if (connection instanceof LastingConnection) return connection;
  return fail(NOTICE_ERRORS.client_no_notices);
}

export const NOTICE_ERRORS = defineErrors({
  client_no_notices: {
    text: 'over HTTP a node tells of nothing by itself',
    hint: 'open the client with ws:// or wss://',
  },
});
