import { compareText, fromHex, fromHexInto, newBytes, toHex } from '../base/bytes.js';
import { check, defineErrors, FAMILY, fail } from '../base/errors.js';
import { I64_MAX, I64_MIN, U64_MAX } from '../base/int.js';
import { DEPTH_COST, DEPTH_NEED } from './decode-rules.js';
import { doubleToText } from './double-text.js';
import type { Json } from './json.js';
import { asPacked } from './text.js';
import { timeFromText, timeToText } from './time.js';
import type { AsText, Pass, PlainType, Shape } from './type.js';

export const SCALAR_ERRORS = defineErrors({
  json_integer: { ...FAMILY.parse, text: "Couldn't parse ${type}", hint: '${value} is not such a number' },
  json_boolean: { ...FAMILY.badCast, text: 'Cannot convert string to bool (only "true" or "false" can be converted)' },
  /** Quirk kept, because clients search for it: the text says Object whatever was wanted; `wanted` says it right. */
  json_kind: { ...FAMILY.badCast, text: "Invalid cast from type '${type}' to Object" },
  json_array: { ...FAMILY.badCast, text: 'Invalid cast from ${type} to Array' },
  json_scalar: { ...FAMILY.badCast, text: 'Invalid cast from ${type} to ${wanted}' },
});

const passing =
  (count: number): Pass =>
  (reader) =>
    reader.pass(count);

/** Bytes of a text or of a plain string of bytes that is passed; a longer one is read. */
const PASSED_BYTES_MAX = 16_384;
const passPrefixed: Pass = (reader) => {
  const length = reader.plainVarint();
  return length >= 0 && length <= PASSED_BYTES_MAX && reader.pass(length);
};

const SCALAR: Shape = { kind: 'scalar' };

export function jsonKind(json: Json): string {
  if (json === null) return 'null_type';
  if (Array.isArray(json)) return 'array_type';
  switch (typeof json) {
    case 'object':
      return 'object_type';
    case 'boolean':
      return 'bool_type';
    case 'string':
      return 'string_type';
    case 'bigint':
      return 'uint64_type';
    default:
      if (!Number.isInteger(json)) return 'double_type';
      return json < 0 ? 'int64_type' : 'uint64_type';
  }
}

export function wrongKind(json: Json, wanted: string): never {
  fail(SCALAR_ERRORS.json_kind, { type: jsonKind(json), wanted });
}

/** The text itself. Lists and objects have none; what else is no text is refused as the reference refuses it for ids. */
export function textOf(json: Json, wanted: string): string {
  if (typeof json === 'string') return json;
  if (json !== null && typeof json === 'object') notA('string', json);
  return wrongKind(json, wanted);
}

function notA(wanted: string, json: Json): never {
  fail(SCALAR_ERRORS.json_scalar, { type: jsonKind(json), wanted });
}

/** All widths go through 64 bits, and that is the type that refusals name. */
const wideType = (type: string): 'int64' | 'uint64' => (/^(?:int|share)/.test(type) ? 'int64' : 'uint64');

/** Integer of any accepted form, within [-2^63, 2^64). The caller wraps it to its width, as the chain's nodes do. */
function integerFromJson(json: Json, type: string): bigint {
  const value = looseInteger(json, type);
  // A number wraps; a text is read as the 64-bit type that is wanted, and only for an unsigned one a sign wraps it.
  const isSignedText = typeof json === 'string' && wideType(type) === 'int64';
  const max = isSignedText ? I64_MAX : U64_MAX;
  const min = typeof json === 'string' && !isSignedText ? -U64_MAX : I64_MIN;
  if (value < min || value > max) unparsable(type, json);
  return value;
}

function unparsable(type: string, json: Json): never {
  fail(SCALAR_ERRORS.json_integer, { type: `${wideType(type)}_t`, value: String(json) });
}

function looseInteger(json: Json, type: string): bigint {
  switch (typeof json) {
    case 'number':
      if (!Number.isFinite(json)) break;
      return BigInt(Math.trunc(json));
    case 'bigint':
      return json;
    case 'boolean':
      return json ? 1n : 0n;
    case 'string':
      return integerFromText(json) ?? unparsable(type, json);
    default:
      if (json === null) return 0n;
      notA(wideType(type), json);
  }
  unparsable(type, json);
}

/** Decimal digits with or without a sign, and nothing else. */
function integerFromText(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,40}$/.test(text)) return undefined;
  return BigInt(text.startsWith('+') ? text.slice(1) : text);
}

/** As texts are read for unsigned 64-bit numbers everywhere: a sign wraps around. */
export function unsignedFromText(text: string): bigint | undefined {
  const value = integerFromText(text);
  return value === undefined || value > U64_MAX || value < -U64_MAX ? undefined : BigInt.asUintN(64, value);
}

/** Small safe integers, nearly all there are, need no bigint on the way. */
function numberFromJson(json: Json, type: string): number | bigint {
  return typeof json === 'number' && Number.isSafeInteger(json) ? json : integerFromJson(json, type);
}

function unsigned(name: string, bytes: 1 | 2 | 4): PlainType<number> {
  const modulus = 2 ** (8 * bytes);
  const mask = BigInt(modulus - 1);
  const method = ({ 1: 'u8', 2: 'u16', 4: 'u32' } as const)[bytes];
  return {
    name,
    bytesMin: bytes,
    depth: DEPTH_NEED.integer,
    shape: SCALAR,
    read: (reader) => reader[method](),
    pass: passing(bytes),
    write: (writer, value) => writer[method](value),
    toJson: (value) => value,
    fromJson: (json) => {
      const value = numberFromJson(json, name);
      if (typeof value === 'bigint') return Number(value & mask);
      const wrapped = value % modulus;
      return wrapped < 0 ? wrapped + modulus : wrapped + 0;
    },
    default: () => 0,
    compare: (a, b) => a - b,
  };
}

function signed(name: string, bytes: 1 | 2 | 4): PlainType<number> {
  const read = ({ 1: 'i8', 2: 'i16', 4: 'i32' } as const)[bytes];
  const write = ({ 1: 'u8', 2: 'u16', 4: 'u32' } as const)[bytes];
  return {
    name,
    bytesMin: bytes,
    depth: DEPTH_NEED.integer,
    shape: SCALAR,
    read: (reader) => reader[read](),
    pass: passing(bytes),
    write: (writer, value) => writer[write](value),
    toJson: (value) => value,
    fromJson: (json) => Number(BigInt.asIntN(8 * bytes, BigInt(numberFromJson(json, name)))),
    default: () => 0,
    compare: (a, b) => a - b,
  };
}

export const u8 = unsigned('uint8', 1);
export const u16 = unsigned('uint16', 2);
export const u32 = unsigned('uint32', 4);
export const i8 = signed('int8', 1);
export const i16 = signed('int16', 2);
export const i32 = signed('int32', 4);

const JSON_UNSIGNED_MAX = 0xffffffffn;
const JSON_SIGNED_MIN = -0x80000000n;
const JSON_SIGNED_MAX = 0x7fffffffn;

/** Numbers in JSON up to 32 bits, decimal text beyond. */
export function unsignedToJson(value: bigint): Json {
  return value <= JSON_UNSIGNED_MAX ? Number(value) : value.toString();
}

export function signedToJson(value: bigint): Json {
  return value >= JSON_SIGNED_MIN && value <= JSON_SIGNED_MAX ? Number(value) : value.toString();
}

const compareBigint = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

export const u64: PlainType<bigint> = {
  name: 'uint64',
  bytesMin: 8,
  depth: DEPTH_NEED.integer,
  shape: SCALAR,
  read: (reader) => reader.u64(),
  pass: passing(8),
  write: (writer, value) => writer.u64(value),
  toJson: unsignedToJson,
  fromJson: (json) => BigInt.asUintN(64, BigInt(numberFromJson(json, 'uint64'))),
  default: () => 0n,
  compare: compareBigint,
};

export const i64: PlainType<bigint> = {
  name: 'int64',
  bytesMin: 8,
  depth: DEPTH_NEED.integer,
  shape: SCALAR,
  read: (reader) => reader.i64(),
  pass: passing(8),
  write: (writer, value) => writer.u64(value),
  toJson: signedToJson,
  fromJson: (json) => BigInt.asIntN(64, BigInt(numberFromJson(json, 'int64'))),
  default: () => 0n,
  compare: compareBigint,
};

/** An amount: the same bytes and JSON as a signed 64-bit integer; arithmetic on it is checked. */
export const share: PlainType<bigint> = { ...i64, name: 'share', depth: DEPTH_COST.wrapper + DEPTH_NEED.integer };

export const varint: PlainType<bigint> = {
  name: 'varint',
  bytesMin: 1,
  depth: 0,
  shape: SCALAR,
  read: (reader) => BigInt(reader.varint()),
  pass: (reader) => reader.plainVarint() >= 0,
  write: (writer, value) => writer.varint(value),
  toJson: unsignedToJson,
  fromJson: (json) => BigInt.asUintN(64, BigInt(numberFromJson(json, 'varint'))),
  default: () => 0n,
  compare: compareBigint,
};

/** State objects only: high half first, each half little-endian. JSON is always text. */
export const u128: PlainType<bigint> = {
  name: 'uint128',
  bytesMin: 16,
  depth: DEPTH_NEED.integer,
  shape: SCALAR,
  read: (reader) => {
    const high = reader.u64();
    return (high << 64n) | reader.u64();
  },
  write: (writer, value) => {
    writer.u64(value >> 64n);
    writer.u64(value & U64_MAX);
  },
  toJson: (value) => value.toString(),
  fromJson: (json) => BigInt.asUintN(128, looseInteger(json, 'uint128')),
  default: () => 0n,
  compare: compareBigint,
};

/** No operation uses floating point; it exists for the wire format's completeness. */
export const f64: PlainType<number> = {
  name: 'double',
  bytesMin: 8,
  depth: DEPTH_NEED.integer,
  shape: SCALAR,
  read: (reader) => reader.f64(),
  write: (writer, value) => writer.f64(value),
  toJson: (value) => doubleToText(value),
  fromJson: (json) => {
    if (typeof json === 'number' || typeof json === 'bigint') return Number(json);
    if (json === null) return 0;
    if (typeof json === 'boolean') return json ? 1 : 0;
    if (typeof json !== 'string') notA('double', json);
    const value = Number(json);
    check(json.trim() !== '' && Number.isFinite(value), SCALAR_ERRORS.json_integer, { type: 'double', value: json });
    return value;
  },
  default: () => 0,
};

export const bool: PlainType<boolean> = {
  name: 'bool',
  bytesMin: 1,
  depth: DEPTH_NEED.bool,
  shape: SCALAR,
  read: (reader) => reader.bool(),
  pass: (reader) => reader.plainVarint() >>> 0 <= 1,
  write: (writer, value) => writer.u8(value ? 1 : 0),
  toJson: (value) => value,
  fromJson: (json) => {
    if (typeof json === 'boolean') return json;
    if (json === null) return false;
    if (typeof json === 'number') return json !== 0;
    if (typeof json === 'bigint') return json !== 0n;
    if (typeof json !== 'string') notA('bool', json);
    check(json === 'true' || json === 'false', SCALAR_ERRORS.json_boolean);
    return json === 'true';
  },
  default: () => false,
};

export const text: PlainType<string> = {
  name: 'string',
  bytesMin: 1,
  depth: DEPTH_NEED.string,
  shape: SCALAR,
  read: (reader) => reader.text(),
  pass: passPrefixed,
  write: (writer, value) => writer.text(value),
  toJson: (value) => value,
  fromJson: (json) => {
    switch (typeof json) {
      case 'string':
        return asPacked(json);
      case 'number':
        return Number.isInteger(json) ? json.toString() : doubleToText(json);
      case 'bigint':
      case 'boolean':
        return json.toString();
      default:
        return json === null ? '' : notA('string', json);
    }
  },
  default: () => '',
  compare: compareText,
};

export const bytes: PlainType<Uint8Array> = {
  name: 'bytes',
  bytesMin: 1,
  depth: DEPTH_NEED.bytes,
  shape: SCALAR,
  read: (reader) => reader.lengthPrefixed(),
  pass: passPrefixed,
  write: (writer, value) => writer.lengthPrefixed(value),
  toJson: (value) => toHex(value),
  fromJson: (json) => {
    if (json === null) return new Uint8Array(0);
    return fromHex(textOf(json, 'bytes'), 'drop');
  },
  default: () => new Uint8Array(0),
};

/** Short input is padded with zeros at the end, long input is cut: so do the chain's nodes. */
function fixedFromJson(json: Json, name: string, length: number): Uint8Array {
  const text = textOf(json, name);
  const out = newBytes(length);
  if (text.length === 2 * length) {
    fromHexInto(text, out, 0);
    return out;
  }
  const given = fromHex(text, 'drop');
  out.set(given.subarray(0, length));
  return out;
}

/** Hashes, ids and commitments live in memory as lower-case hex: comparable, usable as keys, readable. */
export function fixedHex(name: string, length: number): PlainType<string> {
  const zero = '0'.repeat(2 * length);
  return {
    name,
    bytesMin: length,
    depth: 0,
    shape: SCALAR,
    read: (reader) => reader.hex(length),
    pass: passing(length),
    write: (writer, value) => writer.hex(value),
    toJson: (value) => value,
    fromJson: (json) => toHex(fixedFromJson(json, name, length)),
    default: () => zero,
    compare: compareText,
  };
}

export function fixedBytes(name: string, length: number): PlainType<Uint8Array> {
  return {
    name,
    bytesMin: length,
    depth: 0,
    shape: SCALAR,
    read: (reader) => reader.fixed(length),
    pass: passing(length),
    write: (writer, value) => writer.raw(value),
    toJson: (value) => toHex(value),
    fromJson: (json) => fixedFromJson(json, name, length),
    default: () => new Uint8Array(length),
  };
}

/** Seconds since 1970 UTC, 32 bits. */
export const time: PlainType<AsText<number>> = {
  ...u32,
  name: 'time_point_sec',
  depth: 0,
  toJson: timeToText,
  fromJson: (json) => timeFromText(textOf(json, 'time_point_sec')),
};
