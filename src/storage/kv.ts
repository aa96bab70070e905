import { invariant } from '../base/errors.js';

export interface KeyValueReads {
  get(key: Uint8Array): Uint8Array | undefined;
  /** At most `count` entries with `from <= key < to`, the last one first: as they were when this was called. */
  newest(from: Uint8Array, to: Uint8Array, count: number): Promise<readonly KeyValue[]>;
}

/** A store as it was when this was made, whatever is written since; it costs room on the disk until it is released. */
export interface HeldReads extends KeyValueReads {
  release(): Promise<void>;
}

/** An ordered store of byte keys and values. Keys compare bytewise. */
export interface KeyValueStore extends KeyValueReads {
  /** Folder, for messages. */
  readonly path: string;
  /** Values in the order of the keys; the work is done outside of the main thread where there is another one. */
  getMany(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]>;
  /** All or nothing; settles when it is on the medium. One batch at a time. */
  write(batch: readonly KeyValueChange[]): Promise<void>;
  /** The same with changes that come one after another: none of them is kept beside what the library has of it. */
  batch(): KeyValueBatch;
  /** Entries with `from <= key < to` in order, in pieces of a convenient size. */
  walk(from: Uint8Array, to: Uint8Array): AsyncIterable<readonly KeyValue[]>;
  /** For whoever reads while somebody else writes. */
  hold(): HeldReads;
  close(): Promise<void>;
}

export type KeyValue = readonly [key: Uint8Array, value: Uint8Array];

/** Without a value the key is removed. */
export interface KeyValueChange {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** LevelDB's binding loses 32 bytes of memory for each empty value that it is handed, for as long as the process lives. */
export function checkNotEmpty({ value }: KeyValueChange): void {
  invariant(value === undefined || value.length > 0, 'no value is empty');
}

/** Entries on their way from one store to another, with what has to be known to use them. */
export interface CarriedEntries {
  readonly about: Readonly<Record<string, string | number>>;
  /** In the order of the keys. */
  readonly entries: AsyncIterable<readonly KeyValue[]>;
}

export interface KeyValueBatch {
  /** Takes copies. Nothing is written yet. */
  add(change: KeyValueChange): void;
  /** All or nothing; settles when it is on the medium. */
  write(): Promise<void>;
  /** The last call, written or not. */
  close(): Promise<void>;
}
