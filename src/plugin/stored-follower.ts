import { fail } from '../base/errors.js';
import type { BlockId } from '../crypto/digests.js';
import type { HeldReads, KeyValue, KeyValueReads } from '../storage/kv.js';
import type { ChainView, KeyValueChange, KeyValueStore, PluginStores } from './api.js';
import { FOLLOWER_ERRORS } from './errors.js';
import {
  type AddedFollower,
  type BlockPlace,
  type Carried,
  type FeedBlock,
  type FeedPart,
  type Follower,
  NO_BLOCK,
  type WriteCarried,
} from './follower.js';
import type { Cursor, StoreWriter, WriterProgram } from './store-writer.js';

/** For followers that keep their data in a store of their own, whatever they make of the blocks. */

const CURSOR_KEY = Uint8Array.of(0);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export interface StoredData {
  readonly store: KeyValueStore;
  readonly cursor: Cursor;
  /** The same store with nothing in it. */
  renew(why: string): Promise<KeyValueStore>;
  /** Undefined: the follower writes by itself. */
  readonly writer?: StoreWriter | undefined;
}

export interface StoreWanted {
  readonly name: string;
  /** Elsewhere than usual. */
  readonly path?: string | undefined;
  readonly format: number;
  readonly options: string;
  /** For a follower that has much to write: where the node has threads, it costs those who read next to nothing. */
  readonly program?: WriterProgram;
}

/** The store as it was left, or an empty one where it is of no use: of another format, chain or options, or too new. */
export async function openStored(
  stores: PluginStores,
  { queries }: ChainView,
  { name, path, format, options, program }: StoreWanted,
): Promise<StoredData> {
  const empty: Cursor = { format, chain: queries.chainId, options, place: NO_BLOCK, from: 1, next: {} };
  const store = await stores.open(name, path);
  const withStore = (given: KeyValueStore, cursor: Cursor): StoredData => ({
    store: given,
    cursor,
    renew: (why) => stores.renew(given, why),
    writer: program && stores.writer?.(given, program),
  });
  const cursor = storedCursor(store);
  if (cursor === undefined) return withStore(store, empty);
  const why = reasonAgainst(cursor, empty, (number) => queries.blockIdOf(number));
  return why === undefined ? withStore(store, cursor) : withStore(await stores.renew(store, why), empty);
}

/** What the store says of itself; undefined: it is empty. */
export function storedCursor(store: Pick<KeyValueReads, 'get'>): Cursor | undefined {
  const bytes = store.get(CURSOR_KEY);
  return bytes === undefined ? undefined : (JSON.parse(decoder.decode(bytes)) as Cursor);
}

function reasonAgainst(
  found: Cursor,
  wanted: Cursor,
  idOf: (number: number) => BlockId | undefined,
): string | undefined {
  if (found.format !== wanted.format) return `it has format ${found.format}, not ${wanted.format}`;
  if (found.chain !== wanted.chain) return 'it is of another chain';
  if (found.options !== wanted.options) return `it was made with other options: ${found.options}`;
  const { number, id } = found.place;
  return number === 0 || idOf(number) === id ? undefined : `its newest block ${number} is not in the chain`;
}

const changeOf = (cursor: Cursor): KeyValueChange => ({
  key: CURSOR_KEY,
  value: encoder.encode(JSON.stringify(cursor)),
});

/** For what answers clients: refuses while the follower is behind the head by more than it can take in a moment. */
export function checkAtHead(added: Pick<AddedFollower, 'hurry' | 'status'>, head: number): void {
  if (added.hurry()) return;
  const { name, state, reason, position } = added.status;
  const row = state === 'failed' || state === 'refused' ? 'follower_over' : 'follower_behind';
  fail(FOLLOWER_ERRORS[row], { name, number: position.number, head, reason });
}

/** What a block did, for as long as it may be undone or waits for the disk. */
export interface Taken extends BlockPlace {
  /** Of the store, about: decides when they are written. */
  readonly records: number;
  /** The follower's `next` before this block. */
  readonly next: Readonly<Record<string, number>>;
}

export interface WriteLimits {
  /** Blocks that stay, or records of theirs, that are written together. */
  readonly blocks: number;
  readonly records: number;
}

const WRITE_LIMITS: WriteLimits = { blocks: 20, records: 5000 };

/** Changes that are handed to the store in one go, and after how many of them the clock is looked at. */
const SLICE_MS = 2;
const LOOK_CHANGES = 16;

/** Which entries of the store a snapshot carries (`from <= key < to`), and what else is needed; `next` comes on top. */
export interface CarriedPart {
  readonly about: Carried['about'];
  readonly from: Uint8Array;
  readonly to: Uint8Array;
}

/**
 * Only blocks that stay are written, in one batch with the cursor; those behind them are in memory and can be taken back.
 * So each block counts once, whatever happens to the process or the disk.
 */
export abstract class StoredFollower<T extends Taken> implements Follower {
  abstract readonly name: string;
  abstract readonly reads: FeedPart;
  readonly advance?: (number: number) => Promise<void>;
  #store: KeyValueStore;
  readonly #renew: StoredData['renew'];
  readonly #writer: StoreWriter | undefined;
  /** While a thread writes: the store as it was before. */
  #held: HeldReads | undefined;
  /** Behind the stored ones, in order. */
  #blocks: T[] = [];
  /** Behind these, as they came: where a thread writes they are taken when somebody asks for what they did. */
  #unseen: FeedBlock[] = [];
  #writtenOperations = 0;
  #cursor: Cursor;
  readonly #limits: WriteLimits;
  #settled: number;
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  /** While a snapshot of this block is made no block behind it is written. */
  #ceiling: number | undefined;

  constructor({ store, cursor, renew, writer }: StoredData, limits: WriteLimits = WRITE_LIMITS) {
    this.#store = store;
    this.#renew = renew;
    this.#cursor = cursor;
    this.#limits = limits;
    this.#settled = cursor.place.number;
    this.#writer = writer;
    if (writer !== undefined) this.advance = (number) => this.#advance(number);
  }

  /** The store, with all up to the newest block that it has and nothing behind it. */
  protected get store(): KeyValueReads {
    return this.#held ?? this.#store;
  }

  /** Takes a block; what it returns is all that `takeBack` and `changesOf` need. */
  protected abstract take(block: FeedBlock): T;
  protected abstract takeBack(block: T): void;
  /**
   * What these blocks, the oldest ones, change in the store. One that makes them one after another, a generator, keeps
   * memory low: they are taken in slices, while newer blocks come.
   */
  protected abstract changesOf(blocks: readonly T[]): Iterable<KeyValueChange>;
  /** The same blocks are in the store now and need not be in memory any more. */
  protected abstract forget(blocks: readonly T[]): void;
  /** What goes into the cursor as `next`, behind the newest block. */
  protected abstract next(): Readonly<Record<string, number>>;

  /**
   * Where a thread writes: no block is in memory any more, and the store has gone on to where this is `next`. What was
   * read from it does not hold any more.
   */
  protected standBehind(_next: Readonly<Record<string, number>>): void {
    throw new Error(
      `${this.name} has a program for a thread and does not know how to go on from what that has written`,
    );
  }

  /** For a snapshot; undefined: nothing. */
  protected carried(): CarriedPart | undefined {
    return undefined;
  }

  /** It begins behind a snapshot, which carries this, or nothing for it. Returns why it does not go on from there. */
  protected beginWith(_carried: Carried | undefined): string | undefined {
    return undefined;
  }

  /** What an entry that the snapshot carries becomes in the store. */
  protected changesFrom(_entry: KeyValue): KeyValueChange[] {
    return [];
  }

  get position(): BlockPlace {
    const { number, id } = this.#unseen.at(-1) ?? this.#blocks.at(-1) ?? this.#cursor.place;
    return { number, id };
  }

  /** Where a thread writes, nobody here counts them. */
  get records(): number | undefined {
    return this.#writer === undefined ? undefined : this.#writtenOperations;
  }

  /** Whoever asks for something comes through here. */
  look(): void {
    for (let block = this.#unseen[0]; block !== undefined; block = this.#unseen[0]) {
      this.#blocks.push(this.take(block));
      this.#unseen.shift();
    }
  }

  /** Where the store stands. */
  get cursor(): Cursor {
    return this.#cursor;
  }

  /** The first block that it knows of: behind a snapshot it begins later than the chain. */
  get from(): number {
    return this.#cursor.from;
  }

  async skipTo({ number, id }: BlockPlace, carried?: Carried): Promise<string | undefined> {
    const known = this.#cursor.place.number;
    if (known > 0) this.#store = await this.#renew(`blocks ${known + 1} to ${number} are not there`);
    const note = this.beginWith(carried);
    const cursor: Cursor = { ...this.#cursor, place: { number, id }, from: number + 1, next: this.next() };
    const batch = this.#store.batch();
    try {
      if (carried !== undefined && note === undefined) {
        for await (const some of carried.entries) {
          for (const entry of some) for (const change of this.changesFrom(entry)) batch.add(change);
        }
      }
      batch.add(changeOf(cursor));
      await batch.write();
    } finally {
      await batch.close();
    }
    this.#cursor = cursor;
    this.#settled = number;
    return note;
  }

  async carry({ number, id }: BlockPlace, write: WriteCarried): Promise<boolean> {
    const carried = this.carried();
    if (carried === undefined) return true;
    const { place } = this.#cursor;
    const standsOn = place.number === number ? place : this.#inMemory(number);
    if (this.#failure !== undefined || standsOn?.id !== id) return false;
    const { about, from, to } = carried;
    let writing: Promise<void>;
    this.#settled = Math.max(this.#settled, number);
    this.#ceiling = number;
    try {
      while (this.#cursor.place.number < number) await (this.#writing ?? this.#begin());
      writing = write({ about: { ...about, ...this.#cursor.next }, entries: this.#store.walk(from, to) });
    } finally {
      this.#ceiling = undefined;
      this.#goOn();
    }
    await writing;
    return true;
  }

  #inMemory(number: number): BlockPlace | undefined {
    const isIt = (block: BlockPlace): boolean => block.number === number;
    return this.#blocks.find(isIt) ?? this.#unseen.find(isIt);
  }

  apply(block: FeedBlock): void {
    if (this.#writer === undefined) this.#blocks.push(this.take(block));
    else this.#unseen.push(block);
  }

  undo(): void {
    if (this.#unseen.pop() !== undefined) return;
    const block = this.#blocks.pop();
    if (block !== undefined) this.takeBack(block);
  }

  /** Writes in the background when enough has come together; whoever is faster than that has to wait. */
  settle(number: number): Promise<void> | undefined {
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#settled = Math.max(this.#settled, Math.min(number, this.position.number));
    if (!this.#isDue(1)) return undefined;
    const writing = this.#writing ?? this.#begin();
    if (this.#isDue(2)) return this.#untilFewer();
    writing.catch(() => undefined);
    return undefined;
  }

  /** Until less than that waits, or a snapshot of the chain has to be made first. */
  async #untilFewer(): Promise<void> {
    for (let before = -1; this.#isDue(2) && this.#cursor.place.number > before; ) {
      before = this.#cursor.place.number;
      await (this.#writing ?? this.#begin());
    }
  }

  #isDue(times: number): boolean {
    const blocks = this.#settled - this.#cursor.place.number;
    if (blocks <= 0) return false;
    return blocks >= times * this.#limits.blocks || this.#waitingRecords >= times * this.#limits.records;
  }

  /** About; nobody has looked at those of unseen blocks. */
  get #waitingRecords(): number {
    const unseen = this.#unseen.reduce((sum, { block }) => sum + block.transactions.length, 0);
    return this.#blocks.reduce((sum, { records }) => sum + records, unseen);
  }

  /** Writes all blocks that stay. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    if (this.#failure !== undefined) throw this.#failure.error;
    while (this.#settled > this.#cursor.place.number) await this.#begin();
  }

  /** The thread reads blocks by itself: they need not come through here. */
  async #advance(number: number): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    if (this.#failure !== undefined) throw this.#failure.error;
    await this.#begin(number);
    this.#settled = Math.max(this.#settled, this.#cursor.place.number);
  }

  #begin(settled = this.#settled): Promise<void> {
    const { number } = this.#cursor.place;
    this.#writing = this.#write(Math.min(settled, this.#ceiling ?? settled))
      .catch((error: unknown) => {
        this.#failure = { error };
        throw error;
      })
      .finally(() => {
        this.#writing = undefined;
        if (this.#cursor.place.number > number) this.#goOn();
      });
    return this.#writing;
  }

  /** An order to a thread ends after a moment, and seldom is anybody told that more blocks stay: the rest is not left until then. */
  #goOn(): void {
    if (this.#failure !== undefined || this.#writing !== undefined || !this.#isDue(1)) return;
    // Whoever settles next hears of a failure.
    this.#begin().catch(() => undefined);
  }

  async #write(upTo: number): Promise<void> {
    if (upTo <= this.#cursor.place.number) return;
    if (this.#writer === undefined) await this.#writeHere(upTo);
    else await this.#writeThere(this.#writer, upTo);
  }

  async #writeHere(upTo: number): Promise<void> {
    const count = this.#countUpTo(upTo);
    const blocks = this.#blocks.slice(0, count);
    const last = blocks.at(-1);
    if (last === undefined) return;
    const { number, id } = last;
    const next = this.#blocks[count]?.next ?? this.next();
    const cursor: Cursor = { ...this.#cursor, place: { number, id }, next };
    await this.#writeAll(this.changesOf(blocks), cursor);
    this.#cursor = cursor;
    this.#blocks = this.#blocks.slice(count);
    this.forget(blocks);
  }

  #countUpTo(number: number): number {
    return this.#blocks.findLastIndex((block) => block.number <= number) + 1;
  }

  /** Until all of it is there everybody reads what was there before. */
  async #writeThere(writer: StoreWriter, upTo: number): Promise<void> {
    const held = this.#store.hold();
    this.#held = held;
    try {
      const { cursor, operations } = await writer.write(this.#cursor, upTo);
      this.#goOnFrom(cursor);
      this.#writtenOperations += operations;
    } finally {
      this.#held = undefined;
      await held.release();
    }
  }

  #goOnFrom(cursor: Cursor): void {
    const { number, id } = cursor.place;
    const known = this.#inMemory(number) ?? cursor.place;
    if (known.id !== id) throw new Error(`block ${number} is ${known.id} here and ${id} in the thread that writes`);
    const count = this.#countUpTo(number);
    const blocks = this.#blocks.slice(0, count);
    this.#cursor = cursor;
    this.#blocks = this.#blocks.slice(count);
    this.#unseen = this.#unseen.filter((block) => block.number > number);
    this.forget(blocks);
    if (this.#blocks.length === 0) this.standBehind(cursor.next);
  }

  /** One batch. None of the changes is kept beside what the library has of it, and others have their turn in between. */
  async #writeAll(changes: Iterable<KeyValueChange>, cursor: Cursor): Promise<void> {
    const batch = this.#store.batch();
    try {
      let end = performance.now() + SLICE_MS;
      let added = 0;
      for (const change of changes) {
        batch.add(change);
        if (++added % LOOK_CHANGES !== 0 || performance.now() < end) continue;
        await new Promise((resolve) => setImmediate(resolve));
        end = performance.now() + SLICE_MS;
      }
      batch.add(changeOf(cursor));
      await batch.write();
    } finally {
      await batch.close();
    }
  }

  async close(): Promise<void> {
    try {
      if (this.#failure === undefined) await this.flush();
    } finally {
      try {
        await this.#writer?.close();
      } finally {
        await this.#store.close();
      }
    }
  }

  /** What a block of the newest ones did. */
  protected takenBlock(id: BlockId): T | undefined {
    return this.#blocks.findLast((block) => block.id === id);
  }
}
