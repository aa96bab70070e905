import { Packr, Unpackr } from 'msgpackr';
import { invariant } from '../base/errors.js';
import { encode as encodeType } from '../codec/binary.js';
import { Reader } from '../codec/reader.js';
import { struct } from '../codec/struct.js';
import type { AnyType } from '../codec/type.js';
import type { AnyObjectDef, StateObject } from '../state/define.js';

/**
 * One stored object: a msgpack array of its scalar fields in the order of the declaration and, where it has others,
 * their wire bytes as the last element. Nothing depends on field names or on what was stored before.
 */
export interface RecordCodec {
  encode(object: Readonly<StateObject>): Uint8Array;
  decode(bytes: Uint8Array, start: number, end: number): Omit<StateObject, 'id'>;
}

const EXACT = {
  useRecords: false,
  moreTypes: false,
  useBigIntExtension: true,
  int64AsType: 'bigint',
  // A page must not stay in memory because of the few bytes of it that an object holds.
  copyBuffers: true,
} as const;
const packr = new Packr(EXACT);
const unpackr = new Unpackr(EXACT);

/** For the store's own records: maps by name, with the same exact integers. */
export function packPlain(value: unknown): Uint8Array {
  const bytes = packr.pack(value);
  return new Uint8Array(bytes);
}

export function unpackPlain(bytes: Uint8Array, start: number, end: number): unknown {
  return unpackr.unpack(bytes, { start, end });
}

function isScalar(type: AnyType): boolean {
  return type.shape.kind === 'scalar' || type.shape.kind === 'enumeration';
}

type Values = readonly unknown[];

export function recordCodec(definition: AnyObjectDef): RecordCodec {
  const fields = Object.entries(definition.schema.fields);
  const scalars = fields.filter(([, type]) => isScalar(type)).map(([name]) => name);
  const nested = fields.filter(([, type]) => !isScalar(type));
  const nestedType = nested.length === 0 ? undefined : struct(`${definition.name} nested`, Object.fromEntries(nested));
  const at = (name: string): string => JSON.stringify(name);
  const toValues = new Function(
    'object',
    'bytes',
    `return [${scalars.map((name) => `object[${at(name)}]`).join(', ')}${nestedType === undefined ? '' : `${scalars.length > 0 ? ', ' : ''}bytes`}];`,
  ) as (object: unknown, bytes: Uint8Array | undefined) => Values;
  // Written out like the literals elsewhere, so that reading a field is one load.
  const fromValues = new Function(
    'v',
    'n',
    `return {${fields.map(([name, type]) => `${at(name)}: ${isScalar(type) ? `v[${scalars.indexOf(name)}]` : `n[${at(name)}]`}`).join(', ')}};`,
  ) as (values: Values, nested: unknown) => Omit<StateObject, 'id'>;
  const length = scalars.length + (nestedType === undefined ? 0 : 1);
  return {
    encode: (object) => {
      const bytes = nestedType === undefined ? undefined : encodeType(nestedType, object as never);
      return packr.pack(toValues(object, bytes));
    },
    decode: (bytes, start, end) => {
      const values = unpackr.unpack(bytes, { start, end }) as Values;
      invariant(Array.isArray(values) && values.length === length, `a stored ${definition.name} has ${length} values`);
      if (nestedType === undefined) return fromValues(values, undefined);
      const reader = new Reader(values[length - 1] as Uint8Array);
      const value = nestedType.read(reader);
      reader.finish();
      return fromValues(values, value);
    },
  };
}
