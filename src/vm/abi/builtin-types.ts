import { fromHex } from '../../base/bytes.js';
import { check } from '../../base/errors.js';
import { divFloor } from '../../base/int.js';
import { doubleBitsToText } from '../../codec/double-text.js';
import type { Json } from '../../codec/json.js';
import type { Reader } from '../../codec/reader.js';
import { bytes, fixedHex, i8, i16, i32, i64, text, time, u8, u16, u32, u64, wrongKind } from '../../codec/scalars.js';
import { isJsonObject } from '../../codec/struct.js';
import { timeFromText, timeToText } from '../../codec/time.js';
import type { Network, PlainType } from '../../codec/type.js';
import type { Writer } from '../../codec/writer.js';
import { publicKeyFromText, publicKeyToText } from '../../crypto/public-key.js';
import { contractName } from '../../protocol/name.js';
import { convertFloat, FLOAT32, FLOAT64 } from '../softfloat.js';
import { ABI_ERRORS } from './errors.js';

/** A type that contracts can use without declaring it: JSON to bytes and back. */
export interface BuiltinType {
  pack(writer: Writer, json: Json): void;
  unpack(reader: Reader): Json;
  /** As many others take its time to be unpacked; one where nothing is said. */
  readonly values?: number;
}

function of<V>(type: PlainType<V>): BuiltinType {
  return {
    pack: (writer, json) => type.write(writer, type.fromJson(json)),
    unpack: (reader) => type.toJson(type.read(reader)),
  };
}

/** Decimal text or a number; the words stand for what no decimal text can say. */
function floatFromJson(json: Json, name: string): number {
  if (typeof json === 'number' || typeof json === 'bigint') return Number(json);
  if (typeof json !== 'string') wrongKind(json, name);
  const word = /^([+-]?)(nan|inf|infinity)$/i.exec(json);
  if (word !== null) {
    const value = word[2]?.toLowerCase() === 'nan' ? Number.NaN : Number.POSITIVE_INFINITY;
    return word[1] === '-' ? -value : value;
  }
  const value = Number(json);
  if (json.trim() === '' || Number.isNaN(value)) wrongKind(json, name);
  return value;
}

/** JavaScript has one NaN only. */
const isNegativeNaN = (json: Json): boolean => typeof json === 'string' && /^-nan$/i.test(json);

const float32: BuiltinType = {
  pack: (writer, json) => {
    if (isNegativeNaN(json)) writer.u32(0xffc0_0000);
    else writer.f32(floatFromJson(json, 'float32'));
  },
  unpack: (reader) => doubleBitsToText(convertFloat(FLOAT32, FLOAT64, BigInt(reader.u32()))),
};

const float64: BuiltinType = {
  pack: (writer, json) => {
    if (isNegativeNaN(json)) writer.u64(0xfff8_0000_0000_0000n);
    else writer.f64(floatFromJson(json, 'float64'));
  },
  unpack: (reader) => doubleBitsToText(reader.u64()),
};

const MICROSECONDS = 1_000_000n;

/** Microseconds since 1970. Quirk: as text there are whole seconds only, both ways. */
const timePoint: BuiltinType = {
  pack: (writer, json) => {
    if (typeof json !== 'string') wrongKind(json, 'time_point');
    writer.u64(BigInt(timeFromText(json)) * MICROSECONDS);
  },
  unpack: (reader) => timeToText(Number(divFloor(reader.i64(), MICROSECONDS))),
};

/** Letters in bytes, the first in the lowest one. */
function lettersFromText(letters: string): bigint {
  check(/^[A-Z]{1,7}$/.test(letters), ABI_ERRORS.abi_symbol, { text: letters });
  let value = 0n;
  for (let i = letters.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(letters.charCodeAt(i));
  return value;
}

function lettersToText(value: bigint): string {
  let out = '';
  for (let rest = value; rest !== 0n; rest >>= 8n) out += String.fromCharCode(Number(rest & 0xffn));
  return out;
}

/** Text such as `4,ABC`, or the number inside an object as the reference's reflection would print it. */
function symbolFromJson(json: Json, member: string, parse: (text: string) => bigint): bigint {
  if (typeof json === 'string') return parse(json);
  if (isJsonObject(json)) return u64.fromJson(json[member] ?? null);
  return wrongKind(json, 'symbol');
}

const symbol: BuiltinType = {
  pack: (writer, json) => {
    const parse = (given: string): bigint => {
      const [, precision, letters] = /^(\d{1,2}),(.*)$/.exec(given) ?? [];
      check(precision !== undefined && Number(precision) <= 18, ABI_ERRORS.abi_symbol, { text: given });
      return (lettersFromText(letters ?? '') << 8n) | BigInt(precision);
    };
    writer.u64(symbolFromJson(json, 'm_value', parse));
  },
  unpack: (reader) => {
    const value = reader.u64();
    return `${value & 0xffn},${lettersToText(value >> 8n)}`;
  },
};

const symbolCode: BuiltinType = {
  pack: (writer, json) => writer.u64(symbolFromJson(json, 'value', lettersFromText)),
  unpack: (reader) => lettersToText(reader.u64()),
};

const contractAsset: BuiltinType = {
  pack: (writer, json) => {
    if (!isJsonObject(json)) wrongKind(json, 'contract_asset');
    writer.u64(i64.fromJson(json.amount ?? null));
    writer.u64(u64.fromJson(json.asset_id ?? null));
  },
  unpack: (reader) => ({ amount: i64.toJson(reader.i64()), asset_id: u64.toJson(reader.u64()) }),
};

function publicKey({ keyPrefix }: Network): BuiltinType {
  return {
    pack: (writer, json) => {
      if (typeof json !== 'string') wrongKind(json, 'public_key');
      writer.raw(fromHex(publicKeyFromText(json, keyPrefix)));
    },
    unpack: (reader) => publicKeyToText(reader.hex(33), keyPrefix),
    values: 10,
  };
}

export function builtinTypes(network: Network): ReadonlyMap<string, BuiltinType> {
  return new Map<string, BuiltinType>([
    ['bool', of(u8)],
    ['int8', of(i8)],
    ['int16', of(i16)],
    ['int32', of(i32)],
    ['int64', of(i64)],
    ['uint8', of(u8)],
    ['uint16', of(u16)],
    ['uint32', of(u32)],
    ['uint64', of(u64)],
    ['float32', float32],
    ['float64', float64],
    ['time_point', timePoint],
    ['time_point_sec', of(time)],
    ['name', of(contractName)],
    ['string', of(text)],
    ['bytes', of(bytes)],
    ['checksum160', of(fixedHex('checksum160', 20))],
    ['checksum256', of(fixedHex('checksum256', 32))],
    ['checksum512', of(fixedHex('checksum512', 64))],
    ['block_id_type', of(fixedHex('block_id_type', 20))],
    ['public_key', publicKey(network)],
    ['signature', of(fixedHex('signature', 65))],
    ['symbol', symbol],
    ['symbol_code', symbolCode],
    ['contract_asset', contractAsset],
  ]);
}

/** No type of its name depends on the network. */
const NAMES = builtinTypes({ keyPrefix: '' });

export function isBuiltinType(name: string): boolean {
  return NAMES.has(name);
}
