import { invariant } from '../base/errors.js';
import type { Fields, StructType, StructValue } from '../codec/struct.js';
import { formatObjectId } from '../protocol/ids.js';

/**
 * Objects and their indexes are declared once. Undo, storage, snapshots, JSON and the id counter all work from the
 * declaration.
 *
 * An object is a plain record that stays the same JS object while it exists: a reference to it always shows the newest
 * values, as in the reference node. Its nested values (lists, authorities, assets) are never changed in place; a
 * modification assigns new ones. Undo can therefore keep shallow copies.
 */
export interface StateObject {
  /** Instance: the last number of the id. */
  id: number;
}

export type IndexKey = string | number | bigint;

interface IndexBase<T extends StateObject> {
  readonly name: string;
  /** This and the next are set by defineObject. */
  readonly object: ObjectDef<T>;
  /** Position in the definition's list of indexes: finds the live index without a lookup by name. */
  readonly slot: number;
  /** True when no modification can change the key, so that none has to look. */
  readonly fixed: boolean;
}

/** One object per key; creating a second one is refused. */
export interface UniqueIndex<T extends StateObject, K extends IndexKey = IndexKey> extends IndexBase<T> {
  readonly kind: 'unique';
  readonly key: (object: T) => K;
  /** Its keys are hashes in hex, made by whoever makes the objects. */
  readonly ofHashes: boolean;
}

/** All objects of a key, in id order. */
export interface GroupIndex<T extends StateObject, K extends IndexKey = IndexKey> extends IndexBase<T> {
  readonly kind: 'group';
  readonly key: (object: T) => K;
}

/** As a group, but an object may belong to several, or to none. */
export interface SeveralIndex<T extends StateObject, K extends IndexKey = IndexKey> extends IndexBase<T> {
  readonly kind: 'several';
  /** A field: as long as it is the same list, so are the groups. */
  readonly keys: (object: T) => readonly K[];
}

/**
 * Objects in the order of their key parts; equal keys in id order. `isUnique` refuses equal keys. One that is `sortedLate` is
 * sorted when somebody asks for it: where the chain itself never does, a start need not wait for it.
 */
export interface OrderedIndex<T extends StateObject> extends IndexBase<T> {
  readonly kind: 'ordered';
  readonly parts: readonly ((object: T) => IndexKey)[];
  readonly isUnique: boolean;
  readonly sortedLate: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: an index of some object type; the declaration knows which
export type AnyIndex = UniqueIndex<any, any> | GroupIndex<any, any> | SeveralIndex<any, any> | OrderedIndex<any>;

/** What has to be known of the objects of one type that never change. */
export interface RecordMaker<T extends StateObject> {
  /** A live object with the fields of `value`. */
  make(id: number, value: Omit<T, 'id'>): T;
  /** The live object for one that was built with all fields and belongs to nobody else: mostly that itself. */
  adopt(object: T): T;
  /**
   * Whether both hold the very same values, their ids apart: then they have the same bytes as well. Most objects of a
   * young chain are summaries of blocks that do not exist yet, all alike.
   */
  isSame(a: Readonly<T>, b: Readonly<T>): boolean;
}

/**
 * Functions over all fields of one object type, written out field by field. A record that is always built by the same
 * literal has the same hidden class everywhere, and copying it costs a few loads and stores.
 */
export interface RecordTools<T extends StateObject> extends RecordMaker<T> {
  /** Shallow: nested values are never changed in place. */
  copy(object: Readonly<T>): T;
  assign(target: T, source: Readonly<T>): void;
}

export interface ObjectDef<T extends StateObject = StateObject> {
  readonly name: string;
  readonly space: number;
  readonly type: number;
  /** All fields but the id, in wire and JSON order. */
  readonly schema: StructType<Fields>;
  /**
   * How live objects are kept: `dense` for types whose objects stay (an array by instance), `sparse` for types whose
   * objects come and go (a map), `single` for the one object with instance 0. Objects that are `fleeting` come and go and
   * never change in between: no undo has to remember how they were. They may look up some of their fields when they are
   * asked for them, so nobody reads many of them in one go.
   */
  readonly keep: 'dense' | 'sparse' | 'single' | 'fleeting';
  /** Where live objects are more than their fields one by one. */
  readonly record: RecordMaker<T> | undefined;
  readonly indexes: readonly AnyIndex[];
  /** Phantom: carries the object's type. */
  readonly object?: T;
}

// biome-ignore lint/suspicious/noExplicitAny: some object type
export type AnyObjectDef = ObjectDef<any>;

/** Index declarations before they know their object. */
type IndexInput<T extends StateObject> =
  | Omit<UniqueIndex<T, IndexKey>, 'object' | 'name' | 'slot'>
  | Omit<GroupIndex<T, IndexKey>, 'object' | 'name' | 'slot'>
  | Omit<SeveralIndex<T, IndexKey>, 'object' | 'name' | 'slot'>
  | Omit<OrderedIndex<T>, 'object' | 'name' | 'slot'>;

export function unique<T extends StateObject, K extends IndexKey>(
  key: (object: T) => K,
  options: { fixed?: boolean; ofHashes?: boolean } = {},
): Omit<UniqueIndex<T, K>, 'object' | 'name' | 'slot'> {
  return { kind: 'unique', key, fixed: options.fixed ?? false, ofHashes: options.ofHashes ?? false };
}

export function group<T extends StateObject, K extends IndexKey>(
  key: (object: T) => K,
  options: { fixed?: boolean } = {},
): Omit<GroupIndex<T, K>, 'object' | 'name' | 'slot'> {
  return { kind: 'group', key, fixed: options.fixed ?? false };
}

export function several<T extends StateObject, K extends IndexKey>(
  keys: (object: T) => readonly K[],
): Omit<SeveralIndex<T, K>, 'object' | 'name' | 'slot'> {
  return { kind: 'several', keys, fixed: false };
}

export function ordered<T extends StateObject>(
  parts: readonly ((object: T) => IndexKey)[],
  options: { fixed?: boolean; unique?: boolean; sortedLate?: boolean } = {},
): Omit<OrderedIndex<T>, 'object' | 'name' | 'slot'> {
  const { fixed = false, unique: isUnique = false, sortedLate = false } = options;
  invariant(!isUnique || !sortedLate, 'an index that refuses equal keys is there from the start');
  return { kind: 'ordered', parts, fixed, isUnique, sortedLate };
}

type Attached<T extends StateObject, I> = I extends Omit<UniqueIndex<T, infer K>, 'object' | 'name' | 'slot'> & {
  kind: 'unique';
}
  ? UniqueIndex<T, K>
  : I extends Omit<GroupIndex<T, infer K>, 'object' | 'name' | 'slot'> & { kind: 'group' }
    ? GroupIndex<T, K>
    : I extends Omit<SeveralIndex<T, infer K>, 'object' | 'name' | 'slot'> & { kind: 'several' }
      ? SeveralIndex<T, K>
      : OrderedIndex<T>;

type Declared<F extends Fields, I> = Omit<ObjectDef<StructValue<F> & StateObject>, 'schema'> & {
  readonly schema: StructType<F>;
  readonly by: { readonly [K in keyof I]: Attached<StructValue<F> & StateObject, I[K]> };
};

/**
 * Declares an object type: `const AccountObject = defineObject({...}, { byName: unique(...) })`; the indexes are then
 * `AccountObject.by.byName`.
 */
export function defineObject<F extends Fields, I extends Record<string, IndexInput<StructValue<F> & StateObject>>>(
  input: {
    readonly name: string;
    readonly space: number;
    readonly type: number;
    readonly schema: StructType<F>;
    readonly keep?: ObjectDef['keep'];
    readonly record?: RecordMaker<StructValue<F> & StateObject>;
  },
  indexes: I = {} as I,
): Declared<F, I> {
  const by = {} as Record<string, AnyIndex>;
  const list: AnyIndex[] = [];
  const definition = {
    name: input.name,
    space: input.space,
    type: input.type,
    schema: input.schema as unknown as StructType<Fields>,
    keep: input.keep ?? 'dense',
    record: input.record,
    indexes: list,
    by,
  };
  for (const [name, index] of Object.entries(indexes)) {
    invariant(definition.keep !== 'single', `${input.name}: a single object needs no index`);
    const attached = { ...index, name, object: definition, slot: list.length } as AnyIndex;
    by[name] = attached;
    list.push(attached);
  }
  return definition as unknown as Declared<F, I>;
}

export type ObjectOf<D> = D extends ObjectDef<infer T> ? T : never;

export function idText(definition: AnyObjectDef, instance: number): string {
  return formatObjectId(definition.space, definition.type, instance);
}
