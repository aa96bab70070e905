import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { Level } from 'level';
import { check } from '../base/errors.js';
import { guarded, guardedLater, STORAGE_ERRORS, storageError } from './errors.js';
import {
  checkNotEmpty,
  type HeldReads,
  type KeyValue,
  type KeyValueBatch,
  type KeyValueChange,
  type KeyValueStore,
} from './kv.js';

/** Entries fetched by one call to the library while walking; the next call runs while these are worked on. */
const PIECE_ENTRIES = 512;

/** Entries that are handed to the library in one go, and after how many of them the clock is looked at. */
const SLICE_MS = 2;
const LOOK_ENTRIES = 16;

/** Smaller entries are handed over in memory that is there for it. */
const SCRATCH_BYTES = 4096;

const OPTIONS = {
  keyEncoding: 'view',
  valueEncoding: 'view',
  // Pages are small integers and hex texts: compressing them halves the files and costs little.
  compression: true,
  blockSize: 16 * 1024,
  maxFileSize: 16 * 1024 * 1024,
} as const;

/** What the library may keep in memory beside the files. */
interface LevelMemory {
  readonly cacheSize: number;
  /** Twice as much is there while it is written. */
  readonly writeBufferSize: number;
}

const MEMORY: LevelMemory = { cacheSize: 32 * 1024 * 1024, writeBufferSize: 16 * 1024 * 1024 };
/**
 * There may be many of them in one node, each as large as the disk. They are written in small entries all over the place:
 * with a buffer of 4 MB the library merges its files three times as long.
 */
const PLUGIN_MEMORY: LevelMemory = { cacheSize: 4 * 1024 * 1024, writeBufferSize: 12 * 1024 * 1024 };

/** Folders of databases that this thread has open for threads. */
const openHere = new Set<string>();

type Bytes = Level<Uint8Array, Uint8Array>;
type LevelOptions = ConstructorParameters<typeof Level<Uint8Array, Uint8Array>>[1];
type Snapshot = ReturnType<Bytes['snapshot']>;

/** LevelDB. The library has no switch for its own checksums of tables, so readers must have checksums of theirs. */
export class LevelKv implements KeyValueStore {
  readonly path: string;
  readonly #level: Bytes;
  readonly #advice: string | undefined;
  readonly #scratch = new Uint8Array(SCRATCH_BYTES);

  private constructor(path: string, level: Bytes, advice: string | undefined) {
    this.path = path;
    this.#level = level;
    this.#advice = advice;
  }

  /** `advice`: what a person can do when files of this very store are damaged. */
  static open(path: string, advice?: string): Promise<LevelKv> {
    return LevelKv.#open(path, advice, { ...OPTIONS, ...MEMORY }, false);
  }

  /**
   * As `open`. Other threads of this process may open it besides, each once: it is one database then, which whoever
   * opened it first has to close last.
   */
  static openForThreads(path: string, advice?: string): Promise<LevelKv> {
    return LevelKv.#open(path, advice, { ...OPTIONS, ...MEMORY }, true);
  }

  /** The store of a plugin, for threads too. */
  static openForPlugin(path: string, advice?: string): Promise<LevelKv> {
    return LevelKv.#open(path, advice, { ...OPTIONS, ...PLUGIN_MEMORY }, true);
  }

  static async #open(
    path: string,
    advice: string | undefined,
    options: LevelOptions,
    isShared: boolean,
  ): Promise<LevelKv> {
    // The library lets a process that shares a database among its threads open it any number of times.
    const place = resolve(path);
    if (isShared) check(!openHere.has(place), STORAGE_ERRORS.storage_in_use, { path });
    const level: Bytes = new Level<Uint8Array, Uint8Array>(path, { ...options, multithreading: isShared });
    // The library takes a folder without its CURRENT file for a new one and removes all other files in it.
    const createIfMissing = guarded(path, () => !holdsData(path));
    if (isShared) openHere.add(place);
    try {
      await guardedLater(path, () => level.open({ createIfMissing }), advice);
    } catch (error) {
      if (isShared) openHere.delete(place);
      throw error;
    }
    return new LevelKv(path, level, advice);
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return guarded(this.path, () => this.#level.getSync(key), this.#advice);
  }

  getMany(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    return guardedLater(this.path, () => this.#level.getMany([...keys]), this.#advice);
  }

  /** One batch, which the library is handed in slices: others get their turn in between. */
  async write(changes: readonly KeyValueChange[]): Promise<void> {
    const batch = this.batch();
    try {
      let end = performance.now() + SLICE_MS;
      for (const [i, change] of changes.entries()) {
        batch.add(change);
        if (i % LOOK_ENTRIES !== 0 || performance.now() < end) continue;
        await new Promise((resolve) => setImmediate(resolve));
        end = performance.now() + SLICE_MS;
      }
      await batch.write();
    } finally {
      await batch.close();
    }
  }

  batch(): KeyValueBatch {
    const path = this.path;
    const advice = this.#advice;
    const batch = guarded(path, () => this.#level.batch(), advice);
    return {
      add: ({ key, value }) => {
        checkNotEmpty({ key, value });
        const [ownKey, ownValue] = this.#side(key, value);
        guarded(path, () => (ownValue === undefined ? batch.del(ownKey) : batch.put(ownKey, ownValue)), advice);
      },
      write: () => guardedLater(path, () => batch.write({ sync: true }), advice),
      close: () => guardedLater(path, () => batch.close(), advice),
    };
  }

  /**
   * The same bytes, where the library is to find them. For each array that it is handed the engine asks the system for
   * memory, however small it is, unless it is a part of another one.
   */
  #side(key: Uint8Array, value: Uint8Array | undefined): readonly [Uint8Array, Uint8Array | undefined] {
    const end = key.length + (value?.length ?? 0);
    if (end > SCRATCH_BYTES) return [key, value];
    this.#scratch.set(key);
    if (value !== undefined) this.#scratch.set(value, key.length);
    return [this.#scratch.subarray(0, key.length), value && this.#scratch.subarray(key.length, end)];
  }

  async *walk(from: Uint8Array, to: Uint8Array): AsyncGenerator<readonly KeyValue[]> {
    const iterator = this.#level.iterator({ gte: from, lt: to, fillCache: false, highWaterMarkBytes: 1024 * 1024 });
    try {
      let next = iterator.nextv(PIECE_ENTRIES);
      for (;;) {
        const piece = await next;
        if (piece.length === 0) return;
        next = iterator.nextv(PIECE_ENTRIES);
        // Whoever stops early leaves this promise behind.
        next.catch(() => undefined);
        yield piece;
      }
    } catch (error) {
      throw storageError(error, this.path, this.#advice);
    } finally {
      await iterator.close();
    }
  }

  newest(from: Uint8Array, to: Uint8Array, count: number): Promise<readonly KeyValue[]> {
    return this.#newest({ gte: from, lt: to, limit: count });
  }

  #newest(range: {
    gte: Uint8Array;
    lt: Uint8Array;
    limit: number;
    snapshot?: Snapshot;
  }): Promise<readonly KeyValue[]> {
    return guardedLater(this.path, () => this.#level.iterator({ ...range, reverse: true }).all(), this.#advice);
  }

  hold(): HeldReads {
    const snapshot = guarded(this.path, () => this.#level.snapshot(), this.#advice);
    return {
      get: (key) => guarded(this.path, () => this.#level.getSync(key, { snapshot }), this.#advice),
      newest: (from, to, count) => this.#newest({ gte: from, lt: to, limit: count, snapshot }),
      release: () => guardedLater(this.path, () => snapshot.close()),
    };
  }

  async close(): Promise<void> {
    await guardedLater(this.path, () => this.#level.close());
    openHere.delete(resolve(this.path));
  }
}

/** Whether a database was here, even if files of it are missing now. */
function holdsData(path: string): boolean {
  return existsSync(path) && readdirSync(path).some((name) => /^(MANIFEST-\d+|\d+\.(ldb|log|sst))$/.test(name));
}
