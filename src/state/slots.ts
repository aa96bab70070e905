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

/** Object and entry of an instance, one after the other. */
type Cells<T extends StateObject> = (T | UndoEntry<T> | undefined)[];

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
  readonly cells: Cells<T>;
  /** Objects and entries; an empty chunk goes. */
  used: number;
}

const newChunk = <T extends StateObject>(number: number): Chunk<T> => ({
  number,
  cells: new Array<undefined>(2 * CHUNK_INSTANCES).fill(undefined),
  used: 0,
});

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

  private write(instance: number, offset: 0 | 1, value: T | UndoEntry<T> | undefined): void {
    const number = Math.floor(instance / CHUNK_INSTANCES);
    let chunk = this.chunk(number);
    if (chunk === undefined) {
      if (value === undefined) return;
      chunk = this.add(number);
    }
    const at = 2 * (instance - number * CHUNK_INSTANCES) + offset;
    const before = chunk.cells[at];
    chunk.cells[at] = value;
    if (before === undefined) {
      if (value !== undefined) chunk.used++;
    } else if (value === undefined && --chunk.used === 0) {
      this.chunks.delete(number);
      this.last = undefined;
    }
  }

  private add(number: number): Chunk<T> {
    const chunk = newChunk<T>(number);
    if (number < this.highest) this.isSorted = false;
    else this.highest = number;
    this.chunks.set(number, chunk);
    this.last = chunk;
    return chunk;
  }

  private read(instance: number, offset: 0 | 1): T | UndoEntry<T> | undefined {
    if (typeof instance !== 'number') return undefined;
    const number = Math.floor(instance / CHUNK_INSTANCES);
    return this.chunk(number)?.cells[2 * (instance - number * CHUNK_INSTANCES) + offset];
  }

  find(instance: number): T | undefined {
    return this.read(instance, 0) as T | undefined;
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
    this.write(object.id, 0, object);
  }

  delete(instance: number): void {
    this.write(instance, 0, undefined);
  }

  entry(instance: number): UndoEntry<T> | undefined {
    return this.read(instance, 1) as UndoEntry<T> | undefined;
  }

  setEntry(instance: number, entry: UndoEntry<T> | undefined): void {
    this.write(instance, 1, entry);
  }

  *all(): Generator<T, void, undefined> {
    this.putInOrder();
    for (const { cells } of this.chunks.values()) {
      for (let at = 0; at < cells.length; at += 2) {
        const object = cells[at] as T | undefined;
        if (object !== undefined) yield object;
      }
    }
  }

  forEach(visit: (object: T) => void): void {
    this.putInOrder();
    for (const { cells } of this.chunks.values()) {
      for (let at = 0; at < cells.length; at += 2) {
        const object = cells[at] as T | undefined;
        if (object !== undefined) visit(object);
      }
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
