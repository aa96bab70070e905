import type { Kysely } from 'kysely';
import { check, fail } from '../../../base/errors.js';
import type { Clock, Logger } from '../../../base/world.js';
import { sha256Hex } from '../../../crypto/hash.js';
import type { HttpAnswer } from '../../../http/handler.js';
import type { RouteContext } from '../../../http/routes.js';
import type { Instance } from '../../../protocol/ids.js';
import { isDatabaseError, transact } from '../../common/database.js';
import type { MerchantRow } from '../../exchange/tables.js';
import { type Result, readAnswer, textOf, writeAnswer } from '../answers.js';
import type { Callers } from '../callers.js';
import { MARKET_ERRORS } from '../errors.js';
import { checkNotBanned, merchantOf, type Trx } from '../merchants.js';
import type { MarketTables } from '../tables.js';
import type { Votes } from '../votes.js';

/** How calls are taken: who asks is found out, a change is one transaction, and a named one is done once. */

export type Asked = Pick<RouteContext<unknown, unknown, unknown>, 'request' | 'raw' | 'target'>;

export interface DeskParts {
  readonly db: Kysely<MarketTables>;
  readonly callers: Callers;
  readonly votes: Votes;
  readonly admins: ReadonlySet<Instance>;
  readonly clock: Clock;
  readonly log: Logger;
}

export class Desk {
  readonly #parts: DeskParts;

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  get db(): Kysely<MarketTables> {
    return this.#parts.db;
  }

  nowMs(): number {
    return this.#parts.clock.nowMs();
  }

  async #run<V>(work: () => Promise<V>): Promise<V> {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseError(error)) throw error;
      this.#parts.log.error('the database has failed', { error });
      return fail(MARKET_ERRORS.market_internal);
    }
  }

  /** For everybody. */
  forAll(asked: Asked, work: () => Promise<Result>): Promise<HttpAnswer> {
    return this.#run(async () => {
      this.#parts.callers.checkReader(asked);
      return readAnswer(asked.request, await work());
    });
  }

  forAccount(asked: Asked, work: (account: Instance) => Promise<Result>): Promise<HttpAnswer> {
    return this.#run(async () => {
      const account = await this.#parts.callers.reader(asked);
      return readAnswer(asked.request, await work(account));
    });
  }

  /** Votes that are over are seen as such. */
  forMerchant(asked: Asked, work: (merchant: MerchantRow) => Promise<Result>): Promise<HttpAnswer> {
    return this.forAccount(asked, async (account) => {
      const merchant = await merchantOf(this.db, account);
      await this.expireVotes();
      return work(merchant);
    });
  }

  async expireVotes(): Promise<void> {
    const { db, votes } = this.#parts;
    const nowMs = this.nowMs();
    const due = await db
      .selectFrom('vote')
      .select('vote_id')
      .where('status', '=', 'INPROGRESS')
      .where('expire_ms', '<=', nowMs)
      .executeTakeFirst();
    if (due === undefined) return;
    await transact(db, async (trx) => {
      // Written before anything is read, as SQLite wants it; two instances wait for each other.
      await trx
        .updateTable('vote')
        .set({ status: 'INPROGRESS' })
        .where('vote_id', '=', due.vote_id)
        .where('status', '=', 'INPROGRESS')
        .execute();
      await votes.expire(trx, nowMs);
    });
  }

  /** Proved by the body alone. */
  change(work: () => Promise<void>, apply: (trx: Trx) => Promise<void>): Promise<HttpAnswer> {
    return this.#run(async () => {
      await work();
      await transact(this.db, apply);
      return writeAnswer(textOf({}, true));
    });
  }

  isAdmin(account: Instance): boolean {
    return this.#parts.admins.has(account);
  }

  #checkAdmin(account: Instance): void {
    const why = `1.2.${account} is no administrator of this market`;
    check(this.isAdmin(account), MARKET_ERRORS.market_forbidden, { why });
  }

  forAdmin(asked: Asked, work: () => Promise<Result>): Promise<HttpAnswer> {
    return this.forAccount(asked, async (account) => {
      this.#checkAdmin(account);
      return work();
    });
  }

  /** Who has changed what is in the log. */
  changeByAdmin(asked: Asked, work: (trx: Trx, admin: Instance) => Promise<unknown>): Promise<HttpAnswer> {
    return this.#changed(asked, (trx, account) => {
      this.#checkAdmin(account);
      const { method } = asked.request;
      this.#parts.log.info('an administrator changes something', { account, method, target: asked.target });
      return work(trx, account);
    });
  }

  changeByMerchant(asked: Asked, work: (trx: Trx, merchant: MerchantRow) => Promise<unknown>): Promise<HttpAnswer> {
    return this.#changed(asked, async (trx, account) => {
      // Written before anything is read, as SQLite wants it; changes of one merchant come one after another.
      await trx.updateTable('merchant').set({ account }).where('account', '=', account).execute();
      const merchant = await merchantOf(trx, account);
      await checkNotBanned(trx, account);
      return work(trx, merchant);
    });
  }

  #changed(asked: Asked, work: (trx: Trx, account: Instance) => Promise<unknown>): Promise<HttpAnswer> {
    return this.#run(async () => {
      const account = await this.#parts.callers.writer(asked);
      const name = asked.request.header('idempotency-key');
      const isName = name === '' || /^[\w-]{1,64}$/.test(name);
      check(isName, MARKET_ERRORS.market_params, { why: 'Idempotency-Key: it has to be a name of at most 64 letters' });
      const text = await transact(this.db, async (trx) => {
        const kept = name === '' ? undefined : await this.#keptAnswer(trx, account, name, asked);
        if (kept !== undefined) return kept;
        const answer = textOf({ data: await work(trx, account) }, true);
        if (name !== '') {
          await trx
            .updateTable('kept_answer')
            .set({ answer })
            .where('account', '=', account)
            .where('name', '=', name)
            .execute();
        }
        return answer;
      });
      return writeAnswer(text);
    });
  }

  /** What was answered to the call of this name; undefined the first time, and then the name is taken. */
  async #keptAnswer(
    trx: Trx,
    account: Instance,
    name: string,
    { request: { method }, raw, target }: Asked,
  ): Promise<string | undefined> {
    const request = `${method} ${target} ${sha256Hex(raw)}`;
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('kept_answer')
      .values({ account, name, request, answer: '', created_ms: this.nowMs() })
      .onConflict((conflict) => conflict.columns(['account', 'name']).doNothing())
      .executeTakeFirst();
    if (numInsertedOrUpdatedRows === 1n) return undefined;
    const kept = await trx
      .selectFrom('kept_answer')
      .selectAll()
      .where('account', '=', account)
      .where('name', '=', name)
      .executeTakeFirstOrThrow();
    const isSame = kept.request === request;
    check(isSame, MARKET_ERRORS.market_duplicate, { why: 'another call was made under this Idempotency-Key' });
    return kept.answer;
  }
}
