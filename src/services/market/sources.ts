import type { Kysely } from 'kysely';
import { Decimal } from './json-text.js';
import { findProduct } from './products.js';
import type { MarketTables } from './tables.js';

/** How well the sources of a product answer: what they delivered of late, and how long it took. */

const SPAN_MS = 30 * 86_400_000;
/** For the middle one; the latest. */
const ANSWERS_MAX = 1000;

const DIGITS = 4;

/** A share with four digits, rounded down: 1 is all of them. */
const shareOf = (part: number, whole: number): Decimal | null =>
  whole === 0 ? null : new Decimal(String(Math.floor((part * 10 ** DIGITS) / whole) / 10 ** DIGITS));

function medianOf(sorted: readonly number[]): number | null {
  if (sorted.length === 0) return null;
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : Math.round(((sorted[middle - 1] as number) + upper) / 2);
}

export async function showSources(db: Kysely<MarketTables>, productId: number, nowMs: number) {
  await findProduct(db, productId);
  const members = await db
    .selectFrom('product_member')
    .innerJoin('merchant', 'merchant.merchant_id', 'product_member.merchant_id')
    .where('product_id', '=', productId)
    .select(['merchant.merchant_id', 'account', 'merchant_name'])
    .orderBy('joined_ms')
    .orderBy('merchant.merchant_id')
    .execute();
  const fromMs = nowMs - SPAN_MS;
  const recent = db.selectFrom('delivery').where('product_id', '=', productId).where('created_ms', '>=', fromMs);
  const counts = await recent
    .select(['source', 'outcome', (of) => of.fn.countAll<number>().as('count')])
    .groupBy(['source', 'outcome'])
    .execute();
  const out = [];
  for (const { merchant_id, account, merchant_name } of members) {
    const own = counts.filter(({ source }) => source === account);
    const asked = own.reduce((sum, { count }) => sum + Number(count), 0);
    const delivered = Number(own.find(({ outcome }) => outcome === 'SUCCESS')?.count ?? 0);
    const times = await recent
      .where('source', '=', account)
      .where('answer_ms', 'is not', null)
      .select('answer_ms')
      .orderBy('created_ms', 'desc')
      .limit(ANSWERS_MAX)
      .execute();
    const sorted = times.map(({ answer_ms }) => Number(answer_ms)).sort((a, b) => a - b);
    out.push({
      accountId: `1.2.${account}`,
      merchantId: merchant_id,
      merchantName: merchant_name,
      asked,
      delivered,
      successRate: shareOf(delivered, asked),
      medianAnswerMs: medianOf(sorted),
    });
  }
  return out;
}
