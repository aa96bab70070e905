import { blockMethods, globalMethods } from '../../src/api/chain.js';
import type { AnyMethodDeclaration, ResultOf } from '../../src/api/define.js';
import { check } from '../../src/base/errors.js';
import { SocketConnection } from '../../src/client/connection.js';
import type { Json } from '../../src/codec/json.js';
import type { Network } from '../../src/codec/type.js';
import type { BlockPlace } from '../../src/plugin/follower.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import { DELAYED_ERRORS } from './errors.js';

export interface TrustedBlock extends BlockPlace {
  readonly block: SignedBlock;
}

/** The database API, which every node has for everybody. */
const DATABASE = 0;

/** A connection to the trusted node; whatever it is asked for fails when it is lost. */
export class TrustedNode {
  readonly #connection: SocketConnection;
  readonly #network: Network;
  readonly #url: string;

  private constructor(connection: SocketConnection, network: Network, url: string) {
    this.#connection = connection;
    this.#network = network;
    this.#url = url;
  }

  /** `onBlock` is called whenever it has applied a block. */
  static async open(url: string, network: Network, onBlock: () => void): Promise<TrustedNode> {
    const connection = await SocketConnection.open(url, {});
    try {
      const callback = connection.subscribe(onBlock);
      await connection.request('call', [DATABASE, 'set_block_applied_callback', [Number(callback)]]);
    } catch (error) {
      connection.close();
      throw error;
    }
    return new TrustedNode(connection, network, url);
  }

  async #ask<M extends AnyMethodDeclaration>(declared: M, name: string, params: Json[] = []): Promise<ResultOf<M>> {
    const answer = await this.#connection.request('call', [DATABASE, name, params]);
    return declared.result.fromJson(answer, this.#network) as ResultOf<M>;
  }

  chainId(): Promise<string> {
    return this.#ask(globalMethods.get_chain_id, 'get_chain_id');
  }

  async lastIrreversible(): Promise<number> {
    const found = await this.#ask(globalMethods.get_dynamic_global_properties, 'get_dynamic_global_properties');
    return found.last_irreversible_block_num;
  }

  async blockAt(number: number): Promise<TrustedBlock> {
    const found = await this.#ask(blockMethods.get_block, 'get_block', [number]);
    check(found !== undefined, DELAYED_ERRORS.delayed_block_missing, { url: this.#url, number });
    const { block_id: id, signing_key: _, transaction_ids: __, ref_block_prefix: ___, ...block } = found;
    return { number, id, block };
  }

  close(): void {
    this.#connection.close();
  }
}
