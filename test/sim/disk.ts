import type { Files, OpenFile } from '../../src/storage/files.js';
import type { KeyValue, KeyValueChange, KeyValueStore } from '../../src/storage/kv.js';
import { gatheredBatch, MemoryKv } from '../../src/storage/memory-kv.js';
import { STORAGE_FOLDERS } from '../../src/storage/storage.js';
import type { StoredEntries } from './begun.js';
import type { SimulatedClock } from './clock.js';
import type { SeededRandom } from './random.js';

/** Thrown by everything that a dead process still tries. */
export class ProcessDied extends Error {
  override readonly name = 'ProcessDied';
}

type Write =
  | { readonly kind: 'write'; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly size: number };

/** A file's bytes, with room to grow. */
class Content {
  #bytes = new Uint8Array(1024);
  size = 0;

  apply(write: Write): void {
    if (write.kind === 'truncate') {
      if (write.size > this.size) this.#grow(write.size);
      this.#bytes.fill(0, write.size);
      this.size = write.size;
      return;
    }
    const end = write.offset + write.bytes.length;
    this.#grow(end);
    this.#bytes.set(write.bytes, write.offset);
    this.size = Math.max(this.size, end);
  }

  #grow(size: number): void {
    if (size <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(size, this.#bytes.length * 2));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }

  read(into: Uint8Array, offset: number): number {
    const count = Math.max(0, Math.min(into.length, this.size - offset));
    into.set(this.#bytes.subarray(offset, offset + count));
    return count;
  }

  get text(): string {
    return Buffer.from(this.#bytes.subarray(0, this.size)).toString('utf8');
  }
}

class StoredFile {
  /** What a reader sees. */
  seen = new Content();
  /** What is on the medium for sure. */
  durable = new Content();
  /** Written since the last sync, in order. */
  waiting: Write[] = [];

  write(write: Write): void {
    this.seen.apply(write);
    this.waiting.push(write);
  }

  sync(): void {
    this.syncFirst(this.waiting.length);
  }

  /** The oldest of the writes that wait have reached the medium. */
  syncFirst(count: number): void {
    for (const write of this.waiting.splice(0, count)) this.durable.apply(write);
  }

  /** The power goes: the medium has some first part of what was not synced, the last write of it perhaps torn. */
  losePower(random: SeededRandom, isLying: boolean): void {
    const kept = isLying ? 0 : random.below(this.waiting.length + 1);
    const torn = this.waiting[kept];
    for (const write of this.waiting.slice(0, kept)) this.durable.apply(write);
    if (torn?.kind === 'write' && random.chance(0.5)) {
      this.durable.apply({ ...torn, bytes: torn.bytes.subarray(0, random.below(torn.bytes.length)) });
    }
    this.waiting = [];
    const size = this.durable.size;
    const bytes = new Uint8Array(size);
    this.durable.read(bytes, 0);
    this.seen = new Content();
    this.seen.apply({ kind: 'write', offset: 0, bytes });
  }
}

export interface DiskOptions {
  readonly clock: SimulatedClock;
  readonly random: SeededRandom;
  readonly owner: number;
  /** Canary: says that data is on the medium when it is not. */
  readonly isLying?: boolean;
}

/** One node's disk: files and a key-value store that outlive its process. */
export class SimulatedDisk {
  readonly #o: DiskOptions;
  readonly #files = new Map<string, StoredFile>();
  readonly #kv = new MemoryKv();
  /** Batches that the process has handed over and that may or may not survive it. */
  readonly #batches = new Set<readonly KeyValueChange[]>();
  /** Number of the process that may use the disk; what older ones try fails. */
  #process = 0;

  constructor(options: DiskOptions) {
    this.#o = options;
  }

  /** Before the first process: an object store that another one has left behind. */
  begin(entries: StoredEntries): void {
    for (const [name, entry] of entries) this.#kv.entries.set(name, entry);
  }

  /** The process is killed: what it has written stays, a batch under way happens or not. */
  kill(): void {
    this.#process++;
    for (const batch of this.#batches) if (this.#o.random.chance(0.5)) void this.#kv.write(batch);
    this.#batches.clear();
  }

  losePower(): void {
    this.kill();
    for (const file of this.#files.values()) file.losePower(this.#o.random, this.#o.isLying === true);
  }

  #alive(process: number): void {
    if (process !== this.#process) throw new ProcessDied();
  }

  /** For the process that starts now. */
  files(): Files {
    const process = this.#process;
    const found = (path: string): StoredFile => {
      this.#alive(process);
      let file = this.#files.get(path);
      if (file === undefined) {
        file = new StoredFile();
        this.#files.set(path, file);
      }
      return file;
    };
    return {
      open: (path) => this.#open(path, found),
      exists: (path) =>
        (path.endsWith(STORAGE_FOLDERS.objects) && this.#kv.entries.size > 0) ||
        [...this.#files.keys()].some((key) => key === path || key.startsWith(`${path}/`)),
      makeFolder: () => undefined,
      remove: (path) => {
        this.#alive(process);
        for (const key of this.#files.keys()) if (key === path || key.startsWith(`${path}/`)) this.#files.delete(key);
        if (path.endsWith(STORAGE_FOLDERS.objects)) this.#kv.entries.clear();
      },
      rename: (from, to) => {
        this.#alive(process);
        for (const [path, file] of [...this.#files]) {
          if (path !== from && !path.startsWith(`${from}/`)) continue;
          this.#files.delete(path);
          this.#files.set(to + path.slice(from.length), file);
        }
      },
      readText: (path) => this.#files.get(path)?.seen.text,
      writeText: (path, text) => {
        const file = found(path);
        file.write({ kind: 'truncate', size: 0 });
        file.write({ kind: 'write', offset: 0, bytes: Buffer.from(text) });
        file.sync();
      },
    };
  }

  #open(path: string, found: (path: string) => StoredFile): OpenFile {
    found(path);
    return {
      path,
      size: () => found(path).seen.size,
      read: (into, offset) => found(path).seen.read(into, offset),
      write: (bytes, offset) => found(path).write({ kind: 'write', offset, bytes: Uint8Array.from(bytes) }),
      truncate: (size) => found(path).write({ kind: 'truncate', size }),
      sync: () => {
        const file = found(path);
        if (this.#o.isLying !== true) file.sync();
      },
      syncLater: () => {
        const file = found(path);
        const process = this.#process;
        // What is written meanwhile waits for the next one.
        const count = file.waiting.length;
        return new Promise((resolve) => {
          this.#o.clock.after(this.#o.random.between(1, 200), this.#o.owner, () => {
            if (process !== this.#process) return;
            if (this.#o.isLying !== true) file.syncFirst(count);
            resolve();
          });
        });
      },
      close: () => undefined,
    };
  }

  keyValueStore(): KeyValueStore {
    const process = this.#process;
    const kv = this.#kv;
    const store: KeyValueStore = {
      path: 'objects',
      get: (key) => kv.get(key),
      getMany: async (keys) => keys.map((key) => kv.get(key)),
      write: (batch) => {
        this.#alive(process);
        const copy = batch.map(({ key, value }) => ({ key: key.slice(), value: value?.slice() }));
        this.#batches.add(copy);
        return new Promise((resolve) => {
          this.#o.clock.after(this.#o.random.between(5, 800), this.#o.owner, () => {
            // The batch of a process that has died meanwhile was decided about then; nobody waits for it any more.
            if (process !== this.#process) return;
            this.#batches.delete(copy);
            void kv.write(copy).then(resolve);
          });
        });
      },
      newest: (from, to, count) => kv.newest(from, to, count),
      hold: () => kv.hold(),
      async *walk(from, to): AsyncGenerator<readonly KeyValue[]> {
        for await (const piece of kv.walk(from, to)) yield piece;
      },
      batch: () => gatheredBatch((changes) => store.write(changes)),
      close: async () => undefined,
    };
    return store;
  }
}
