import type { Kysely } from 'kysely';
import type { Tables } from '../common/database.js';

/** What can be wrong with the account of a service that its operator has to mend. */
export type AlarmKind = 'fees-out' | 'fees-low';

/** A trouble that lasts, for all instances. */
interface AlarmRow {
  /** Which service, and of which account. */
  readonly service: string;
  readonly kind: AlarmKind;
  readonly since_ms: number;
  /** When the operator was written to. */
  readonly told_ms: number | null;
  /** Until then one instance is about to write. */
  readonly lease_until_ms: number;
  /** Which instance has seen it last, and when: what that one sees the end of may go on for others. */
  readonly seer: string;
  readonly seen_ms: number;
}

// An alias: kysely joins tables of aliases alone.
export type AlarmTables = { readonly alarm: AlarmRow };

export const ALARM_TABLES: Tables = {
  name: 'alarm',
  migrations: {
    '1_alarms': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('alarm')
          .addColumn('service', 'text', (column) => column.notNull())
          .addColumn('kind', 'text', (column) => column.notNull())
          .addColumn('since_ms', 'bigint', (column) => column.notNull())
          .addColumn('told_ms', 'bigint')
          .addColumn('lease_until_ms', 'bigint', (column) => column.notNull())
          .addColumn('seer', 'text', (column) => column.notNull())
          .addColumn('seen_ms', 'bigint', (column) => column.notNull())
          .addPrimaryKeyConstraint('alarm_key', ['service', 'kind'])
          .execute();
      },
    },
  },
};
