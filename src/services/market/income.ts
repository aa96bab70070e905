import type { Kysely } from 'kysely';
import type { databaseApi } from '../../api/database.js';
import type { ResultOf } from '../../api/define.js';
import { ChainError, fail } from '../../base/errors.js';
import { RpcConnectionError, RpcError } from '../../client/connection.js';
import type { Asset } from '../../protocol/asset.js';
import type { Instance } from '../../protocol/ids.js';
import { CHAIN_ERRORS } from '../chain/errors.js';
import type { ChainNode } from '../chain/node.js';
import { transact } from '../common/database.js';
import { MARKET_ERRORS } from './errors.js';
import type { MarketTables } from './tables.js';

/**
 * Transfers to accounts, as the node's history of each account tells of them: some are made by contracts and stand in no
 * block. Read on demand, from where it was left, as far as nothing is undone any more.
 */

type Page = NonNullable<ResultOf<(typeof databaseApi.methods)['get_account_relative_ops']>>;

const TRANSFERS: ReadonlySet<number> = new Set([0, 78]);
const PAGE = 100;
/** For one call; the next one goes on. */
const PAGES_MAX = 100;

const NO_HISTORY =
  'what accounts were sent is known by nodes with the plugin account_history_kv alone, and the node of this market has not got it';

interface Entry {
  readonly position: number;
  readonly block: number;
  readonly units: bigint;
}

export class Income {
  readonly #db: Kysely<MarketTables>;
  readonly #node: ChainNode;
  readonly #asset: Instance;
  readonly #reading = new Map<Instance, Promise<void>>();

  constructor(db: Kysely<MarketTables>, node: ChainNode, asset: Instance) {
    this.#db = db;
    this.#node = node;
    this.#asset = asset;
  }

  /** Whether the node has such histories. */
  async isThere(): Promise<boolean> {
    const { database } = this.#node.client;
    const found = await this.#ask(() => database.get_account_relative_blocks({ account: 0, start: 1, limit: 0 }));
    return found !== undefined;
  }

  /** Up to the irreversible blocks of now. */
  async read(account: Instance): Promise<void> {
    const running = this.#reading.get(account);
    if (running !== undefined) return running;
    const reading = this.#read(account).finally(() => this.#reading.delete(account));
    this.#reading.set(account, reading);
    return reading;
  }

  async #read(account: Instance): Promise<void> {
    const { last_irreversible_block_num: irreversible } = await this.#node.freshHead();
    let position = await this.#position(account);
    for (let pages = 0; pages < PAGES_MAX; pages++) {
      const page = await this.#page(account, position + 1);
      if (page === 'nothing') return;
      const [{ ops }, blocks] = page;
      const settled = blocks.findIndex((block) => block > irreversible);
      const count = settled < 0 ? Math.min(ops.length, blocks.length) : Math.min(settled, ops.length);
      if (count === 0) return;
      const entries = this.#transfers(account, position, ops.slice(0, count), blocks);
      await this.#keep(account, entries, position + count);
      position += count;
      if (count < PAGE) return;
    }
    fail(MARKET_ERRORS.market_chain, { why: 'the history of this account is long and still being read; ask again' });
  }

  async #position(account: Instance): Promise<number> {
    const row = await this.#db
      .selectFrom('income_read')
      .select('position')
      .where('account', '=', account)
      .executeTakeFirst();
    return row?.position ?? 0;
  }

  async #page(account: Instance, start: number): Promise<'nothing' | [Page, readonly number[]]> {
    const { database } = this.#node.client;
    const asked = { account, start, limit: PAGE };
    const page = await this.#ask(async () => {
      const ops = await database.get_account_relative_ops(asked);
      const blocks = await database.get_account_relative_blocks(asked);
      return ops === undefined || blocks === undefined ? undefined : ([ops, blocks.blocks] as [Page, number[]]);
    });
    if (page === undefined) fail(MARKET_ERRORS.market_chain, { why: NO_HISTORY });
    return page;
  }

  /** `nothing`: the history ends before. Undefined: the node keeps none. */
  async #ask<V>(question: () => Promise<V | undefined>): Promise<V | 'nothing' | undefined> {
    try {
      return await question();
    } catch (error) {
      if (error instanceof RpcConnectionError) {
        throw new ChainError(CHAIN_ERRORS.chain_unreachable, { url: this.#node.url, why: error.message });
      }
      if (!(error instanceof RpcError)) throw error;
      if (error.message.includes('number >= start')) return 'nothing';
      throw new ChainError(CHAIN_ERRORS.chain_refused, { what: 'a history', why: error.message });
    }
  }

  #transfers(account: Instance, before: number, ops: Page['ops'], blocks: readonly number[]): Entry[] {
    return ops.flatMap(({ op: [tag, body] }, i) => {
      if (!TRANSFERS.has(tag)) return [];
      const { to, amount } = body as unknown as { readonly to: Instance; readonly amount: Asset };
      const isIncome = to === account && amount.asset_id === this.#asset;
      return isIncome ? [{ position: before + 1 + i, block: blocks[i] as number, units: amount.amount }] : [];
    });
  }

  async #keep(account: Instance, entries: readonly Entry[], position: number): Promise<void> {
    const times = new Map<number, number>();
    for (const { block } of entries) if (!times.has(block)) times.set(block, await this.#timeOf(block));
    await transact(this.#db, async (trx) => {
      await trx
        .insertInto('income_read')
        .values({ account, position })
        .onConflict((conflict) =>
          conflict.column('account').doUpdateSet({ position }).where('income_read.position', '<', position),
        )
        .execute();
      for (const entry of entries) {
        await trx
          .insertInto('income')
          .values({
            account,
            position: entry.position,
            units: String(entry.units),
            time_ms: times.get(entry.block) as number,
          })
          .onConflict((conflict) => conflict.columns(['account', 'position']).doNothing())
          .execute();
      }
    });
  }

  async #timeOf(block: number): Promise<number> {
    const header = await this.#node.ask('a block', (database) => database.get_block_header({ block_num: block }));
    return header === undefined
      ? fail(MARKET_ERRORS.market_chain, { why: `the node has no block ${block}` })
      : header.timestamp * 1000;
  }
}
