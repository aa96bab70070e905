import { type Kysely, sql, type Transaction } from 'kysely';
import { invariant } from '../../base/errors.js';
import type { Tables } from '../common/database.js';

/**
 * What market and exchange of data share in one database: the market writes who sells what, the exchange reads it and
 * writes what was delivered, and the market makes bills of that.
 */

/** A merchant and the account that is bound to it, one to one. */
export interface MerchantRow {
  readonly merchant_id: number;
  /** Instance of the account. */
  readonly account: number;
  /** Where the exchange asks its source. */
  readonly service_url: string;
  readonly authorizer_name: string;
  readonly merchant_name: string;
  readonly logo_url: string;
  readonly address: string;
  readonly email: string;
  /** Applications in a row that were rejected. */
  readonly rejections: number;
  readonly banned_until_ms: number;
  readonly created_ms: number;
}

export interface CategoryRow {
  readonly category_id: number;
  readonly name: string;
}

export interface ProductRow {
  readonly product_id: number;
  readonly name: string;
  /** `<sha256>.<ext>` of the logo; empty without one. */
  readonly logo: string;
  readonly brief: string;
  readonly category_id: number;
  /** Merchant that has published it. */
  readonly issuer: number;
  /** Of 10000. */
  readonly threshold: number;
  /** From 1 on, one more with each change that passes. */
  readonly version: number;
  readonly asset: number;
  /** Smallest units, decimal. */
  readonly units: string;
  /** 0 or 1. */
  readonly privacy: number;
  /** Descriptors by parameter, JSON. */
  readonly input: string;
  readonly output: string;
  /** 0 or 1. */
  readonly on_sale: number;
  readonly created_ms: number;
}

export interface ProductMemberRow {
  readonly product_id: number;
  readonly merchant_id: number;
  readonly joined_ms: number;
}

export type DeliveryOutcome = 'SUCCESS' | 'FAIL' | 'NONE' | 'TIMEOUT';

/**
 * One source that was asked for one buyer, written once, in the transaction that decides it. Paid are those whose
 * `payment` (same signature) is sent, included or final: a lost one is on no bill. For ever where it was paid.
 */
export interface DeliveryRow {
  readonly id: number;
  readonly request_id: string;
  readonly product_id: number;
  /** Accounts. */
  readonly buyer: number;
  readonly source: number;
  /** Of the buyer's authorization, hex. */
  readonly signature: string;
  readonly outcome: DeliveryOutcome;
  readonly asset: number;
  readonly units: string;
  /** Share of the exchange, of 10000. */
  readonly percent: number;
  /** From the question to the source's answer; null without one. */
  readonly answer_ms: number | null;
  /** When it was asked for. */
  readonly created_ms: number;
}

/** An account whose data is to be forgotten: whoever keeps some of it deletes it and says so. */
export interface ErasureRow {
  readonly account: number;
  readonly asked_ms: number;
  /** When the exchange had taken the packets of this account away. */
  readonly packets_ms: number | null;
}

/** What administrators have shut out: an account neither buys nor sells, a product is not sold. */
export interface BanRow {
  readonly kind: 'account' | 'product';
  readonly id: number;
  readonly reason: string;
  /** Administrator. */
  readonly by_account: number;
  readonly since_ms: number;
}

/** Numbers that are given out one after another; one statement gives one out and locks the row. */
interface CounterRow {
  readonly name: string;
  readonly value: number;
}

export type ExchangeTables = {
  readonly merchant: MerchantRow;
  readonly category: CategoryRow;
  readonly product: ProductRow;
  readonly product_member: ProductMemberRow;
  readonly delivery: DeliveryRow;
  readonly erasure: ErasureRow;
  readonly ban: BanRow;
  readonly counter: CounterRow;
};

/** As its index says it: with a value beside the text the database would not know that it fits. */
export const isUndelivered = sql<boolean>`outcome <> 'SUCCESS'`;

/** The next number of this name, from 1 on. */
export async function nextNumber(trx: Transaction<ExchangeTables>, name: string): Promise<number> {
  const row = await trx
    .insertInto('counter')
    .values({ name, value: 1 })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((of) => ({ value: sql<number>`${of.ref('counter.value')} + 1` })),
    )
    .returning('value')
    .executeTakeFirst();
  invariant(row !== undefined, 'an insertion gives its row back');
  return Number(row.value);
}

export const EXCHANGE_TABLES: Tables = {
  name: 'exchange',
  migrations: {
    '1_exchange': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('counter')
          .addColumn('name', 'text', (column) => column.primaryKey())
          .addColumn('value', 'bigint', (column) => column.notNull())
          .execute();
        await db.schema
          .createTable('merchant')
          .addColumn('merchant_id', 'bigint', (column) => column.primaryKey())
          .addColumn('account', 'bigint', (column) => column.notNull().unique())
          .addColumn('service_url', 'text', (column) => column.notNull())
          .addColumn('authorizer_name', 'text', (column) => column.notNull())
          .addColumn('merchant_name', 'text', (column) => column.notNull())
          .addColumn('logo_url', 'text', (column) => column.notNull())
          .addColumn('address', 'text', (column) => column.notNull())
          .addColumn('email', 'text', (column) => column.notNull())
          .addColumn('rejections', 'integer', (column) => column.notNull())
          .addColumn('banned_until_ms', 'bigint', (column) => column.notNull())
          .addColumn('created_ms', 'bigint', (column) => column.notNull())
          .execute();
        await db.schema
          .createTable('category')
          .addColumn('category_id', 'bigint', (column) => column.primaryKey())
          .addColumn('name', 'text', (column) => column.notNull().unique())
          .execute();
        await db.schema
          .createTable('product')
          .addColumn('product_id', 'bigint', (column) => column.primaryKey())
          .addColumn('name', 'text', (column) => column.notNull())
          .addColumn('logo', 'text', (column) => column.notNull())
          .addColumn('brief', 'text', (column) => column.notNull())
          .addColumn('category_id', 'bigint', (column) => column.notNull())
          .addColumn('issuer', 'bigint', (column) => column.notNull())
          .addColumn('threshold', 'integer', (column) => column.notNull())
          .addColumn('version', 'integer', (column) => column.notNull())
          .addColumn('asset', 'bigint', (column) => column.notNull())
          .addColumn('units', 'text', (column) => column.notNull())
          .addColumn('privacy', 'integer', (column) => column.notNull())
          .addColumn('input', 'text', (column) => column.notNull())
          .addColumn('output', 'text', (column) => column.notNull())
          .addColumn('on_sale', 'integer', (column) => column.notNull())
          .addColumn('created_ms', 'bigint', (column) => column.notNull())
          .execute();
        await db.schema.createIndex('product_category').on('product').columns(['category_id', 'on_sale']).execute();
        await db.schema
          .createTable('product_member')
          .addColumn('product_id', 'bigint', (column) => column.notNull())
          .addColumn('merchant_id', 'bigint', (column) => column.notNull())
          .addColumn('joined_ms', 'bigint', (column) => column.notNull())
          .addPrimaryKeyConstraint('product_member_key', ['product_id', 'merchant_id'])
          .execute();
        await db.schema.createIndex('product_member_merchant').on('product_member').column('merchant_id').execute();
        await db.schema
          .createTable('delivery')
          .addColumn('id', 'bigint', (column) => column.primaryKey())
          .addColumn('request_id', 'text', (column) => column.notNull())
          .addColumn('product_id', 'bigint', (column) => column.notNull())
          .addColumn('buyer', 'bigint', (column) => column.notNull())
          .addColumn('source', 'bigint', (column) => column.notNull())
          .addColumn('signature', 'text', (column) => column.notNull().unique())
          .addColumn('outcome', 'text', (column) => column.notNull())
          .addColumn('asset', 'bigint', (column) => column.notNull())
          .addColumn('units', 'text', (column) => column.notNull())
          .addColumn('percent', 'integer', (column) => column.notNull())
          .addColumn('answer_ms', 'bigint')
          .addColumn('created_ms', 'bigint', (column) => column.notNull())
          .execute();
        await db.schema.createIndex('delivery_buyer').on('delivery').columns(['buyer', 'created_ms']).execute();
        await db.schema.createIndex('delivery_source').on('delivery').columns(['source', 'created_ms']).execute();
        await db.schema.createIndex('delivery_product').on('delivery').columns(['product_id', 'created_ms']).execute();
        await db.schema
          .createTable('erasure')
          .addColumn('account', 'bigint', (column) => column.primaryKey())
          .addColumn('asked_ms', 'bigint', (column) => column.notNull())
          .addColumn('packets_ms', 'bigint')
          .execute();
      },
    },
    '2_bans': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('ban')
          .addColumn('kind', 'text', (column) => column.notNull())
          .addColumn('id', 'bigint', (column) => column.notNull())
          .addColumn('reason', 'text', (column) => column.notNull())
          .addColumn('by_account', 'bigint', (column) => column.notNull())
          .addColumn('since_ms', 'bigint', (column) => column.notNull())
          .addPrimaryKeyConstraint('ban_key', ['kind', 'id'])
          .execute();
      },
    },
    // Those that are forgotten one day: what was paid is kept for ever, and is most of it.
    '3_undelivered': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createIndex('delivery_undelivered')
          .on('delivery')
          .column('created_ms')
          .where(isUndelivered)
          .execute();
      },
    },
  },
};
