import type { StateObject } from './define.js';
import type { UndoEntry } from './undo.js';

/**
 * Where the objects of a type live, found by instance, each with its newest undo entry beside it: who changes an object
 * needs both, and in a large state every separate place is a wait for memory.
 */
export interface Slots<T extends StateObject> {
  find(instance: number): T | undefined;
  /** Those of the first `count` instances that are there, one after the other into `into`; says how many. */
  findAll(instances: readonly number[], count: number, into: T[]): number;
  put(object: T): void;
  delete(instance: number): void;
  /** Newest undo entry in any frame. */
  entry(instance: number): UndoEntry<T> | undefined;
  setEntry(instance: number, entry: UndoEntry<T> | undefined): void;
  /** Looks at the entries of these objects, side by side; says how many there are. */
  lookAtEntries(objects: readonly T[], count: number): number;
  /** Objects in id order. */
  all(): Generator<T, void, undefined>;
  /** As `all`, several times as fast. */
  forEach(visit: (object: T) => void): void;
  /** Objects from `next` on were undone. */
  trim(next: number): void;
}

/** All objects in id order. */
export function objectsOf<T extends StateObject>(slots: Slots<T>): T[] {
  const objects: T[] = [];
  slots.forEach((object) => {
    objects.push(object);
  });
  return objects;
}

/**
 * For types whose objects stay: an array by instance, without gaps, which keeps it a plain array inside the engine.
 *
 * Beside an object stands the place of its entry in a list, not the entry: a number in an old array is nothing to the
 * garbage collector, while each young entry there makes it look at the cell again, and in a large state the cells of
 * what a block changes lie far apart.
 */
export class DenseSlots<T extends StateObject> implements Slots<T> {
  private readonly cells: (T | number | undefined)[] = [];
  private readonly entries: (UndoEntry<T> | undefined)[] = [];
  /** Places in `entries` that are free again. */
  private readonly free: number[] = [];
  /** Used anew by each look at entries. */
  private readonly seen: UndoEntry<T>[] = [];

  find(instance: number): T | undefined {
    // A made-up instance may be a bigint, see Instance; no object has one.
    return typeof instance === 'number' ? (this.cells[2 * instance] as T | undefined) : undefined;
  }

  findAll(instances: readonly number[], count: number, into: T[]): number {
    const { cells } = this;
    let found = 0;
    for (let i = 0; i < count; i++) {
      const at = 2 * (instances[i] as number);
      const object = at < cells.length ? (cells[at] as T | undefined) : undefined;
      if (object !== undefined) into[found++] = object;
    }
    return found;
  }

  put(object: T): void {
    const at = 2 * object.id;
    while (this.cells.length < at) this.cells.push(undefined, undefined);
    if (this.cells.length === at) this.cells.push(object, undefined);
    else this.cells[at] = object;
  }

  delete(instance: number): void {
    this.cells[2 * instance] = undefined;
  }

  entry(instance: number): UndoEntry<T> | undefined {
    const place = this.cells[2 * instance + 1] as number | undefined;
    return place === undefined ? undefined : this.entries[place];
  }

  setEntry(instance: number, entry: UndoEntry<T> | undefined): void {
    const at = 2 * instance + 1;
    const place = this.cells[at] as number | undefined;
    if (place !== undefined) {
      this.entries[place] = entry;
      if (entry !== undefined) return;
      this.cells[at] = undefined;
      this.free.push(place);
    } else if (entry !== undefined) {
      const found = this.free.pop() ?? this.entries.length;
      this.entries[found] = entry;
      this.cells[at] = found;
    }
  }

  lookAtEntries(objects: readonly T[], count: number): number {
    const { cells, entries } = this;
    const seen = this.seen;
    let found = 0;
    for (let i = 0; i < count; i++) {
      const place = cells[2 * (objects[i] as T).id + 1] as number | undefined;
      const entry = place === undefined ? undefined : entries[place];
      if (entry !== undefined) seen[found++] = entry;
    }
    let later = 0;
    for (let i = 0; i < found; i++) if ((seen[i] as UndoEntry<T>).serial > 0) later++;
    return later;
  }

  *all(): Generator<T, void, undefined> {
    for (let at = 0; at < this.cells.length; at += 2) {
      const object = this.cells[at] as T | undefined;
      if (object !== undefined) yield object;
    }
  }

  forEach(visit: (object: T) => void): void {
    for (let at = 0; at < this.cells.length; at += 2) {
      const object = this.cells[at] as T | undefined;
      if (object !== undefined) visit(object);
    }
  }

  /** No tail is left behind: the next object may get an id far below. */
  trim(next: number): void {
    if (this.cells.length > 2 * next) this.cells.length = 2 * next;
  }
}

const CHUNK_INSTANCES = 32;

interface Chunk<T extends StateObject> {
  readonly number: number;
  readonly objects: (T | undefined)[];
  /** Made when the first one comes: types whose objects never change have none. */
  entries: (UndoEntry<T> | undefined)[] | undefined;
  /** Objects and entries; an empty chunk goes. */
  used: number;
}

const emptyCells = <C>(): (C | undefined)[] => new Array<undefined>(CHUNK_INSTANCES).fill(undefined);

/**
 * For types whose objects come and go: chunks of neighbours in a map. Neighbours are mostly made and removed together,
 * so the chunk of the last call is nearly always that of the next.
 */
export class SparseSlots<T extends StateObject> implements Slots<T> {
  private readonly chunks = new Map<number, Chunk<T>>();
  private last: Chunk<T> | undefined;
  /** An undo may put an older chunk behind newer ones; then the map is put in order before it is walked. */
  private isSorted = true;
  private highest = -1;

  private chunk(number: number): Chunk<T> | undefined {
    if (this.last?.number === number) return this.last;
    const chunk = this.chunks.get(number);
    if (chunk !== undefined) this.last = chunk;
    return chunk;
  }

  private write<C>(chunk: Chunk<T>, cells: (C | undefined)[], instance: number, value: C | undefined): void {
    const at = instance - chunk.number * CHUNK_INSTANCES;
    const before = cells[at];
    cells[at] = value;
    if (before === undefined) {
      if (value !== undefined) chunk.used++;
    } else if (value === undefined && --chunk.used === 0) {
      this.chunks.delete(chunk.number);
      this.last = undefined;
    }
  }

  private add(number: number): Chunk<T> {
    const chunk: Chunk<T> = { number, objects: emptyCells<T>(), entries: undefined, used: 0 };
    if (number < this.highest) this.isSorted = false;
    else this.highest = number;
    this.chunks.set(number, chunk);
    this.last = chunk;
    return chunk;
  }

  find(instance: number): T | undefined {
    if (typeof instance !== 'number') return undefined;
    const number = Math.floor(instance / CHUNK_INSTANCES);
    return this.chunk(number)?.objects[instance - number * CHUNK_INSTANCES];
  }

  findAll(instances: readonly number[], count: number, into: T[]): number {
    let found = 0;
    for (let i = 0; i < count; i++) {
      const object = this.find(instances[i] as number);
      if (object !== undefined) into[found++] = object;
    }
    return found;
  }

  put(object: T): void {
    const number = Math.floor(object.id / CHUNK_INSTANCES);
    const chunk = this.chunk(number) ?? this.add(number);
    this.write(chunk, chunk.objects, object.id, object);
  }

  delete(instance: number): void {
    const chunk = this.chunk(Math.floor(instance / CHUNK_INSTANCES));
    if (chunk !== undefined) this.write(chunk, chunk.objects, instance, undefined);
  }

  entry(instance: number): UndoEntry<T> | undefined {
    if (typeof instance !== 'number') return undefined;
    const number = Math.floor(instance / CHUNK_INSTANCES);
    return this.chunk(number)?.entries?.[instance - number * CHUNK_INSTANCES];
  }

  setEntry(instance: number, entry: UndoEntry<T> | undefined): void {
    const number = Math.floor(instance / CHUNK_INSTANCES);
    let chunk = this.chunk(number);
    if (entry !== undefined) {
      chunk ??= this.add(number);
      chunk.entries ??= emptyCells<UndoEntry<T>>();
    }
    if (chunk?.entries !== undefined) this.write(chunk, chunk.entries, instance, entry);
  }

  lookAtEntries(objects: readonly T[], count: number): number {
    let found = 0;
    for (let i = 0; i < count; i++) if (this.entry((objects[i] as T).id) !== undefined) found++;
    return found;
  }

  *all(): Generator<T, void, undefined> {
    this.putInOrder();
    for (const { objects } of this.chunks.values()) {
      for (const object of objects) if (object !== undefined) yield object;
    }
  }

  forEach(visit: (object: T) => void): void {
    this.putInOrder();
    for (const { objects } of this.chunks.values()) {
      for (const object of objects) if (object !== undefined) visit(object);
    }
  }

  /** Those with instances from `first` to before `next`, in id order; chunks that are gone are skipped whole. */
  forEachBetween(first: number, next: number, visit: (object: T) => void): void {
    for (let number = Math.floor(first / CHUNK_INSTANCES); number * CHUNK_INSTANCES < next; number++) {
      const objects = this.chunks.get(number)?.objects ?? [];
      for (const object of objects) if (object !== undefined && object.id >= first && object.id < next) visit(object);
    }
  }

  trim(next: number): void {
    this.highest = Math.min(this.highest, Math.floor((next - 1) / CHUNK_INSTANCES));
  }

  private putInOrder(): void {
    if (this.isSorted) return;
    const chunks = [...this.chunks.values()].sort((a, b) => a.number - b.number);
    this.chunks.clear();
    for (const chunk of chunks) this.chunks.set(chunk.number, chunk);
    this.highest = chunks[chunks.length - 1]?.number ?? -1;
    this.isSorted = true;
  }
}
