import { parseJson } from '../../codec/json.js';
import type { MerchantRow } from '../exchange/tables.js';
import type { Reading, Trx } from './merchants.js';
import { leave } from './products.js';
import type { Votes } from './votes.js';

/** All that the market knows of a merchant, to be handed out and to be deleted. */

export async function exportOf(db: Reading, merchant: MerchantRow) {
  const { merchant_id, account } = merchant;
  const memberships = await db
    .selectFrom('product_member')
    .innerJoin('product', 'product.product_id', 'product_member.product_id')
    .selectAll('product')
    .select('joined_ms')
    .where('merchant_id', '=', merchant_id)
    .orderBy('product.product_id')
    .execute();
  const requested = await db
    .selectFrom('vote')
    .selectAll()
    .where('requester', '=', merchant_id)
    .orderBy('vote_id')
    .execute();
  const ballots = await db
    .selectFrom('ballot')
    .selectAll()
    .where('merchant_id', '=', merchant_id)
    .orderBy('vote_id')
    .execute();
  const notifications = await db
    .selectFrom('notification')
    .selectAll()
    .where('merchant_id', '=', merchant_id)
    .orderBy('id')
    .execute();
  const mails = await db
    .selectFrom('mail')
    .select(['id', 'address', 'subject', 'body', 'state', 'created_ms', 'sent_ms'])
    .where('merchant_id', '=', merchant_id)
    .orderBy('id')
    .execute();
  const deliveries = await db
    .selectFrom('delivery')
    .leftJoin('payment', 'payment.signature', 'delivery.signature')
    .selectAll('delivery')
    .select(['payment.state', 'payment.txid'])
    .where((where) => where.or([where('buyer', '=', account), where('source', '=', account)]))
    .orderBy('delivery.id')
    .execute();
  const income = await db.selectFrom('income').selectAll().where('account', '=', account).orderBy('position').execute();
  return {
    merchant,
    memberships: memberships.map((row) => ({ ...row, input: parseJson(row.input), output: parseJson(row.output) })),
    votes: requested,
    ballots,
    notifications,
    mails,
    deliveries,
    income,
  };
}

/**
 * Profile, e-mail, logo and notifications go at once, and with them what the merchant sells. Rows of payments keep account
 * and transaction; the exchange takes its packets away when it sees the erasure.
 */
export async function forget(trx: Trx, votes: Votes, merchant: MerchantRow, nowMs: number): Promise<void> {
  const { merchant_id, account } = merchant;
  // Written first: whoever else changes this merchant waits.
  await trx
    .insertInto('erasure')
    .values({ account, asked_ms: nowMs, packets_ms: null })
    .onConflict((conflict) => conflict.column('account').doUpdateSet({ asked_ms: nowMs, packets_ms: null }))
    .execute();
  await votes.withdraw(trx, merchant_id, nowMs);
  const products = await trx
    .selectFrom('product_member')
    .select('product_id')
    .where('merchant_id', '=', merchant_id)
    .execute();
  for (const { product_id } of products) await leave(trx, product_id, merchant_id);
  await forgetLogos(trx);
  await trx.deleteFrom('notification').where('merchant_id', '=', merchant_id).execute();
  await trx.deleteFrom('mail').where('merchant_id', '=', merchant_id).execute();
  await trx.deleteFrom('kept_answer').where('account', '=', account).execute();
  await trx.deleteFrom('income').where('account', '=', account).execute();
  await trx.deleteFrom('income_read').where('account', '=', account).execute();
  await trx.deleteFrom('merchant').where('merchant_id', '=', merchant_id).execute();
}

/** Of products that nobody sells any more. */
async function forgetLogos(trx: Trx): Promise<void> {
  await trx
    .updateTable('product')
    .set({ logo: '' })
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('product_member')
            .select('product_member.merchant_id')
            .whereRef('product_member.product_id', '=', 'product.product_id'),
        ),
      ),
    )
    .execute();
  await deleteUnusedLogos(trx);
}

/** Neither a product shows them nor would one that is voted on. */
export async function deleteUnusedLogos(trx: Trx): Promise<void> {
  const unused = await unusedLogos(trx).execute();
  if (unused.length === 0) return;
  const names = unused.map(({ name }) => name).sort();
  // Held, and looked at again: whoever publishes with one of them has written it first.
  for (const name of names) await trx.updateTable('logo').set({ name }).where('name', '=', name).execute();
  const still = await unusedLogos(trx).where('name', 'in', names).execute();
  const running = await trx.selectFrom('vote').select('to_values').where('status', '=', 'INPROGRESS').execute();
  for (const { name } of still) {
    const isWanted = running.some(({ to_values }) => to_values.includes(`"${name}"`));
    if (!isWanted) await trx.deleteFrom('logo').where('name', '=', name).execute();
  }
}

const unusedLogos = (trx: Trx) =>
  trx
    .selectFrom('logo')
    .select('name')
    .where((where) =>
      where.not(
        where.exists(where.selectFrom('product').select('product.logo').whereRef('product.logo', '=', 'logo.name')),
      ),
    );
