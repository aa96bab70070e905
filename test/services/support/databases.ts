import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import type { DatabaseOptions } from '../../../src/services/common/database.js';

/**
 * Which database the tests of the services run on. Ordinarily a file in the folder of each; with
 * `TRUSTNODE_TEST_DATABASE=postgres://user@host/postgres` one on that server for each folder: see `npm run postgres`.
 */

const SERVER = process.env.TRUSTNODE_TEST_DATABASE;
const NAME_CHARS = 24;

const made = new Map<string, Promise<string>>();
const onFiles = new Set<string>();

/** What is tested there are the files themselves. */
export function keepOnFiles(...folders: readonly string[]): void {
  for (const folder of folders) onFiles.add(folder);
}

async function make(server: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
    await client.query(`CREATE DATABASE "${name}"`);
  } finally {
    await client.end();
  }
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

const nameFor = (folder: string): string =>
  `t${createHash('sha256').update(folder).digest('hex').slice(0, NAME_CHARS)}`;

/** As a folder that was emptied. */
export async function emptyDatabaseFor(folder: string): Promise<string | undefined> {
  if (SERVER === undefined || onFiles.has(folder)) return undefined;
  const name = nameFor(folder);
  const begun = make(SERVER, name);
  made.set(name, begun);
  return begun;
}

/** What `database` has to be for a service with this folder; the first time in a process it is an empty one. */
export async function databaseFor(folder: string): Promise<string | undefined> {
  return SERVER === undefined || onFiles.has(folder)
    ? undefined
    : (made.get(nameFor(folder)) ?? emptyDatabaseFor(folder));
}

/** The same as options of a service. */
export async function placeOf(dataDir: string): Promise<DatabaseOptions> {
  return { 'data-dir': dataDir, database: await databaseFor(dataDir) };
}

/** The same as words of a command line. */
export async function placeWords(dataDir: string): Promise<readonly string[]> {
  const database = await databaseFor(dataDir);
  return ['--data-dir', dataDir, ...(database === undefined ? [] : ['--database', database])];
}

/** On a connection of its own: nobody else writes anything until `ROLLBACK`. */
export async function lockOut<T>(held: Kysely<T>): Promise<void> {
  if (SERVER === undefined) {
    await sql`BEGIN EXCLUSIVE`.execute(held);
    return;
  }
  // It stands idle for longer than ours ever do.
  await sql`SET idle_in_transaction_session_timeout = 0`.execute(held);
  await sql`BEGIN`.execute(held);
  await sql`LOCK TABLE payment, payer IN ACCESS EXCLUSIVE MODE`.execute(held);
}
