import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Level } from 'level';
import { ChainError, defineErrors } from '../../base/errors.js';
import { DATABASE_ERRORS, whyOf } from './database-errors.js';

/**
 * A folder that one process has to itself. The lock is one of the system, which LevelDB takes alike on all of them: it
 * goes with the process, however that ends, and nothing is left to be cleared away. SQLite would do as well, but who has
 * PostgreSQL may have been installed without it.
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

/** An empty database, for the sake of its lock. */
const LOCK_FOLDER = 'folder.lock';

/** Lets go of it again when what it gives is called. */
export async function holdFolder(service: string, given: string): Promise<() => Promise<void>> {
  const folder = resolve(given);
  const place = join(folder, LOCK_FOLDER);
  try {
    mkdirSync(folder, { recursive: true });
    const lock = new Level(place);
    await lock.open();
    return () => lock.close();
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } };
    throw cause?.code === 'LEVEL_LOCKED'
      ? new ChainError(FOLDER_ERRORS.folder_taken, { folder, service })
      : new ChainError(DATABASE_ERRORS.database_file, { file: place, why: whyOf(error) });
  }
}
