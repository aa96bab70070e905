import { check, fail } from '../../base/errors.js';
import { parseJson } from '../../codec/json.js';
import { nextNumber, type ProductRow } from '../exchange/tables.js';
import { MARKET_ERRORS } from './errors.js';
import { jsonText } from './json-text.js';
import type { Reading, Trx } from './merchants.js';
import { findMerchant, holdMerchant } from './merchants.js';
import type { Notifier } from './notifications.js';
import {
  addMembers,
  changeProduct,
  checkCategory,
  findProduct,
  holdProduct,
  membersOf,
  type Page,
  type ProductValues,
  valuesOf,
} from './products.js';
import type { VoteRow, VoteStatus, VoteType } from './tables.js';

/**
 * Votes of the members of a product: on who comes in and on what changes. Who may vote, and how many must agree, is what
 * it was when the vote began. Every step stands in one transaction with all that comes of it.
 */

const PARTS = 10_000;
/** In a row; after them a merchant may not apply for a while. */
const REJECTIONS_MAX = 5;

export interface VoteTimes {
  readonly lifetimeMs: number;
  readonly banMs: number;
}

export interface Begun {
  readonly voteId: number;
  readonly expireAt: number;
}

interface NewVote {
  readonly type: VoteType;
  readonly members: readonly number[];
  readonly from?: ProductValues;
  readonly to?: ProductValues;
}

const numbersOf = (json: string): number[] => JSON.parse(json) as number[];

export class Votes {
  readonly #times: VoteTimes;
  readonly #notifier: Notifier;

  constructor(times: VoteTimes, notifier: Notifier) {
    this.#times = times;
    this.#notifier = notifier;
  }

  /** A member invites, anybody else applies for itself, whomever it names. */
  async askForMembers(
    trx: Trx,
    productId: number,
    requester: number,
    wanted: readonly number[],
    nowMs: number,
  ): Promise<Begun> {
    const product = await holdProduct(trx, productId);
    await this.expire(trx, nowMs);
    const members = await membersOf(trx, productId);
    return members.includes(requester)
      ? this.#invite(trx, product, members, requester, wanted, nowMs)
      : this.#apply(trx, product, members, requester, nowMs);
  }

  async #invite(
    trx: Trx,
    product: ProductRow,
    members: readonly number[],
    requester: number,
    wanted: readonly number[],
    nowMs: number,
  ): Promise<Begun> {
    const invited = [...new Set(wanted)].filter((one) => !members.includes(one));
    check(invited.length > 0, MARKET_ERRORS.market_params, { why: 'members: all of them are members already' });
    for (const one of invited) {
      const isBound = (await findMerchant(trx, one)) !== undefined;
      check(isBound, MARKET_ERRORS.market_not_bound, { whom: `merchant ${one}` });
    }
    const running = await this.#running(trx, product.product_id, 'ADD_MEMBER');
    const isInvited = running.some(({ members: others }) => numbersOf(others).some((one) => invited.includes(one)));
    check(!isInvited, MARKET_ERRORS.market_duplicate, { why: 'there is a vote on one of these invitations' });
    return this.#begin(trx, product, members, requester, { type: 'ADD_MEMBER', members: invited }, nowMs);
  }

  async #apply(
    trx: Trx,
    product: ProductRow,
    members: readonly number[],
    requester: number,
    nowMs: number,
  ): Promise<Begun> {
    check(members.length > 0, MARKET_ERRORS.market_forbidden, { why: 'nobody sells this product any more' });
    const { banned_until_ms: retryAt } = (await findMerchant(trx, requester)) ?? { banned_until_ms: 0 };
    check(nowMs >= retryAt, MARKET_ERRORS.market_banned, { retryAt });
    const running = await this.#running(trx, product.product_id, 'APPLY');
    const isRunning = running.some((one) => one.requester === requester);
    check(!isRunning, MARKET_ERRORS.market_duplicate, { why: 'there is a vote on this application' });
    return this.#begin(trx, product, members, requester, { type: 'APPLY', members: [requester] }, nowMs);
  }

  /** What is left out stays as it is. */
  async askForChange(
    trx: Trx,
    productId: number,
    requester: number,
    changes: Partial<ProductValues>,
    nowMs: number,
  ): Promise<Begun> {
    const product = await holdProduct(trx, productId);
    await this.expire(trx, nowMs);
    const members = await membersOf(trx, productId);
    check(members.includes(requester), MARKET_ERRORS.market_forbidden, { why: 'only a member changes a product' });
    const running = await this.#running(trx, productId, 'UPDATE_PRODUCT');
    check(running.length === 0, MARKET_ERRORS.market_duplicate, { why: 'there is a vote on a change already' });
    if (changes.categoryId !== undefined) await checkCategory(trx, changes.categoryId);
    const from = valuesOf(product);
    const to = { ...from, ...changes };
    return this.#begin(trx, product, members, requester, { type: 'UPDATE_PRODUCT', members: [], from, to }, nowMs);
  }

  #running(trx: Trx, productId: number, type: VoteType): Promise<VoteRow[]> {
    return trx
      .selectFrom('vote')
      .selectAll()
      .where('product_id', '=', productId)
      .where('status', '=', 'INPROGRESS')
      .where('type', '=', type)
      .execute();
  }

  async #begin(
    trx: Trx,
    { product_id, threshold }: ProductRow,
    members: readonly number[],
    requester: number,
    { type, members: wanted, from, to }: NewVote,
    nowMs: number,
  ): Promise<Begun> {
    const vote_id = await nextNumber(trx, 'vote');
    const row: VoteRow = {
      vote_id,
      product_id,
      type,
      requester,
      members: jsonText(wanted),
      from_values: from === undefined ? '' : jsonText(from),
      to_values: to === undefined ? '' : jsonText(to),
      created_ms: nowMs,
      expire_ms: nowMs + this.#times.lifetimeMs,
      threshold,
      electors: members.length,
      status: 'INPROGRESS',
      closed_ms: null,
      reason: null,
    };
    await trx.insertInto('vote').values(row).execute();
    for (const merchant_id of members) await trx.insertInto('elector').values({ vote_id, merchant_id }).execute();
    await this.#notifier.created(trx, row, members);
    if (type !== 'APPLY') await this.#count(trx, row, { merchant: requester, agree: true }, nowMs);
    return { voteId: vote_id, expireAt: row.expire_ms };
  }

  async vote(trx: Trx, voteId: number, merchant: number, agree: boolean, nowMs: number): Promise<void> {
    // Two ballots for one vote are counted one after the other.
    await trx.updateTable('vote').set({ vote_id: voteId }).where('vote_id', '=', voteId).execute();
    await this.expire(trx, nowMs);
    const row = await findVote(trx, voteId);
    const elector = await trx
      .selectFrom('elector')
      .select('merchant_id')
      .where('vote_id', '=', voteId)
      .where('merchant_id', '=', merchant)
      .executeTakeFirst();
    check(elector !== undefined, MARKET_ERRORS.market_forbidden, {
      why: 'only who was a member when it began may vote',
    });
    check(row.status === 'INPROGRESS', MARKET_ERRORS.market_vote_closed);
    const former = await trx
      .selectFrom('ballot')
      .select('merchant_id')
      .where('vote_id', '=', voteId)
      .where('merchant_id', '=', merchant)
      .executeTakeFirst();
    check(former === undefined, MARKET_ERRORS.market_voted);
    await this.#count(trx, row, { merchant, agree }, nowMs);
  }

  async #count(
    trx: Trx,
    row: VoteRow,
    { merchant, agree }: { readonly merchant: number; readonly agree: boolean },
    nowMs: number,
  ): Promise<void> {
    const { vote_id, threshold, electors } = row;
    await trx
      .insertInto('ballot')
      .values({ vote_id, merchant_id: merchant, agree: agree ? 1 : 0, cast_ms: nowMs })
      .execute();
    const ballots = await trx.selectFrom('ballot').select('agree').where('vote_id', '=', vote_id).execute();
    const agreed = ballots.filter((one) => one.agree === 1).length;
    const against = ballots.length - agreed;
    if (agreed * PARTS >= threshold * electors) await this.#close(trx, row, 'PASS', null, nowMs);
    else if ((electors - against) * PARTS < threshold * electors) await this.#close(trx, row, 'REJECT', null, nowMs);
  }

  async #close(
    trx: Trx,
    row: VoteRow,
    status: Exclude<VoteStatus, 'INPROGRESS'>,
    reason: string | null,
    closedMs: number,
  ): Promise<void> {
    const { numUpdatedRows } = await trx
      .updateTable('vote')
      .set({ status, reason, closed_ms: closedMs })
      .where('vote_id', '=', row.vote_id)
      .where('status', '=', 'INPROGRESS')
      .executeTakeFirst();
    // It is over once, with all that comes of it: several may see at the same time that its time is over.
    if (numUpdatedRows === 0n) return;
    if (status === 'PASS') await this.#takeEffect(trx, row, closedMs);
    if (row.type === 'APPLY' && reason !== WITHDRAWN) await this.#countRejection(trx, row.requester, status, closedMs);
    await this.#notifier.closed(trx, row, closedMs);
  }

  async #takeEffect(trx: Trx, row: VoteRow, nowMs: number): Promise<void> {
    if (row.type === 'UPDATE_PRODUCT') {
      await changeProduct(trx, row.product_id, readValues(row.to_values));
      return;
    }
    // Whoever is gone by now does not become a member.
    const members: number[] = [];
    for (const wanted of numbersOf(row.members).sort((a, b) => a - b)) {
      if ((await holdMerchant(trx, wanted)) !== undefined) members.push(wanted);
    }
    await addMembers(trx, row.product_id, members, nowMs);
  }

  async #countRejection(trx: Trx, merchant: number, status: VoteStatus, closedMs: number): Promise<void> {
    const found = await holdMerchant(trx, merchant);
    if (found === undefined) return;
    const rejections = status === 'PASS' ? 0 : found.rejections + 1;
    const isBanned = rejections >= REJECTIONS_MAX;
    await trx
      .updateTable('merchant')
      .set({
        rejections: isBanned ? 0 : rejections,
        ...(isBanned ? { banned_until_ms: closedMs + this.#times.banMs } : {}),
      })
      .where('merchant_id', '=', merchant)
      .execute();
  }

  /** Votes that nobody has decided in time, in the order in which they ended. */
  async expire(trx: Trx, nowMs: number): Promise<number> {
    const due = await trx
      .selectFrom('vote')
      .selectAll()
      .where('status', '=', 'INPROGRESS')
      .where('expire_ms', '<=', nowMs)
      .orderBy('expire_ms')
      .orderBy('vote_id')
      .execute();
    for (const row of due) await this.#close(trx, row, 'REJECT', EXPIRED, row.expire_ms);
    return due.length;
  }

  /** Its number may be another one's tomorrow: who is gone neither applies nor is invited any more, and votes on nothing. */
  async withdraw(trx: Trx, merchant: number, nowMs: number): Promise<void> {
    await trx.deleteFrom('elector').where('merchant_id', '=', merchant).execute();
    const running = await trx.selectFrom('vote').selectAll().where('status', '=', 'INPROGRESS').execute();
    for (const row of running) {
      const members = numbersOf(row.members);
      if (!members.includes(merchant)) continue;
      const left = members.filter((one) => one !== merchant);
      if (left.length === 0) await this.#close(trx, row, 'REJECT', WITHDRAWN, nowMs);
      else
        await trx
          .updateTable('vote')
          .set({ members: jsonText(left) })
          .where('vote_id', '=', row.vote_id)
          .execute();
    }
  }
}

const EXPIRED = 'EXPIRED';
const WITHDRAWN = 'WITHDRAWN';

export function readValues(json: string): ProductValues {
  const values = parseJson(json) as unknown as ProductValues;
  return { ...values, price: { ...values.price, amount: BigInt(values.price.amount) } };
}

export async function findVote(db: Reading, voteId: number): Promise<VoteRow> {
  const found = await db.selectFrom('vote').selectAll().where('vote_id', '=', voteId).executeTakeFirst();
  return found ?? fail(MARKET_ERRORS.market_not_found, { what: `vote ${voteId}` });
}

/** Members of the product and who has asked for it. */
export async function checkMayRead(db: Reading, { product_id, requester }: VoteRow, merchant: number): Promise<void> {
  const mayRead = requester === merchant || (await membersOf(db, product_id)).includes(merchant);
  check(mayRead, MARKET_ERRORS.market_forbidden, { why: 'the vote is on a product of others' });
}

/** What `votes/:type` counts: running and not voted on, passed, rejected, running and voted on. */
const LISTED = { open: 0, passed: 1, rejected: 2, voted: 3 } as const;

export interface ListedVote {
  readonly vote_id: number;
  readonly product_id: number;
  readonly name: string;
  readonly created_ms: number;
  readonly status: VoteStatus;
  readonly requester: number;
  readonly type: VoteType;
}

function listed(db: Reading, merchant: number, productId: number | undefined, type: number) {
  const status: VoteStatus = type === LISTED.passed ? 'PASS' : type === LISTED.rejected ? 'REJECT' : 'INPROGRESS';
  return db
    .selectFrom('vote')
    .innerJoin('product', 'product.product_id', 'vote.product_id')
    .where('status', '=', status)
    .$if(productId !== undefined, (query) => query.where('vote.product_id', '=', productId as number))
    .where((where) =>
      where.or([
        where('requester', '=', merchant),
        where.exists(
          where
            .selectFrom('product_member')
            .select('product_member.merchant_id')
            .whereRef('product_member.product_id', '=', 'vote.product_id')
            .where('product_member.merchant_id', '=', merchant),
        ),
      ]),
    )
    .$if(status === 'INPROGRESS', (query) =>
      query.where((where) => {
        const hasVoted = where.exists(
          where
            .selectFrom('ballot')
            .select('ballot.merchant_id')
            .whereRef('ballot.vote_id', '=', 'vote.vote_id')
            .where('ballot.merchant_id', '=', merchant),
        );
        return type === LISTED.voted ? hasVoted : where.not(hasVoted);
      }),
    );
}

/** Newest first. Without a product those of all. */
export async function listVotes(
  db: Reading,
  merchant: number,
  productId: number | undefined,
  type: number,
  { page, limit }: Page,
): Promise<{ readonly rows: readonly ListedVote[]; readonly total: number }> {
  if (productId !== undefined) await findProduct(db, productId);
  const all = listed(db, merchant, productId, type);
  const { total } = await all.select((of) => of.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await all
    .select(['vote_id', 'vote.product_id', 'name', 'vote.created_ms', 'status', 'requester', 'type'])
    .orderBy('vote.created_ms', 'desc')
    .orderBy('vote_id', 'desc')
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();
  return { rows, total: Number(total) };
}
