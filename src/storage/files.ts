import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { guarded } from './errors.js';

/** The file system as the storage folder uses it: a port, so that tests can let any write fail. */
export interface Files {
  open(path: string): OpenFile;
  exists(path: string): boolean;
  makeFolder(path: string): void;
  /** A file or a folder with all it holds; nothing happens when it is not there. */
  remove(path: string): void;
  readText(path: string): string | undefined;
  /** Appears with the whole text or not at all. */
  writeText(path: string, text: string): void;
}

export interface OpenFile {
  readonly path: string;
  size(): number;
  /** Bytes read; fewer than asked only at the end of the file. */
  read(into: Uint8Array, offset: number): number;
  write(bytes: Uint8Array, offset: number): void;
  truncate(size: number): void;
  /** Returns when the data is on the medium. */
  sync(): void;
  close(): void;
}

class NodeFile implements OpenFile {
  readonly path: string;
  readonly #descriptor: number;

  constructor(path: string) {
    this.path = path;
    // Read and write without truncation; created when missing.
    this.#descriptor = guarded(path, () => fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o644));
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

  close(): void {
    guarded(this.path, () => fs.closeSync(this.#descriptor));
  }
}

function syncFolder(path: string): void {
  // Not every system opens folders; where it does not, renames are durable without this.
  try {
    const descriptor = fs.openSync(path, 'r');
    fs.fsyncSync(descriptor);
    fs.closeSync(descriptor);
  } catch {
    return;
  }
}

export const nodeFiles: Files = {
  open: (path) => new NodeFile(path),
  exists: (path) => fs.existsSync(path),
  makeFolder: (path) => {
    guarded(path, () => fs.mkdirSync(path, { recursive: true }));
  },
  remove: (path) => guarded(path, () => fs.rmSync(path, { recursive: true, force: true })),
  readText: (path) => guarded(path, () => (fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : undefined)),
  writeText: (path, text) =>
    guarded(path, () => {
      const temporary = join(dirname(path), `.${process.pid}.tmp`);
      const descriptor = fs.openSync(temporary, 'w', 0o644);
      try {
        fs.writeFileSync(descriptor, text);
        fs.fsyncSync(descriptor);
      } finally {
        fs.closeSync(descriptor);
      }
      fs.renameSync(temporary, path);
      syncFolder(dirname(path));
    }),
};
