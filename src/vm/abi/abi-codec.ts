import { atField, ChainError, check, fail } from '../../base/errors.js';
import { boundsOf, NO_BOUNDS } from '../../codec/decode-rules.js';
import type { Json, JsonObject } from '../../codec/json.js';
import { Reader } from '../../codec/reader.js';
import { jsonKind } from '../../codec/scalars.js';
import type { Network } from '../../codec/type.js';
import { Writer } from '../../codec/writer.js';
import type { AbiActionDef, AbiDef } from '../../protocol/abi.js';
import { findAction } from '../../protocol/find-action.js';
import { nameFromText } from '../../protocol/name.js';
import { builtinTypes } from './builtin-types.js';
import { ABI_ERRORS } from './errors.js';
import { elementOf, formOf, TypeTable } from './type-table.js';

/** Steps of the reference's own recursion: one per value to pack, two per struct to unpack. */
const DEPTH_END = 32;
const DEPTH_FIRST = 2;
const PACKED_BYTES_MAX = 1024 * 1024;
/** A name counts like a value for so many characters: it stands in the JSON once for each value that has it. */
const NAME_CHARS_PER_VALUE = 64;

/** Bytes that are read, and how many values may still come out of them. */
interface Reading {
  readonly reader: Reader;
  readonly valuesMax: number;
  values: number;
}

/** Arguments and rows of one contract, JSON to bytes and back, by its ABI. */
export class AbiCodec {
  private readonly abi: AbiDef;
  private readonly types: TypeTable;

  /** Refuses an ABI that contradicts itself. */
  constructor(abi: AbiDef, network: Network) {
    this.abi = abi;
    this.types = new TypeTable(abi, builtinTypes(network));
  }

  /** Throws the reference's error with `contract` as the contract's name if there is no such action. */
  action(method: string, contract = ''): AbiActionDef {
    const name = nameFromText(method);
    return findAction(this.abi.actions, name) ?? fail(ABI_ERRORS.abi_action_unknown, { action: method, contract });
  }

  packAction(method: string, args: Json, contract?: string): Uint8Array {
    return this.pack(this.action(method, contract).type, args);
  }

  unpackAction(method: string, bytes: Uint8Array, contract?: string): Json {
    return this.unpack(this.action(method, contract).type, bytes);
  }

  pack(type: string, json: Json): Uint8Array {
    const writer = new Writer();
    this.write(writer, type, json, DEPTH_FIRST);
    return writer.finish();
  }

  /** Bytes after the value are ignored, as contracts do themselves. */
  unpack(type: string, bytes: Uint8Array, valuesMax = Number.POSITIVE_INFINITY): Json {
    return this.read({ reader: new Reader(bytes), valuesMax, values: 0 }, type, DEPTH_FIRST);
  }

  private write(writer: Writer, given: string, json: Json, depth: number): void {
    checkDepth(depth);
    const type = this.types.resolve(given);
    const element = elementOf(type);
    const builtin = this.types.builtin(element);
    switch (formOf(type)) {
      case 'array':
        this.writeArray(writer, type, json, depth);
        break;
      case 'optional':
        // Quirk: only built-in types can be packed as optional, and structs can be unpacked only.
        if (builtin === undefined) fail(ABI_ERRORS.abi_struct_unknown, { type });
        writer.u8(json === null ? 0 : 1);
        if (json !== null) builtin.pack(writer, json);
        break;
      default:
        if (builtin !== undefined) builtin.pack(writer, json);
        else this.writeStruct(writer, type, json, depth);
    }
    check(writer.length <= PACKED_BYTES_MAX, ABI_ERRORS.abi_packed_size, { limit: PACKED_BYTES_MAX });
  }

  private writeArray(writer: Writer, type: string, json: Json, depth: number): void {
    check(Array.isArray(json), ABI_ERRORS.abi_not_array, () => ({ type, kind: jsonKind(json) }));
    writer.varint(json.length);
    const element = elementOf(type);
    json.forEach((item, index) => {
      atField(`[${index}]`, () => this.write(writer, element, item, depth + 1));
    });
  }

  private writeStruct(writer: Writer, type: string, json: Json, depth: number): void {
    const { base, fields } = this.types.struct(type);
    if (Array.isArray(json)) {
      check(base === '', ABI_ERRORS.abi_array_with_base, { type });
      // Quirk: missing members at the end are null, but of no members at all nothing is written.
      if (json.length === 0) return;
      fields.forEach((field, index) => {
        atField(field.name, () => this.write(writer, field.type, json[index] ?? null, depth + 1));
      });
      return;
    }
    check(json !== null && typeof json === 'object', ABI_ERRORS.abi_not_object, () => ({ type, kind: jsonKind(json) }));
    if (base !== '') this.write(writer, base, json, depth + 1);
    for (const { name, type: fieldType } of fields) {
      if (!Object.hasOwn(json, name)) this.missing(writer, name, fieldType, depth + 1);
      atField(name, () => this.write(writer, fieldType, json[name] as Json, depth + 1));
    }
  }

  /** Quirk: null is packed before it is said that nothing was given, and many types refuse it in their own words. */
  private missing(writer: Writer, name: string, type: string, depth: number): never {
    const isBuiltin = this.types.builtin(elementOf(this.types.resolve(type))) !== undefined;
    if (isBuiltin) atField(name, () => this.write(writer, type, null, depth));
    fail(ABI_ERRORS.abi_member_missing, { name });
  }

  private read(from: Reading, given: string, depth: number): Json {
    checkDepth(depth);
    const { reader } = from;
    const type = this.types.resolve(given);
    const element = elementOf(type);
    const builtin = this.types.builtin(type);
    count(from, builtin?.values ?? 1);
    switch (formOf(type)) {
      case 'array': {
        // Lists of structs that the ABI declares have no bound but the input's end.
        const bounds = this.types.builtin(element) === undefined ? NO_BOUNDS : boundsOf(element);
        const length = reader.count(type, 1, bounds[reader.column]);
        return Array.from({ length }, (_, index) => atField(`[${index}]`, () => this.read(from, element, depth + 1)));
      }
      case 'optional':
        return reader.u8() === 0 ? null : this.read(from, element, depth + 1);
      default: {
        if (builtin !== undefined) return builtin.unpack(reader);
        const out: JsonObject = {};
        this.readStruct(from, type, out, depth + 1);
        // Quirk: a struct without members packs to nothing, but is refused on the way back.
        check(Object.keys(out).length > 0, ABI_ERRORS.abi_unpack, { type });
        return out;
      }
    }
  }

  private readStruct(from: Reading, type: string, out: JsonObject, depth: number): void {
    checkDepth(depth);
    const { base, fields } = this.types.struct(type);
    if (base !== '') this.readStruct(from, this.types.resolve(base), out, depth + 1);
    for (const { name, type: fieldType } of fields) {
      count(from, Math.trunc(name.length / NAME_CHARS_PER_VALUE));
      const value = atField(name, () => this.read(from, fieldType, depth + 1));
      Object.defineProperty(out, name, { value, enumerable: true, writable: true, configurable: true });
    }
  }
}

function count(from: Reading, values: number): void {
  from.values += values;
  check(from.values <= from.valuesMax, ABI_ERRORS.abi_values, { limit: from.valuesMax });
}

function checkDepth(depth: number): void {
  check(depth < DEPTH_END, ABI_ERRORS.abi_recursion, { limit: DEPTH_END });
}

/** The reason why an ABI cannot be used, or undefined. */
export function abiDefect(abi: AbiDef): ChainError | undefined {
  try {
    // No key is read or written: what an ABI declares is the same on every network.
    new AbiCodec(abi, { keyPrefix: '' });
    return undefined;
  } catch (error) {
    if (error instanceof ChainError) return error;
    throw error;
  }
}
