import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { ChainError, defineErrors } from '../../base/errors.js';
import { loadSqlite } from './database.js';
import { DATABASE_ERRORS, whyOf } from './database-errors.js';

/**
 * A folder that one process has to itself. The lock is one of the system, which SQLite takes alike on all of them: it goes
 * with the process, however that ends, and nothing is left to be cleared away.
 */

export const FOLDER_ERRORS = defineErrors(
  {
    folder_taken: {
      text: 'the data directory ${folder} is that of another ${service} that is alive',
      hint: 'End that one first, or give this one a data directory of its own.',
    },
  },
  'environment',
);

const LOCK_FILE = 'folder.lock';

/** Lets go of it again when what it gives is called. */
export function holdFolder(
  service: string,
  given: string,
  load: (name: string) => unknown = createRequire(import.meta.url),
): () => void {
  const folder = resolve(given);
  const file = join(folder, LOCK_FILE);
  let Sqlite: ReturnType<typeof loadSqlite>;
  try {
    Sqlite = loadSqlite(load);
  } catch (error) {
    // Who has PostgreSQL can do without the library.
    if (error instanceof ChainError && error.row === DATABASE_ERRORS.database_missing) return () => undefined;
    throw error;
  }
  try {
    mkdirSync(folder, { recursive: true });
    const lock = new Sqlite(file, { timeout: 0 });
    try {
      lock.prepare('BEGIN EXCLUSIVE').run([]);
    } catch (error) {
      lock.close();
      throw error;
    }
    return () => void lock.close();
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'SQLITE_BUSY';
    throw isTaken
      ? new ChainError(FOLDER_ERRORS.folder_taken, { folder, service })
      : new ChainError(DATABASE_ERRORS.database_file, { file, why: whyOf(error) });
  }
}
