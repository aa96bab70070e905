import { defineErrors } from '../../base/errors.js';

export const DATABASE_ERRORS = defineErrors(
  {
    database_missing: {
      text: 'the services keep their data with better-sqlite3, which is not installed: install this program again with the Node that runs it',
    },
    database_broken: {
      text: 'better-sqlite3 does not load on this machine (${why}): install this program again with the Node that runs it',
    },
    database_file: { text: 'cannot open the database ${file}: ${why}' },
    database_exists: { text: 'there is ${file} already: move it away first' },
    database_newer: { text: 'the database ${file} was written by a later version of this program' },
    database_driver: { text: 'PostgreSQL is reached with pg, which is not installed: npm install pg' },
    database_url: { text: 'the URL of the database: ${why}' },
    database_server: { text: 'cannot open the database ${at}: ${why}' },
    database_target: { text: 'option database has to be the postgres:// URL of the database to move to' },
    database_filled: { text: 'the database ${at} is not empty: ${table} has rows' },
    database_moved: {
      text: 'what has arrived in ${table} is not what was sent, and nothing of it is kept: ${sent}; ${there}',
    },
    database_dump: {
      text: 'the database ${at} is copied with pg_dump and put back with pg_restore',
      hint: 'docs/postgres.md says how, and how the blocks are copied.',
    },
  },
  'environment',
);

/** What SQLite and PostgreSQL call it. */
const DISK_FULL: ReadonlySet<string | undefined> = new Set(['SQLITE_FULL', '53100']);

/** For `/readyz`, which anybody may look at: hosts, users and files are in the log. */
export const toldOfDatabase = (error: unknown): string =>
  DISK_FULL.has((error as { readonly code?: string }).code)
    ? 'the disk of the database is full'
    : 'the database does not answer';

/** In one line, as whoever starts a program reads it. */
export function whyOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] as string;
}

/** A database has not taken a statement, or was not there. */
export class DatabaseFailure extends Error {
  /** The state of the standard, where the server has named one. */
  readonly code: string | undefined;

  constructor(error: unknown) {
    super(whyOf(error), { cause: error });
    this.name = 'DatabaseFailure';
    this.code = (error as { readonly code?: string }).code;
  }
}
