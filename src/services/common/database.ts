import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { type Dialect, Kysely, type Migration, Migrator, sql, type Transaction } from 'kysely';
import { ChainError, check } from '../../base/errors.js';
import { DATABASE_ERRORS, DatabaseFailure, whyOf } from './database-errors.js';
import { FileDialect, type OpenFile } from './file-dialect.js';
import { onDisk } from './on-disk.js';
import type { ServiceOptions } from './options.js';
import { isServer, postgresDialect, readServer } from './postgres.js';

/**
 * The database of the services: SQLite in a file, or PostgreSQL by its URL, behind typed queries that both understand.
 * Times are milliseconds, amounts are texts of decimal digits, both because no number type of all databases and of
 * JavaScript holds them.
 */

type OpenSqlite = new (file: string, options: { readonly timeout: number }) => OpenFile;

/** Somebody else writes for longer: then it is an error, since everybody waits meanwhile. */
const BUSY_MS = 2000;

/** What one part of the services keeps, and how it came to be; names are given out once. */
export interface Tables {
  readonly name: string;
  readonly migrations: Readonly<Record<string, Migration>>;
}

/** The first Node that the library's version 13 is made for, which ends an older one by SIGSEGV. */
const NODE_API_SINCE = 22;

/**
 * Version 12 is compiled for one Node, and from Node 24.16 on its statements end the process when they are collected.
 * Version 13 stands on Node-API and comes built.
 */
export function sqlitePackage(nodeVersion: string): string {
  return Number.parseInt(nodeVersion, 10) >= NODE_API_SINCE ? 'better-sqlite3-node-api' : 'better-sqlite3';
}

/** Installed where a compiler was, or a build for this machine: node and wallet do without it. */
function loadSqlite(load: (name: string) => unknown): OpenSqlite {
  try {
    return load(sqlitePackage(process.versions.node)) as OpenSqlite;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'MODULE_NOT_FOUND') throw new ChainError(DATABASE_ERRORS.database_missing);
    throw new ChainError(DATABASE_ERRORS.database_broken, { why: whyOf(error) });
  }
}

function openSqlite(file: string, load: (name: string) => unknown): OpenFile {
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

export type DatabaseOptions = Pick<ServiceOptions, 'data-dir' | 'database'> &
  Partial<Pick<ServiceOptions, 'database-pool' | 'database-timeout'>>;

/** Where the database of a service is: a URL, or a file, whose folder is made. */
export function databaseAt({ 'data-dir': folder, database }: DatabaseOptions, name: string): string {
  if (database !== undefined && isServer(database)) return database;
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
/** Each waits as long as a file may be busy. */
const FILE_TRIES = 15;

const migratorOf = (db: Kysely<unknown>, { name, migrations }: Tables): Migrator =>
  new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...migrations }) },
    migrationTableName: `${name}_migration`,
    migrationLockTableName: `${name}_migration_lock`,
  });

async function migrate(db: Kysely<unknown>, at: string, part: Tables): Promise<void> {
  const migrator = migratorOf(db, part);
  let error: unknown;
  for (let tries = 0; tries < MIGRATION_TRIES; tries++) {
    ({ error } = await migrator.migrateToLatest());
    if (error === undefined) return;
  }
  if (/corrupted migrations/.test(whyOf(error))) throw new ChainError(DATABASE_ERRORS.database_newer, { file: at });
  throw error;
}

/** With the file to itself, where there is something to do: SQLite would let two make the same table. */
async function migrateFile(db: Kysely<unknown>, file: string, part: Tables): Promise<void> {
  const isDone = async (): Promise<boolean> =>
    (await migratorOf(db, part).getMigrations()).every(({ executedAt }) => executedAt !== undefined);
  for (let tries = 1; ; tries++) {
    if (await isDone()) break;
    try {
      await db.connection().execute(async (own) => {
        await sql`BEGIN IMMEDIATE`.execute(own);
        try {
          await migrate(own, file, part);
          await sql`COMMIT`.execute(own);
        } catch (error) {
          // A full disk may have done that by itself, and is what has to be told.
          await sql`ROLLBACK`.execute(own).catch(() => undefined);
          throw error;
        }
      });
      return;
    } catch (error) {
      const isBusy = /^SQLITE_BUSY/.test(String((error as NodeJS.ErrnoException).code));
      if (!isBusy || tries === FILE_TRIES) throw error;
    }
  }
  // What a later version has written is told apart here.
  await migrate(db, file, part);
}

/** The file of a database, for what is done with files alone. */
export function checkFile(at: string): string {
  if (isServer(at)) throw new ChainError(DATABASE_ERRORS.database_dump, { at: readServer(at).shown });
  return at;
}

/** A copy of the whole as it is now, whole or not there at all; others may go on writing. */
export async function backUp<T>(db: Kysely<T>, file: string): Promise<void> {
  const path = resolve(file);
  check(!existsSync(path), DATABASE_ERRORS.database_exists, { file: path });
  const half = `${path}.part`;
  try {
    rmSync(half, { force: true });
    await sql`VACUUM INTO ${half}`.execute(db);
    await putInPlace(half, path);
  } catch (error) {
    rmSync(half, { force: true });
    throw new ChainError(DATABASE_ERRORS.database_file, { file: path, why: whyOf(error) });
  }
}

/** There is no database, and no log that another one has left: that would be taken for what the next one has not written yet. */
export function checkFree(file: string): void {
  for (const path of [file, `${file}-wal`]) check(!existsSync(path), DATABASE_ERRORS.database_exists, { file: path });
}

/** Under its name a copy is whole: its bytes are on the disk before, and its name is when this settles. */
export async function putInPlace(unfinished: string, file: string): Promise<void> {
  await onDisk(unfinished);
  renameSync(unfinished, file);
  await onDisk(dirname(file));
}

/** A file of ours that is of no use, with all that stands beside it. */
export function removeDatabase(file: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
}

/** Puts a copy where there is no database, once it is known to be whole. */
export async function restore(copy: string, file: string): Promise<void> {
  const [from, to] = [resolve(copy), resolve(file)];
  checkFree(to);
  check(existsSync(from), DATABASE_ERRORS.database_file, { file: from, why: 'there is no such file' });
  const half = `${to}.part`;
  try {
    removeDatabase(half);
    copyFileSync(from, half);
    // A copy that somebody else has made of a file and its log: the newest is in the log alone.
    if (existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${half}-wal`);
    await checkWhole(half);
    await putInPlace(half, to);
  } finally {
    removeDatabase(half);
  }
}

async function checkWhole(file: string): Promise<void> {
  const db = new Kysely({ dialect: new FileDialect(openSqlite(file, createRequire(import.meta.url))) });
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

/** The disk is full, somebody else has written for too long, or the server is away. */
export function isDatabaseError(error: unknown): boolean {
  if (error instanceof DatabaseFailure) return true;
  return error instanceof Error && /^SQLITE_/.test(String((error as NodeJS.ErrnoException).code));
}

/** One of two that wait for each other is told to begin anew, and so is one of two that cannot both be right. */
const CONFLICTS: ReadonlySet<string | undefined> = new Set(['40P01', '40001']);
const CONFLICT_TRIES = 10;

/**
 * All of it or nothing; `work` may be called again, with nothing left of the time before. Whatever is read with the
 * purpose of writing is written first, for each row: then others that want the same wait until the end.
 */
export async function transact<T, R>(db: Kysely<T>, work: (trx: Transaction<T>) => Promise<R>): Promise<R> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      const isConflict = error instanceof DatabaseFailure && CONFLICTS.has(error.code);
      if (!isConflict || tries === CONFLICT_TRIES) throw error;
    }
  }
}

async function openWith<T>(dialect: Dialect, work: (db: Kysely<T>) => Promise<void>): Promise<Kysely<T>> {
  const db = new Kysely<T>({ dialect });
  try {
    await work(db);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

async function openFile<T>(
  file: string,
  parts: readonly Tables[],
  load: (name: string) => unknown,
): Promise<Kysely<T>> {
  return openWith<T>(new FileDialect(openSqlite(file, load)), async (db) => {
    try {
      for (const part of parts) await migrateFile(db as Kysely<unknown>, file, part);
    } catch (error) {
      if (error instanceof ChainError) throw error;
      throw new ChainError(DATABASE_ERRORS.database_file, { file, why: whyOf(error) });
    }
  });
}

const CONNECTIONS = 10;
const TIMEOUT_SEC = 15;
/** One looks at what there is while the other holds the lock. */
const MIGRATION_CONNECTIONS = 2;

async function openServer<T>(
  url: string,
  parts: readonly Tables[],
  { 'database-pool': connections = CONNECTIONS, 'database-timeout': timeoutSec = TIMEOUT_SEC }: Tuning,
  load: (name: string) => unknown,
): Promise<Kysely<T>> {
  const place = readServer(url);
  const limits = { connections, timeoutMs: timeoutSec * 1000 };
  try {
    // New tables of a large database may take longer than any statement of every day.
    const migrating = await openWith<T>(
      postgresDialect(place, { connections: MIGRATION_CONNECTIONS, timeoutMs: 0 }, load),
      async (db) => {
        await checkServer(db);
        for (const part of parts) await migrate(db as Kysely<unknown>, place.shown, part);
      },
    );
    await migrating.destroy();
    return await openWith<T>(
      postgresDialect(place, limits, load),
      async (db) => void (await sql`SELECT 1`.execute(db)),
    );
  } catch (error) {
    if (error instanceof ChainError) throw error;
    throw new ChainError(DATABASE_ERRORS.database_server, { at: place.shown, why: whyOf(error) });
  }
}

/** What is recorded has to be on the disk before anybody acts on it, and all letters have to fit. */
async function checkServer<T>(db: Kysely<T>): Promise<void> {
  const { rows } = await sql<{ readonly commit: string; readonly letters: string }>`
    SELECT current_setting('synchronous_commit') AS commit, current_setting('server_encoding') AS letters
  `.execute(db);
  const [{ commit, letters } = { commit: '', letters: '' }] = rows;
  if (commit === 'off') throw new Error('synchronous_commit is off, and payments have to be on the disk');
  if (letters !== 'UTF8') throw new Error(`its encoding is ${letters}, and has to be UTF8`);
}

type Tuning = Pick<DatabaseOptions, 'database-pool' | 'database-timeout'>;

/** With all tables as this version wants them. `at`: a file, or the URL of a server. `load` finds the library. */
export function openDatabase<T>(
  at: string,
  parts: readonly Tables[],
  tuning: Tuning = {},
  load: (name: string) => unknown = createRequire(import.meta.url),
): Promise<Kysely<T>> {
  return isServer(at) ? openServer<T>(at, parts, tuning, load) : openFile<T>(at, parts, load);
}
