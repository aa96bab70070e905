import type { databaseApi } from '../../api/database.js';
import type { ResultOf } from '../../api/define.js';
import { ChainError, check, fail } from '../../base/errors.js';
import type { Clock } from '../../base/world.js';
import { clientOver, type NodeClient } from '../../client/client.js';
import { HttpConnection, RpcConnectionError, RpcError } from '../../client/connection.js';
import type { ChainId } from '../../crypto/digests.js';
import type { Instance } from '../../protocol/ids.js';
import { CHAIN_ERRORS } from './errors.js';

export type Head = ResultOf<(typeof databaseApi.methods)['get_dynamic_global_properties']>;

interface Kept<V> {
  readonly untilMs: number;
  readonly value: Promise<V>;
}

/** Many requests at once are content with the same head. */
const HEAD_MS = 250;
/** The committee changes it rarely. */
const PARAMETERS_MS = 60_000;

/** The node by RPC alone, over HTTP: a node that was away needs no new connection. */
export class ChainNode {
  readonly url: string;
  readonly client: NodeClient;
  readonly #clock: Clock;
  #head: Kept<Head> | undefined;
  #lifetime: Kept<number> | undefined;

  constructor(url: string, timeoutMs: number, clock: Clock) {
    this.url = url;
    this.#clock = clock;
    this.client = clientOver(new HttpConnection(url, { timeoutMs }));
  }

  /** A question whose failure is not the fault of whoever has asked this service. */
  async ask<V>(what: string, question: (database: NodeClient['database']) => Promise<V>): Promise<V> {
    try {
      return await question(this.client.database);
    } catch (error) {
      if (error instanceof RpcConnectionError) {
        throw new ChainError(CHAIN_ERRORS.chain_unreachable, { url: this.url, why: error.message });
      }
      if (error instanceof RpcError) throw new ChainError(CHAIN_ERRORS.chain_refused, { what, why: error.message });
      throw error;
    }
  }

  async #kept<V>(
    now: Kept<V> | undefined,
    ms: number,
    ask: () => Promise<V>,
    keep: (kept: Kept<V> | undefined) => void,
  ) {
    const at = this.#clock.monotonicMs();
    if (now !== undefined && at < now.untilMs) return now.value;
    const kept = { untilMs: at + ms, value: ask() };
    keep(kept);
    try {
      return await kept.value;
    } catch (error) {
      // A failure is nobody else's answer.
      keep(undefined);
      throw error;
    }
  }

  /** Of the last moment. */
  head(): Promise<Head> {
    return this.#kept(
      this.#head,
      HEAD_MS,
      () => this.freshHead(),
      (kept) => {
        this.#head = kept;
      },
    );
  }

  freshHead(): Promise<Head> {
    return this.ask('its head', (database) => database.get_dynamic_global_properties());
  }

  /** Seconds that a transfer by a proxy may lie ahead of the head's time. */
  lifetimeMax(): Promise<number> {
    const ask = async (): Promise<number> => {
      const { parameters } = await this.ask('its parameters', (database) => database.get_global_properties());
      return parameters.maximum_time_until_expiration;
    };
    return this.#kept(this.#lifetime, PARAMETERS_MS, ask, (kept) => {
      this.#lifetime = kept;
    });
  }

  async balance(id: Instance, asset: Instance): Promise<bigint> {
    const found = await this.ask('a balance', (database) => database.get_account_balances({ id, assets: [asset] }));
    return found.find(({ asset_id }) => asset_id === asset)?.amount ?? 0n;
  }

  /** Its chain, which has to be the expected one where one is named. */
  async chainId(expected: ChainId | undefined): Promise<ChainId> {
    const actual = await this.ask('its chain', (database) => database.get_chain_id());
    check(expected === undefined || expected === actual, CHAIN_ERRORS.chain_other, { url: this.url, actual, expected });
    return actual;
  }

  /** What stands in front of keys on this chain. */
  async keyPrefix(): Promise<string> {
    const constants = await this.ask('its constants', (database) => database.get_config());
    return String((constants as Record<string, unknown>).GRAPHENE_ADDRESS_PREFIX);
  }

  async accountByName(name: string): Promise<Instance> {
    const found = await this.ask('an account', (database) => database.get_account_by_name({ name }));
    return found?.id ?? fail(CHAIN_ERRORS.chain_no_account, { account: name });
  }
}
