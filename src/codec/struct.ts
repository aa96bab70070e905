import { ChainError, check, defineErrors } from '../base/errors.js';
import { DEPTH_COST } from './decode-rules.js';
import { fieldFunctions } from './field-functions.js';
import type { Json, JsonObject } from './json.js';
import { wrongKind } from './scalars.js';
import type { AnyPlainType, AnyType, PlainType, Type, ValueOf } from './type.js';

export const STRUCT_ERRORS = defineErrors({
  extension_order: { text: 'extension member ${index} is unknown or out of order' },
  extension_member: { text: 'vtor.count_left == 0: ', hint: 'the extension has no member ${member}' },
});

export type Fields = Readonly<Record<string, AnyType>>;
export type StructValue<F extends Fields> = { -readonly [K in keyof F]: ValueOf<F[K]> };

export interface StructType<F extends Fields> extends Type<StructValue<F>> {
  readonly fields: F;
}

export type PlainFields = Readonly<Record<string, AnyPlainType>>;

export interface PlainStructType<F extends PlainFields> extends PlainType<StructValue<F>> {
  readonly fields: F;
}

export function isJsonObject(json: Json | undefined): json is JsonObject {
  return json !== null && typeof json === 'object' && !Array.isArray(json);
}

/** Fields go over the wire in the order of the declaration. A missing JSON member keeps its default. */
export function struct<F extends PlainFields>(name: string, fields: F): PlainStructType<F>;
export function struct<F extends Fields>(name: string, fields: F): StructType<F>;
export function struct<F extends Fields>(name: string, fields: F): StructType<F> {
  type V = StructValue<F>;
  const names = Object.keys(fields);
  const types = Object.values(fields);
  const depth = DEPTH_COST.struct + Math.max(0, ...types.map((type) => type.depth));
  const { readFields, pass, write, fromObject } = fieldFunctions<V>(names, types);
  return {
    name,
    fields,
    bytesMin: types.reduce((sum, type) => sum + type.bytesMin, 0),
    depth,
    shape: { kind: 'struct', fields: names.map((field, i) => [field, types[i] as AnyType] as const) },
    read: (reader) => {
      reader.enter(DEPTH_COST.struct, depth);
      const value = readFields(reader);
      reader.leave(DEPTH_COST.struct);
      return value;
    },
    pass,
    write,
    toJson: (value, network) => {
      const out: JsonObject = {};
      for (let i = 0; i < names.length; i++) {
        const field = names[i] as keyof V & string;
        const type = types[i] as AnyType;
        if (type.omitWhenAbsent === true && value[field] === undefined) continue;
        out[field] = type.toJson(value[field], network);
      }
      return out;
    },
    fromJson: (json, network) => {
      if (!isJsonObject(json)) wrongKind(json, name);
      return fromObject(json, network);
    },
    default: () => fromObject({}),
  };
}

/** A derived struct: the base's fields first. */
export function extend<B extends PlainFields, F extends PlainFields>(
  name: string,
  base: PlainStructType<B>,
  fields: F,
): PlainStructType<B & F>;
export function extend<B extends Fields, F extends Fields>(
  name: string,
  base: StructType<B>,
  fields: F,
): StructType<B & F>;
export function extend<B extends Fields, F extends Fields>(
  name: string,
  base: StructType<B>,
  fields: F,
): StructType<B & F> {
  return struct(name, { ...base.fields, ...fields } as B & F);
}

export type ExtensionValue<F extends Fields> = { -readonly [K in keyof F]?: ValueOf<F[K]> };

/** Quirk: count and indexes are cut to 32 bits. */
const lowBits = (value: number | bigint): number => Number(BigInt(value) & 0xffff_ffffn);

/**
 * The second flavour of extensions, used by operations 5 and 6 only: the number of present members, then each with its
 * index, ascending. Members carry no presence byte.
 */
export function extension<F extends PlainFields>(name: string, fields: F): PlainType<ExtensionValue<F>>;
export function extension<F extends Fields>(name: string, fields: F): Type<ExtensionValue<F>>;
export function extension<F extends Fields>(name: string, fields: F): Type<ExtensionValue<F>> {
  type V = ExtensionValue<F>;
  const names = Object.keys(fields) as (keyof F & string)[];
  const typeAt = (i: number): AnyType => fields[names[i] as keyof F & string] as AnyType;
  return {
    name,
    bytesMin: 1,
    depth: DEPTH_COST.extension,
    shape: { kind: 'extension', fields: names.map((field) => [field, fields[field] as AnyType] as const) },
    read: (reader) => {
      reader.enter(DEPTH_COST.extension, DEPTH_COST.extension);
      const out: V = {};
      const count = lowBits(reader.varint());
      let last = -1;
      for (let n = 0; n < count; n++) {
        const index = lowBits(reader.varint());
        check(index > last && index < names.length, STRUCT_ERRORS.extension_order, () => ({ index }));
        last = index;
        const type = typeAt(index);
        reader.need(type.depth);
        out[names[index] as keyof F & string] = type.read(reader);
      }
      reader.leave(DEPTH_COST.extension);
      return out;
    },
    // Without members, as nearly always; with some they are read.
    pass: (reader) => reader.plainVarint() === 0,
    write: (writer, value) => {
      const present = names.map((_, i) => i).filter((i) => value[names[i] as keyof F & string] !== undefined);
      writer.varint(present.length);
      for (const index of present) {
        writer.varint(index);
        typeAt(index).write(writer, value[names[index] as keyof F & string]);
      }
    },
    toJson: (value, network) => {
      const out: JsonObject = {};
      for (let i = 0; i < names.length; i++) {
        const field = names[i] as keyof F & string;
        if (value[field] !== undefined) out[field] = typeAt(i).toJson(value[field], network);
      }
      return out;
    },
    fromJson: (json, network) => {
      const out: V = {};
      if (json === null || (Array.isArray(json) && json.length === 0)) return out;
      if (!isJsonObject(json)) wrongKind(json, name);
      for (const member of Object.keys(json)) {
        check(names.includes(member), STRUCT_ERRORS.extension_member, { member });
      }
      for (let i = 0; i < names.length; i++) {
        const field = names[i] as keyof F & string;
        const given = json[field];
        if (given === undefined) continue;
        try {
          out[field] = typeAt(i).fromJson(given, network);
        } catch (error) {
          throw error instanceof ChainError ? error.at(field) : error;
        }
      }
      return out;
    },
    default: () => ({}),
  };
}
