import type { Files, OpenFile } from '../../src/storage/files.js';
import type { KeyValueChange, KeyValueStore } from '../../src/storage/kv.js';
import { gatheredBatch, MemoryKv } from '../../src/storage/memory-kv.js';
import { STORAGE_FOLDERS } from '../../src/storage/storage.js';
import type { SeededRandom } from '../sim/random.js';
import { MemoryFiles } from './memory-files.js';

/** Thrown by whatever the process still tries when the power is gone. */
export class PowerLost extends Error {
  override readonly name = 'PowerLost';
}

type Write = (file: OpenFile) => void;

/**
 * A disk that forgets. What was written since a file's last sync is, after the power was lost, there up to some write
 * and the write after that in part, for each file by itself: nothing promises that one file reaches the medium before
 * another one. A batch of the key-value store is there whole or not at all, and for sure once its promise has settled.
 */
export class PowerLossDisk {
  readonly #random: SeededRandom;
  /** On the medium for sure. */
  readonly #durable = new MemoryFiles();
  readonly #kv = new MemoryKv();
  /** As the process sees it. */
  #seen = new MemoryFiles();
  #unsynced = new Map<string, Write[]>();
  #batch: readonly KeyValueChange[] | undefined;
  #isOn = true;
  /** Accesses that change something, so far. */
  accesses = 0;
  /** The power goes before the access with this number. */
  losesPowerAt = Number.POSITIVE_INFINITY;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  #access(): void {
    if (this.#isOn && this.accesses >= this.losesPowerAt) this.#isOn = false;
    if (!this.#isOn) throw new PowerLost();
    this.accesses++;
  }

  /** The machine comes back with what the medium has. */
  powerUp(): void {
    const random = this.#random;
    for (const [path, writes] of this.#unsynced) {
      const kept = random.below(writes.length + 1);
      const file = this.#durable.open(path);
      for (const write of writes.slice(0, kept)) write(file);
      const torn = writes[kept];
      if (torn !== undefined && random.chance(0.5)) torn(tearing(file, random));
    }
    this.#unsynced.clear();
    if (this.#batch !== undefined && random.chance(0.5)) void this.#kv.write(this.#batch);
    this.#batch = undefined;
    this.#seen = this.#durable.clone();
    this.#isOn = true;
    this.losesPowerAt = Number.POSITIVE_INFINITY;
  }

  readonly files: Files = {
    open: (path) => this.#open(path),
    exists: (path) => this.#seen.exists(path) || (path.endsWith(STORAGE_FOLDERS.objects) && this.#kv.entries.size > 0),
    makeFolder: () => undefined,
    remove: (path) => {
      this.#access();
      this.#seen.remove(path);
      this.#durable.remove(path);
      for (const key of this.#unsynced.keys()) {
        if (key === path || key.startsWith(`${path}/`)) this.#unsynced.delete(key);
      }
      if (path.endsWith(STORAGE_FOLDERS.objects)) this.#kv.entries.clear();
    },
    rename: () => {
      throw new Error('nothing is renamed in these scenarios');
    },
    readText: (path) => this.#seen.readText(path),
    writeText: (path, text) => {
      this.#access();
      this.#seen.writeText(path, text);
      this.#durable.writeText(path, text);
    },
  };

  #open(path: string): OpenFile {
    // A name is on the medium when the file is created, see the tests of the real files.
    this.#durable.open(path);
    const seen = this.#seen.open(path);
    const change = (write: Write): void => {
      this.#access();
      write(seen);
      this.#unsynced.set(path, [...(this.#unsynced.get(path) ?? []), write]);
    };
    return {
      path,
      size: () => seen.size(),
      read: (into, offset) => seen.read(into, offset),
      write: (bytes, offset) => {
        const copy = Uint8Array.from(bytes);
        change((file) => file.write(copy, offset));
      },
      truncate: (size) => change((file) => file.truncate(size)),
      sync: () => {
        this.#access();
        this.#keep(path, this.#unsynced.get(path)?.length ?? 0);
      },
      syncLater: async () => {
        this.#access();
        // What is written while it goes on is not part of it.
        const count = this.#unsynced.get(path)?.length ?? 0;
        await new Promise((resolve) => setImmediate(resolve));
        this.#access();
        this.#keep(path, count);
      },
      close: () => undefined,
    };
  }

  /** The first writes to a file have reached the medium. */
  #keep(path: string, count: number): void {
    const file = this.#durable.open(path);
    const writes = this.#unsynced.get(path) ?? [];
    for (const write of writes.slice(0, count)) write(file);
    this.#unsynced.set(path, writes.slice(count));
  }

  readonly openKv = async (): Promise<KeyValueStore> => {
    const kv = this.#kv;
    const store: KeyValueStore = {
      path: 'objects',
      get: (key) => kv.get(key),
      getMany: (keys) => kv.getMany(keys),
      walk: (from, to) => kv.walk(from, to),
      newest: (from, to, count) => kv.newest(from, to, count),
      hold: () => kv.hold(),
      close: async () => undefined,
      write: async (batch) => {
        this.#access();
        this.#batch = batch.map(({ key, value }) => ({ key: key.slice(), value: value?.slice() }));
        await new Promise((resolve) => setImmediate(resolve));
        this.#access();
        const whole = this.#batch;
        this.#batch = undefined;
        await kv.write(whole);
      },
      batch: () => gatheredBatch((changes) => store.write(changes)),
    };
    return store;
  };
}

/** Takes a first part of each write; a file is cut whole or not at all. */
function tearing(file: OpenFile, random: SeededRandom): OpenFile {
  return {
    ...file,
    write: (bytes, offset) => file.write(bytes.subarray(0, random.below(bytes.length)), offset),
    truncate: () => undefined,
  };
}
