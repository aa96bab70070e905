import { check } from '../base/errors.js';
import type { Logger } from '../base/world.js';
import { connect } from '../client/client.js';
import { RpcConnectionError } from '../client/connection.js';
import type { Json, JsonObject } from '../codec/json.js';
import type { Network } from '../codec/type.js';
import { DEFAULT_KEY_PREFIX } from '../crypto/public-key.js';
import { NODE_ERRORS } from './errors.js';
import { askOver, type NodeLink, nodeError } from './node-link.js';

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
  #isOver = false;

  constructor(access: NodeAccess, log: Logger) {
    this.#access = access;
    this.#log = log;
  }

  #connection(): Promise<Connection> {
    if (this.#isOver) return Promise.reject(new RpcConnectionError('the wallet has ended'));
    this.#open ??= this.#connect().catch((error: unknown) => {
      this.#open = undefined;
      throw error;
    });
    return this.#open;
  }

  /** Several questions find the same connection broken: only the first gives it up, the next one may be there already. */
  #giveUp(broken: Promise<Connection>): void {
    if (this.#open === broken) this.#open = undefined;
    // One that only does not answer would stay open beside the next.
    broken.then(
      (connection) => connection.close(),
      () => undefined,
    );
    if (!this.#isGone) this.#log.warn('the node is gone; connecting again', { url: this.#access.url });
    this.#isGone = true;
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
      const opened = this.#connection();
      try {
        return await askOver(await opened, api, method, params);
      } catch (error) {
        if (!(error instanceof RpcConnectionError) || this.#isOver) throw error;
        this.#giveUp(opened);
        if (api === 'network_broadcast') throw error;
        return await askOver(await this.#connection(), api, method, params);
      }
    } catch (error) {
      throw nodeError(error);
    }
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

  /** What is still under way is not asked again: a new connection would outlive the wallet. */
  async close(): Promise<void> {
    this.#isOver = true;
    const open = this.#open;
    this.#open = undefined;
    if (open !== undefined) (await open.catch(() => undefined))?.close();
  }
}
