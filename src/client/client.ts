import { databaseApi } from '../api/database.js';
import type { ApiDeclaration, ArgumentsOf, ResultOf } from '../api/define.js';
import { debugApi, networkBroadcastApi, networkNodeApi } from '../api/network.js';
import { assetApi, blockApi, cryptoApi, historyApi } from '../api/readers.js';
import type { Json, JsonObject } from '../codec/json.js';
import type { Fields } from '../codec/struct.js';
import type { AnyType, Network } from '../codec/type.js';
import '../protocol/operations/index.js';
import { type ConnectOptions, HttpConnection, type RpcConnection, SocketConnection } from './connection.js';

/** What the package's entry has beside the client itself. */
export { RpcConnectionError, RpcError } from './connection.js';

/**
 * A client of the node for TypeScript, from the same declarations as the node's own methods: arguments and results have
 * the types of the chain, bigints and all. It loads declarations, protocol and codec, and nothing of the node.
 */

export const CLIENT_APIS = {
  database: databaseApi,
  network_broadcast: networkBroadcastApi,
  history: historyApi,
  block: blockApi,
  asset: assetApi,
  crypto: cryptoApi,
  network_node: networkNodeApi,
  debug: debugApi,
} as const;

/** Methods without parameters are called without an argument. */
type Call<M> = keyof ArgumentsOf<M> extends never
  ? () => Promise<ResultOf<M>>
  : (args: ArgumentsOf<M>) => Promise<ResultOf<M>>;
export type ApiClient<A> = A extends ApiDeclaration<infer M> ? { readonly [K in keyof M]: Call<M[K]> } : never;
export type NodeClient = { readonly [K in keyof typeof CLIENT_APIS]: ApiClient<(typeof CLIENT_APIS)[K]> };

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
  return apisOver(connection, keyPrefix, EXACT) as NodeClient;
}

/** All APIs over one connection, in one representation. */
export function apisOver(
  connection: RpcConnection,
  keyPrefix: string | undefined,
  representation: Representation,
): Record<string, unknown> {
  const network = new NetworkOfNode(connection, keyPrefix);
  const apis = Object.entries(CLIENT_APIS);
  return Object.fromEntries(
    apis.map(([name, definition]) => [name, apiOver(connection, network, name, definition, representation)]),
  );
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

/** How arguments and results look to whoever calls. */
export interface Representation {
  given(method: string, param: string, type: AnyType, value: unknown, network: Network): Json;
  told(type: AnyType, answer: Json, network: Network): unknown;
}

/** The values of the chain themselves. */
const EXACT: Representation = {
  given: (_method, _param, type, value, network) => type.toJson(value, network),
  told: (type, answer, network) => type.fromJson(answer, network),
};

function apiOver(
  connection: RpcConnection,
  network: NetworkOfNode,
  name: string,
  definition: ApiDeclaration,
  { given, told }: Representation,
): Record<string, unknown> {
  const methods: Record<string, unknown> = {};
  for (const [method, { params, result }] of Object.entries(definition.methods)) {
    const types = Object.entries(params as Fields) as [string, AnyType][];
    methods[method] = async (args: Record<string, unknown> = {}): Promise<unknown> => {
      const list = await network.with((one) =>
        types.map(([param, type]) => given(method, param, type, args[param], one)),
      );
      const answer =
        name === 'database'
          ? await connection.request(method, list)
          : await connection.request('call', [name, method, list]);
      return network.with((one) => told(result as AnyType, answer, one));
    };
  }
  return methods;
}
