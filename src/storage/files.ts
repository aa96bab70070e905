import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fail } from '../base/errors.js';
import { guarded, guardedLater, STORAGE_ERRORS } from './errors.js';

/** Of files with keys: for the node's own user. */
export const PRIVATE = 0o600;
const READABLE = 0o644;

/** The file system as the storage folder uses it: a port, so that tests can let any write fail. */
export interface Files {
  open(path: string): OpenFile;
  exists(path: string): boolean;
  makeFolder(path: string): void;
  /** A file or a folder with all it holds; nothing happens when it is not there. */
  remove(path: string): void;
  /** Durable when it returns. */
  rename(from: string, to: string): void;
  readText(path: string): string | undefined;
  /** Appears with the whole text or not at all; `mode` is for what others may not read. */
  writeText(path: string, text: string, mode?: number): void;
}

export interface OpenFile {
  readonly path: string;
  size(): number;
  /** Bytes read; fewer than asked only at the end of the file. */
  read(into: Uint8Array, offset: number): number;
  write(bytes: Uint8Array, offset: number): void;
  truncate(size: number): void;
  /** Returns when the data is on the medium. It holds the main thread until then: for starts and ends alone. */
  sync(): void;
  /** Settles when what was written before the call is on the medium. The file stays open until then. */
  syncLater(): Promise<void>;
  close(): void;
}

/** Systems that cannot open or sync a folder say so with one of these; renames are durable there without it. */
const NO_FOLDER_SYNC = new Set(['EISDIR', 'EINVAL', 'ENOTSUP', ...(process.platform === 'win32' ? ['EPERM'] : [])]);

export const hasNoFolderSync = (error: unknown): boolean =>
  NO_FOLDER_SYNC.has((error as NodeJS.ErrnoException).code ?? '');

/** A new or renamed name is on the medium when its folder is. */
function syncFolder(path: string): void {
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(path, 'r');
    fs.fsyncSync(descriptor);
  } catch (error) {
    if (!hasNoFolderSync(error)) throw error;
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

class NodeFile implements OpenFile {
  readonly path: string;
  readonly #descriptor: number;

  constructor(path: string) {
    this.path = path;
    this.#descriptor = guarded(path, () => {
      const isNew = !fs.existsSync(path);
      // Read and write without truncation; created when missing.
      const descriptor = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o644);
      if (isNew) syncFolder(dirname(path));
      return descriptor;
    });
  }

  size(): number {
    return guarded(this.path, () => fs.fstatSync(this.#descriptor).size);
  }

  read(into: Uint8Array, offset: number): number {
    return guarded(this.path, () => {
      let done = 0;
      while (done < into.length) {
        const count = fs.readSync(this.#descriptor, into, done, into.length - done, offset + done);
        if (count === 0) break;
        done += count;
      }
      return done;
    });
  }

  write(bytes: Uint8Array, offset: number): void {
    guarded(this.path, () => {
      // A nearly full disk takes a part and refuses the rest with the next call.
      let done = 0;
      while (done < bytes.length) {
        done += fs.writeSync(this.#descriptor, bytes, done, bytes.length - done, offset + done);
      }
    });
  }

  truncate(size: number): void {
    guarded(this.path, () => fs.ftruncateSync(this.#descriptor, size));
  }

  sync(): void {
    guarded(this.path, () => fs.fdatasyncSync(this.#descriptor));
  }

  syncLater(): Promise<void> {
    const synced = new Promise<void>((resolve, reject) => {
      fs.fdatasync(this.#descriptor, (error) => (error === null ? resolve() : reject(error)));
    });
    return guardedLater(this.path, () => synced);
  }

  close(): void {
    guarded(this.path, () => fs.closeSync(this.#descriptor));
  }
}

/**
 * The folder itself and those above it that are missing, outermost first: they are made one by one, since where a file
 * system takes no folders, such as /proc, that of Node for all of them never returns.
 */
export function foldersToMake(path: string): readonly string[] {
  const wanted = [path];
  for (let at = dirname(path); !fs.existsSync(at); at = dirname(at)) wanted.push(at);
  return wanted.reverse();
}

/** Returns when the folder that could not be made is there already; all above it is. */
export function unlessThere(error: unknown, folder: string): void {
  const { code } = error as NodeJS.ErrnoException;
  // What a file system says that takes no folders.
  if (code === 'ENOENT') fail(STORAGE_ERRORS.storage_no_folder, { path: folder });
  if (code !== 'EEXIST' || !fs.statSync(folder).isDirectory()) throw error;
}

/** Durable when it returns. */
function makeOne(folder: string): void {
  try {
    fs.mkdirSync(folder);
  } catch (error) {
    unlessThere(error, folder);
    return;
  }
  syncFolder(dirname(folder));
}

/** On the medium when it returns, but for its name. */
function writeNew(path: string, content: string | Uint8Array, mode: number): void {
  const descriptor = fs.openSync(path, 'wx', mode);
  try {
    fs.writeFileSync(descriptor, content);
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Appears with the whole content or not at all; durable when it returns. */
export function replaceFile(path: string, content: string | Uint8Array, mode = READABLE): void {
  guarded(path, () => {
    const temporary = join(dirname(path), `.${process.pid}.tmp`);
    // One of a run that was killed may have had other rights: in a container all have the same number.
    fs.rmSync(temporary, { force: true });
    try {
      writeNew(temporary, content, mode);
      fs.renameSync(temporary, path);
    } catch (error) {
      fs.rmSync(temporary, { force: true });
      throw error;
    }
    syncFolder(dirname(path));
  });
}

export const nodeFiles: Files = {
  open: (path) => new NodeFile(path),
  exists: (path) => fs.existsSync(path),
  makeFolder: (path) => {
    guarded(path, () => {
      for (const folder of foldersToMake(path)) makeOne(folder);
    });
  },
  remove: (path) => guarded(path, () => fs.rmSync(path, { recursive: true, force: true })),
  rename: (from, to) =>
    guarded(from, () => {
      fs.renameSync(from, to);
      syncFolder(dirname(to));
    }),
  readText: (path) => guarded(path, () => (fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : undefined)),
  writeText: replaceFile,
};
