import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ChainError, check } from '../../base/errors.js';
import {
  backUp,
  checkFile,
  checkFree,
  type DatabaseOptions,
  databaseAt,
  openDatabase,
  putInPlace,
  removeDatabase,
  restore,
} from '../common/database.js';
import { DATABASE_ERRORS } from '../common/database-errors.js';
import { copyBlocks } from '../content/copying.js';
import { type BlocksPlace, blocksFolder } from '../content/opening.js';
import { CONTENT_TABLES, type ContentTables } from '../content/tables.js';
import { DATABASE_FILE, openStorageDatabase } from './storage.js';

/** Copies of all that paid storage keeps: a folder with the database and the blocks that it knows. */

/** In a copy. */
const blocksIn = (folder: string): string => blocksFolder({ 'data-dir': folder, blocks: undefined });

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new ChainError(DATABASE_ERRORS.database_file, { file: folder, why: (error as Error).message });
  }
}

/**
 * While the service runs or without it. First the database, then the blocks: a block is on the disk before the database
 * knows it, and stays for an hour after it does not any more. The database gets its name last: what has one is complete.
 */
export async function backUpStorage(
  options: DatabaseOptions & BlocksPlace,
  folder: string,
  tell: (why: string) => void,
): Promise<number> {
  checkFile(databaseAt(options, DATABASE_FILE));
  const to = resolve(folder);
  const file = join(to, DATABASE_FILE);
  checkFree(file);
  makeFolder(to);
  const unfinished = `${file}.unfinished`;
  removeDatabase(unfinished);
  const db = await openStorageDatabase(options);
  try {
    await backUp(db, unfinished);
  } finally {
    await db.destroy();
  }
  const copy = await openDatabase<ContentTables>(unfinished, [CONTENT_TABLES]);
  let copied: number;
  try {
    copied = await copyBlocks(copy, blocksFolder(options), blocksIn(to), tell);
  } finally {
    await copy.destroy();
  }
  await putInPlace(unfinished, file);
  return copied;
}

/** Into a folder that has no database yet, which comes last here too. */
export async function restoreStorage(
  options: DatabaseOptions & BlocksPlace,
  folder: string,
  tell: (why: string) => void,
): Promise<number> {
  const from = resolve(folder);
  const [copy, file] = [join(from, DATABASE_FILE), checkFile(databaseAt(options, DATABASE_FILE))];
  checkFree(file);
  check(existsSync(copy), DATABASE_ERRORS.database_file, { file: copy, why: 'there is no such file' });
  const unfinished = `${file}.unfinished`;
  removeDatabase(unfinished);
  await restore(copy, unfinished);
  const db = await openDatabase<ContentTables>(unfinished, [CONTENT_TABLES]);
  let copied: number;
  try {
    copied = await copyBlocks(db, blocksIn(from), blocksFolder(options), tell);
  } finally {
    await db.destroy();
  }
  await putInPlace(unfinished, file);
  return copied;
}
