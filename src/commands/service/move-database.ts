import { existsSync } from 'node:fs';
import { check } from '../../base/errors.js';
import { type DatabaseOptions, openDatabase, type Tables } from '../../services/common/database.js';
import { DATABASE_ERRORS } from '../../services/common/database-errors.js';
import { moveRows } from '../../services/common/moving.js';
import { isServer, readServer } from '../../services/common/postgres.js';
import type { Terminal } from '../terminal.js';

/** What a file of SQLite has, into the PostgreSQL that the options name. */
export async function moveDatabase(
  options: DatabaseOptions,
  file: string,
  parts: readonly Tables[],
  terminal: Terminal,
): Promise<void> {
  const { database } = options;
  check(database !== undefined && isServer(database), DATABASE_ERRORS.database_target);
  const isThere = existsSync(file);
  check(isThere, DATABASE_ERRORS.database_file, { file, why: 'there is no such file' });
  const { shown } = readServer(database);
  const to = await openDatabase<unknown>(database, parts, options);
  try {
    const from = await openDatabase<unknown>(file, parts);
    try {
      for (const { table, rows, sums } of await moveRows(from, to, shown)) {
        const counted = Object.entries(sums).map(([name, sum]) => `, ${name} ${sum}`);
        terminal.err(`${table.padEnd(20)} ${rows} rows${counted.join('')}\n`);
      }
    } finally {
      await from.destroy();
    }
  } finally {
    await to.destroy();
  }
  terminal.err(`${shown} has what ${file} has: counts, sums and all values are equal\n`);
}
