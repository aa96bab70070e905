import { ChainError, check, type ErrorRow } from '../base/errors.js';
import { type RpcConnection, RpcConnectionError, RpcError } from '../client/connection.js';
import type { Json, JsonObject } from '../codec/json.js';
import { isJsonObject } from '../codec/struct.js';
import type { Network, Type } from '../codec/type.js';
import { NODE_ERRORS } from './errors.js';

/** The way to a node: whoever reconnects, records or answers from a test stands behind it. */
export interface NodeLink {
  /** `api` is `database`, `network_broadcast`, `history` and so on. */
  call(api: string, method: string, params: readonly Json[]): Promise<Json>;
}

/** What a link needs of a connection. */
type Connection = Pick<RpcConnection, 'request'>;

/** What the node says becomes a refusal of the wallet, with the node's own text and all that it said. */
export function nodeError(error: unknown): unknown {
  if (error instanceof RpcError) {
    return new ChainError(NODE_ERRORS.node_refused, { error: error.message, data: { error: error.error } });
  }
  if (error instanceof RpcConnectionError) return new ChainError(NODE_ERRORS.node_gone, { reason: error.message });
  return error;
}

/** Nobody knows whether what was asked, or sent, has arrived. */
export const isNodeGone = (error: unknown): error is ChainError =>
  error instanceof ChainError && error.row === NODE_ERRORS.node_gone;

export function askOver(connection: Connection, api: string, method: string, params: readonly Json[]): Promise<Json> {
  return api === 'database'
    ? connection.request(method, [...params])
    : connection.request('call', [api, method, [...params]]);
}

/** A link in the form in which the declared client takes connections. */
export function connectionOver(node: NodeLink): RpcConnection {
  return {
    request: (method, params) => {
      if (method !== 'call') return node.call('database', method, params);
      const [api, name, args] = params as [string, string, Json[]];
      return node.call(api, name, args);
    },
    subscribe: () => {
      throw new RpcConnectionError('a link has no notices');
    },
    close: () => undefined,
  };
}

/** What is wrong with an answer that has not the form of its declaration; everything else is as it was. */
export function unlessAnswered(error: unknown, method: string): unknown {
  const isOfNode = error instanceof ChainError && Object.values<ErrorRow>(NODE_ERRORS).includes(error.row);
  if (!(error instanceof ChainError) || isOfNode) return error;
  return new ChainError(NODE_ERRORS.node_answer, { method, reason: error.message });
}

/** An answer must have the form that it is read by: the node may be anybody's. */
export function readAs<V>(type: Type<V>, method: string, json: Json, network: Network): V {
  try {
    return type.fromJson(json, network);
  } catch (error) {
    throw unlessAnswered(error, method);
  }
}

export function asObject(json: Json, method: string): JsonObject {
  check(isJsonObject(json), NODE_ERRORS.node_answer, { method });
  return json;
}

export function asList(json: Json, method: string): Json[] {
  check(Array.isArray(json), NODE_ERRORS.node_answer, { method });
  return json as Json[];
}
