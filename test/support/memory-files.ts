import { storageError } from '../../src/storage/errors.js';
import type { Files, OpenFile } from '../../src/storage/files.js';
import type { MemoryKv } from '../../src/storage/memory-kv.js';
import { STORAGE_FOLDERS } from '../../src/storage/storage.js';

/** A disk in memory: its content can be copied, changed bit by bit, and told to refuse a write. */
export class MemoryFiles implements Files {
  readonly contents = new Map<string, Buffer>();
  /** Bytes that may still be written before the disk is full. */
  room = Number.POSITIVE_INFINITY;
  /** System error that a full disk gives. */
  code = 'ENOSPC';
  /** Those that hold the main thread, and those that do not. */
  syncs = 0;
  syncsLater = 0;

  clone(): MemoryFiles {
    const copy = new MemoryFiles();
    for (const [path, bytes] of this.contents) copy.contents.set(path, Buffer.from(bytes));
    return copy;
  }

  get(path: string): Buffer {
    return this.contents.get(path) ?? Buffer.alloc(0);
  }

  open(path: string): OpenFile {
    if (!this.contents.has(path)) this.contents.set(path, Buffer.alloc(0));
    return {
      path,
      size: () => this.get(path).length,
      read: (into, offset) => {
        const part = this.get(path).subarray(offset, offset + into.length);
        into.set(part);
        return part.length;
      },
      write: (bytes, offset) => {
        const written = bytes.subarray(0, Math.min(bytes.length, this.room));
        this.room -= written.length;
        const old = this.get(path);
        const out = Buffer.alloc(Math.max(old.length, offset + written.length));
        out.set(old);
        out.set(written, offset);
        this.contents.set(path, out);
        if (written.length < bytes.length) {
          throw storageError(Object.assign(new Error(`${this.code}: refused`), { code: this.code }), path);
        }
      },
      truncate: (size) => {
        const out = Buffer.alloc(size);
        out.set(this.get(path).subarray(0, size));
        this.contents.set(path, out);
      },
      sync: () => {
        this.syncs++;
      },
      syncLater: async () => {
        this.syncsLater++;
      },
      close: () => undefined,
    };
  }

  exists(path: string): boolean {
    return this.contents.has(path);
  }

  makeFolder(): void {}

  remove(path: string): void {
    for (const key of this.contents.keys()) if (key === path || key.startsWith(`${path}/`)) this.contents.delete(key);
  }

  rename(from: string, to: string): void {
    for (const [path, bytes] of [...this.contents]) {
      if (path !== from && !path.startsWith(`${from}/`)) continue;
      this.contents.delete(path);
      this.contents.set(to + path.slice(from.length), bytes);
    }
  }

  readText(path: string): string | undefined {
    return this.contents.get(path)?.toString('utf8');
  }

  writeText(path: string, text: string): void {
    this.contents.set(path, Buffer.from(text));
  }
}

/** Who removes the folder of the object store removes what this one holds, as on a real disk. */
export function forgetWithFolder(files: MemoryFiles, kv: MemoryKv): void {
  const isFolder = (path: string): boolean => path.endsWith(STORAGE_FOLDERS.objects);
  files.remove = (path) => {
    if (isFolder(path)) kv.entries.clear();
    MemoryFiles.prototype.remove.call(files, path);
  };
  files.exists = (path) => (isFolder(path) && kv.entries.size > 0) || MemoryFiles.prototype.exists.call(files, path);
}
