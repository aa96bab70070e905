import { check } from '../base/errors.js';
import type { Logger } from '../base/world.js';
import { connect } from '../client/client.js';
import { RpcConnectionError } from '../client/connection.js';
import type { Json, JsonObject } from '../codec/json.js';
import type { Network } from '../codec/type.js';
import { DEFAULT_KEY_PREFIX } from '../crypto/public-key.js';
import { NODE_ERRORS } from './errors.js';
import { type NodeLink, nodeError } from './node-link.js';

type Connection = Awaited<ReturnType<typeof connect>>['connection'];

export interface NodeAccess {
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

const LOGIN_API = 1;

/**
 * A connection to a node that comes back: a question that a broken connection took is asked once more over a new one. A
 * transaction is not sent again by itself, since nobody knows whether it arrived.
 */
export class NodeSession implements NodeLink {
  readonly #access: NodeAccess;
  readonly #log: Logger;
  #open: Promise<Connection> | undefined;
  #chainId: string | undefined;
  #isGone = false;

  constructor(access: NodeAccess, log: Logger) {
    this.#access = access;
    this.#log = log;
  }

  #connection(): Promise<Connection> {
    this.#open ??= this.#connect().catch((error: unknown) => {
      this.#open = undefined;
      throw error;
    });
    return this.#open;
  }

  /** From now on connections to nodes of other chains are given up. */
  expectChain(chainId: string): void {
    this.#chainId = chainId;
  }

  async #connect(): Promise<Connection> {
    const { url, user, password } = this.#access;
    const { connection } = await connect(url);
    try {
      const isIn = await connection.request('call', [LOGIN_API, 'login', [user, password]]);
      check(isIn === true, NODE_ERRORS.node_login);
      const expected = this.#chainId;
      if (expected !== undefined) {
        // Another node may answer at this address than before.
        const actual = await connection.request('get_chain_id', []);
        check(actual === expected, NODE_ERRORS.node_chain, { actual, expected });
      }
      if (this.#isGone) this.#log.warn('connected again', { url });
      this.#isGone = false;
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  async call(api: string, method: string, params: readonly Json[]): Promise<Json> {
    try {
      try {
        return await this.#request(api, method, params);
      } catch (error) {
        if (!(error instanceof RpcConnectionError)) throw error;
        this.#open = undefined;
        this.#isGone = true;
        this.#log.warn('the node is gone; connecting again', { url: this.#access.url });
        if (api === 'network_broadcast') throw error;
        return await this.#request(api, method, params);
      }
    } catch (error) {
      throw nodeError(error);
    }
  }

  async #request(api: string, method: string, params: readonly Json[]): Promise<Json> {
    const connection = await this.#connection();
    return api === 'database'
      ? connection.request(method, [...params])
      : connection.request('call', [api, method, [...params]]);
  }

  async chainId(): Promise<string> {
    return String(await this.call('database', 'get_chain_id', []));
  }

  /** How the chain of the node writes its keys. */
  async network(): Promise<Network> {
    const config = (await this.call('database', 'get_config', [])) as JsonObject;
    const prefix = config.GRAPHENE_ADDRESS_PREFIX;
    return { keyPrefix: typeof prefix === 'string' ? prefix : DEFAULT_KEY_PREFIX };
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    if (open !== undefined) (await open.catch(() => undefined))?.close();
  }
}
