import { pair } from '../../codec/containers.js';
import { boundsOf, TRUSTED_RULES } from '../../codec/decode-rules.js';
import { Reader } from '../../codec/reader.js';
import type { AnyType, Type } from '../../codec/type.js';
import { canonicalInPieces, type Pieces } from './pieces.js';

/** Told of every field of a struct that was read in pieces, and where its bytes stand. */
export type OnField = (struct: AnyType, field: string, from: number, to: number) => void;

/**
 * What `decodeTrusted(type, bytes)` gives, made in pieces along the type's shape: a stored block may have two megabytes.
 * A test compares both ways.
 */
export function* readPieces<V>(type: Type<V>, bytes: Uint8Array, onField?: OnField): Pieces<V> {
  const reader = new Reader(bytes, TRUSTED_RULES);
  const value = yield* valuePieces(type, reader, onField);
  reader.finish();
  return value as V;
}

const ELEMENTS_PER_PIECE = 16;

function bound(element: string, { column }: Reader): number {
  return boundsOf(element)[column];
}

function orderOf(type: AnyType): (a: unknown, b: unknown) => number {
  return type.compare as (a: unknown, b: unknown) => number;
}

function* valuePieces(type: AnyType, reader: Reader, onField: OnField | undefined): Pieces<unknown> {
  if (!holdsList(type)) return type.read(reader);
  const { shape } = type;
  switch (shape.kind) {
    case 'array':
      return yield* elementPieces(type.name, shape.of, bound(shape.of.name, reader), reader, onField);
    case 'set': {
      const elements = yield* elementPieces(type.name, shape.of, bound(shape.of.name, reader), reader, onField);
      return yield* canonicalInPieces(elements, orderOf(shape.of));
    }
    case 'map': {
      const compare = orderOf(shape.key);
      const most = bound(`${shape.key.name},${shape.of.name}`, reader);
      const entries = yield* elementPieces(type.name, pair(shape.key, shape.of), most, reader, onField);
      return yield* canonicalInPieces(entries as [unknown, unknown][], (a, b) => compare(a[0], b[0]));
    }
    case 'optional':
      return reader.bool() ? yield* valuePieces(shape.of, reader, onField) : undefined;
    case 'struct': {
      const out: Record<string, unknown> = {};
      for (const [name, field] of shape.fields) {
        const from = reader.position;
        out[name] = yield* valuePieces(field, reader, onField);
        onField?.(type, name, from, reader.position);
      }
      return out;
    }
    case 'variant': {
      const at = reader.position;
      const tag = reader.varint();
      const chosen = shape.of[Number(tag)];
      if (chosen !== undefined) return [tag, yield* valuePieces(chosen, reader, onField)];
      // The refusal is the type's own.
      reader.position = at;
      return type.read(reader);
    }
    default:
      return type.read(reader);
  }
}

function* elementPieces(
  name: string,
  of: AnyType,
  countMax: number,
  reader: Reader,
  onField: OnField | undefined,
): Pieces<unknown[]> {
  const count = reader.count(name, of.bytesMin, countMax);
  const isDeep = holdsList(of);
  const out: unknown[] = [];
  for (let i = 0; i < count; i++) {
    if (i % ELEMENTS_PER_PIECE === 0) yield;
    out.push(isDeep ? yield* valuePieces(of, reader, onField) : of.read(reader));
  }
  return out;
}

const known = new WeakMap<AnyType, boolean>();

/** Whether values of the type can be long. Extensions are lists that nobody fills. */
function holdsList(type: AnyType): boolean {
  const found = known.get(type);
  if (found !== undefined) return found;
  // A type that contains itself finds this entry: what else is in it decides.
  known.set(type, false);
  const holds = look(type);
  known.set(type, holds);
  return holds;
}

function look({ shape }: AnyType): boolean {
  switch (shape.kind) {
    case 'array':
    case 'set':
      return shape.of.name !== 'future_extensions';
    case 'map':
      return true;
    case 'struct':
      return shape.fields.some(([, field]) => holdsList(field));
    case 'variant':
      return shape.of.some(holdsList);
    case 'optional':
      return holdsList(shape.of);
    default:
      return false;
  }
}
