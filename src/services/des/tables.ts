import { type Kysely, sql } from 'kysely';
import type { Tables } from '../common/database.js';
import type { DeliveryOutcome } from '../exchange/tables.js';

/** What a buyer has asked for, of one product and from one or more sources. */
export interface RequestRow {
  readonly request_id: string;
  readonly product_id: number;
  readonly buyer: number;
  readonly asset: number;
  /** For each source that delivers; smallest units, decimal. */
  readonly units: string;
  readonly percent: number;
  readonly created_ms: number;
}

/**
 * One source of a request. While nothing is decided its payment says how far it is: `reserved` until the answer is
 * stored, see PaymentState for the rest.
 */
export interface LegRow {
  /** Of the buyer's authorization, hex: that of its payment. */
  readonly signature: string;
  readonly request_id: string;
  readonly position: number;
  readonly source: number;
  /** Active keys when it was asked for, as texts. */
  readonly source_key: string;
  readonly buyer_key: string;
  /** Decimal digits, and whether the buyer wrote them as a text. */
  readonly nonce: string;
  readonly nonce_is_text: number;
  readonly memo: string;
  /** The encrypted question; null when it is decided. */
  readonly params: string | null;
  readonly deadline_ms: number;
  /** Of the authorization, seconds. */
  readonly expiration: number;
  /** When the source was asked first. */
  readonly asked_ms: number | null;
  /** From then to its answer. */
  readonly answer_ms: number | null;
  /** The encrypted answer as it came; null when it is no longer kept. */
  readonly data: string | null;
  /** Where the source has used one of its own. */
  readonly answer_nonce: string | null;
  /** What the buyer is shown; null until it is decided. */
  readonly outcome: DeliveryOutcome | null;
  readonly comment: string;
  readonly created_ms: number;
  readonly decided_ms: number | null;
}

/** The last heartbeat of a source. */
export interface PresenceRow {
  readonly account: number;
  /** Ids as a list in JSON. */
  readonly products: string;
  /** Where it wants to be asked, if it has signed that. */
  readonly query_url: string | null;
  readonly expire_ms: number;
  /** Where it was not reached when it was last asked; it is not offered there. Null where it was. */
  readonly unreached_url: string | null;
}

export type DesTables = {
  readonly des_request: RequestRow;
  readonly des_leg: LegRow;
  readonly des_presence: PresenceRow;
};

export const DES_TABLES: Tables = {
  name: 'des',
  migrations: {
    '1_exchange': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('des_request')
          .addColumn('request_id', 'text', (column) => column.primaryKey())
          .addColumn('product_id', 'bigint', (column) => column.notNull())
          .addColumn('buyer', 'bigint', (column) => column.notNull())
          .addColumn('asset', 'bigint', (column) => column.notNull())
          .addColumn('units', 'text', (column) => column.notNull())
          .addColumn('percent', 'integer', (column) => column.notNull())
          .addColumn('created_ms', 'bigint', (column) => column.notNull())
          .execute();
        await db.schema.createIndex('des_request_created').on('des_request').column('created_ms').execute();
        await db.schema.createIndex('des_request_buyer').on('des_request').column('buyer').execute();
        await db.schema
          .createTable('des_leg')
          .addColumn('signature', 'text', (column) => column.primaryKey())
          .addColumn('request_id', 'text', (column) => column.notNull())
          .addColumn('position', 'integer', (column) => column.notNull())
          .addColumn('source', 'bigint', (column) => column.notNull())
          .addColumn('source_key', 'text', (column) => column.notNull())
          .addColumn('buyer_key', 'text', (column) => column.notNull())
          .addColumn('nonce', 'text', (column) => column.notNull())
          .addColumn('nonce_is_text', 'integer', (column) => column.notNull())
          .addColumn('memo', 'text', (column) => column.notNull())
          .addColumn('params', 'text')
          .addColumn('deadline_ms', 'bigint', (column) => column.notNull())
          .addColumn('expiration', 'bigint', (column) => column.notNull())
          .addColumn('asked_ms', 'bigint')
          .addColumn('answer_ms', 'bigint')
          .addColumn('data', 'text')
          .addColumn('answer_nonce', 'text')
          .addColumn('outcome', 'text')
          .addColumn('comment', 'text', (column) => column.notNull())
          .addColumn('created_ms', 'bigint', (column) => column.notNull())
          .addColumn('decided_ms', 'bigint')
          .execute();
        await db.schema.createIndex('des_leg_request').on('des_leg').columns(['request_id', 'position']).execute();
        await db.schema.createIndex('des_leg_outcome').on('des_leg').columns(['outcome', 'created_ms']).execute();
        await db.schema.createIndex('des_leg_source').on('des_leg').column('source').execute();
        await db.schema
          .createTable('des_presence')
          .addColumn('account', 'bigint', (column) => column.primaryKey())
          .addColumn('products', 'text', (column) => column.notNull())
          .addColumn('query_url', 'text')
          .addColumn('expire_ms', 'bigint', (column) => column.notNull())
          .execute();
      },
    },
    '2_alarms': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('des_alarm')
          .addColumn('kind', 'text', (column) => column.primaryKey())
          .addColumn('since_ms', 'bigint', (column) => column.notNull())
          .addColumn('told_ms', 'bigint')
          .addColumn('lease_until_ms', 'bigint', (column) => column.notNull())
          .execute();
      },
    },
    '3_seers': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .alterTable('des_alarm')
          .addColumn('seer', 'text', (column) => column.notNull().defaultTo(''))
          .execute();
        await db.schema
          .alterTable('des_alarm')
          .addColumn('seen_ms', 'bigint', (column) => column.notNull().defaultTo(0))
          .execute();
      },
    },
    // Services that pay share a table now: nothing that is older than a day was in this one.
    '4_alarms_of_all': {
      async up(db: Kysely<unknown>) {
        await db.schema.dropTable('des_alarm').execute();
      },
    },
    // Few of all legs have an answer still: they are looked for again and again.
    '5_kept_answers': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createIndex('des_leg_data')
          .on('des_leg')
          .column('created_ms')
          .where(sql<boolean>`data IS NOT NULL`)
          .execute();
      },
    },
    '6_unreached': {
      async up(db: Kysely<unknown>) {
        await db.schema.alterTable('des_presence').addColumn('unreached_url', 'text').execute();
      },
    },
  },
};
