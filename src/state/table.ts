import { check, defineErrors, fail, invariant } from '../base/errors.js';
import { idText, type ObjectDef, type StateObject } from './define.js';
import { type LiveGroup, type LiveIndex, type LiveOrdered, type LiveUnique, liveIndex } from './live-index.js';
import { type RecordTools, recordTools } from './records.js';
import { UndoEntry, type UndoFrame } from './undo.js';

export const TABLE_ERRORS = defineErrors({
  object_missing: { text: 'maybe_found != nullptr: Unable to find Object ${id}' },
  object_not_unique: {
    text: 'insert_result.second: Could not create object! Most likely a uniqueness constraint is violated.',
  },
  object_change_not_unique: { text: 'Could not modify object, index ${index} of ${object} already has its new key' },
  object_load_twice: { text: 'stored object ${id} has a key of index ${index} that another object has too' },
});

/** All objects of one type with their indexes. Frames are opened and closed above; a table only writes into them. */
export class Table<T extends StateObject> {
  readonly definition: ObjectDef<T>;
  /** Place of the type's counter among all counters. */
  readonly position: number;
  readonly indexes: readonly (LiveUnique<T> | LiveGroup<T> | LiveOrdered<T>)[];
  private readonly tools: RecordTools<T>;
  private readonly uniques: readonly LiveIndex<T>[];
  /** Indexes whose key a modification may change. */
  private readonly moving: readonly LiveIndex<T>[];
  private readonly isSparse: boolean;
  private count = 0;

  /** By instance; for dense and single types. */
  private readonly dense: (T | undefined)[] = [];
  private readonly denseEntries: (UndoEntry<T> | undefined)[] = [];
  private readonly sparse = new Map<number, T>();
  private readonly sparseEntries = new Map<number, UndoEntry<T>>();
  /** An undo may put an older object behind newer ones; then the map is put in order before it is walked. */
  private isSparseSorted = true;
  private sparseLast = -1;

  /** Kept for the next modification that needs a copy only in case its change throws. */
  private spare: T | undefined;

  constructor(definition: ObjectDef<T>, position: number) {
    this.definition = definition;
    this.position = position;
    this.tools = recordTools(definition);
    this.indexes = definition.indexes.map((index) => liveIndex<T>(index));
    this.uniques = this.indexes.filter((index) => index.isUnique);
    this.moving = this.indexes.filter((index) => !index.definition.fixed);
    this.isSparse = definition.keep === 'sparse';
  }

  get size(): number {
    return this.count;
  }

  find(instance: number): T | undefined {
    return this.isSparse ? this.sparse.get(instance) : this.dense[instance];
  }

  get(instance: number): T {
    const object = this.isSparse ? this.sparse.get(instance) : this.dense[instance];
    if (object === undefined) fail(TABLE_ERRORS.object_missing, { id: idText(this.definition, instance) });
    return object;
  }

  create(instance: number, value: Omit<T, 'id'>, frame: UndoFrame | undefined): T {
    const object = this.tools.make(instance, value);
    for (const index of this.uniques) check(!index.conflict(object), TABLE_ERRORS.object_not_unique);
    this.insert(object);
    if (frame !== undefined) this.record(object, undefined, frame);
    return object;
  }

  modify(object: T, change: (object: T) => void, frame: UndoFrame | undefined): void {
    const { id } = object;
    invariant(this.find(id) === object, 'only live objects are modified');
    if (frame !== undefined) {
      const entry = this.isSparse ? this.sparseEntries.get(id) : this.denseEntries[id];
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
    check(refusing === undefined, TABLE_ERRORS.object_change_not_unique, () => ({
      index: refusing?.definition.name,
      object: idText(this.definition, object.id),
    }));
  }

  remove(object: T, frame: UndoFrame | undefined): void {
    invariant(this.find(object.id) === object, 'only live objects are removed');
    if (frame !== undefined) {
      let entry = this.entry(object.id);
      if (entry === undefined || entry.serial !== frame.serial) {
        entry = this.record(object, this.tools.copy(object), frame);
      }
      entry.removed = true;
    }
    this.delete(object);
  }

  /** Objects in id order. */
  *all(): Generator<T, void, undefined> {
    if (this.isSparse) {
      this.sortSparse();
      yield* this.sparse.values();
      return;
    }
    for (let id = 0; id < this.dense.length; id++) {
      const object = this.dense[id];
      if (object !== undefined) yield object;
    }
  }

  /** As `all`, several times as fast. */
  forEach(visit: (object: T) => void): void {
    if (this.isSparse) {
      this.sortSparse();
      this.sparse.forEach(visit);
      return;
    }
    for (let id = 0; id < this.dense.length; id++) {
      const object = this.dense[id];
      if (object !== undefined) visit(object);
    }
  }

  private insert(object: T): void {
    this.put(object);
    for (let i = 0; i < this.indexes.length; i++) (this.indexes[i] as LiveIndex<T>).add(object);
  }

  private put(object: T): void {
    const { id } = object;
    this.count++;
    if (this.isSparse) {
      if (id < this.sparseLast) this.isSparseSorted = false;
      else this.sparseLast = id;
      this.sparse.set(id, object);
      return;
    }
    // Both lists grow together and without gaps, which keeps them plain arrays inside the engine.
    while (this.dense.length <= id) {
      this.dense.push(undefined);
      this.denseEntries.push(undefined);
    }
    this.dense[id] = object;
  }

  private delete(object: T): void {
    for (let i = 0; i < this.indexes.length; i++) (this.indexes[i] as LiveIndex<T>).remove(object);
    this.count--;
    if (this.isSparse) this.sparse.delete(object.id);
    else this.dense[object.id] = undefined;
  }

  private sortSparse(): void {
    if (this.isSparseSorted) return;
    const objects = [...this.sparse.values()].sort((a, b) => a.id - b.id);
    this.sparse.clear();
    for (const object of objects) this.sparse.set(object.id, object);
    this.sparseLast = objects[objects.length - 1]?.id ?? -1;
    this.isSparseSorted = true;
  }

  /** Newest entry of an object in any frame. */
  private entry(id: number): UndoEntry<T> | undefined {
    return this.isSparse ? this.sparseEntries.get(id) : this.denseEntries[id];
  }

  setEntry(id: number, entry: UndoEntry<T> | undefined): void {
    if (!this.isSparse) this.denseEntries[id] = entry;
    else if (entry === undefined) this.sparseEntries.delete(id);
    else this.sparseEntries.set(id, entry);
  }

  private record(object: T, before: T | undefined, frame: UndoFrame): UndoEntry<T> {
    const entry = new UndoEntry<T>(this, object, before, frame.serial, this.entry(object.id));
    frame.entries.push(entry);
    this.setEntry(object.id, entry);
    return entry;
  }

  /** First round of an undo: nothing of the frame's changes stays in an index. */
  takeBack(entry: UndoEntry<T>): void {
    const { object, before } = entry;
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
      return;
    }
    if (this.moving.length === 0) {
      this.tools.assign(object, before);
      return;
    }
    const changed = this.moving.filter((index) => !index.sameKey(object, before));
    this.tools.assign(object, before);
    for (const index of changed) index.add(object);
  }

  /** Undone objects leave no tail behind: the next one may get an id far below. */
  trim(next: number): void {
    if (this.isSparse) {
      if (this.sparseLast >= next) this.sparseLast = next - 1;
      return;
    }
    while (this.dense.length > next) {
      this.dense.pop();
      this.denseEntries.pop();
    }
  }

  /** Adds an object without undo and without indexes. */
  load(instance: number, value: Omit<T, 'id'>): T {
    const object = this.tools.make(instance, value);
    this.put(object);
    return object;
  }

  adopt(object: T): void {
    this.put(object);
  }

  buildIndexes(): void {
    for (const index of this.indexes) {
      index.clear();
      const twice = index.load(this.all());
      check(twice === undefined, TABLE_ERRORS.object_load_twice, () => ({
        id: idText(this.definition, (twice as T).id),
        index: index.definition.name,
      }));
    }
  }
}
