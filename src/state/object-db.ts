import { invariant, StateLostError } from '../base/errors.js';
import { smallNumber } from '../base/int.js';
import type {
  AnyObjectDef,
  GroupIndex,
  IndexKey,
  ObjectDef,
  OrderedIndex,
  SeveralIndex,
  StateObject,
  UniqueIndex,
} from './define.js';
import { IdHash } from './id-hash.js';
import type { LiveGroup, LiveOrdered, LiveSeveral, LiveUnique } from './live-index.js';
import { Table } from './table.js';
import { UndoFrame } from './undo.js';

/** One object of the journal: its value at the end of the frames in question, undefined if it is gone. */
export interface Change {
  readonly definition: AnyObjectDef;
  readonly instance: number;
  readonly value: Readonly<StateObject> | undefined;
  /** Only in changes of the newest frame: the object did not exist before it. */
  readonly isNew?: boolean;
  /** Only in changes of the newest frame: the value before it. */
  readonly before?: Readonly<StateObject> | undefined;
}

export interface StateChanges {
  /** Each object once, in no particular order. */
  readonly changes: readonly Change[];
  /** Next instances of all types, in the order of the database's definitions. */
  readonly counters: readonly number[];
}

/**
 * Objects in memory with indexes, id counters and undo.
 *
 * Undo is a stack of frames. The lower part are committed frames, one per block, which can be popped or dropped; the
 * upper part are open frames, for what is being tried: pending transactions, proposals. Without any frame nothing is
 * recorded (genesis).
 *
 * Storage follows the committed frames. Before it drops the oldest ones, `irreversibleChanges` says what they changed,
 * with values as of their end although newer frames may have changed them since. For a replay of irreversible blocks,
 * commit one frame for many blocks: an object then costs one copy per frame, and the journal is the same.
 */
export class ObjectDatabase {
  readonly definitions: readonly AnyObjectDef[];
  /** By space and type, see `tableSlot`. */
  // biome-ignore lint/suspicious/noExplicitAny: tables of all types
  private readonly tables: (Table<any> | undefined)[] = [];
  // biome-ignore lint/suspicious/noExplicitAny: tables of all types
  private readonly tableList: Table<any>[] = [];
  /** Those whose objects never change. */
  // biome-ignore lint/suspicious/noExplicitAny: tables of all types
  private readonly fleeting: Table<any>[] = [];
  private readonly counters: Float64Array;
  /** Of frames that are no more. */
  private readonly spareCounters: Float64Array[] = [];

  private readonly frames: UndoFrame[] = [];
  /** Newest frame, where changes are recorded. */
  private top: UndoFrame | undefined;
  private committedCount = 0;
  private serial = 0;

  /** `hash` chooses places of ids, in which nothing can be seen of it. */
  constructor(definitions: readonly AnyObjectDef[], hash = new IdHash()) {
    this.definitions = definitions;
    this.counters = new Float64Array(definitions.length);
    definitions.forEach((definition, position) => {
      const table = new Table<StateObject>(definition, position, hash);
      const slot = tableSlot(definition);
      while (this.tables.length <= slot) this.tables.push(undefined);
      invariant(this.tables[slot] === undefined, `object type ${definition.space}.${definition.type} is declared once`);
      this.tables[slot] = table;
      this.tableList.push(table);
      if (definition.keep === 'fleeting') this.fleeting.push(table);
    });
  }

  protected table<T extends StateObject>(definition: ObjectDef<T>): Table<T> {
    const table = this.tables[tableSlot(definition)];
    if (table === undefined) throw unregistered(definition);
    return table as Table<T>;
  }

  // Reading

  get<T extends StateObject>(definition: ObjectDef<T>, instance: number): Readonly<T> {
    return this.table(definition).get(instance);
  }

  find<T extends StateObject>(definition: ObjectDef<T>, instance: number): Readonly<T> | undefined {
    return this.table(definition).find(instance);
  }

  /** Those of the first `count` instances that are there, one after the other into `into`; says how many. */
  findAll<T extends StateObject>(
    definition: ObjectDef<T>,
    instances: readonly number[],
    count: number,
    into: Readonly<T>[],
  ): number {
    return this.table(definition).findAll(instances, count, into as T[]);
  }

  /** The same by keys that are numbers; `instances` is room for what is found on the way. */
  findAllBy<T extends StateObject, K extends IndexKey>(
    index: UniqueIndex<T, K>,
    keys: readonly number[],
    count: number,
    into: Readonly<T>[],
    instances: number[],
  ): number {
    const live = this.table(index.object).indexes[index.slot] as LiveUnique<T>;
    return live.getAll(keys, count, into as T[], instances);
  }

  /** Looks at what undo has of the first `count` of these objects, which who changes them reads; says of how many it has something. */
  lookAtUndo<T extends StateObject>(definition: ObjectDef<T>, objects: readonly Readonly<T>[], count: number): number {
    return this.table(definition).lookAtEntries(objects as T[], count);
  }

  single<T extends StateObject>(definition: ObjectDef<T>): Readonly<T> {
    return this.table(definition).get(0);
  }

  /** The object as of the newest committed frame, whatever open frames have made of it. */
  committed<T extends StateObject>(definition: ObjectDef<T>, instance: number): Readonly<T> | undefined {
    const table = this.table(definition);
    if (definition.keep === 'fleeting') return this.committedFleeting(table, instance);
    return table.asOf(instance, this.frames[this.committedCount - 1]?.serial ?? 0);
  }

  private committedFleeting<T extends StateObject>(table: Table<T>, instance: number): T | undefined {
    if (instance >= (this.countersAfter(this.committedCount)[table.position] as number)) return undefined;
    const open = this.frames.slice(this.committedCount);
    const removed = open.flatMap((frame) => frame.removedOf(table.position) as readonly T[]);
    return table.find(instance) ?? removed.find(({ id }) => id === instance);
  }

  /** Next instances of all types at the end of the `count` oldest frames. */
  private countersAfter(count: number): Float64Array {
    return this.frames[count]?.counters ?? this.counters;
  }

  findBy<T extends StateObject, K extends IndexKey>(index: UniqueIndex<T, K>, key: K): Readonly<T> | undefined {
    return (this.table(index.object).indexes[index.slot] as LiveUnique<T>).get(key);
  }

  group<T extends StateObject, K extends IndexKey>(
    index: GroupIndex<T, K> | SeveralIndex<T, K>,
    key: K,
  ): readonly Readonly<T>[] {
    return (this.table(index.object).indexes[index.slot] as LiveGroup<T> | LiveSeveral<T>).members(key);
  }

  groupPage<T extends StateObject, K extends IndexKey>(
    index: GroupIndex<T, K> | SeveralIndex<T, K>,
    key: K,
    from: number,
    limit: number,
  ): readonly Readonly<T>[] {
    return (this.table(index.object).indexes[index.slot] as LiveGroup<T> | LiveSeveral<T>).page(key, from, limit);
  }

  groupSize<T extends StateObject, K extends IndexKey>(index: GroupIndex<T, K> | SeveralIndex<T, K>, key: K): number {
    return (this.table(index.object).indexes[index.slot] as LiveGroup<T> | LiveSeveral<T>).size(key);
  }

  private orderedIndex<T extends StateObject>(index: OrderedIndex<T>): LiveOrdered<T> {
    return this.table(index.object).indexes[index.slot] as LiveOrdered<T>;
  }

  lowerBound<T extends StateObject>(
    index: OrderedIndex<T>,
    from: readonly IndexKey[],
    strict = false,
  ): Readonly<T> | undefined {
    const live = this.orderedIndex(index);
    if (from.length === 0 && !strict) return live.list.first();
    return live.list.firstNotBelow(live.below(from, strict));
  }

  next<T extends StateObject>(index: OrderedIndex<T>, object: Readonly<T>): Readonly<T> | undefined {
    return this.orderedIndex(index).list.after(object);
  }

  previous<T extends StateObject>(index: OrderedIndex<T>, object: Readonly<T>): Readonly<T> | undefined {
    return this.orderedIndex(index).list.before(object);
  }

  last<T extends StateObject>(index: OrderedIndex<T>): Readonly<T> | undefined {
    return this.orderedIndex(index).list.last();
  }

  walk<T extends StateObject>(index: OrderedIndex<T>, from?: readonly IndexKey[]): Iterable<Readonly<T>> {
    const live = this.orderedIndex(index);
    return live.list.walk(from === undefined ? undefined : live.below(from, false));
  }

  all<T extends StateObject>(definition: ObjectDef<T>): Iterable<Readonly<T>> {
    return this.table(definition).all();
  }

  /** As `all`, without an iterator's cost per object. */
  forEach<T extends StateObject>(definition: ObjectDef<T>, visit: (object: Readonly<T>) => void): void {
    this.table(definition).forEach(visit);
  }

  /** Told of every object of the type that is created, changed, removed or put back; for what is derived from them. */
  watch<T extends StateObject>(definition: ObjectDef<T>, watcher: (object: Readonly<T>) => void): void {
    this.table(definition).watch(watcher);
  }

  count(definition: ObjectDef): number {
    return this.table(definition).size;
  }

  nextInstance(definition: ObjectDef): number {
    return smallNumber(this.counters[this.table(definition).position] as number);
  }

  // Writing

  create<T extends StateObject>(definition: ObjectDef<T>, value: Omit<T, 'id'>): Readonly<T> {
    const table = this.table(definition);
    const instance = smallNumber(this.counters[table.position] as number);
    invariant(definition.keep !== 'single' || instance === 0, `${definition.name} exists once`);
    const object = table.create(instance, value, this.top);
    this.counters[table.position] = instance + 1;
    return object;
  }

  modify<T extends StateObject>(definition: ObjectDef<T>, object: Readonly<T>, change: (object: T) => void): void {
    this.table(definition).modify(object as T, change, this.top);
  }

  edit<T extends StateObject>(definition: ObjectDef<T>, object: Readonly<T>): T {
    return this.table(definition).edit(object as T, this.top);
  }

  remove<T extends StateObject>(definition: ObjectDef<T>, object: Readonly<T>): void {
    this.table(definition).remove(object as T, this.top);
  }

  nested<R>(work: () => R): R {
    const depth = this.frames.length;
    this.openFrame();
    let result: R;
    try {
      result = work();
    } catch (error) {
      while (this.frames.length > depth + 1) this.undoFrame();
      this.undoFrame();
      throw error;
    }
    invariant(this.frames.length === depth + 1, 'frames opened inside a nested frame are closed there');
    this.mergeFrame();
    return result;
  }

  // Frames

  get openFrames(): number {
    return this.frames.length - this.committedCount;
  }

  get committedFrames(): number {
    return this.committedCount;
  }

  openFrame(): void {
    // Frames come and go with every trial, and memory outside of the engine's heap is dear.
    const counters = this.spareCounters.pop() ?? new Float64Array(this.counters.length);
    counters.set(this.counters);
    this.top = new UndoFrame(++this.serial, counters);
    this.frames.push(this.top);
  }

  /** Takes back open frames until only so many are left. */
  undoFramesTo(depth: number): void {
    while (this.openFrames > depth) this.undoFrame();
  }

  /** Opens the newest committed frame again: what follows belongs to it as well, and is taken back with it alone. */
  reopenFrame(): void {
    invariant(this.openFrames === 0 && this.committedCount > 0, 'a committed frame is the newest');
    this.committedCount--;
  }

  /** Takes back everything since the newest open frame was opened. */
  undoFrame(): void {
    invariant(this.openFrames > 0, 'a frame is open');
    this.undoTop();
  }

  private undoTop(): void {
    const frame = this.frames.pop() as UndoFrame;
    invariant(!frame.isSettled, 'what is settled is not taken back');
    try {
      frame.undo();
      for (const table of this.fleeting) table.restore(frame, this.counters[table.position] as number);
    } catch (cause) {
      throw new StateLostError('changes can not be taken back', { cause });
    }
    for (const table of this.tableList) {
      const next = frame.counters[table.position] as number;
      if (this.counters[table.position] !== next) table.trim(next);
    }
    this.counters.set(frame.counters);
    this.spareCounters.push(frame.counters);
    this.top = this.frames[this.frames.length - 1];
  }

  /**
   * Makes the newest open frame part of the frame below. If that is a committed one, the changes belong to its block;
   * if there is none, they become final.
   */
  mergeFrame(): void {
    invariant(this.openFrames > 0, 'a frame is open');
    const frame = this.frames.pop() as UndoFrame;
    this.top = this.frames[this.frames.length - 1];
    if (this.top === undefined) frame.drop();
    else frame.mergeInto(this.top);
    this.spareCounters.push(frame.counters);
  }

  /** Keeps the only open frame as the newest committed one. */
  commitFrame(): void {
    invariant(this.openFrames === 1, 'exactly one frame is open');
    this.committedCount++;
  }

  /** Takes back the newest committed frame. */
  popCommitted(): void {
    invariant(this.openFrames === 0 && this.committedCount > 0, 'a committed frame is the newest');
    this.committedCount--;
    this.undoTop();
  }

  // Changes

  /**
   * What the `count` oldest committed frames changed, as of their end, together with the counters of that moment.
   * Values may be live objects: they must be used before the state changes again.
   */
  irreversibleChanges(count: number): StateChanges {
    invariant(count >= 0 && count <= this.committedCount, 'only committed frames become irreversible');
    const changes: Change[] = [];
    const lastSerial = this.frames[count - 1]?.serial ?? 0;
    for (let i = 0; i < count; i++) {
      for (const entry of (this.frames[i] as UndoFrame).entries) {
        const { newer } = entry;
        if (newer !== undefined && newer.serial <= lastSerial) continue;
        // Created and removed within these frames: nobody outside has ever seen it.
        if (entry.removed && createdInside(entry)) continue;
        const value = entry.removed ? undefined : newer === undefined ? entry.object : newer.before;
        changes.push({ definition: entry.table.definition, instance: entry.id, value });
      }
    }
    for (const table of this.fleeting) this.addFleeting(table, 0, count, changes);
    return { changes, counters: [...this.countersAfter(count)] };
  }

  /**
   * What the frames from `from` to before `to` made and removed of objects that never change. Of what they made, those are told
   * that are there at the end of these frames, and live now or were removed by a later one.
   */
  private addFleeting<T extends StateObject>(table: Table<T>, from: number, to: number, changes: Change[]): void {
    if (from === to) return;
    const { definition, position } = table;
    const [first, next] = [this.countersAfter(from)[position] as number, this.countersAfter(to)[position] as number];
    for (let i = from; i < this.frames.length; i++) {
      for (const object of (this.frames[i] as UndoFrame).removedOf(position)) {
        const { id: instance } = object;
        const isOlder = instance < first;
        if (i < to && isOlder) changes.push({ definition, instance, value: undefined, isNew: false, before: object });
        if (i >= to && !isOlder && instance < next) changes.push(made(definition, object));
      }
    }
    table.forEachBetween(first, next, (object) => {
      changes.push(made(definition, object));
    });
  }

  /** Of how many objects the `count` oldest committed frames hold changes, each frame by itself; not less. */
  changesOf(count: number): number {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += (this.frames[i] as UndoFrame).entries.length;
    for (const { position, size } of this.fleeting) {
      const instances = (this.countersAfter(count)[position] as number) - (this.countersAfter(0)[position] as number);
      // Of those that were made, no more were left than there are now or were removed since.
      let left = size;
      for (let i = 0; i < this.frames.length; i++) {
        const removed = (this.frames[i] as UndoFrame).removedOf(position).length;
        if (i < count) sum += removed;
        else left += removed;
      }
      sum += Math.min(instances, left);
    }
    return sum;
  }

  /** What the newest committed frame changed. Values are live objects: they must be used before the state changes. */
  newestChanges(): StateChanges {
    const changes: Change[] = [];
    const frame = this.frames[this.committedCount - 1];
    invariant(frame !== undefined && this.openFrames === 0, 'a committed frame is the newest');
    for (const entry of frame.entries) {
      if (entry.removed && entry.before === undefined) continue;
      const value = entry.removed ? undefined : entry.object;
      const { before } = entry;
      const isNew = before === undefined;
      changes.push({ definition: entry.table.definition, instance: entry.id, value, isNew, before });
    }
    for (const table of this.fleeting) this.addFleeting(table, this.committedCount - 1, this.committedCount, changes);
    return { changes, counters: [...this.counters] };
  }

  /**
   * Merges the `count` oldest committed frames into one that cannot be taken back any more. `irreversibleChanges` says the
   * same of it as of them; it keeps no former values, and each object once, however many of them have changed it.
   */
  settleOldest(count: number): void {
    invariant(count > 0 && count <= this.committedCount, 'only committed frames are settled');
    const oldest = this.frames[0] as UndoFrame;
    if (!oldest.isSettled) oldest.settleAll();
    for (let i = 1; i < count; i++) {
      const frame = this.frames[i] as UndoFrame;
      frame.settleInto(oldest);
      this.spareCounters.push(frame.counters);
    }
    this.frames.splice(1, count - 1);
    this.committedCount -= count - 1;
    this.top = this.frames[this.frames.length - 1];
  }

  /** Forgets how to undo the `count` oldest committed frames. */
  dropOldest(count: number): void {
    invariant(count >= 0 && count <= this.committedCount, 'only committed frames are dropped');
    for (let i = 0; i < count; i++) (this.frames[i] as UndoFrame).drop();
    this.frames.splice(0, count);
    this.committedCount -= count;
    this.top = this.frames[this.frames.length - 1];
  }

  // Loading

  /** Adds a stored object as it is: no undo, no index. Fastest in id order; `finishLoading` must follow. */
  load<T extends StateObject>(definition: ObjectDef<T>, instance: number, value: Omit<T, 'id'>): void {
    this.table(definition).load(instance, value);
  }

  /** As `load`, for a record that is built with its id and belongs to nobody else: it becomes the live object. */
  adopt<T extends StateObject>(definition: ObjectDef<T>, object: T): void {
    this.table(definition).adopt(object);
  }

  setCounter(definition: ObjectDef, next: number): void {
    this.counters[this.table(definition).position] = next;
  }

  /** Builds all indexes at once. Refuses stored objects whose keys collide. */
  finishLoading(): void {
    invariant(this.frames.length === 0, 'objects are loaded before anything else');
    for (const table of this.tableList) table.buildIndexes();
  }
}

const made = (definition: AnyObjectDef, value: StateObject): Change => ({
  definition,
  instance: value.id,
  value,
  isNew: true,
  before: undefined,
});

interface Linked {
  readonly before: unknown;
  readonly older: Linked | undefined;
}

/** True if the oldest frame that knows the object created it. */
function createdInside(entry: Linked): boolean {
  let oldest = entry;
  while (oldest.older !== undefined) oldest = oldest.older;
  return oldest.before === undefined;
}

function tableSlot(definition: AnyObjectDef): number {
  return definition.space * 64 + definition.type;
}

function unregistered(definition: AnyObjectDef): Error {
  invariant(false, `object type ${definition.space}.${definition.type} has no table in this database`);
}
