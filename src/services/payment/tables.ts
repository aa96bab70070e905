import type { Kysely } from 'kysely';
import type { Tables } from '../common/database.js';

/**
 * reserved: its amount is held back, what is paid for is not there yet; ready: it may be paid; signed: the transaction is
 * recorded, and may have been sent; sent: the node has taken it; included: a block has; final: nothing undoes that block;
 * failed: no block will ever have it, nothing was paid; lost: the same, though what it was for was handed out.
 */
export type PaymentState = 'reserved' | 'ready' | 'signed' | 'sent' | 'included' | 'final' | 'failed' | 'lost';

/** One authorization of a payer, and all that was made of it. */
export interface PaymentRow {
  /** Of the payer, hex: the chain takes each once, for ever. */
  readonly signature: string;
  /** What is paid for: the service that asked. */
  readonly purpose: string;
  readonly state: PaymentState;
  readonly payer: number;
  readonly asset: number;
  /** Smallest units, decimal. */
  readonly units: string;
  /** Seconds; of the authorization. */
  readonly expiration: number;
  /** The authorization as the chain packs it, hex. */
  readonly request: string;
  /** Text of the transaction that says what was paid for. */
  readonly memo: string | null;
  /** The whole signed transaction, hex. */
  readonly packed: string | null;
  readonly txid: string | null;
  readonly tx_expiration: number | null;
  /** Number of a block before all that can have it. */
  readonly after_block: number | null;
  /** How often these bytes were given to a node, or were about to be. */
  readonly attempts: number;
  readonly block: number | null;
  /** Of two branches both have a block of that number. */
  readonly block_id: string | null;
  /** Why it failed. */
  readonly failure: string | null;
  readonly created_ms: number;
  readonly sent_ms: number | null;
  /** When what it is for was handed out: what fails afterwards is lost. */
  readonly released_ms: number | null;
  readonly lease_owner: string;
  readonly lease_until_ms: number;
}

/** One row for each that pays: whoever reserves holds it meanwhile, so that two never spend the same balance. */
interface PayerRow {
  readonly account: number;
  readonly asset: number;
  readonly touched_ms: number;
}

// An alias: kysely joins tables of aliases alone.
export type PaymentTables = {
  readonly payment: PaymentRow;
  readonly payer: PayerRow;
};

export const PAYMENT_TABLES: Tables = {
  name: 'payment',
  migrations: {
    '1_payments': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('payment')
          .addColumn('signature', 'text', (column) => column.primaryKey())
          .addColumn('purpose', 'text', (column) => column.notNull())
          .addColumn('state', 'text', (column) => column.notNull())
          .addColumn('payer', 'bigint', (column) => column.notNull())
          .addColumn('asset', 'bigint', (column) => column.notNull())
          .addColumn('units', 'text', (column) => column.notNull())
          .addColumn('expiration', 'bigint', (column) => column.notNull())
          .addColumn('request', 'text', (column) => column.notNull())
          .addColumn('memo', 'text')
          .addColumn('packed', 'text')
          .addColumn('txid', 'text')
          .addColumn('tx_expiration', 'bigint')
          .addColumn('after_block', 'bigint')
          .addColumn('attempts', 'integer', (column) => column.notNull())
          .addColumn('block', 'bigint')
          .addColumn('failure', 'text')
          .addColumn('created_ms', 'bigint', (column) => column.notNull())
          .addColumn('sent_ms', 'bigint')
          .addColumn('lease_owner', 'text', (column) => column.notNull())
          .addColumn('lease_until_ms', 'bigint', (column) => column.notNull())
          .execute();
        await db.schema.createIndex('payment_state').on('payment').columns(['state', 'lease_until_ms']).execute();
        await db.schema.createIndex('payment_payer').on('payment').columns(['payer', 'asset', 'state']).execute();
        await db.schema.createIndex('payment_block').on('payment').column('block').execute();
        await db.schema
          .createTable('payer')
          .addColumn('account', 'bigint', (column) => column.notNull())
          .addColumn('asset', 'bigint', (column) => column.notNull())
          .addColumn('touched_ms', 'bigint', (column) => column.notNull())
          .addPrimaryKeyConstraint('payer_key', ['account', 'asset'])
          .execute();
      },
    },
    '2_release': {
      async up(db: Kysely<unknown>) {
        await db.schema.alterTable('payment').addColumn('released_ms', 'bigint').execute();
        // Whatever a node had taken was handed out at once until then.
        await (db as Kysely<PaymentTables>)
          .updateTable('payment')
          .set((row) => ({ released_ms: row.ref('sent_ms') }))
          .execute();
      },
    },
    '3_block_id': {
      async up(db: Kysely<unknown>) {
        await db.schema.alterTable('payment').addColumn('block_id', 'text').execute();
      },
    },
    // Payments are kept for ever: nothing of every day may read all that one payer, or all of them, have ever paid.
    '4_of_every_day': {
      async up(db: Kysely<unknown>) {
        await db.schema.createIndex('payment_sent').on('payment').columns(['payer', 'asset', 'sent_ms']).execute();
        await db.schema.createIndex('payment_purpose').on('payment').columns(['purpose', 'state']).execute();
      },
    },
  },
};
