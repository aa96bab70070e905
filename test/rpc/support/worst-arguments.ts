import { packedSize } from '../../../src/codec/binary.js';
import { boundsOf } from '../../../src/codec/decode-rules.js';
import type { Json } from '../../../src/codec/json.js';
import type { AnyType } from '../../../src/codec/type.js';
import { NETWORK } from '../../support/network.js';

/**
 * The costliest values of a type that a client can send: valid ones with one place as large as it can be, and values
 * that are not of the type at all.
 */

export interface Sizes {
  /** Elements of a list, as many as are still taken. */
  readonly elements: number;
  /** Elements of a list that is too long. */
  readonly tooMany: number;
  /** Characters of a text. */
  readonly chars: number;
  /** Instead of the two counts: as many elements as fill so many bytes on the wire. */
  readonly bytes?: number;
  /** How deep inside of a type the large place may be. */
  readonly depth: number;
  /** How many of the alternatives of a union are tried; undefined: all. */
  readonly alternatives?: number;
}

/** Different texts of valid keys. */
export type KeyTexts = (index: number) => string;

export interface Named {
  readonly name: string;
  /** Made when it is asked for: all together would not fit into memory. */
  make(): Json;
}

export function worstValues(type: AnyType, sizes: Sizes, keys: KeyTexts): Named[] {
  const wrong: Named[] = [
    { name: 'list of empty objects', make: () => Array.from({ length: sizes.tooMany }, () => ({})) },
    { name: 'many members', make: () => members(9999) },
    { name: 'long text', make: () => 'a'.repeat(sizes.chars) },
    { name: 'long digits', make: () => '7'.repeat(sizes.chars) },
    { name: 'long name', make: () => '.a'.repeat(sizes.chars / 2) },
  ];
  return [...fat(type, sizes, keys, 0), ...wrong];
}

/** Valid values only, each with one list that fills so many bytes. */
export function worstValid(
  type: AnyType,
  { bytes, depth }: { readonly bytes: number; readonly depth: number },
  keys: KeyTexts,
): Named[] {
  const sizes: Sizes = { elements: 0, tooMany: 0, chars: 0, depth, bytes };
  return fat(type, sizes, keys, 0);
}

function members(count: number): Json {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`member${i}`, i]));
}

/** A small valid value; `index` makes it different from others of its type. */
export function plainValue(type: AnyType, index: number, keys: KeyTexts): Json {
  const { shape } = type;
  switch (shape.kind) {
    case 'struct':
      return Object.fromEntries(shape.fields.map(([name, field]) => [name, plainValue(field, index, keys)]));
    case 'array':
    case 'set':
    case 'map':
      return [];
    case 'pair':
      return [plainValue(shape.key, index, keys), plainValue(shape.of, index, keys)];
    case 'optional':
      return null;
    case 'variant':
      return [0, plainValue(shape.of[0] as AnyType, index, keys)];
    case 'extension':
      return {};
    default:
      return scalar(type, index, keys);
  }
}

function scalar(type: AnyType, index: number, keys: KeyTexts): Json {
  if (type.name === 'public_key') return keys(index);
  if (type.name === 'any') return index;
  if (type.name.endsWith('_id') || type.name === 'object_id_type') {
    const text = type.toJson(type.default(), NETWORK);
    if (typeof text === 'string' && /^\d+\.\d+\.\d+$/.test(text)) return text.replace(/\d+$/, String(index));
  }
  if (/^(u?int(16|32|64)|varint|share)$/.test(type.name)) return index;
  if (type.name === 'string') return `text${index}`;
  if (['sha256', 'commitment', 'blind_factor', 'block_id', 'transaction_id', 'signature'].includes(type.name)) {
    const length = String(type.toJson(type.default(), NETWORK)).length;
    return index.toString(16).padStart(length, '0').replace(/^00/, '02');
  }
  return type.toJson(type.default(), NETWORK);
}

function countsOf(of: AnyType, sizes: Sizes, keys: KeyTexts, key?: AnyType): number[] {
  if (sizes.bytes === undefined) return [sizes.elements, sizes.tooMany];
  // Elements that are all alike make a set of one.
  if (of.name === 'future_extensions') return [];
  const bytesOf = (type: AnyType): number => packedSize(type, type.fromJson(plainValue(type, LATE, keys), NETWORK));
  const each = bytesOf(of) + (key === undefined ? 0 : bytesOf(key));
  const most = boundsOf(key === undefined ? of.name : `${key.name},${of.name}`)[BOTH_BUILDS];
  return [Math.min(Math.floor((sizes.bytes - 4096) / each), most)];
}

/** Ids beyond 16,384 take three bytes. */
const LATE = 100_000;
const BOTH_BUILDS = 2;

function fat(type: AnyType, sizes: Sizes, keys: KeyTexts, depth: number): Named[] {
  if (depth > sizes.depth) return [];
  const { shape } = type;
  const inner = (of: AnyType): Named[] => fat(of, sizes, keys, depth + 1);
  const list = (of: AnyType, count: number): Json[] => Array.from({ length: count }, (_, i) => plainValue(of, i, keys));
  switch (shape.kind) {
    case 'struct':
      return shape.fields.flatMap(([field, of]) =>
        inner(of).map(({ name, make }) => ({
          name: `${field}.${name}`,
          make: () => ({ ...(plainValue(type, 1, keys) as object), [field]: make() }),
        })),
      );
    case 'array':
    case 'set': {
      const { of } = shape;
      // In an order that has to be sorted.
      const lists = countsOf(of, sizes, keys).map((count) => ({
        name: `${count} of ${of.name}`,
        make: () => list(of, count).reverse(),
      }));
      return [...lists, ...inner(of).map(({ name, make }) => ({ name: `[${name}]`, make: () => [make()] }))];
    }
    case 'map':
      return countsOf(shape.of, sizes, keys, shape.key).map((count) => ({
        name: `${count} of ${type.name}`,
        make: () => list(shape.key, count).map((key, i) => [key, plainValue(shape.of, i, keys)]),
      }));
    case 'pair':
      return inner(shape.of).map(({ name, make }) => ({
        name: `pair.${name}`,
        make: () => [plainValue(shape.key, 1, keys), make()],
      }));
    case 'optional':
      return inner(shape.of);
    case 'variant': {
      const tags = shape.of.map((_, tag) => tag).filter((tag) => tag < (sizes.alternatives ?? shape.of.length));
      return tags.flatMap((tag) =>
        inner(shape.of[tag] as AnyType).map(({ name, make }) => ({
          name: `${tag}.${name}`,
          make: () => [tag, make()],
        })),
      );
    }
    case 'scalar':
      if (sizes.chars === 0) return [];
      if (type.name === 'bytes') return [{ name: 'bytes', make: () => 'ab'.repeat(sizes.chars / 2) }];
      if (type.name === 'string') return [{ name: 'text', make: () => 'ä"'.repeat(sizes.chars / 2) }];
      if (type.name === 'any') {
        return [{ name: 'any', make: () => list(type, sizes.tooMany) }];
      }
      return [];
    default:
      return [];
  }
}
