import * as fs from 'node:fs/promises';
import { dirname } from 'node:path';
import { guardedLater } from './errors.js';
import { foldersToMake, hasNoFolderSync, unlessThere } from './files.js';

/**
 * Folders of a running node: what waits for the disk here keeps nobody waiting. A synced folder may take as long as all
 * that was written before it, and a removed one as long as its files are large.
 */

async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await fs.open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (!hasNoFolderSync(error)) throw error;
  }
}

async function makeOne(folder: string): Promise<void> {
  try {
    await fs.mkdir(folder);
  } catch (error) {
    unlessThere(error, folder);
    return;
  }
  await syncFolder(dirname(folder));
}

/** With those above it; durable when it settles. */
export function makeFolderLater(path: string): Promise<void> {
  return guardedLater(path, async () => {
    for (const folder of foldersToMake(path)) await makeOne(folder);
  });
}

/** A file or a folder with all it holds; nothing happens when it is not there. */
export function removeLater(path: string): Promise<void> {
  return guardedLater(path, () => fs.rm(path, { recursive: true, force: true }));
}

/** Durable when it settles. */
export function renameLater(from: string, to: string): Promise<void> {
  return guardedLater(from, async () => {
    await fs.rename(from, to);
    await syncFolder(dirname(to));
  });
}

export interface FolderEntry {
  readonly name: string;
  /** When it was changed last. */
  readonly changedMs: number;
}

/** What lies in a folder, as far as `isWanted`. */
export function entriesLater(path: string, isWanted: (name: string) => boolean): Promise<readonly FolderEntry[]> {
  return guardedLater(path, async () => {
    const names = (await fs.readdir(path)).filter(isWanted);
    return Promise.all(names.map(async (name) => ({ name, changedMs: (await fs.stat(`${path}/${name}`)).mtimeMs })));
  });
}
