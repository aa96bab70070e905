import { lstat, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/world.js';

/** Thousands of files belong to one look: whoever asks more often gets what was seen before. */
const KEPT_MS = 30_000;
/** In the data directory: each folder in it is a part of its own. */
const CHAIN_FOLDER = 'blockchain';
/** What lies beside the folders. */
const OTHER_FILES = 'other';

/** Of the file system that holds a folder. */
export interface FileSystemRoom {
  /** For this process: what is kept back for the administrator is not in it. */
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export type ReadRoom = (folder: string) => Promise<FileSystemRoom>;

export const roomOf: ReadRoom = async (folder) => {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
};

/** A store removes files while it works: what is gone between two calls has no bytes. */
async function whereThere<T>(asked: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise;
    throw error;
  }
}

async function bytesOfFolder(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await whereThere(readdir(folder, { withFileTypes: true }), [])) {
    const path = join(folder, entry.name);
    bytes += entry.isDirectory() ? await bytesOfFolder(path) : await bytesOfFile(path);
  }
  return bytes;
}

const bytesOfFile = async (path: string): Promise<number> => (await whereThere(lstat(path), undefined))?.size ?? 0;

async function partsOf(dataDir: string, parts: Map<string, number>): Promise<void> {
  for (const entry of await whereThere(readdir(dataDir, { withFileTypes: true }), [])) {
    const path = join(dataDir, entry.name);
    if (!entry.isDirectory()) {
      parts.set(OTHER_FILES, (parts.get(OTHER_FILES) ?? 0) + (await bytesOfFile(path)));
    } else if (entry.name === CHAIN_FOLDER) await partsOf(path, parts);
    else parts.set(entry.name, (parts.get(entry.name) ?? 0) + (await bytesOfFolder(path)));
  }
}

/** How much of the disk a data directory takes, by its parts, and how much is left. */
export class DiskWatch {
  readonly #dataDir: string;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #readRoom: ReadRoom;
  #seen: { readonly ms: number; readonly parts: Promise<ReadonlyMap<string, number>> } | undefined;

  constructor(dataDir: string, clock: Pick<Clock, 'monotonicMs'>, readRoom: ReadRoom = roomOf) {
    this.#dataDir = dataDir;
    this.#clock = clock;
    this.#readRoom = readRoom;
  }

  /** As it is: one call of the system, and a disk may fill up in seconds. */
  room(): Promise<FileSystemRoom> {
    return this.#readRoom(this.#dataDir);
  }

  /** Bytes by part of the data directory. */
  parts(): Promise<ReadonlyMap<string, number>> {
    const ms = this.#clock.monotonicMs();
    if (this.#seen !== undefined && ms - this.#seen.ms < KEPT_MS) return this.#seen.parts;
    const parts = this.#measure();
    this.#seen = { ms, parts };
    return parts;
  }

  async #measure(): Promise<ReadonlyMap<string, number>> {
    const parts = new Map<string, number>();
    await partsOf(this.#dataDir, parts);
    return parts;
  }
}
