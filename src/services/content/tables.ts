import type { Kysely } from 'kysely';
import type { Tables } from '../common/database.js';

/** A content: its id in the oldest form, `Qm…`. */
interface RootRow {
  readonly root: string;
  readonly bytes: number;
}

/** Who wants a content to be kept. */
interface PinRow {
  readonly root: string;
  readonly owner: string;
  /** From then on everybody may have it. */
  readonly released_ms: number | null;
}

/** Contents share blocks: one is of no more use when no content has it. */
interface BlockRow {
  /** SHA-256 of its bytes, hex. */
  readonly block: string;
  readonly root: string;
}

/** Contents that an IPFS node has pinned as well. */
interface HandedRow {
  readonly root: string;
  readonly handed_ms: number;
}

/** One row: what tells this database from every other, and goes with it wherever it is moved. */
interface DatabaseRow {
  readonly one: number;
  readonly id: string;
}

// An alias: kysely joins tables of aliases alone.
export type ContentTables = {
  readonly content_root: RootRow;
  readonly content_pin: PinRow;
  readonly content_block: BlockRow;
  readonly content_handed: HandedRow;
  readonly content_database: DatabaseRow;
};

export const CONTENT_TABLES: Tables = {
  name: 'content',
  migrations: {
    '1_contents': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('content_root')
          .addColumn('root', 'text', (column) => column.primaryKey())
          .addColumn('bytes', 'bigint', (column) => column.notNull())
          .execute();
        await db.schema
          .createTable('content_pin')
          .addColumn('root', 'text', (column) => column.notNull())
          .addColumn('owner', 'text', (column) => column.notNull())
          .addColumn('released_ms', 'bigint')
          .addPrimaryKeyConstraint('content_pin_key', ['root', 'owner'])
          .execute();
        await db.schema.createIndex('content_pin_owner').on('content_pin').column('owner').execute();
        await db.schema
          .createTable('content_block')
          .addColumn('block', 'text', (column) => column.notNull())
          .addColumn('root', 'text', (column) => column.notNull())
          .addPrimaryKeyConstraint('content_block_key', ['block', 'root'])
          .execute();
        await db.schema.createIndex('content_block_root').on('content_block').column('root').execute();
      },
    },
    '2_handed': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('content_handed')
          .addColumn('root', 'text', (column) => column.primaryKey())
          .addColumn('handed_ms', 'bigint', (column) => column.notNull())
          .execute();
      },
    },
    '3_database': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('content_database')
          .addColumn('one', 'integer', (column) => column.primaryKey())
          .addColumn('id', 'text', (column) => column.notNull())
          .execute();
      },
    },
  },
};
