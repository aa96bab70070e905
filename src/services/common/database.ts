import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { Kysely, type Migration, Migrator, type SqliteDatabase, SqliteDialect, sql } from 'kysely';
import { ChainError, check, defineErrors } from '../../base/errors.js';

/**
 * The database of the services: SQLite in a file, behind typed queries that PostgreSQL understands as well. Times are
 * milliseconds, amounts are texts of decimal digits, both because no number type of all databases and of JavaScript holds
 * them.
 */

export const DATABASE_ERRORS = defineErrors(
  {
    database_missing: {
      text: 'the services keep their data with better-sqlite3, which is not installed: npm install better-sqlite3',
    },
    database_broken: {
      text: 'better-sqlite3 does not load on this machine (${why}): npm rebuild better-sqlite3',
    },
    database_file: { text: 'cannot open the database ${file}: ${why}' },
    database_exists: { text: 'there is ${file} already: move it away first' },
    database_newer: { text: 'the database ${file} was written by a later version of this program' },
  },
  'environment',
);

/** The part of the library that is used here: it brings no types. */
type OpenSqlite = new (
  file: string,
  options: { readonly timeout: number },
) => SqliteDatabase & {
  pragma(text: string): unknown;
};

/** Somebody else writes for longer: then it is an error, since everybody waits meanwhile. */
const BUSY_MS = 2000;

/** What one part of the services keeps, and how it came to be; names are given out once. */
export interface Tables {
  readonly name: string;
  readonly migrations: Readonly<Record<string, Migration>>;
}

function whyOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] as string;
}

/** Installed where a compiler was, or a build for this machine: node and wallet do without it. */
function loadSqlite(load: (name: string) => unknown): OpenSqlite {
  try {
    return load('better-sqlite3') as OpenSqlite;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'MODULE_NOT_FOUND') throw new ChainError(DATABASE_ERRORS.database_missing);
    throw new ChainError(DATABASE_ERRORS.database_broken, { why: whyOf(error) });
  }
}

function openSqlite(file: string, load: (name: string) => unknown): SqliteDatabase {
  const Sqlite = loadSqlite(load);
  let database: InstanceType<OpenSqlite>;
  try {
    database = new Sqlite(file, { timeout: BUSY_MS });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The native part is looked for when it is first needed.
    const isFile = code?.startsWith('SQLITE_') === true || error instanceof TypeError;
    if (isFile) throw new ChainError(DATABASE_ERRORS.database_file, { file, why: whyOf(error) });
    throw new ChainError(DATABASE_ERRORS.database_broken, { why: whyOf(error) });
  }
  try {
    // What was committed is there after a power loss too: a payment is recorded before it is sent.
    for (const text of ['journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON']) database.pragma(text);
  } catch (error) {
    database.close();
    throw new ChainError(DATABASE_ERRORS.database_file, { file, why: whyOf(error) });
  }
  return database;
}

/** Where the database of a service is; its folder is made. */
export function databaseFile(
  { 'data-dir': folder, database }: { readonly 'data-dir': string; readonly database: string | undefined },
  name: string,
): string {
  const file = resolve(database ?? join(folder, name));
  try {
    mkdirSync(dirname(file), { recursive: true });
  } catch (error) {
    throw new ChainError(DATABASE_ERRORS.database_file, { file: dirname(file), why: whyOf(error) });
  }
  return file;
}

/** Services that begin at the same moment both want to write the tables: the second one finds them. */
const MIGRATION_TRIES = 3;

async function migrate(db: Kysely<unknown>, file: string, { name, migrations }: Tables): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...migrations }) },
    migrationTableName: `${name}_migration`,
    migrationLockTableName: `${name}_migration_lock`,
  });
  let error: unknown;
  for (let tries = 0; tries < MIGRATION_TRIES; tries++) {
    ({ error } = await migrator.migrateToLatest());
    if (error === undefined) return;
  }
  if (/corrupted migrations/.test(whyOf(error))) throw new ChainError(DATABASE_ERRORS.database_newer, { file });
  throw new ChainError(DATABASE_ERRORS.database_file, { file, why: whyOf(error) });
}

/** A copy of the whole as it is now, whole or not there at all; others may go on writing. */
export async function backUp<T>(db: Kysely<T>, file: string): Promise<void> {
  const path = resolve(file);
  check(!existsSync(path), DATABASE_ERRORS.database_exists, { file: path });
  const half = `${path}.part`;
  try {
    rmSync(half, { force: true });
    await sql`VACUUM INTO ${half}`.execute(db);
    renameSync(half, path);
  } catch (error) {
    rmSync(half, { force: true });
    throw new ChainError(DATABASE_ERRORS.database_file, { file: path, why: whyOf(error) });
  }
}

/** Puts a copy where there is no database, once it is known to be whole. */
export async function restore(copy: string, file: string): Promise<void> {
  const [from, to] = [resolve(copy), resolve(file)];
  for (const path of [to, `${to}-wal`]) {
    check(!existsSync(path), DATABASE_ERRORS.database_exists, { file: path });
  }
  check(existsSync(from), DATABASE_ERRORS.database_file, { file: from, why: 'there is no such file' });
  const half = `${to}.part`;
  try {
    copyFileSync(from, half);
    await checkWhole(half);
    renameSync(half, to);
  } finally {
    for (const end of ['', '-wal', '-shm']) rmSync(`${half}${end}`, { force: true });
  }
}

async function checkWhole(file: string): Promise<void> {
  const db = new Kysely({ dialect: new SqliteDialect({ database: openSqlite(file, createRequire(import.meta.url)) }) });
  try {
    const { rows } = await sql<{ readonly integrity_check: string }>`PRAGMA integrity_check`.execute(db);
    const why = rows[0]?.integrity_check ?? 'nothing is in it';
    check(why === 'ok', DATABASE_ERRORS.database_file, { file, why });
  } catch (error) {
    throw error instanceof ChainError
      ? error
      : new ChainError(DATABASE_ERRORS.database_file, { file, why: whyOf(error) });
  } finally {
    await db.destroy();
  }
}

/** The disk is full, or somebody else has written for too long. */
export function isDatabaseError(error: unknown): boolean {
  return error instanceof Error && /^SQLITE_/.test(String((error as NodeJS.ErrnoException).code));
}

/** With all tables as this version wants them. `load` finds the library. */
export async function openDatabase<T>(
  file: string,
  parts: readonly Tables[],
  load: (name: string) => unknown = createRequire(import.meta.url),
): Promise<Kysely<T>> {
  const db = new Kysely<T>({ dialect: new SqliteDialect({ database: openSqlite(file, load) }) });
  try {
    for (const part of parts) await migrate(db as Kysely<unknown>, file, part);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return db;
}
