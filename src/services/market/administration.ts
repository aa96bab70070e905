import { check } from '../../base/errors.js';
import type { Instance } from '../../protocol/ids.js';
import type { BanRow } from '../exchange/tables.js';
import { MARKET_ERRORS } from './errors.js';
import type { Reading, Trx } from './merchants.js';
import type { Page } from './products.js';
import type { MailRow } from './tables.js';
import { readValues } from './votes.js';

/** What administrators see and do: categories, bans, losses, letters that did not get away. */

const noCategory = (id: number) => ({ what: `category ${id}` });

export async function renameCategory(trx: Trx, categoryId: number, name: string): Promise<void> {
  // Held first: two names for one category wait for each other.
  const { numUpdatedRows } = await trx
    .updateTable('category')
    .set({ category_id: categoryId })
    .where('category_id', '=', categoryId)
    .executeTakeFirst();
  check(numUpdatedRows === 1n, MARKET_ERRORS.market_not_found, noCategory(categoryId));
  const other = await trx
    .selectFrom('category')
    .select('category_id')
    .where('name', '=', name)
    .where('category_id', '!=', categoryId)
    .executeTakeFirst();
  check(other === undefined, MARKET_ERRORS.market_duplicate, { why: 'there is such a category' });
  await trx.updateTable('category').set({ name }).where('category_id', '=', categoryId).execute();
}

/** Only one that nothing was published in, or would be when a vote passes. */
export async function deleteCategory(trx: Trx, categoryId: number): Promise<void> {
  const { numDeletedRows } = await trx.deleteFrom('category').where('category_id', '=', categoryId).executeTakeFirst();
  check(numDeletedRows === 1n, MARKET_ERRORS.market_not_found, noCategory(categoryId));
  const used = await trx
    .selectFrom('product')
    .select('product_id')
    .where('category_id', '=', categoryId)
    .executeTakeFirst();
  const why = `product ${used?.product_id} is in this category`;
  check(used === undefined, MARKET_ERRORS.market_duplicate, { why });
  const running = await trx
    .selectFrom('vote')
    .select(['vote_id', 'to_values'])
    .where('status', '=', 'INPROGRESS')
    .where('type', '=', 'UPDATE_PRODUCT')
    .execute();
  const wanted = running.find(({ to_values }) => readValues(to_values).categoryId === categoryId);
  const whyNot = `vote ${wanted?.vote_id} is about a product that would be in this category`;
  check(wanted === undefined, MARKET_ERRORS.market_duplicate, { why: whyNot });
}

/** Again with another reason changes the reason. */
export async function ban(trx: Trx, row: BanRow): Promise<void> {
  const { reason, by_account, since_ms } = row;
  await trx
    .insertInto('ban')
    .values(row)
    .onConflict((conflict) => conflict.columns(['kind', 'id']).doUpdateSet({ reason, by_account, since_ms }))
    .execute();
  if (row.kind !== 'product') return;
  const product = await trx
    .selectFrom('product')
    .select('product_id')
    .where('product_id', '=', row.id)
    .executeTakeFirst();
  check(product !== undefined, MARKET_ERRORS.market_not_found, { what: `product ${row.id}` });
}

export async function liftBan(trx: Trx, kind: BanRow['kind'], id: number): Promise<void> {
  const { numDeletedRows } = await trx
    .deleteFrom('ban')
    .where('kind', '=', kind)
    .where('id', '=', id)
    .executeTakeFirst();
  const what = `ban of ${kind === 'account' ? '1.2.' : 'product '}${id}`;
  check(numDeletedRows === 1n, MARKET_ERRORS.market_not_found, { what });
}

export async function listBans(db: Reading) {
  const rows = await db
    .selectFrom('ban')
    .selectAll()
    .orderBy('since_ms', 'desc')
    .orderBy('kind')
    .orderBy('id')
    .execute();
  return rows.map(({ kind, id, reason, by_account, since_ms }) => ({
    ...(kind === 'account' ? { accountId: `1.2.${id}` } : { productId: id }),
    kind,
    reason,
    by: `1.2.${by_account}`,
    since: since_ms,
  }));
}

/** Payments that never came though the data was handed out, the newest first. */
export async function listLosses(db: Reading, isSettled: boolean, { page, limit }: Page) {
  const all = db
    .selectFrom('payment')
    .leftJoin('settled_loss', 'settled_loss.signature', 'payment.signature')
    .where('payment.state', '=', 'lost')
    .where('settled_loss.at_ms', isSettled ? 'is not' : 'is', null);
  const { total } = await all.select((of) => of.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await all
    .leftJoin('delivery', 'delivery.signature', 'payment.signature')
    .select(['payment.signature', 'payment.payer', 'payment.asset', 'payment.units', 'payment.failure', 'payment.txid'])
    .select(['payment.created_ms', 'delivery.request_id', 'delivery.product_id', 'delivery.source'])
    .select(['settled_loss.note', 'settled_loss.by_account', 'settled_loss.at_ms'])
    .orderBy('payment.created_ms', 'desc')
    .orderBy('payment.signature')
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();
  const data = rows.map((row) => ({
    signature: row.signature,
    payer: `1.2.${row.payer}`,
    asset: `1.3.${row.asset}`,
    units: row.units,
    failure: row.failure,
    txid: row.txid,
    requestId: row.request_id,
    productId: row.product_id,
    source: row.source === null ? null : `1.2.${row.source}`,
    createdAt: row.created_ms,
    settled: row.at_ms === null ? null : { note: row.note, by: `1.2.${row.by_account}`, at: row.at_ms },
  }));
  return { data, total: Number(total) };
}

/** It stays lost, and is no longer among those that wait for somebody. */
export async function settleLoss(
  trx: Trx,
  { signature, note }: { readonly signature: string; readonly note: string },
  admin: Instance,
  nowMs: number,
): Promise<void> {
  const settled = { note, by_account: admin, at_ms: nowMs };
  await trx
    .insertInto('settled_loss')
    .values({ signature, ...settled })
    .onConflict((conflict) => conflict.column('signature').doUpdateSet(settled))
    .execute();
  const lost = await trx
    .selectFrom('payment')
    .select('signature')
    .where('signature', '=', signature)
    .where('state', '=', 'lost')
    .executeTakeFirst();
  check(lost !== undefined, MARKET_ERRORS.market_not_found, { what: 'lost payment of this signature' });
}

export async function listMails(db: Reading, state: MailRow['state'] | undefined, { page, limit }: Page) {
  const all = db.selectFrom('mail').$if(state !== undefined, (query) => query.where('state', '=', state ?? 'waiting'));
  const { total } = await all.select((of) => of.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await all
    .selectAll()
    .orderBy('id', 'desc')
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();
  // The text is the merchant's own matter.
  const data = rows.map((row) => ({
    id: row.id,
    merchantId: row.merchant_id,
    voteId: row.vote_id,
    kind: row.kind,
    address: row.address,
    subject: row.subject,
    state: row.state,
    attempts: row.attempts,
    dueAt: row.due_ms,
    sentAt: row.sent_ms,
    failure: row.failure,
    createdAt: row.created_ms,
  }));
  return { data, total: Number(total) };
}

/** One that is just being sent is nobody's to change: it may have arrived. */
async function changeMail(
  trx: Trx,
  id: number,
  from: readonly MailRow['state'][],
  values: Partial<MailRow>,
  nowMs: number,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('mail')
    .set(values)
    .where('id', '=', id)
    .where('state', 'in', [...from])
    .where('lease_until_ms', '<', nowMs)
    .executeTakeFirst();
  if (numUpdatedRows === 1n) return;
  const there = await trx.selectFrom('mail').select('state').where('id', '=', id).executeTakeFirst();
  check(there !== undefined, MARKET_ERRORS.market_not_found, { what: `e-mail ${id}` });
  const isBusy = from.includes(there.state);
  check(false, MARKET_ERRORS.market_duplicate, {
    why: `the e-mail is ${isBusy ? 'being sent just now' : there.state}`,
  });
}

/** At once, and with all tries before it. */
export const retryMail = (trx: Trx, id: number, nowMs: number): Promise<void> =>
  changeMail(trx, id, ['waiting', 'dead', 'dropped'], { state: 'waiting', attempts: 0, due_ms: nowMs }, nowMs);

export const dropMail = (trx: Trx, id: number, nowMs: number): Promise<void> =>
  changeMail(trx, id, ['waiting', 'dead'], { state: 'dropped' }, nowMs);
