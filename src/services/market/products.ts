import { type ExpressionBuilder, sql } from 'kysely';
import { check, fail } from '../../base/errors.js';
import { parseJson } from '../../codec/json.js';
import type { Given } from '../../http/routes.js';
import { nextNumber, type ProductRow } from '../exchange/tables.js';
import { MARKET_ERRORS } from './errors.js';
import { jsonText } from './json-text.js';
import type { Logo } from './logo.js';
import type { Reading, Trx } from './merchants.js';
import type { MarketTables } from './tables.js';

/** Products: what they are, who sells them. */

/** What a vote may change; prices in smallest units of the billing asset. */
export interface ProductValues {
  readonly productName: string;
  readonly briefDesc: string;
  readonly price: { readonly amount: bigint; readonly assetId: string };
  readonly categoryId: number;
  readonly privacy: boolean;
  readonly input: Given;
  readonly output: Given;
  /** Name of the picture; empty without one. */
  readonly logo: string;
}

export interface NewProduct extends ProductValues {
  /** Of 10000. */
  readonly threshold: number;
}

const assetText = (asset: number): string => `1.3.${asset}`;

export function valuesOf(row: ProductRow): ProductValues {
  return {
    productName: row.name,
    briefDesc: row.brief,
    price: { amount: BigInt(row.units), assetId: assetText(row.asset) },
    categoryId: row.category_id,
    privacy: row.privacy === 1,
    input: parseJson(row.input),
    output: parseJson(row.output),
    logo: row.logo,
  };
}

function columnsOf(values: ProductValues) {
  return {
    name: values.productName,
    logo: values.logo,
    brief: values.briefDesc,
    category_id: values.categoryId,
    asset: Number(values.price.assetId.slice(4)),
    units: String(values.price.amount),
    privacy: values.privacy ? 1 : 0,
    input: jsonText(values.input),
    output: jsonText(values.output),
  };
}

export async function findProduct(db: Reading, productId: number): Promise<ProductRow> {
  const found = await db.selectFrom('product').selectAll().where('product_id', '=', productId).executeTakeFirst();
  return found ?? fail(MARKET_ERRORS.market_not_found, { what: `product ${productId}` });
}

/**
 * For a change of it or of its members and votes: whoever else wants one waits until the end of the transaction. Written
 * before anything is read, as SQLite wants it.
 */
export async function holdProduct(trx: Trx, productId: number): Promise<ProductRow> {
  await trx.updateTable('product').set({ product_id: productId }).where('product_id', '=', productId).execute();
  return findProduct(trx, productId);
}

/** The longest-standing first. */
export async function membersOf(db: Reading, productId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('product_member')
    .select('merchant_id')
    .where('product_id', '=', productId)
    .orderBy('joined_ms')
    .orderBy('merchant_id')
    .execute();
  return rows.map(({ merchant_id }) => merchant_id);
}

/** That it is there, and stays until the end of the transaction: whoever deletes it sees what was put into it. */
export async function checkCategory(trx: Trx, categoryId: number): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('category')
    .set({ category_id: categoryId })
    .where('category_id', '=', categoryId)
    .executeTakeFirst();
  check(numUpdatedRows === 1n, MARKET_ERRORS.market_not_found, { what: `category ${categoryId}` });
}

export async function createCategory(trx: Trx, name: string): Promise<{ categoryId: number; categoryName: string }> {
  const categoryId = await nextNumber(trx, 'category');
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('category')
    .values({ category_id: categoryId, name })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirst();
  check(numInsertedOrUpdatedRows === 1n, MARKET_ERRORS.market_duplicate, { why: 'there is such a category' });
  return { categoryId, categoryName: name };
}

export async function keepLogo(trx: Trx, { name, bytes }: Logo): Promise<void> {
  const content = Buffer.from(bytes).toString('base64');
  await trx
    .insertInto('logo')
    .values({ name, content })
    // Written in any case: whoever clears away what nobody shows waits, and sees who shows it.
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ content }))
    .execute();
}

/** Whoever publishes it is its first member. */
export async function createProduct(
  trx: Trx,
  { threshold, ...values }: NewProduct,
  issuer: number,
  nowMs: number,
): Promise<number> {
  const product_id = await nextNumber(trx, 'product');
  await checkCategory(trx, values.categoryId);
  await trx
    .insertInto('product')
    .values({ product_id, ...columnsOf(values), issuer, threshold, version: 1, on_sale: 1, created_ms: nowMs })
    .execute();
  await addMembers(trx, product_id, [issuer], nowMs);
  return product_id;
}

export async function addMembers(
  trx: Trx,
  product_id: number,
  merchants: readonly number[],
  nowMs: number,
): Promise<void> {
  for (const merchant_id of merchants) {
    await trx
      .insertInto('product_member')
      .values({ product_id, merchant_id, joined_ms: nowMs })
      .onConflict((conflict) => conflict.columns(['product_id', 'merchant_id']).doNothing())
      .execute();
  }
}

/** What has passed; buyers who have looked at it before see another version. */
export async function changeProduct(trx: Trx, productId: number, values: ProductValues): Promise<void> {
  await trx
    .updateTable('product')
    .set((of) => ({ ...columnsOf(values), version: of('version', '+', 1) }))
    .where('product_id', '=', productId)
    .execute();
}

export async function setOnSale(trx: Trx, productId: number, merchantId: number, isOnSale: boolean): Promise<void> {
  const { issuer } = await holdProduct(trx, productId);
  const isIssuer = issuer === merchantId && (await membersOf(trx, productId)).includes(merchantId);
  check(isIssuer, MARKET_ERRORS.market_forbidden, { why: 'only who has published a product takes it off sale and on' });
  await trx
    .updateTable('product')
    .set({ on_sale: isOnSale ? 1 : 0 })
    .where('product_id', '=', productId)
    .execute();
}

/** The last one takes the product off sale; what the issuer may do goes over to who has been there longest. */
export async function leave(trx: Trx, productId: number, merchantId: number): Promise<void> {
  await holdProduct(trx, productId);
  const { numDeletedRows } = await trx
    .deleteFrom('product_member')
    .where('product_id', '=', productId)
    .where('merchant_id', '=', merchantId)
    .executeTakeFirst();
  check(numDeletedRows === 1n, MARKET_ERRORS.market_forbidden, { why: 'only a member can leave' });
  const [next] = await membersOf(trx, productId);
  if (next === undefined) {
    await trx.updateTable('product').set({ on_sale: 0 }).where('product_id', '=', productId).execute();
    return;
  }
  await trx
    .updateTable('product')
    .set({ issuer: next })
    .where('product_id', '=', productId)
    .where('issuer', '=', merchantId)
    .execute();
}

/** How others see its price, and in votes its members. */
export const shownPrice = ({ asset, units }: Pick<ProductRow, 'asset' | 'units'>) => ({
  amount: units,
  assetId: assetText(asset),
});

export interface Page {
  readonly page: number;
  readonly limit: number;
}

export interface Wanted {
  /** A part of name or description, whatever the case of ASCII letters. */
  readonly text?: string | undefined;
  readonly categoryId?: number | undefined;
  /** 1: of one member alone, 0: of several. */
  readonly shareStatus?: number | undefined;
  readonly priceMax?: bigint | undefined;
  readonly sort?: 'newest' | 'cheapest' | 'name' | undefined;
}

/** Prices are kept as texts, which compare as texts. */
const unitsOf = (of: ExpressionBuilder<MarketTables, 'product'>) => of.cast<number>('product.units', 'bigint');

/** Signs that mean something to LIKE stand for themselves. */
const patternOf = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** The database makes small letters of both: which of them it knows differs, and is not what JavaScript knows. */
const hasIn = (column: 'name' | 'brief', pattern: string) =>
  sql<boolean>`lower(${sql.ref(column)}) like lower(${pattern}) escape '\\'`;

/** Those on sale that fit. */
const isNotBanned = (where: ExpressionBuilder<MarketTables, 'product'>) =>
  where.not(
    where.exists(
      where
        .selectFrom('ban')
        .select('ban.id')
        .where('ban.kind', '=', 'product')
        .whereRef('ban.id', '=', 'product.product_id'),
    ),
  );

export async function listProducts(
  db: Reading,
  { text = '', categoryId = 0, shareStatus, priceMax, sort = 'newest' }: Wanted,
  { page, limit }: Page,
): Promise<{ readonly rows: readonly ProductRow[]; readonly total: number }> {
  const pattern = patternOf(text);
  const all = db
    .selectFrom('product')
    .where('on_sale', '=', 1)
    .where(isNotBanned)
    .$if(text !== '', (query) => query.where((where) => where.or([hasIn('name', pattern), hasIn('brief', pattern)])))
    .$if(categoryId !== 0, (query) => query.where('category_id', '=', categoryId))
    .$if(priceMax !== undefined, (query) => query.where(unitsOf, '<=', Number(priceMax)))
    .$if(shareStatus !== undefined, (query) =>
      query.where((where) =>
        where(
          where
            .selectFrom('product_member')
            .select((of) => of.fn.countAll<number>().as('members'))
            .whereRef('product_member.product_id', '=', 'product.product_id'),
          shareStatus === 1 ? '=' : '>',
          1,
        ),
      ),
    );
  const { total } = await all.select((of) => of.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await all
    .selectAll()
    .$if(sort === 'cheapest', (query) => query.orderBy(unitsOf))
    .$if(sort === 'name', (query) => query.orderBy((of) => of.fn<string>('lower', ['name'])))
    .orderBy('product_id', 'desc')
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();
  return { rows, total: Number(total) };
}

/** What a merchant sells, alone or with others, the newest first. */
export async function productsOf(db: Reading, merchant: number) {
  const rows = await db
    .selectFrom('product_member')
    .innerJoin('product', 'product.product_id', 'product_member.product_id')
    .where('merchant_id', '=', merchant)
    .select(['product.product_id', 'name', 'issuer', 'on_sale', 'version', 'joined_ms'])
    .orderBy('product.product_id', 'desc')
    .execute();
  return rows.map((row) => ({
    productId: row.product_id,
    productName: row.name,
    isIssuer: row.issuer === merchant,
    onSale: row.on_sale === 1,
    version: row.version,
    joinedAt: row.joined_ms,
  }));
}
