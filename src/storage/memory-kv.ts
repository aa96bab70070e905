import { compareBytes, toHex } from '../base/bytes.js';
import {
  checkNotEmpty,
  type HeldReads,
  type KeyValue,
  type KeyValueBatch,
  type KeyValueChange,
  type KeyValueStore,
} from './kv.js';

const PIECE_ENTRIES = 256;

/** For tests and the simulation. A map by hex key, put in order when it is walked. */
export class MemoryKv implements KeyValueStore {
  readonly path: string;
  readonly entries: Map<string, KeyValue>;

  constructor(path = 'memory', entries: Iterable<readonly [string, KeyValue]> = []) {
    this.path = path;
    this.entries = new Map(entries);
  }

  /** As after a crash: what was written so far, without what comes. */
  clone(): MemoryKv {
    return new MemoryKv(this.path, this.entries);
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.entries.get(toHex(key))?.[1];
  }

  async getMany(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    return keys.map((key) => this.get(key));
  }

  async write(batch: readonly KeyValueChange[]): Promise<void> {
    for (const change of batch) checkNotEmpty(change);
    for (const { key, value } of batch) {
      if (value === undefined) this.entries.delete(toHex(key));
      else this.entries.set(toHex(key), [key.slice(), value.slice()]);
    }
  }

  batch(): KeyValueBatch {
    return gatheredBatch((changes) => this.write(changes));
  }

  #inside(from: Uint8Array, to: Uint8Array): KeyValue[] {
    const inside = [...this.entries.values()].filter(
      ([key]) => compareBytes(key, from) >= 0 && compareBytes(key, to) < 0,
    );
    return inside.sort(([a], [b]) => compareBytes(a, b));
  }

  async newest(from: Uint8Array, to: Uint8Array, count: number): Promise<readonly KeyValue[]> {
    return this.#inside(from, to).reverse().slice(0, count);
  }

  async *walk(from: Uint8Array, to: Uint8Array): AsyncGenerator<readonly KeyValue[]> {
    const inside = this.#inside(from, to);
    for (let i = 0; i < inside.length; i += PIECE_ENTRIES) yield inside.slice(i, i + PIECE_ENTRIES);
  }

  hold(): HeldReads {
    const held = this.clone();
    return {
      get: (key) => held.get(key),
      newest: (from, to, count) => held.newest(from, to, count),
      release: async () => undefined,
    };
  }

  async close(): Promise<void> {}
}

/** For stores that take a batch in one piece. */
export function gatheredBatch(write: (changes: readonly KeyValueChange[]) => Promise<void>): KeyValueBatch {
  const changes: KeyValueChange[] = [];
  return {
    add: ({ key, value }) => {
      checkNotEmpty({ key, value });
      changes.push({ key: key.slice(), value: value?.slice() });
    },
    write: () => write(changes),
    close: async () => undefined,
  };
}
