import { Packr, Unpackr } from 'msgpackr';
import { invariant } from '../base/errors.js';
import { encode as encodeType } from '../codec/binary.js';
import type { Reader } from '../codec/reader.js';
import type { AnyType } from '../codec/type.js';
import { Writer } from '../codec/writer.js';
import type { AnyObjectDef, StateObject } from '../state/define.js';
import { PlainValues } from './plain-values.js';
import { PlainWriter } from './plain-writer.js';

/**
 * One stored object: a varint whose bits say which of its texts and structured fields differ from their default, the
 * wire bytes of these, and a msgpack array of all numbers, both in the order of the declaration. Nothing depends on field names
 * or on what was stored before.
 *
 * Most structured fields of most objects have their default, which is then one value shared by all: nested values are
 * never changed in place. This saves a third of the memory of an account and half of the time to load it.
 */
export interface RecordCodec {
  /** Valid until the next call. */
  encode(object: Readonly<StateObject>): Uint8Array;
  /** Reads the record that ends at `end`; the reader stands at its start. */
  decode(instance: number, reader: Reader, end: number): StateObject;
}

/** Bits of a number that every engine keeps as a small integer. */
const NESTED_FIELDS_MAX = 30;

const EXACT = {
  useRecords: false,
  moreTypes: false,
  useBigIntExtension: true,
  int64AsType: 'bigint',
} as const;
const packr = new Packr(EXACT);
const unpackr = new Unpackr(EXACT);

const plainValues = new PlainValues(unpackPlain);

/** For the store's own records: maps by name, with the same exact integers. */
export function packPlain(value: unknown): Uint8Array {
  const bytes = packr.pack(value);
  return new Uint8Array(bytes);
}

export function unpackPlain(bytes: Uint8Array, start: number, end: number): unknown {
  return unpackr.unpack(bytes, { start, end });
}

/**
 * What msgpack holds exactly. Bytes would come back as another class than they were, and texts may hold escapes of
 * bytes that are not UTF-8; the codec knows both.
 */
const PLAIN: Readonly<Record<string, { readonly read: keyof PlainValues; readonly write: keyof PlainWriter }>> = {
  number: { read: 'number', write: 'plainNumber' },
  bigint: { read: 'bigint', write: 'plainBigint' },
  boolean: { read: 'boolean', write: 'plainBoolean' },
};

const plainOf = (type: AnyType): (typeof PLAIN)[string] | undefined =>
  type.shape.kind === 'scalar' ? PLAIN[typeof type.default()] : undefined;

interface NestedField {
  readonly name: string;
  readonly type: AnyType;
  readonly initial: unknown;
  readonly initialBytes: Uint8Array;
}

const writer = new PlainWriter((value) => packr.pack(value));
const nestedWriter = new Writer();

/** Writes what differs from the default; the bits say which fields that are. */
function writeNested(fields: readonly NestedField[], object: Readonly<Record<string, unknown>>): number {
  let bits = 0;
  nestedWriter.clear();
  for (let i = 0; i < fields.length; i++) {
    const { name, type, initial, initialBytes } = fields[i] as NestedField;
    const value = object[name];
    if (value === initial) continue;
    const start = nestedWriter.length;
    type.write(nestedWriter, value);
    if (nestedWriter.endsWith(start, initialBytes)) nestedWriter.length = start;
    else bits |= 1 << i;
  }
  return bits;
}

const text = (name: string): string => JSON.stringify(name);

/** The field before has the same type, and in most accounts owner and active have the same value: then it is one. */
function readAlike(i: number): string {
  const [before, here] = [`s${i - 1}`, `s${i}`];
  const length = `${here} - ${before}`;
  return `${here} > ${before} && r.isSame(${before}, ${here}, ${length}) ? (r.position += ${length}, n${i - 1}) : t${i}.read(r)`;
}

/** Written out like the literals elsewhere: reading a field is one load, and all objects of a type have one shape. */
function compileBuild(
  typeName: string,
  fields: readonly (readonly [string, AnyType])[],
  nested: readonly NestedField[],
): (id: number, bits: number, reader: Reader, end: number, values: PlainValues) => StateObject {
  const reads = nested.map(({ type }, i) => {
    const read = nested[i - 1]?.type === type ? readAlike(i) : `t${i}.read(r)`;
    return `var s${i} = r.position; var n${i} = bits & ${1 << i} ? ${read} : d${i};`;
  });
  const members = fields.map(([name, type]) => {
    const i = nested.findIndex((one) => one.name === name);
    return `${text(name)}: ${i < 0 ? `v.${plainOf(type)?.read}()` : `n${i}`}`;
  });
  const names = nested.flatMap((_, i) => [`t${i}`, `d${i}`]);
  const values = nested.flatMap(({ type, initial }) => [type, initial]);
  const count = fields.length - nested.length;
  const rule = text(`a stored ${typeName} has ${count} plain fields`);
  const source = `return (id, bits, r, end, v) => {
    ${reads.join('\n')}
    v.open(r.bytes, r.position, end, ${count}, ${rule});
    var object = { id, ${members.join(', ')} };
    v.close();
    return object;
  };`;
  return new Function(...names, source)(...values);
}

/** As `compileBuild`, the other way. */
function compilePlain(
  fields: readonly (readonly [string, AnyType])[],
): (writer: PlainWriter, object: Readonly<StateObject>) => void {
  const writes = fields.map(([name, type]) => `w.${plainOf(type)?.write}(o[${text(name)}]);`);
  return new Function('w', 'o', `w.plainArray(${fields.length}); ${writes.join(' ')}`) as ReturnType<
    typeof compilePlain
  >;
}

export function recordCodec(definition: AnyObjectDef): RecordCodec {
  const fields = Object.entries(definition.schema.fields);
  const plainFields = fields.filter(([, type]) => plainOf(type) !== undefined);
  const nested = fields
    .filter(([, type]) => plainOf(type) === undefined)
    .map(([name, type]): NestedField => {
      const initial: unknown = type.default();
      return { name, type, initial, initialBytes: encodeType(type, initial) };
    });
  invariant(nested.length <= NESTED_FIELDS_MAX, `${definition.name} has few enough structured fields`);
  const writePlain = compilePlain(plainFields);
  const build = compileBuild(definition.name, fields, nested);
  return {
    encode: (object) => {
      const bits = writeNested(nested, object as never);
      writer.clear();
      writer.varint(bits);
      writer.append(nestedWriter);
      writePlain(writer, object);
      return writer.peek();
    },
    decode: (instance, reader, end) => {
      const bits = reader.varint() as number;
      return build(instance, bits, reader, end, plainValues);
    },
  };
}
