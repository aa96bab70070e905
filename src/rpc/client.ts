import type { Json, JsonObject } from '../codec/json.js';
import type { Fields, StructValue } from '../codec/struct.js';
import type { AnyType, Network, Type } from '../codec/type.js';
import { assetApi } from './apis/asset.js';
import { blockApi } from './apis/block.js';
import { cryptoApi } from './apis/crypto.js';
import { databaseApi } from './apis/database/index.js';
import { debugApi } from './apis/debug.js';
import { historyApi } from './apis/history.js';
import { networkBroadcastApi } from './apis/network-broadcast.js';
import { networkNodeApi } from './apis/network-node.js';
import type { ApiDef } from './define.js';

/**
 * A client of the node for TypeScript, from the same declarations as the node's own methods: arguments and results have
 * the types of the chain, bigints and all.
 */

const CLIENT_APIS = {
  database: databaseApi,
  network_broadcast: networkBroadcastApi,
  history: historyApi,
  block: blockApi,
  asset: assetApi,
  crypto: cryptoApi,
  network_node: networkNodeApi,
  debug: debugApi,
} as const;

type ResultOf<M> = M extends { readonly result: Type<infer R> } ? R : never;
type ParamsOf<M> = M extends { readonly params: infer P } ? (P extends Fields ? StructValue<P> : never) : never;
/** Methods without parameters are called without an argument. */
type Call<M> = keyof ParamsOf<M> extends never
  ? () => Promise<ResultOf<M>>
  : (args: ParamsOf<M>) => Promise<ResultOf<M>>;
export type ApiClient<A> = A extends ApiDef<infer M> ? { readonly [K in keyof M]: Call<M[K]> } : never;
export type NodeClient = { readonly [K in keyof typeof CLIENT_APIS]: ApiClient<(typeof CLIENT_APIS)[K]> };

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

/** `http://…`, `https://…`, `ws://…` or `wss://…`. */
export async function connect(
  url: string,
  options: ConnectOptions = {},
): Promise<NodeClient & { readonly connection: RpcConnection }> {
  const connection = url.startsWith('ws')
    ? await SocketConnection.open(url, options)
    : new HttpConnection(url, options);
  return { ...clientOver(connection, options), connection };
}

export function clientOver(
  connection: RpcConnection,
  { keyPrefix }: Pick<ConnectOptions, 'keyPrefix'> = {},
): NodeClient {
  const network = new NetworkOfNode(connection, keyPrefix);
  const client: Record<string, unknown> = {};
  for (const [name, definition] of Object.entries(CLIENT_APIS)) {
    client[name] = apiOver(connection, network, name, definition);
  }
  return client as NodeClient;
}

/** Thrown where a key is to be written or read before it is known what stands in front of it. */
class PrefixNeeded extends Error {}

/** The network of the node that is talked to. The node is asked once, as soon as a key or an address occurs. */
class NetworkOfNode implements Network {
  readonly #connection: RpcConnection;
  #keyPrefix: string | undefined;

  constructor(connection: RpcConnection, keyPrefix: string | undefined) {
    this.#connection = connection;
    this.#keyPrefix = keyPrefix;
  }

  get keyPrefix(): string {
    if (this.#keyPrefix === undefined) throw new PrefixNeeded();
    return this.#keyPrefix;
  }

  /** `work` writes or reads JSON of this network, and nothing else: it may run twice. */
  async with<T>(work: (network: Network) => T): Promise<T> {
    try {
      return work(this);
    } catch (error) {
      if (!(error instanceof PrefixNeeded)) throw error;
    }
    const constants = (await this.#connection.request('get_config', [])) as JsonObject;
    this.#keyPrefix = String(constants.GRAPHENE_ADDRESS_PREFIX);
    return work(this);
  }
}

function apiOver(
  connection: RpcConnection,
  network: NetworkOfNode,
  name: string,
  definition: ApiDef,
): Record<string, unknown> {
  const methods: Record<string, unknown> = {};
  for (const [method, { params, result }] of Object.entries(definition.methods)) {
    const types = Object.entries(params as Fields) as [string, AnyType][];
    methods[method] = async (args: Record<string, unknown> = {}): Promise<unknown> => {
      const given = await network.with((one) => types.map(([param, type]) => type.toJson(args[param], one)));
      const answer =
        name === 'database'
          ? await connection.request(method, given)
          : await connection.request('call', [name, method, given]);
      return network.with((one) => (result as AnyType).fromJson(answer, one));
    };
  }
  return methods;
}

function readAnswer(document: JsonObject): Json {
  if (document.error !== undefined && document.error !== null) throw new RpcError(document.error as JsonObject);
  return document.result ?? null;
}

class HttpConnection implements RpcConnection {
  readonly #url: string;
  readonly #options: ConnectOptions;
  #id = 0;

  constructor(url: string, options: ConnectOptions) {
    this.#url = url;
    this.#options = options;
  }

  async request(method: string, params: Json[]): Promise<Json> {
    const timeoutMs = this.#options.timeoutMs ?? TIMEOUT_MS;
    let response: Response;
    try {
      response = await fetch(this.#url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...this.#options.headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: ++this.#id, method, params }),
        ...(timeoutMs > 0 ? { signal: AbortSignal.timeout(timeoutMs) } : {}),
      });
    } catch (error) {
      throw new RpcConnectionError(`${this.#url} does not answer`, { cause: error });
    }
    const text = await response.text();
    let document: JsonObject;
    try {
      document = JSON.parse(text) as JsonObject;
    } catch (error) {
      throw new RpcConnectionError(`${this.#url} answers with status ${response.status} and no JSON`, { cause: error });
    }
    return readAnswer(document);
  }

  subscribe(): never {
    throw new RpcConnectionError('notices need a WebSocket');
  }

  close(): void {}
}

interface Waiting {
  resolve(value: Json): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout | undefined;
}

class SocketConnection implements RpcConnection {
  readonly #socket: import('ws').WebSocket;
  readonly #options: ConnectOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, (argument: Json) => void>();
  #id = 0;

  private constructor(socket: import('ws').WebSocket, options: ConnectOptions) {
    this.#socket = socket;
    this.#options = options;
    socket.on('message', (data) => this.#message(String(data)));
    socket.on('close', () => this.#end('the connection was closed'));
    socket.on('error', (error) => this.#end(error.message));
  }

  static async open(url: string, options: ConnectOptions): Promise<SocketConnection> {
    const { WebSocket } = await import('ws');
    const socket = new WebSocket(url, { headers: { ...options.headers } });
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => resolve());
      socket.once('error', (error) => reject(new RpcConnectionError(`${url} does not answer`, { cause: error })));
    });
    return new SocketConnection(socket, options);
  }

  request(method: string, params: Json[]): Promise<Json> {
    const id = ++this.#id;
    const timeoutMs = this.#options.timeoutMs ?? TIMEOUT_MS;
    return new Promise((resolve, reject) => {
      if (this.#socket.readyState !== this.#socket.OPEN) {
        reject(new RpcConnectionError('the connection is closed'));
        return;
      }
      const giveUp = (): void => {
        this.#waiting.delete(id);
        reject(new RpcConnectionError(`no answer to ${method} within ${timeoutMs} ms`));
      };
      const timer = timeoutMs > 0 ? setTimeout(giveUp, timeoutMs) : undefined;
      this.#waiting.set(id, { resolve, reject, timer });
      this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  }

  subscribe(listener: (argument: Json) => void): bigint {
    const id = ++this.#id;
    this.#listeners.set(String(id), listener);
    return BigInt(id);
  }

  #message(text: string): void {
    const document = JSON.parse(text) as JsonObject;
    if (document.method === 'notice') {
      const [callback, args] = document.params as [Json, Json[]];
      this.#listeners.get(String(callback))?.(args[0] ?? null);
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
  }

  close(): void {
    this.#socket.close();
  }
}
