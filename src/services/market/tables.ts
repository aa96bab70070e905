import type { Kysely } from 'kysely';
import type { Tables } from '../common/database.js';
import type { ExchangeTables } from '../exchange/tables.js';
import type { PaymentTables } from '../payment/tables.js';

/** What the market keeps for itself: votes, notifications, what it has read of the chain, what it has answered. */

export type VoteType = 'APPLY' | 'ADD_MEMBER' | 'UPDATE_PRODUCT';
export type VoteStatus = 'INPROGRESS' | 'PASS' | 'REJECT';

export interface VoteRow {
  readonly vote_id: number;
  readonly product_id: number;
  readonly type: VoteType;
  /** Merchant. */
  readonly requester: number;
  /** Merchants who want in or are invited: JSON list. */
  readonly members: string;
  /** JSON of the product's values before and after; empty for other types. */
  readonly from_values: string;
  readonly to_values: string;
  readonly created_ms: number;
  readonly expire_ms: number;
  /** Of 10000, as it was when the vote began. */
  readonly threshold: number;
  /** How many may vote. */
  readonly electors: number;
  readonly status: VoteStatus;
  readonly closed_ms: number | null;
  readonly reason: string | null;
}

interface ElectorRow {
  readonly vote_id: number;
  readonly merchant_id: number;
}

interface BallotRow extends ElectorRow {
  /** 0 or 1. */
  readonly agree: number;
  readonly cast_ms: number;
}

export type NotificationKind = 'VOTE_CREATED' | 'VOTE_CLOSED';

interface NotificationRow {
  readonly id: number;
  readonly merchant_id: number;
  readonly vote_id: number;
  readonly kind: NotificationKind;
  readonly created_ms: number;
  readonly read_ms: number | null;
}

export interface MailRow {
  readonly id: number;
  readonly merchant_id: number;
  readonly vote_id: number;
  readonly kind: NotificationKind;
  readonly address: string;
  readonly subject: string;
  readonly body: string;
  /** dead: given up after its last try; dropped: given up by an administrator. */
  readonly state: 'waiting' | 'sent' | 'dead' | 'dropped';
  readonly attempts: number;
  /** Not before then. */
  readonly due_ms: number;
  readonly lease_owner: string;
  readonly lease_until_ms: number;
  readonly sent_ms: number | null;
  readonly failure: string | null;
  readonly created_ms: number;
}

/** A signed call that was made: the same one is not made again. */
interface SeenCallRow {
  /** SHA-256 of what was signed: a signature can be bent into another one of the same text. */
  readonly digest: string;
  readonly until_ms: number;
}

/** The answer to a call that its client has named, for the next time that it comes under that name. */
interface KeptAnswerRow {
  readonly account: number;
  readonly name: string;
  readonly request: string;
  readonly answer: string;
  readonly created_ms: number;
}

/** When an account was last bound, so that an older binding does not come back. */
interface BindingRow {
  readonly account: number;
  readonly signed_ms: number;
}

/** Transfers to an account, as read from the node's history of it. */
interface IncomeRow {
  readonly account: number;
  /** In its history. */
  readonly position: number;
  readonly units: string;
  readonly time_ms: number;
}

interface IncomeReadRow {
  readonly account: number;
  /** Up to here. */
  readonly position: number;
}

interface LogoRow {
  /** `<sha256>.<ext>` */
  readonly name: string;
  /** Base64: no type for bytes is the same in all databases. */
  readonly content: string;
}

/** A lost payment that an administrator has looked after. */
interface SettledLossRow {
  readonly signature: string;
  readonly note: string;
  readonly by_account: number;
  readonly at_ms: number;
}

type OwnTables = {
  readonly vote: VoteRow;
  readonly elector: ElectorRow;
  readonly ballot: BallotRow;
  readonly notification: NotificationRow;
  readonly mail: MailRow;
  readonly seen_call: SeenCallRow;
  readonly kept_answer: KeptAnswerRow;
  readonly binding: BindingRow;
  readonly income: IncomeRow;
  readonly income_read: IncomeReadRow;
  readonly logo: LogoRow;
  readonly settled_loss: SettledLossRow;
};

export type MarketTables = OwnTables & ExchangeTables & PaymentTables;

async function createVotes({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('vote')
    .addColumn('vote_id', 'bigint', (column) => column.primaryKey())
    .addColumn('product_id', 'bigint', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('requester', 'bigint', (column) => column.notNull())
    .addColumn('members', 'text', (column) => column.notNull())
    .addColumn('from_values', 'text', (column) => column.notNull())
    .addColumn('to_values', 'text', (column) => column.notNull())
    .addColumn('created_ms', 'bigint', (column) => column.notNull())
    .addColumn('expire_ms', 'bigint', (column) => column.notNull())
    .addColumn('threshold', 'integer', (column) => column.notNull())
    .addColumn('electors', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('closed_ms', 'bigint')
    .addColumn('reason', 'text')
    .execute();
  await schema.createIndex('vote_product').on('vote').columns(['product_id', 'status']).execute();
  await schema.createIndex('vote_due').on('vote').columns(['status', 'expire_ms']).execute();
  await schema.createIndex('vote_requester').on('vote').columns(['requester', 'status']).execute();
  await schema
    .createTable('elector')
    .addColumn('vote_id', 'bigint', (column) => column.notNull())
    .addColumn('merchant_id', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('elector_key', ['vote_id', 'merchant_id'])
    .execute();
  await schema
    .createTable('ballot')
    .addColumn('vote_id', 'bigint', (column) => column.notNull())
    .addColumn('merchant_id', 'bigint', (column) => column.notNull())
    .addColumn('agree', 'integer', (column) => column.notNull())
    .addColumn('cast_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('ballot_key', ['vote_id', 'merchant_id'])
    .execute();
}

async function createNotifications({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('notification')
    .addColumn('id', 'bigint', (column) => column.primaryKey())
    .addColumn('merchant_id', 'bigint', (column) => column.notNull())
    .addColumn('vote_id', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('created_ms', 'bigint', (column) => column.notNull())
    .addColumn('read_ms', 'bigint')
    .addUniqueConstraint('notification_once', ['vote_id', 'merchant_id', 'kind'])
    .execute();
  await schema.createIndex('notification_merchant').on('notification').columns(['merchant_id', 'id']).execute();
  await schema
    .createTable('mail')
    .addColumn('id', 'bigint', (column) => column.primaryKey())
    .addColumn('merchant_id', 'bigint', (column) => column.notNull())
    .addColumn('vote_id', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('due_ms', 'bigint', (column) => column.notNull())
    .addColumn('lease_owner', 'text', (column) => column.notNull())
    .addColumn('lease_until_ms', 'bigint', (column) => column.notNull())
    .addColumn('sent_ms', 'bigint')
    .addColumn('failure', 'text')
    .addColumn('created_ms', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('mail_once', ['vote_id', 'merchant_id', 'kind'])
    .execute();
  await schema.createIndex('mail_due').on('mail').columns(['state', 'due_ms']).execute();
}

async function createCalls({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('seen_call')
    .addColumn('digest', 'text', (column) => column.primaryKey())
    .addColumn('until_ms', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createTable('kept_answer')
    .addColumn('account', 'bigint', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('answer', 'text', (column) => column.notNull())
    .addColumn('created_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('kept_answer_key', ['account', 'name'])
    .execute();
  await schema
    .createTable('binding')
    .addColumn('account', 'bigint', (column) => column.primaryKey())
    .addColumn('signed_ms', 'bigint', (column) => column.notNull())
    .execute();
}

async function createIncome({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('income')
    .addColumn('account', 'bigint', (column) => column.notNull())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('units', 'text', (column) => column.notNull())
    .addColumn('time_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('income_key', ['account', 'position'])
    .execute();
  await schema.createIndex('income_time').on('income').columns(['account', 'time_ms']).execute();
  await schema
    .createTable('income_read')
    .addColumn('account', 'bigint', (column) => column.primaryKey())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createTable('logo')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('content', 'text', (column) => column.notNull())
    .execute();
}

export const MARKET_TABLES: Tables = {
  name: 'market',
  migrations: {
    '1_market': {
      async up(db: Kysely<unknown>) {
        await createVotes(db);
        await createNotifications(db);
        await createCalls(db);
        await createIncome(db);
      },
    },
    '2_settled_losses': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('settled_loss')
          .addColumn('signature', 'text', (column) => column.primaryKey())
          .addColumn('note', 'text', (column) => column.notNull())
          .addColumn('by_account', 'bigint', (column) => column.notNull())
          .addColumn('at_ms', 'bigint', (column) => column.notNull())
          .execute();
      },
    },
    '3_old_notifications': {
      async up(db: Kysely<unknown>) {
        await db.schema.createIndex('notification_created').on('notification').column('created_ms').execute();
      },
    },
  },
};
