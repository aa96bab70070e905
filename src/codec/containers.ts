import { compareText } from '../base/bytes.js';
import { ChainError, defineErrors, fail, invariant } from '../base/errors.js';
import { type Bounds, boundsOf, DEPTH_COST } from './decode-rules.js';
import type { Json } from './json.js';
import type { Reader } from './reader.js';
import { jsonKind, SCALAR_ERRORS, u64 } from './scalars.js';
import type { AnyPlainType, AnyType, Pass, PlainType, Type, ValueOf } from './type.js';
import type { Writer } from './writer.js';

export const CONTAINER_ERRORS = defineErrors({
  variant_tag: { text: 'w < count(): ', hint: '${type} has no alternative ${tag}' },
});

function located<T>(index: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof ChainError ? error.at(`[${index}]`) : error;
  }
}

function jsonArray(json: Json, wanted: string): Json[] {
  if (!Array.isArray(json)) fail(SCALAR_ERRORS.json_array, { type: jsonKind(json), wanted });
  return json;
}

/** For all that is kept and never changed in place: most lists of an account are empty. */
const NOTHING = Object.freeze<never[]>([]) as never[];

function readElements<V>(name: string, of: Type<V>, bounds: Bounds, reader: Reader): V[] {
  reader.enter(DEPTH_COST.list, DEPTH_COST.list);
  const count = reader.count(name, of.bytesMin, bounds[reader.column]);
  if (count === 0 && reader.shares) {
    reader.leave(DEPTH_COST.list);
    return NOTHING;
  }
  let out: V[] = [];
  let index = 0;
  try {
    if (count > 0) reader.need(of.depth);
    // Lists of one are the rule, and an empty list that grows takes room for sixteen more.
    if (count === 1) out = [of.read(reader)];
    else for (; index < count; index++) out.push(of.read(reader));
  } catch (error) {
    throw error instanceof ChainError ? error.at(`[${index}]`) : error;
  }
  reader.leave(DEPTH_COST.list);
  return out;
}

/** Of what is only passed; below the bounds of every type. */
const PASSED_MAX = 1000;

/** `atMost`: a set of several may not be in order, which its elements have to be read for. */
function passElements(of: Type<unknown>, atMost: number): Pass | undefined {
  const { pass } = of;
  if (pass === undefined) return passEmpty;
  return (reader) => {
    const count = reader.plainVarint();
    if (count < 0 || count > atMost) return false;
    for (let i = 0; i < count; i++) if (!pass(reader)) return false;
    return true;
  };
}

/** Of what nobody can pass there is none. */
const passEmpty: Pass = (reader) => reader.plainVarint() === 0;

function writeElements<V>(of: Type<V>, writer: Writer, values: readonly V[]): void {
  writer.varint(values.length);
  for (let i = 0; i < values.length; i++) of.write(writer, values[i] as V);
}

export function array<V>(of: PlainType<V>): PlainType<V[]>;
export function array<V>(of: Type<V>): Type<V[]>;
export function array<V>(of: Type<V>): Type<V[]> {
  const name = `vector<${of.name}>`;
  const bounds = boundsOf(of.name);
  return {
    name,
    bytesMin: 1,
    depth: DEPTH_COST.list,
    shape: { kind: 'array', of },
    read: (reader) => readElements(name, of, bounds, reader),
    pass: passElements(of, PASSED_MAX),
    write: (writer, values) => writeElements(of, writer, values),
    toJson: (values, network) => values.map((value) => of.toJson(value, network)),
    fromJson: (json, network) => jsonArray(json, name).map((item, i) => located(i, () => of.fromJson(item, network))),
    default: () => [],
  };
}

/** True when the list is strictly ascending, i.e. already a set in canonical order. */
function isAscending<V>(values: readonly V[], compare: (a: V, b: V) => number): boolean {
  for (let i = 1; i < values.length; i++) if (compare(values[i - 1] as V, values[i] as V) >= 0) return false;
  return true;
}

/** As the chain's nodes fill a set one by one: sorted, and of two equal elements the first one stays. */
export function canonical<V>(values: readonly V[], compare: (a: V, b: V) => number, rank?: (value: V) => string): V[] {
  if (values.length < 2) return values as V[];
  if (rank !== undefined) return canonicalByRank(values, rank);
  if (isAscending(values, compare)) return values as V[];
  const sorted = [...values].sort(compare);
  return sorted.filter((value, i) => i === 0 || compare(sorted[i - 1] as V, value) !== 0);
}

function canonicalByRank<V>(values: readonly V[], rank: (value: V) => string): V[] {
  const ranks = values.map(rank);
  if (isAscending(ranks, compareText)) return values as V[];
  const rankAt = (place: number): string => ranks[place] as string;
  const places = ranks.map((_, place) => place).sort((a, b) => compareText(rankAt(a), rankAt(b)));
  return places
    .filter((place, i) => i === 0 || rankAt(places[i - 1] as number) !== rankAt(place))
    .map((place) => values[place] as V);
}

export function set<V>(of: PlainType<V>): PlainType<V[]>;
export function set<V>(of: Type<V>): Type<V[]>;
export function set<V>(of: Type<V>): Type<V[]> {
  return setWithin(of, boundsOf(of.name));
}

function setWithin<V>(of: Type<V>, bounds: Bounds): Type<V[]> {
  const name = `set<${of.name}>`;
  const { compare, rank } = of;
  invariant(compare !== undefined, `${of.name} has an order`);
  return {
    name,
    bytesMin: 1,
    depth: DEPTH_COST.list,
    shape: { kind: 'set', of },
    // Equal elements count until they are dropped.
    read: (reader) => canonical(readElements(name, of, bounds, reader), compare, rank),
    pass: passElements(of, 1),
    write: (writer, values) => writeElements(of, writer, canonical(values, compare, rank)),
    toJson: (values, network) => canonical(values, compare, rank).map((value) => of.toJson(value, network)),
    fromJson: (json, network) =>
      canonical(
        jsonArray(json, name).map((item, i) => located(i, () => of.fromJson(item, network))),
        compare,
        rank,
      ),
    default: () => [],
  };
}

function passBoth(first: Pass | undefined, second: Pass | undefined): Pass | undefined {
  return first === undefined || second === undefined ? undefined : (reader) => first(reader) && second(reader);
}

export function pair<A, B>(first: PlainType<A>, second: PlainType<B>): PlainType<[A, B]>;
export function pair<A, B>(first: Type<A>, second: Type<B>): Type<[A, B]>;
export function pair<A, B>(first: Type<A>, second: Type<B>): Type<[A, B]> {
  const name = `pair<${first.name},${second.name}>`;
  const depth = DEPTH_COST.pair + Math.max(first.depth, second.depth);
  return {
    name,
    bytesMin: first.bytesMin + second.bytesMin,
    depth,
    shape: { kind: 'pair', key: first, of: second },
    read: (reader) => {
      reader.enter(DEPTH_COST.pair, depth);
      const value: [A, B] = [first.read(reader), second.read(reader)];
      reader.leave(DEPTH_COST.pair);
      return value;
    },
    pass: passBoth(first.pass, second.pass),
    write: (writer, value) => {
      first.write(writer, value[0]);
      second.write(writer, value[1]);
    },
    toJson: (value, network) => [first.toJson(value[0], network), second.toJson(value[1], network)],
    fromJson: (json, network) => {
      // Quirk: what is missing has its default, what is too much is ignored.
      const [one, two] = jsonArray(json, name);
      return [
        one === undefined ? first.default() : located(0, () => first.fromJson(one, network)),
        two === undefined ? second.default() : located(1, () => second.fromJson(two, network)),
      ];
    },
    default: () => [first.default(), second.default()],
  };
}

/** In memory a list of pairs in key order: small, comparable, and the same shape as its JSON. */
export function map<K, V>(key: PlainType<K>, of: PlainType<V>): PlainType<[K, V][]>;
export function map<K, V>(key: Type<K>, of: Type<V>): Type<[K, V][]>;
export function map<K, V>(key: Type<K>, of: Type<V>): Type<[K, V][]> {
  const { compare, rank } = key;
  invariant(compare !== undefined, `${key.name} has an order`);
  const entry: Type<[K, V]> = { ...pair(key, of), compare: (a, b) => compare(a[0], b[0]) };
  if (rank !== undefined) entry.rank = ([one]) => rank(one);
  const entries = setWithin(entry, boundsOf(`${key.name},${of.name}`));
  return { ...entries, name: `map<${key.name},${of.name}>`, shape: { kind: 'map', key, of } };
}

export function optional<V>(of: PlainType<V>): PlainType<V | undefined>;
export function optional<V>(of: Type<V>): Type<V | undefined>;
export function optional<V>(of: Type<V>): Type<V | undefined> {
  return {
    name: `optional<${of.name}>`,
    bytesMin: 1,
    depth: DEPTH_COST.optional,
    omitWhenAbsent: true,
    shape: { kind: 'optional', of },
    read: (reader) => {
      if (!reader.bool()) return undefined;
      reader.enter(DEPTH_COST.optional, DEPTH_COST.optional + of.depth);
      const value = of.read(reader);
      reader.leave(DEPTH_COST.optional);
      return value;
    },
    pass: (reader) => {
      const isThere = reader.plainVarint();
      return isThere === 0 || (isThere === 1 && of.pass?.(reader) === true);
    },
    write: (writer, value) => {
      writer.u8(value === undefined ? 0 : 1);
      if (value !== undefined) of.write(writer, value);
    },
    toJson: (value, network) => (value === undefined ? null : of.toJson(value, network)),
    fromJson: (json, network) => (json === null ? undefined : of.fromJson(json, network)),
    default: () => undefined,
  };
}

type TagOf<K> = K extends `${infer N extends number}` ? N : never;
/** `[tag, value]`, the same shape in memory and in JSON. */
export type VariantValue<T extends readonly AnyType[]> = {
  [K in keyof T & `${number}`]: [TagOf<K>, ValueOf<T[K]>];
}[keyof T & `${number}`];

/** Any form of an integer is one here too: a text, a fraction, a word. */
export function tagFromJson(tag: Json): number {
  return Number(located(0, () => u64.fromJson(tag)));
}

export function variant<const T extends readonly AnyPlainType[]>(name: string, types: T): PlainType<VariantValue<T>>;
export function variant<const T extends readonly AnyType[]>(name: string, types: T): Type<VariantValue<T>>;
export function variant<const T extends readonly AnyType[]>(name: string, types: T): Type<VariantValue<T>> {
  type V = VariantValue<T>;
  const typeOf = (tag: number | bigint | undefined): AnyType => {
    const type = typeof tag === 'number' ? types[tag] : undefined;
    if (type === undefined) fail(CONTAINER_ERRORS.variant_tag, { tag, type: name });
    return type;
  };
  return {
    name,
    bytesMin: 1,
    depth: DEPTH_COST.variant,
    shape: { kind: 'variant', of: types },
    read: (reader) => {
      reader.enter(DEPTH_COST.variant, DEPTH_COST.variant);
      const tag = reader.varint();
      const type = typeOf(tag);
      reader.need(type.depth);
      const value = [tag, type.read(reader)] as V;
      reader.leave(DEPTH_COST.variant);
      return value;
    },
    pass: (reader) => types[reader.plainVarint()]?.pass?.(reader) === true,
    write: (writer, value) => {
      writer.varint(value[0]);
      typeOf(value[0]).write(writer, value[1]);
    },
    toJson: (value, network) => [value[0], typeOf(value[0]).toJson(value[1], network)],
    fromJson: (json, network) => {
      const items = jsonArray(json, name);
      // Fewer than two elements mean the first alternative with its defaults.
      if (items.length < 2) return [0, typeOf(0).default()] as V;
      const [tag, body] = items as [Json, Json];
      const number = tagFromJson(tag);
      const type = typeOf(number);
      return [number, located(1, () => type.fromJson(body, network))] as V;
    },
    default: () => [0, typeOf(0).default()] as V,
    compare: (a, b) => a[0] - b[0],
  };
}

/** The same type with another default for struct members that JSON leaves out. */
export function withDefault<T extends AnyType>(type: T, value: () => ValueOf<T>): T {
  return { ...type, default: value };
}

/** What the reference keeps behind a pointer: the same bytes, one level deeper. */
export function wrapped<T extends AnyType>(of: T): T {
  const depth = DEPTH_COST.wrapper + of.depth;
  return {
    ...of,
    depth,
    read: (reader) => {
      reader.enter(DEPTH_COST.wrapper, depth);
      const value = of.read(reader);
      reader.leave(DEPTH_COST.wrapper);
      return value;
    },
  };
}

/** What stands inside of itself is read: nobody counts how deep a passed value is. */
function passOnce(of: () => Pass | undefined): Pass {
  let isInside = false;
  return (reader) => {
    if (isInside) return false;
    isInside = true;
    const isPassed = of()?.(reader) === true;
    isInside = false;
    return isPassed;
  };
}

/** For types that contain themselves: looked up when it is first used. */
export function lazy<V>(name: string, resolve: () => Type<V>): Type<V> {
  let found: Type<V> | undefined;
  const type = (): Type<V> => {
    found ??= resolve();
    return found;
  };
  return {
    name,
    bytesMin: 1,
    // Nobody knows yet; what is found asks for itself.
    depth: 0,
    get shape() {
      return type().shape;
    },
    read: (reader) => type().read(reader),
    pass: passOnce(() => type().pass),
    write: (writer, value) => type().write(writer, value),
    toJson: (value, network) => type().toJson(value, network),
    fromJson: (json, network) => type().fromJson(json, network),
    default: () => type().default(),
    compare: (a, b) => {
      const compare = type().compare;
      invariant(compare !== undefined, `${name} has an order`);
      return compare(a, b);
    },
  };
}
