import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { check } from '../../base/errors.js';
import { DATABASE_ERRORS } from './database-errors.js';

/**
 * All rows of a database of SQLite into an empty one of PostgreSQL that has the same tables: in one transaction, of which
 * nothing is left when anything goes wrong or does not arrive as it was.
 */

/** What is compared: rows, sums of all whole numbers and amounts, and a digest of all values. */
export interface Moved {
  readonly table: string;
  readonly rows: number;
  readonly sums: Readonly<Record<string, string>>;
}

type Row = Readonly<Record<string, unknown>>;

const AT_ONCE = 500;
const DIGESTS = 1n << 256n;
/** Amounts are texts. */
const AMOUNT = 'units';
const ROW_ID = 'the row';
/** Who works there now is nothing to take along. */
const INSTANCES = 'service_instance';

class Tally {
  readonly #sums = new Map<string, bigint>();
  #digest = 0n;
  rows = 0;

  add(row: Row): void {
    this.rows++;
    const entries = Object.entries(row)
      .filter(([name]) => name !== ROW_ID)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [name, value] of entries) {
      const isCounted = typeof value === 'number' || (name === AMOUNT && typeof value === 'string');
      if (isCounted) this.#sums.set(name, (this.#sums.get(name) ?? 0n) + BigInt(value));
    }
    const hash = createHash('sha256').update(JSON.stringify(entries)).digest('hex');
    this.#digest = (this.#digest + BigInt(`0x${hash}`)) % DIGESTS;
  }

  get sums(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#sums].map(([name, sum]) => [name, String(sum)]));
  }

  get text(): string {
    const sums = [...this.#sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, sum]) => `${name} ${sum}`);
    return [`${this.rows} rows`, ...sums, `digest ${this.#digest.toString(16)}`].join(', ');
  }
}

async function tablesOf(db: Kysely<unknown>): Promise<readonly string[]> {
  const tables = await db.introspection.getTables();
  return tables.map(({ name }) => name).filter((name) => !/_migration(?:_lock)?$/.test(name) && name !== INSTANCES);
}

async function* rowsOf(source: Kysely<unknown>, table: string): AsyncGenerator<readonly Row[]> {
  for (let last = 0; ; ) {
    const { rows } = await sql<Row>`
      SELECT rowid AS ${sql.id(ROW_ID)}, * FROM ${sql.id(table)} WHERE rowid > ${last} ORDER BY rowid LIMIT ${AT_ONCE}
    `.execute(source);
    if (rows.length === 0) return;
    yield rows;
    last = Number(rows.at(-1)?.[ROW_ID]);
  }
}

async function insert(target: Kysely<unknown>, table: string, rows: readonly Row[]): Promise<void> {
  const names = Object.keys(rows[0] as Row).filter((name) => name !== ROW_ID);
  const values = rows.map((row) => sql`(${sql.join(names.map((name) => sql`${row[name]}`))})`);
  const columns = sql.join(names.map((name) => sql.id(name)));
  await sql`INSERT INTO ${sql.id(table)} (${columns}) VALUES ${sql.join(values)}`.execute(target);
}

async function arrived(target: Kysely<unknown>, table: string): Promise<Tally> {
  const tally = new Tally();
  await sql`DECLARE arrived CURSOR FOR SELECT * FROM ${sql.id(table)}`.execute(target);
  for (;;) {
    const { rows } = await sql<Row>`FETCH ${sql.lit(AT_ONCE)} FROM arrived`.execute(target);
    if (rows.length === 0) break;
    for (const row of rows) tally.add(row);
  }
  await sql`CLOSE arrived`.execute(target);
  return tally;
}

async function moveTable(source: Kysely<unknown>, target: Kysely<unknown>, table: string): Promise<Moved> {
  const sent = new Tally();
  for await (const rows of rowsOf(source, table)) {
    for (const row of rows) sent.add(row);
    await insert(target, table, rows);
  }
  const there = await arrived(target, table);
  const isSame = there.text === sent.text;
  check(isSame, DATABASE_ERRORS.database_moved, { table, sent: sent.text, there: there.text });
  return { table, rows: sent.rows, sums: sent.sums };
}

/** Nobody writes to either of them meanwhile; `at` names the target. */
export async function moveRows(from: Kysely<unknown>, to: Kysely<unknown>, at: string): Promise<readonly Moved[]> {
  const tables = await tablesOf(from);
  return from.connection().execute(async (source) => {
    await sql`BEGIN IMMEDIATE`.execute(source);
    try {
      return await to.transaction().execute(async (target) => {
        const all = sql.join(tables.map((table) => sql.id(table)));
        await sql`LOCK TABLE ${all} IN EXCLUSIVE MODE`.execute(target);
        for (const table of tables) {
          const { rows } = await sql`SELECT 1 FROM ${sql.id(table)} LIMIT 1`.execute(target);
          check(rows.length === 0, DATABASE_ERRORS.database_filled, { at, table });
        }
        const moved: Moved[] = [];
        for (const table of tables) moved.push(await moveTable(source, target, table));
        return moved;
      });
    } finally {
      await sql`ROLLBACK`.execute(source);
    }
  });
}
