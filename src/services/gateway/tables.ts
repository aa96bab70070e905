import type { Kysely } from 'kysely';
import type { Tables } from '../common/database.js';

/**
 * signed: the transaction is recorded and charged to the budget, and may have been sent; sent: the node has taken it;
 * included: a block has it; final: nothing undoes that block. What the chain has refused leaves no row.
 */
export type RegistrationState = 'signed' | 'sent' | 'included' | 'final';

export interface RegistrationRow {
  readonly name: string;
  readonly state: RegistrationState;
  /** Public keys, hex. */
  readonly owner_key: string;
  readonly active_key: string;
  readonly memo_key: string;
  readonly referrer: number;
  readonly percent: number;
  /** Whose budget it is charged to: days since 1970. */
  readonly day: number;
  /** The fee of the transaction; smallest units, decimal. */
  readonly units: string;
  /** The whole signed transaction, hex. */
  readonly packed: string;
  readonly txid: string;
  readonly tx_expiration: number;
  /** Number of a block before all that can have it. */
  readonly after_block: number;
  /** How often these bytes were given to a node, or were about to be. */
  readonly attempts: number;
  /** Whoever finds it unsent then may send it. */
  readonly next_ms: number;
  readonly block: number | null;
  /** Of two branches both have a block of that number. */
  readonly block_id: string | null;
  /** Of the new account. */
  readonly account: number | null;
  /** Hash of the invite code that was used for it. */
  readonly invite: string | null;
  readonly created_ms: number;
}

interface DayRow {
  readonly day: number;
  /** Smallest units, decimal. */
  readonly spent: string;
  readonly touched_ms: number;
}

interface AddressRow {
  readonly day: number;
  readonly address: string;
  readonly count: number;
}

interface InviteRow {
  /** SHA-256 of the code. */
  readonly hash: string;
  readonly until_ms: number;
  /** Account that was registered with it. */
  readonly used_by: string | null;
  readonly created_ms: number;
}

// An alias: kysely joins tables of aliases alone.
export type GatewayTables = {
  readonly registration: RegistrationRow;
  readonly registration_day: DayRow;
  readonly registration_address: AddressRow;
  readonly registration_invite: InviteRow;
};

export const GATEWAY_TABLES: Tables = {
  name: 'gateway',
  migrations: {
    '1_registrations': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('registration')
          .addColumn('name', 'text', (column) => column.primaryKey())
          .addColumn('state', 'text', (column) => column.notNull())
          .addColumn('owner_key', 'text', (column) => column.notNull())
          .addColumn('active_key', 'text', (column) => column.notNull())
          .addColumn('memo_key', 'text', (column) => column.notNull())
          .addColumn('referrer', 'bigint', (column) => column.notNull())
          .addColumn('percent', 'integer', (column) => column.notNull())
          .addColumn('day', 'bigint', (column) => column.notNull())
          .addColumn('units', 'text', (column) => column.notNull())
          .addColumn('packed', 'text', (column) => column.notNull())
          .addColumn('txid', 'text', (column) => column.notNull())
          .addColumn('tx_expiration', 'bigint', (column) => column.notNull())
          .addColumn('after_block', 'bigint', (column) => column.notNull())
          .addColumn('attempts', 'integer', (column) => column.notNull())
          .addColumn('next_ms', 'bigint', (column) => column.notNull())
          .addColumn('block', 'bigint')
          .addColumn('account', 'bigint')
          .addColumn('invite', 'text')
          .addColumn('created_ms', 'bigint', (column) => column.notNull())
          .execute();
        await db.schema.createIndex('registration_state').on('registration').columns(['state', 'block']).execute();
        await db.schema
          .createTable('registration_day')
          .addColumn('day', 'bigint', (column) => column.primaryKey())
          .addColumn('spent', 'text', (column) => column.notNull())
          .addColumn('touched_ms', 'bigint', (column) => column.notNull())
          .execute();
        await db.schema
          .createTable('registration_address')
          .addColumn('day', 'bigint', (column) => column.notNull())
          .addColumn('address', 'text', (column) => column.notNull())
          .addColumn('count', 'integer', (column) => column.notNull())
          .addPrimaryKeyConstraint('registration_address_key', ['day', 'address'])
          .execute();
        await db.schema
          .createTable('registration_invite')
          .addColumn('hash', 'text', (column) => column.primaryKey())
          .addColumn('until_ms', 'bigint', (column) => column.notNull())
          .addColumn('used_by', 'text')
          .addColumn('created_ms', 'bigint', (column) => column.notNull())
          .execute();
      },
    },
    '2_block_id': {
      async up(db: Kysely<unknown>) {
        await db.schema.alterTable('registration').addColumn('block_id', 'text').execute();
      },
    },
  },
};
