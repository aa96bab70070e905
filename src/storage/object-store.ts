import { crc32 } from 'node:zlib';
import { crashPoint } from '../base/crash-point.js';
import { ChainError, check, fail, invariant } from '../base/errors.js';
import { smallNumber } from '../base/int.js';
import type { StateStore } from '../chain/ports.js';
import { LASTING_RULES } from '../codec/decode-rules.js';
import { Reader } from '../codec/reader.js';
import { type AnyObjectDef, idText, type ObjectDef, type StateObject } from '../state/define.js';
import type { Change, ObjectDatabase, StateChanges } from '../state/object-db.js';
import { recordTools } from '../state/records.js';
import { META_KEY, OBJECTS_FROM, OBJECTS_TO, PAGE_KEY_BYTES, pageKey, readPageKey } from './buckets.js';
import { readCarried } from './carried.js';
import { STORAGE_ERRORS } from './errors.js';
import type { CarriedEntries, KeyValueBatch, KeyValueStore } from './kv.js';
import { mergePage, type PageEntry, pageIsIntact, storedChecksum, walkPage } from './object-page.js';
import { packPlain, type RecordCodec, recordCodec, unpackPlain } from './object-record.js';
import { RecordArena } from './record-arena.js';

/**
 * Format 2. Every object of the state as of one irreversible block, packed into pages, and one record that says which
 * block that is. Both change in one batch, so the store is always the state of exactly one block.
 *
 * The database below may lose or garble entries when its files are damaged, and does not always say so. Therefore every
 * page has a checksum over its key and content, and the record of the head carries, per type, the number of objects and
 * the sum of all page checksums: a page that is missing, old or foreign is found when the store is loaded.
 *
 * Format 1 did not say how many operations came before: there was no operation journal.
 */
export const OBJECT_STORE_FORMAT = 2;

/** Instances that share a page. Part of the format. */
const PAGE_INSTANCES = 64;
/** Large objects have smaller pages, so that one change does not write much more than itself. */
const PAGE_INSTANCES_BY_TYPE: Readonly<Record<string, number>> = { account: 16, key_value: 16 };

export interface StoreHead {
  readonly number: number;
  readonly id: string;
}

/** What the operation journal goes on with behind the stored block. */
export interface HistoryPosition {
  /** Applied up to and with this block. */
  readonly operations: number;
  /** Operations of the newest transaction. */
  readonly carried: number;
}

/** Pages read and merged in one go: one or two milliseconds of work, or as much where objects are encoded for it. */
const PAGES_AT_ONCE = 64;
const LOOKED_UP_PAGES_AT_ONCE = 4;

interface TypeTotals {
  /** Next instance. */
  counter: number;
  objects: number;
  /** Sum of page checksums modulo 2^32. */
  checksum: number;
}

interface Meta {
  readonly format: number;
  readonly chain: string;
  readonly head: StoreHead;
  readonly history?: HistoryPosition;
  readonly replayEnd?: number;
  /** By `space.type`. */
  readonly types: Readonly<Record<string, TypeTotals>>;
}

interface StoredType {
  readonly definition: AnyObjectDef;
  readonly codec: RecordCodec;
  readonly pageInstances: number;
  /** As of the batch that was made last. */
  totals: TypeTotals;
  /** Next instance as of what is staged. */
  counter: number;
  /** By page: records that are not handed to the database yet. */
  staged: Map<number, StagedPage>;
}

/** By place within the page: where the record lies in the arena, or what has to be encoded, undefined where the object is gone. */
type StagedPage = Map<number, Staged>;
type Staged = number | Readonly<StateObject> | undefined;

/** What one flush takes of a type. */
interface TakenType {
  readonly type: StoredType;
  readonly pages: Map<number, StagedPage>;
}

export class ObjectStore implements StateStore {
  readonly path: string;
  readonly #kv: KeyValueStore;
  readonly #chain: string;
  readonly #definitions: readonly AnyObjectDef[];
  readonly #types = new Map<string, StoredType>();
  readonly #byDefinition = new Map<AnyObjectDef, StoredType>();
  #head: StoreHead | undefined;
  #history: HistoryPosition | undefined;
  #storedReplayEnd: number | undefined;
  /**
   * The last block of a replay that is under way: the state does not remember transactions that expire before it, so it
   * may only be brought on to there.
   */
  replayEnd: number | undefined;
  /** Head of what is staged. */
  #stagedHead: StoreHead | undefined;
  #stagedObjects = 0;
  #records = new RecordArena();
  /** Records of the pages that are merged. */
  readonly #encoded = new RecordArena();
  #writing: Promise<void> | undefined;
  #writingHead: StoreHead | undefined;
  #failure: unknown;

  /** Reads the record of the head; refuses a store of another chain or a newer format before anything else. */
  constructor(
    kv: KeyValueStore,
    chain: string,
    definitions: readonly AnyObjectDef[],
    /** Newest format that this program reads. */
    formatMax: number = OBJECT_STORE_FORMAT,
  ) {
    this.#kv = kv;
    this.#chain = chain;
    this.#definitions = definitions;
    this.path = kv.path;
    for (const definition of definitions) {
      const type: StoredType = {
        definition,
        codec: recordCodec(definition),
        pageInstances: PAGE_INSTANCES_BY_TYPE[definition.name] ?? PAGE_INSTANCES,
        totals: { counter: 0, objects: 0, checksum: 0 },
        counter: 0,
        staged: new Map(),
      };
      this.#types.set(typeKey(definition), type);
      this.#byDefinition.set(definition, type);
    }
    this.#readMeta(formatMax);
  }

  /** Block whose state is stored; undefined for an empty store. */
  get head(): StoreHead | undefined {
    return this.#head;
  }

  /** As of the stored block; undefined in a store of format 1. */
  get history(): HistoryPosition | undefined {
    return this.#history;
  }

  /** `replayEnd` as it was when the state was stored. */
  get storedReplayEnd(): number | undefined {
    return this.#storedReplayEnd;
  }

  /** Block up to which changes were taken, written or not. */
  get savedHead(): StoreHead | undefined {
    return this.#stagedHead ?? this.#writingHead ?? this.#head;
  }

  /** Objects that the next flush writes. */
  get stagedObjects(): number {
    return this.#stagedObjects;
  }

  #readMeta(formatMax: number): void {
    const bytes = this.#kv.get(META_KEY);
    if (bytes === undefined) return;
    const sealed = bytes.length > 4 && crc32(bytes.subarray(4)) === storedChecksum(bytes);
    if (!sealed) this.#damaged('the record of the head', 'its checksum differs');
    const meta = unpackPlain(bytes, 4, bytes.length) as Meta;
    check(meta.format <= formatMax, STORAGE_ERRORS.storage_newer_version, {
      path: this.path,
      found: meta.format,
      known: formatMax,
    });
    check(meta.chain === this.#chain, STORAGE_ERRORS.storage_other_chain, {
      path: this.path,
      found: meta.chain,
      wanted: this.#chain,
    });
    for (const [key, totals] of Object.entries(meta.types)) {
      const type = this.#types.get(key);
      // A type that this program does not know was written by one that knows more.
      if (type === undefined) {
        const newer = { path: this.path, found: `${meta.format} with objects ${key}`, known: OBJECT_STORE_FORMAT };
        fail(STORAGE_ERRORS.storage_newer_version, newer);
      }
      type.totals = totals;
      type.counter = totals.counter;
    }
    this.#head = meta.head;
    this.#history = meta.history;
    this.#storedReplayEnd = meta.replayEnd;
  }

  /** Fills an empty object database, of the same definitions, with what is stored. */
  async load(database: ObjectDatabase): Promise<void> {
    invariant(this.#head !== undefined && this.#stagedHead === undefined, 'a store is loaded once, before it is used');
    const found = new Map<StoredType, { objects: number; checksum: number }>();
    for (const type of this.#types.values()) found.set(type, { objects: 0, checksum: 0 });
    for await (const piece of this.#kv.walk(OBJECTS_FROM, OBJECTS_TO)) {
      for (const [key, page] of piece) {
        const type = this.#typeOfKey(key);
        const { page: pageNumber } = readPageKey(key);
        if (!pageIsIntact(key, page)) this.#damaged(this.#pageName(type, pageNumber), 'its checksum differs');
        const sum = found.get(type) as { objects: number; checksum: number };
        sum.objects += loadPage(database, type, pageNumber, page);
        sum.checksum = (sum.checksum + storedChecksum(page)) >>> 0;
      }
    }
    for (const [type, { objects, checksum }] of found) {
      const { totals, definition } = type;
      const same = objects === totals.objects && checksum === totals.checksum;
      const reason = `${objects} found, ${totals.objects} stored, checksum of all ${same ? 'equal' : 'differs'}`;
      if (!same) this.#damaged(`the set of ${definition.name} objects`, reason);
      database.setCounter(definition, totals.counter);
    }
    database.finishLoading();
  }

  #typeOfKey(key: Uint8Array): StoredType {
    if (key.length !== PAGE_KEY_BYTES) this.#damaged(`key ${Buffer.from(key).toString('hex')}`, 'it is no key of ours');
    const { space, type } = readPageKey(key);
    const stored = this.#types.get(`${space}.${type}`);
    if (stored === undefined) this.#damaged(`key ${Buffer.from(key).toString('hex')}`, 'there are no such objects');
    return stored;
  }

  /**
   * Takes what became irreversible up to `head`. Objects are encoded at once, since they go on living; those that never
   * change are encoded by the flush, where others have their turn in between. Nothing is written before that.
   */
  save({ changes, counters }: StateChanges, head: StoreHead): void {
    this.#throwFailure();
    for (const change of changes) this.#stageChange(change);
    this.#definitions.forEach((definition, i) => {
      this.#stored(definition).counter = counters[i] as number;
    });
    this.#stagedHead = head;
  }

  #stageChange({ definition, instance, value }: Change): void {
    const type = this.#stored(definition);
    if (value === undefined) this.#stage(type, instance, undefined);
    else if (definition.keep === 'fleeting') this.#stage(type, instance, value);
    else this.#stage(type, instance, this.#records.add(type.codec.encode(value)));
  }

  /** `record`: its place among the records or what it is made of, undefined for an object that is no more. */
  #stage(type: StoredType, instance: number, record: Staged): void {
    const page = Math.floor(instance / type.pageInstances);
    let places = type.staged.get(page);
    if (places === undefined) {
      places = new Map();
      type.staged.set(page, places);
    }
    const place = instance % type.pageInstances;
    if (!places.has(place)) this.#stagedObjects++;
    places.set(place, record);
  }

  /** Stages every object of a database whose state is final: after genesis, or to make a store elsewhere. */
  saveAll(database: ObjectDatabase, head: StoreHead): void {
    this.#throwFailure();
    for (const definition of database.definitions) {
      const type = this.#stored(definition);
      const { isSame } = recordTools(definition as ObjectDef);
      let before: StateObject | undefined;
      let record: number | undefined;
      database.forEach(definition as ObjectDef, (object) => {
        if (before === undefined || !isSame(before, object)) record = this.#records.add(type.codec.encode(object));
        this.#stage(type, object.id, record);
        before = object;
      });
      type.counter = database.nextInstance(definition);
    }
    this.#stagedHead = head;
  }

  /**
   * Writes what is staged as one batch. What is staged meanwhile goes into the next one. `history`: at `savedHead`.
   * `before` is waited for once it is certain what the batch holds, and before anything of it is written.
   */
  async flush(history?: HistoryPosition, before: () => Promise<void> = async () => undefined): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    this.#throwFailure();
    this.#writingHead = this.#stagedHead;
    const head = this.#stagedHead;
    this.#writing = (head === undefined ? before() : this.#write(head, history, before)).finally(() => {
      this.#writing = undefined;
      this.#writingHead = undefined;
    });
    await this.#writing;
  }

  async #write(head: StoreHead, history: HistoryPosition | undefined, before: () => Promise<void>): Promise<void> {
    const batch = this.#kv.batch();
    try {
      await this.#fill(batch, head, history);
      await before();
      crashPoint('after_block_log_before_state');
      const written = batch.write();
      crashPoint('state_batch_under_way');
      await written;
    } catch (error) {
      // Totals in memory are ahead of the medium now; nothing may be written on top of that.
      this.#failure = error;
      throw error;
    } finally {
      await batch.close();
    }
    crashPoint('after_state_batch');
    this.#head = head;
    this.#history = history;
  }

  /** What is staged now, merged into the pages it belongs to. Other work gets its turn in between. */
  async #fill(batch: KeyValueBatch, head: StoreHead, history: HistoryPosition | undefined): Promise<void> {
    const taken: TakenType[] = [];
    for (const type of this.#types.values()) {
      if (type.staged.size > 0) taken.push({ type, pages: type.staged });
      type.staged = new Map();
      type.totals.counter = type.counter;
    }
    const records = this.#records;
    this.#records = new RecordArena();
    this.#stagedHead = undefined;
    this.#stagedObjects = 0;
    for (const { type, pages } of taken) {
      const atOnce = type.definition.keep === 'fleeting' ? LOOKED_UP_PAGES_AT_ONCE : PAGES_AT_ONCE;
      let some: [number, StagedPage][] = [];
      for (const page of pages) {
        some.push(page);
        if (some.length < atOnce) continue;
        await this.#mergePages(type, some, records, batch);
        some = [];
      }
      if (some.length > 0) await this.#mergePages(type, some, records, batch);
    }
    batch.add({ key: META_KEY, value: this.#sealMeta(head, history) });
  }

  async #mergePages(
    type: StoredType,
    pages: readonly (readonly [number, StagedPage])[],
    records: RecordArena,
    batch: KeyValueBatch,
  ): Promise<void> {
    const { space, type: number } = type.definition;
    const keys = pages.map(([page]) => pageKey(space, number, page));
    const olds = await this.#kv.getMany(keys);
    this.#encoded.clear();
    pages.forEach(([page, places], i) => {
      const key = keys[i] as Uint8Array;
      const entries: PageEntry[] = [];
      places.forEach((staged, place) => {
        entries.push({ place, record: this.#recordOf(type, staged, records) });
      });
      entries.sort((a, b) => a.place - b.place);
      batch.add({ key, value: this.#mergePage(type, page, key, olds[i], entries) });
    });
  }

  /** Valid until the next pages are merged. */
  #recordOf({ codec }: StoredType, staged: Staged, records: RecordArena): Uint8Array | undefined {
    if (typeof staged !== 'object') return staged === undefined ? undefined : records.at(staged);
    return this.#encoded.at(this.#encoded.add(codec.encode(staged)));
  }

  #mergePage(
    type: StoredType,
    pageNumber: number,
    key: Uint8Array,
    old: Uint8Array | undefined,
    entries: readonly PageEntry[],
  ): Uint8Array | undefined {
    if (old !== undefined && !pageIsIntact(key, old)) {
      this.#damaged(this.#pageName(type, pageNumber), 'its checksum differs');
    }
    const { page, count, countBefore } = mergePage(key, old, entries);
    const { totals } = type;
    totals.objects += count - countBefore;
    if (old !== undefined) totals.checksum = (totals.checksum - storedChecksum(old)) >>> 0;
    if (page !== undefined) totals.checksum = (totals.checksum + storedChecksum(page)) >>> 0;
    return page;
  }

  #sealMeta(head: StoreHead, history: HistoryPosition | undefined): Uint8Array {
    const types: Record<string, TypeTotals> = {};
    for (const [key, type] of this.#types) types[key] = type.totals;
    const said = history === undefined ? {} : { history: { operations: history.operations, carried: history.carried } };
    const ends = this.replayEnd === undefined ? {} : { replayEnd: this.replayEnd };
    const meta: Meta = { format: OBJECT_STORE_FORMAT, chain: this.#chain, head, ...said, ...ends, types };
    const bytes = packPlain(meta);
    const sealed = new Uint8Array(4 + bytes.length);
    sealed.set(bytes, 4);
    new DataView(sealed.buffer).setUint32(0, crc32(bytes), true);
    return sealed;
  }

  /** What the snapshot that this store has come from carries for a follower, as of this block. */
  carried(name: string, place: StoreHead): CarriedEntries | undefined {
    return readCarried(this.#kv, name, place);
  }

  /** As `copyObjects`, of what is stored here. */
  copyTo(target: KeyValueStore): Promise<StoreHead | undefined> {
    return copyObjects(this.#kv, target);
  }

  async close(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing.catch(() => undefined);
    await this.#kv.close();
  }

  #stored(definition: AnyObjectDef): StoredType {
    const type = this.#byDefinition.get(definition);
    invariant(type !== undefined, `objects of type ${definition.name} are stored`);
    return type;
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  #pageName({ definition, pageInstances }: StoredType, page: number): string {
    const first = page * pageInstances;
    return `the page of ${idText(definition, first)} to ${idText(definition, first + pageInstances - 1)}`;
  }

  #damaged(what: string, reason: string): never {
    throw new ChainError(STORAGE_ERRORS.object_store_corrupt, { path: this.path, what, reason });
  }
}

/**
 * Copies the objects that are stored, as they are at this moment, whatever is written meanwhile: the walk is begun
 * before this returns. Nothing is decoded. Gives the block whose state it is.
 */
export async function copyObjects(source: KeyValueStore, target: KeyValueStore): Promise<StoreHead | undefined> {
  let head: StoreHead | undefined;
  for await (const piece of source.walk(META_KEY, OBJECTS_TO)) {
    for (const [key, value] of piece) if (isMetaKey(key)) head = (unpackPlain(value, 4, value.length) as Meta).head;
    await target.write(piece.map(([key, value]) => ({ key, value })));
  }
  return head;
}

const isMetaKey = (key: Uint8Array): boolean => key.length === META_KEY.length && key[0] === META_KEY[0];

function typeKey(definition: AnyObjectDef): string {
  return `${definition.space}.${definition.type}`;
}

function loadPage(database: ObjectDatabase, type: StoredType, pageNumber: number, page: Uint8Array): number {
  const { definition, codec } = type;
  const base = smallNumber(pageNumber * type.pageInstances);
  // The database's library gives Buffers, whose `slice` would share memory where the codec means a copy.
  const reader = new Reader(new Uint8Array(page.buffer, page.byteOffset, page.length), LASTING_RULES);
  return walkPage(page, (place, start, end) => {
    reader.position = start;
    database.adopt(definition, codec.decode(base + place, reader, end));
  });
}
