import { check, defineErrors, fail, invariant } from '../base/errors.js';
import { idText, type ObjectDef, type RecordTools, type StateObject } from './define.js';
import type { IdHash } from './id-hash.js';
import {
  type LiveGroup,
  type LiveIndex,
  type LiveOrdered,
  type LiveSeveral,
  type LiveUnique,
  liveIndex,
} from './live-index.js';
import { recordTools } from './records.js';
import { DenseSlots, objectsOf, type Slots, SparseSlots } from './slots.js';
import { UndoEntry, type UndoFrame } from './undo.js';

export const TABLE_ERRORS = defineErrors({
  object_missing: { text: 'maybe_found != nullptr: Unable to find Object ${id}' },
  object_not_unique: {
    text: 'insert_result.second: Could not create object! Most likely a uniqueness constraint is violated.',
  },
  object_change_not_unique: {
    text: 'ok: Could not modify object, most likely an index constraint was violated',
    hint: 'index ${index} of ${object} already has its new key',
  },
  object_load_twice: { text: 'stored object ${id} has a key of index ${index} that another object has too' },
});

/** All objects of one type with their indexes. Frames are opened and closed above; a table only writes into them. */
export class Table<T extends StateObject> {
  readonly definition: ObjectDef<T>;
  /** Place of the type's counter among all counters. */
  readonly position: number;
  readonly indexes: readonly (LiveUnique<T> | LiveGroup<T> | LiveSeveral<T> | LiveOrdered<T>)[];
  private readonly tools: RecordTools<T>;
  private readonly uniques: readonly LiveIndex<T>[];
  /** Indexes whose key a modification may change. */
  private readonly moving: readonly LiveIndex<T>[];
  private readonly slots: Slots<T>;
  /** Its objects never change: what a frame did is known without an entry for each. */
  private readonly isFleeting: boolean;
  private count = 0;

  /** For a copy that is needed only if a change throws: one object serves them all, one after the other. */
  private spare: T | undefined;
  private watcher: ((object: T) => void) | undefined;

  constructor(definition: ObjectDef<T>, position: number, hash: IdHash) {
    this.definition = definition;
    this.position = position;
    this.tools = recordTools(definition);
    this.isFleeting = definition.keep === 'fleeting';
    this.slots = definition.keep === 'sparse' || this.isFleeting ? new SparseSlots<T>() : new DenseSlots<T>();
    this.indexes = definition.indexes.map((index) => liveIndex<T>(index, this.slots, hash));
    this.uniques = this.indexes.filter((index) => index.isUnique);
    this.moving = this.indexes.filter((index) => !index.definition.fixed);
  }

  get size(): number {
    return this.count;
  }

  /** Told of every object that is created, changed, removed or put back, at least once each time; not of loading. */
  watch(watcher: (object: T) => void): void {
    const { watcher: others } = this;
    if (others === undefined) this.watcher = watcher;
    else
      this.watcher = (object) => {
        others(object);
        watcher(object);
      };
  }

  find(instance: number): T | undefined {
    return this.slots.find(instance);
  }

  /** Those of the first `count` instances that are there, one after the other into `into`; says how many. */
  findAll(instances: readonly number[], count: number, into: T[]): number {
    return this.slots.findAll(instances, count, into);
  }

  /** Looks at what the frames remember of these objects; says of how many they do. */
  lookAtEntries(objects: readonly T[], count: number): number {
    return this.slots.lookAtEntries(objects, count);
  }

  get(instance: number): T {
    const object = this.slots.find(instance);
    if (object === undefined) fail(TABLE_ERRORS.object_missing, { id: idText(this.definition, instance) });
    return object;
  }

  /** The object at the end of the frame with this serial. */
  asOf(instance: number, serial: number): T | undefined {
    let value = this.slots.find(instance);
    let entry = this.slots.entry(instance);
    for (; entry !== undefined && entry.serial > serial; entry = entry.older) value = entry.before;
    return value;
  }

  create(instance: number, value: Omit<T, 'id'>, frame: UndoFrame | undefined): T {
    const object = this.tools.make(instance, value);
    for (const index of this.uniques) check(!index.conflict(object), TABLE_ERRORS.object_not_unique);
    this.insert(object);
    if (frame !== undefined && !this.isFleeting) this.record(object, undefined, frame);
    this.watcher?.(object);
    return object;
  }

  modify(object: T, change: (object: T) => void, frame: UndoFrame | undefined): void {
    const { id } = object;
    invariant(!this.isFleeting, 'fleeting objects never change');
    invariant(this.find(id) === object, 'only live objects are modified');
    this.watcher?.(object);
    if (frame !== undefined) {
      const entry = this.slots.entry(id);
      if (entry === undefined || entry.serial !== frame.serial) {
        const before = this.tools.copy(object);
        this.record(object, before, frame);
        this.change(object, change, before);
        return;
      }
    }
    let before = this.spare;
    this.spare = undefined;
    if (before === undefined) before = this.tools.copy(object);
    else this.tools.assign(before, object);
    this.change(object, change, before);
    this.spare = before;
  }

  /** The live object, to be changed in place: its former value is in the frame, and no index has to follow. */
  edit(object: T, frame: UndoFrame | undefined): T {
    const { id } = object;
    invariant(!this.isFleeting, 'fleeting objects never change');
    invariant(this.moving.length === 0, 'only objects whose keys never change are edited');
    invariant(this.slots.find(id) === object, 'only live objects are modified');
    this.watcher?.(object);
    if (frame !== undefined) {
      const entry = this.slots.entry(id);
      if (entry === undefined || entry.serial !== frame.serial) this.record(object, this.tools.copy(object), frame);
    }
    return object;
  }

  private change(object: T, change: (object: T) => void, before: T): void {
    try {
      change(object);
    } catch (error) {
      this.tools.assign(object, before);
      throw error;
    }
    invariant(object.id === before.id, 'a modification does not change the id');
    if (this.moving.length > 0) this.reindex(object, before);
  }

  private reindex(object: T, before: T): void {
    for (let i = 0; i < this.moving.length; i++) {
      if (!(this.moving[i] as LiveIndex<T>).sameKey(object, before)) {
        this.move(object, before);
        return;
      }
    }
  }

  private move(object: T, before: T): void {
    const changed = this.moving.filter((index) => !index.sameKey(object, before));
    for (const index of changed) index.remove(before);
    const refusing = changed.find((index) => index.isUnique && index.conflict(object));
    if (refusing !== undefined) this.tools.assign(object, before);
    for (const index of changed) index.add(object);
    this.watcher?.(object);
    check(refusing === undefined, TABLE_ERRORS.object_change_not_unique, () => ({
      index: refusing?.definition.name,
      object: idText(this.definition, object.id),
    }));
  }

  remove(object: T, frame: UndoFrame | undefined): void {
    invariant(this.find(object.id) === object, 'only live objects are removed');
    this.watcher?.(object);
    if (this.isFleeting) frame?.noteRemoved(this.position, object);
    else if (frame !== undefined) {
      let entry = this.slots.entry(object.id);
      if (entry === undefined || entry.serial !== frame.serial) {
        entry = this.record(object, this.tools.copy(object), frame);
      }
      entry.removed = true;
    }
    this.delete(object);
  }

  /** Objects in id order. */
  all(): Generator<T, void, undefined> {
    return this.slots.all();
  }

  /** As `all`, several times as fast. */
  forEach(visit: (object: T) => void): void {
    this.slots.forEach(visit);
  }

  /** Of a type whose objects come and go: those with instances from `first` to before `next`. */
  forEachBetween(first: number, next: number, visit: (object: T) => void): void {
    invariant(this.slots instanceof SparseSlots, 'objects that stay are all there');
    this.slots.forEachBetween(first, next, visit);
  }

  private insert(object: T): void {
    this.put(object);
    for (let i = 0; i < this.indexes.length; i++) (this.indexes[i] as LiveIndex<T>).add(object);
  }

  private put(object: T): void {
    this.count++;
    this.slots.put(object);
  }

  private delete(object: T): void {
    for (let i = 0; i < this.indexes.length; i++) (this.indexes[i] as LiveIndex<T>).remove(object);
    this.count--;
    this.slots.delete(object.id);
  }

  setEntry(id: number, entry: UndoEntry<T> | undefined): void {
    this.slots.setEntry(id, entry);
  }

  private record(object: T, before: T | undefined, frame: UndoFrame): UndoEntry<T> {
    const entry = new UndoEntry<T>(this, object, before, frame.serial, this.slots.entry(object.id));
    frame.entries.push(entry);
    this.slots.setEntry(object.id, entry);
    return entry;
  }

  /** First round of an undo: nothing of the frame's changes stays in an index. */
  takeBack(entry: UndoEntry<T>): void {
    const { object, before } = entry;
    this.watcher?.(object);
    if (entry.removed) return;
    if (before === undefined) this.delete(object);
    else for (const index of this.moving) if (!index.sameKey(object, before)) index.remove(object);
  }

  /** Second round of an undo. */
  bringBack(entry: UndoEntry<T>): void {
    const { object, before } = entry;
    if (before === undefined) return;
    if (entry.removed) {
      this.tools.assign(object, before);
      this.insert(object);
      this.watcher?.(object);
      return;
    }
    if (this.moving.length === 0) {
      this.tools.assign(object, before);
      return;
    }
    const changed = this.moving.filter((index) => !index.sameKey(object, before));
    this.tools.assign(object, before);
    for (const index of changed) index.add(object);
    if (changed.length > 0) this.watcher?.(object);
  }

  trim(next: number): void {
    this.slots.trim(next);
  }

  /** Undoes a frame where objects never change: those from its counter on are its own, of the others it removed some. */
  restore(frame: UndoFrame, next: number): void {
    const first = frame.counters[this.position] as number;
    const made: T[] = [];
    if (first < next) {
      this.forEachBetween(first, next, (object) => {
        made.push(object);
      });
    }
    for (const object of made) {
      this.watcher?.(object);
      this.delete(object);
    }
    for (const object of frame.removedOf(this.position) as readonly T[]) {
      this.insert(object);
      this.watcher?.(object);
    }
  }

  /** Adds an object without undo and without indexes. */
  load(instance: number, value: Omit<T, 'id'>): T {
    const object = this.tools.make(instance, value);
    this.put(object);
    return object;
  }

  adopt(object: T): void {
    this.put(this.tools.adopt(object));
  }

  buildIndexes(): void {
    if (this.indexes.length === 0) return;
    const objects = objectsOf(this.slots);
    for (const index of this.indexes) {
      index.clear();
      const twice = index.load(objects);
      check(twice === undefined, TABLE_ERRORS.object_load_twice, () => ({
        id: idText(this.definition, (twice as T).id),
        index: index.definition.name,
      }));
    }
  }
}
