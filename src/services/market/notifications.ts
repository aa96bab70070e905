import { check } from '../../base/errors.js';
import { visible } from '../../codec/visible.js';
import { nextNumber } from '../exchange/tables.js';
import { MARKET_ERRORS } from './errors.js';
import type { Reading, Trx } from './merchants.js';
import { findProduct, type Page } from './products.js';
import type { NotificationKind, VoteRow } from './tables.js';

/** Who is told of a vote: rows written in the transaction that changes it, one of each for each merchant. */

const VOTE_WORDS: Readonly<Record<VoteRow['type'], string>> = {
  APPLY: 'a merchant wants to become a member',
  ADD_MEMBER: 'merchants are invited',
  UPDATE_PRODUCT: 'the product is to change',
};

export class Notifier {
  readonly #sendsMail: boolean;

  /** `sendsMail`: there is somewhere to send it. */
  constructor(sendsMail: boolean) {
    this.#sendsMail = sendsMail;
  }

  async created(trx: Trx, vote: VoteRow, members: readonly number[]): Promise<void> {
    for (const merchant of members) {
      if (merchant === vote.requester) continue;
      await this.#notify(trx, vote, merchant, 'VOTE_CREATED', vote.created_ms);
      if (this.#sendsMail) await this.#mail(trx, vote, merchant);
    }
  }

  async closed(trx: Trx, vote: VoteRow, closedMs: number): Promise<void> {
    const electors = await trx
      .selectFrom('elector')
      .select('merchant_id')
      .where('vote_id', '=', vote.vote_id)
      .execute();
    const all = new Set([vote.requester, ...electors.map(({ merchant_id }) => merchant_id)]);
    for (const merchant of all) await this.#notify(trx, vote, merchant, 'VOTE_CLOSED', closedMs);
  }

  async #notify(
    trx: Trx,
    { vote_id }: VoteRow,
    merchant_id: number,
    kind: NotificationKind,
    created_ms: number,
  ): Promise<void> {
    const id = await nextNumber(trx, 'notification');
    await trx
      .insertInto('notification')
      .values({ id, merchant_id, vote_id, kind, created_ms, read_ms: null })
      .onConflict((conflict) => conflict.columns(['vote_id', 'merchant_id', 'kind']).doNothing())
      .execute();
  }

  async #mail(trx: Trx, vote: VoteRow, merchant_id: number): Promise<void> {
    const { vote_id, type, expire_ms, created_ms } = vote;
    const member = await trx
      .selectFrom('merchant')
      .select('email')
      .where('merchant_id', '=', merchant_id)
      .executeTakeFirst();
    if (member === undefined || member.email === '') return;
    const name = visible((await findProduct(trx, vote.product_id)).name);
    const id = await nextNumber(trx, 'mail');
    const ends = `${new Date(expire_ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    await trx
      .insertInto('mail')
      .values({
        id,
        merchant_id,
        vote_id,
        kind: 'VOTE_CREATED',
        address: member.email,
        subject: `Vote ${vote_id} on ${name}`,
        body: `Vote ${vote_id} has begun on the product ${name} (${vote.product_id}): ${VOTE_WORDS[type]}.\nIt is open until ${ends}.\n`,
        state: 'waiting',
        attempts: 0,
        due_ms: created_ms,
        lease_owner: '',
        lease_until_ms: 0,
        sent_ms: null,
        failure: null,
        created_ms,
      })
      .onConflict((conflict) => conflict.columns(['vote_id', 'merchant_id', 'kind']).doNothing())
      .execute();
  }
}

/** Newest first. */
export async function listNotifications(db: Reading, merchant: number, unread: boolean, { page, limit }: Page) {
  const all = db
    .selectFrom('notification')
    .where('merchant_id', '=', merchant)
    .$if(unread, (query) => query.where('read_ms', 'is', null));
  const { total } = await all.select((of) => of.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await all
    .innerJoin('vote', 'vote.vote_id', 'notification.vote_id')
    .innerJoin('product', 'product.product_id', 'vote.product_id')
    .select([
      'notification.id',
      'kind',
      'vote.vote_id',
      'product.product_id',
      'name',
      'type',
      'requester',
      'status',
      'expire_ms',
      'notification.created_ms',
      'read_ms',
    ])
    .orderBy('notification.id', 'desc')
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();
  const data = rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    voteId: row.vote_id,
    productId: row.product_id,
    productName: row.name,
    voteType: row.type,
    requester: row.requester,
    status: row.status,
    expireAt: row.expire_ms,
    createdAt: row.created_ms,
    readAt: row.read_ms,
  }));
  return { data, total: Number(total) };
}

export async function readNotifications(
  trx: Trx,
  merchant: number,
  ids: readonly number[],
  nowMs: number,
): Promise<void> {
  // Not every database takes an empty list.
  if (ids.length === 0) return;
  const { numUpdatedRows } = await trx
    .updateTable('notification')
    .set((of) => ({ read_ms: of.fn.coalesce('read_ms', of.val(nowMs)) }))
    .where('merchant_id', '=', merchant)
    .where('id', 'in', ids)
    .executeTakeFirst();
  const isOwn = Number(numUpdatedRows) === new Set(ids).size;
  check(isOwn, MARKET_ERRORS.market_not_found, { what: 'such notification of this merchant' });
}
