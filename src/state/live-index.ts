import type { AnyIndex, GroupIndex, IndexKey, OrderedIndex, SeveralIndex, StateObject, UniqueIndex } from './define.js';
import type { IdHash } from './id-hash.js';
import { IdTable } from './id-table.js';
import { NumberMap } from './number-map.js';
import { objectsOf, type Slots } from './slots.js';
import { sortByText } from './sort-by-text.js';
import { SortedList } from './sorted-list.js';

/**
 * The members of an index. The table asks for conflicts first, so adding cannot fail. Methods go by the key that the fields
 * of the given object say now: for the old place of an object that has changed they take a copy with its id and old fields.
 */
export interface LiveIndex<T extends StateObject> {
  readonly definition: AnyIndex;
  readonly isUnique: boolean;
  add(object: T): void;
  remove(object: T): void;
  /** True when a member has the key of this object, which is no member itself. */
  conflict(object: T): boolean;
  sameKey(a: T, b: T): boolean;
  /** Fills an empty index; objects come in id order. */
  load(objects: readonly T[]): T | undefined;
  clear(): void;
}

export class LiveUnique<T extends StateObject> implements LiveIndex<T> {
  readonly definition: UniqueIndex<T>;
  readonly isUnique = true;
  private readonly numbers = new NumberMap();
  private readonly others = new Map<IndexKey, T>();
  /** In place of the others, where all keys are hashes. */
  private readonly ids: IdTable<T> | undefined;
  private readonly key: (object: T) => IndexKey;
  private readonly slots: Slots<T>;

  constructor(definition: UniqueIndex<T>, slots: Slots<T>, hash: IdHash) {
    this.definition = definition;
    this.key = definition.key;
    this.slots = slots;
    if (definition.ofHashes) this.ids = new IdTable<T>(hash, definition.key as (object: T) => string);
  }

  get(key: IndexKey): T | undefined {
    if (this.ids !== undefined) return this.ids.get(key as string);
    if (typeof key !== 'number') return this.others.get(key);
    const id = this.numbers.get(key);
    return id < 0 ? undefined : this.slots.find(id);
  }

  /** As `findAll` of slots, by keys that are numbers. */
  getAll(keys: readonly number[], count: number, into: T[], instances: number[]): number {
    return this.slots.findAll(instances, this.numbers.getAll(keys, count, instances), into);
  }

  add(object: T): void {
    if (this.ids !== undefined) {
      this.ids.set(object);
      return;
    }
    const key = this.key(object);
    if (typeof key === 'number') this.numbers.set(key, object.id);
    else this.others.set(key, object);
  }

  remove(object: T): void {
    const key = this.key(object);
    if (this.ids !== undefined) this.ids.delete(key as string);
    else if (typeof key === 'number') this.numbers.delete(key);
    else this.others.delete(key);
  }

  conflict(object: T): boolean {
    return this.get(this.key(object)) !== undefined;
  }

  sameKey(a: T, b: T): boolean {
    return this.key(a) === this.key(b);
  }

  /** Gives back the first object whose key is taken: one that does not make the index larger. */
  load(objects: readonly T[]): T | undefined {
    const [first] = objects;
    if (first !== undefined && typeof this.key(first) === 'number') this.numbers.reserve(objects.length);
    let size = 0;
    for (const object of objects) {
      this.add(object);
      if (this.size !== ++size) return object;
    }
    return undefined;
  }

  private get size(): number {
    return this.numbers.size + this.others.size + (this.ids?.size ?? 0);
  }

  clear(): void {
    this.numbers.clear();
    this.others.clear();
    this.ids?.clear();
  }
}

const ARRAY_MAX = 128;
const compareIds = (a: StateObject, b: StateObject): number => a.id - b.id;

/** The members of every key. One stands alone, some in an array, many in a sorted list: most groups have one and a few are huge. */
abstract class Groups<T extends StateObject> {
  private readonly groups = new Map<IndexKey, T | T[] | SortedList<T>>();

  protected put(key: IndexKey, object: T): void {
    const found = this.groups.get(key);
    if (found === undefined) this.groups.set(key, object);
    else if (found instanceof SortedList) found.add(object);
    else if (!Array.isArray(found)) this.groups.set(key, found.id < object.id ? [found, object] : [object, found]);
    else if (found.length < ARRAY_MAX) insertById(found, object);
    else {
      const list = new SortedList<T>(compareIds);
      list.load(found);
      list.add(object);
      this.groups.set(key, list);
    }
  }

  protected take(key: IndexKey, object: T): void {
    const found = this.groups.get(key);
    if (found === undefined) return;
    if (found instanceof SortedList) {
      found.remove(object);
      if (found.size === 0) this.groups.delete(key);
    } else if (Array.isArray(found)) {
      const at = found.findIndex((member) => member.id === object.id);
      if (at >= 0) found.splice(at, 1);
      if (found.length === 1) this.groups.set(key, found[0] as T);
    } else if (found.id === object.id) this.groups.delete(key);
  }

  clear(): void {
    this.groups.clear();
  }

  members(key: IndexKey): T[] {
    const found = this.groups.get(key);
    if (found === undefined) return [];
    if (found instanceof SortedList) return found.toArray();
    return Array.isArray(found) ? found.slice() : [found];
  }

  /** The first members from an id on, at most so many. */
  page(key: IndexKey, from: number, limit: number): T[] {
    const found = this.groups.get(key);
    if (found === undefined) return [];
    if (found instanceof SortedList) return found.page((member) => member.id < from, limit);
    const all = Array.isArray(found) ? found : [found];
    return all.filter((member) => member.id >= from).slice(0, limit);
  }

  size(key: IndexKey): number {
    const found = this.groups.get(key);
    if (found === undefined) return 0;
    if (found instanceof SortedList) return found.size;
    return Array.isArray(found) ? found.length : 1;
  }
}

export class LiveGroup<T extends StateObject> extends Groups<T> implements LiveIndex<T> {
  readonly definition: GroupIndex<T>;
  readonly isUnique = false;
  private readonly key: (object: T) => IndexKey;

  constructor(definition: GroupIndex<T>) {
    super();
    this.definition = definition;
    this.key = definition.key;
  }

  add(object: T): void {
    this.put(this.key(object), object);
  }

  remove(object: T): void {
    this.take(this.key(object), object);
  }

  conflict(): boolean {
    return false;
  }

  sameKey(a: T, b: T): boolean {
    return this.key(a) === this.key(b);
  }

  load(objects: readonly T[]): undefined {
    for (const object of objects) this.add(object);
  }
}

export class LiveSeveral<T extends StateObject> extends Groups<T> implements LiveIndex<T> {
  readonly definition: SeveralIndex<T>;
  readonly isUnique = false;

  constructor(definition: SeveralIndex<T>) {
    super();
    this.definition = definition;
  }

  add(object: T): void {
    for (const key of new Set(this.definition.keys(object))) this.put(key, object);
  }

  remove(object: T): void {
    for (const key of new Set(this.definition.keys(object))) this.take(key, object);
  }

  conflict(): boolean {
    return false;
  }

  /** Lists are never changed in place. */
  sameKey(a: T, b: T): boolean {
    return this.definition.keys(a) === this.definition.keys(b);
  }

  load(objects: readonly T[]): undefined {
    for (const object of objects) this.add(object);
  }
}

const compareValues = (a: IndexKey, b: IndexKey): number => (a < b ? -1 : a > b ? 1 : 0);

function insertById<T extends StateObject>(members: T[], object: T): void {
  let at = members.length;
  while (at > 0 && (members[at - 1] as T).id > object.id) at--;
  if (at === members.length) members.push(object);
  else members.splice(at, 0, object);
}

export class LiveOrdered<T extends StateObject> implements LiveIndex<T> {
  readonly definition: OrderedIndex<T>;
  readonly isUnique: boolean;
  /** Undefined until somebody asks for an order that is sorted late. */
  private sorted: SortedList<T> | undefined;
  private readonly parts: readonly ((object: T) => IndexKey)[];
  private readonly slots: Slots<T>;

  constructor(definition: OrderedIndex<T>, slots: Slots<T>) {
    this.definition = definition;
    this.isUnique = definition.isUnique;
    this.parts = definition.parts;
    this.slots = slots;
    this.clear();
  }

  /** Sorting the names of a million accounts is a twelfth of a start, and on many nodes nobody ever asks for them. */
  get list(): SortedList<T> {
    this.sorted ??= this.listOf(this.inOrder(objectsOf(this.slots)));
    return this.sorted;
  }

  private listOf(sorted: readonly T[]): SortedList<T> {
    const list = new SortedList<T>((a, b) => this.compare(a, b));
    list.load(sorted);
    return list;
  }

  /** An object equals itself even while its fields are ahead of its place, so a copy of its old fields finds it. */
  private compare(a: T, b: T): number {
    if (a.id === b.id) return 0;
    const byKey = this.compareKeys(a, b);
    return byKey !== 0 ? byKey : a.id - b.id;
  }

  private compareKeys(a: T, b: T): number {
    for (let i = 0; i < this.parts.length; i++) {
      const part = this.parts[i] as (object: T) => IndexKey;
      const x = part(a);
      const y = part(b);
      if (x !== y) return x < y ? -1 : 1;
    }
    return 0;
  }

  add(object: T): void {
    this.sorted?.add(object);
  }

  remove(object: T): void {
    this.sorted?.remove(object);
  }

  conflict(object: T): boolean {
    if (!this.isUnique) return false;
    const found = this.list.firstNotBelow((member) => this.compareKeys(member, object) < 0);
    return found !== undefined && this.compareKeys(found, object) === 0;
  }

  sameKey(a: T, b: T): boolean {
    return this.compareKeys(a, b) === 0;
  }

  load(objects: readonly T[]): T | undefined {
    if (this.definition.sortedLate) return undefined;
    const sorted = this.inOrder(objects);
    this.sorted = this.listOf(sorted);
    if (!this.isUnique) return undefined;
    return sorted.find((object, i) => i > 0 && this.compareKeys(sorted[i - 1] as T, object) === 0);
  }

  private inOrder(objects: readonly T[]): T[] {
    // Most indexes have one part, and their order needs no more than its values.
    const [only, second] = this.parts;
    if (only === undefined || second !== undefined) return [...objects].sort((a, b) => this.compare(a, b));
    if (objects.every((object) => typeof only(object) === 'string'))
      return sortByText(objects, (o) => only(o) as string);
    return [...objects].sort((a, b) => compareValues(only(a), only(b)) || a.id - b.id);
  }

  clear(): void {
    this.sorted = this.definition.sortedLate ? undefined : this.listOf([]);
  }

  /** Says of a member whether its leading key parts are less than `from`; with `strict` also whether they are equal. */
  below(from: readonly IndexKey[], strict: boolean): (member: T) => boolean {
    const { parts } = this;
    return (member) => {
      for (let i = 0; i < from.length; i++) {
        const x = (parts[i] as (object: T) => IndexKey)(member);
        const y = from[i] as IndexKey;
        if (x !== y) return x < y;
      }
      return strict;
    };
  }
}

/** The objects of `slots` by another key than their instance. */
export function liveIndex<T extends StateObject>(
  definition: AnyIndex,
  slots: Slots<T>,
  hash: IdHash,
): LiveUnique<T> | LiveGroup<T> | LiveSeveral<T> | LiveOrdered<T> {
  switch (definition.kind) {
    case 'unique':
      return new LiveUnique<T>(definition, slots, hash);
    case 'group':
      return new LiveGroup<T>(definition);
    case 'several':
      return new LiveSeveral<T>(definition);
    case 'ordered':
      return new LiveOrdered<T>(definition, slots);
  }
}
