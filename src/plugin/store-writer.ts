import type { ChainId } from '../crypto/digests.js';
import type { BlockPlace } from './follower.js';

/** What a store says of itself: up to where it goes, and what it is made of. */
export interface Cursor {
  readonly format: number;
  readonly chain: ChainId;
  /** Options that decide about the data: with others it would be other data. */
  readonly options: string;
  readonly place: BlockPlace;
  /** The first block that it knows of. */
  readonly from: number;
  /** The next numbers that the follower gives, or what else it has to know. */
  readonly next: Readonly<Record<string, number>>;
}

/**
 * Writes a store in a thread: there the same follower is at work on the logs, and the one here only looks at what is
 * stored and at the blocks behind it.
 */
export interface StoreWriter {
  /**
   * Has the blocks behind `cursor`, where the store stands, written: as many as a moment is enough for, at least one, at
   * most up to `number`. They stay, and are on the disk. One call at a time.
   */
  write(cursor: Cursor, number: number): Promise<Written>;
  close(): Promise<void>;
}

export interface Written {
  readonly cursor: Cursor;
  /** What these blocks had. */
  readonly operations: number;
}

/** What runs in the thread: its default export makes the follower out of the data and the settings, which are copied. */
export interface WriterProgram {
  readonly url: URL;
  readonly settings: unknown;
}
