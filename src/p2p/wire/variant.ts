import { defineErrors, FAMILY, fail } from '../../base/errors.js';
import { array } from '../../codec/containers.js';
import { boundsOf, DEPTH_COST } from '../../codec/decode-rules.js';
import type { Json, JsonObject } from '../../codec/json.js';
import type { Reader } from '../../codec/reader.js';
import { signedToJson, unsignedToJson } from '../../codec/scalars.js';
import type { PlainType } from '../../codec/type.js';
import type { Writer } from '../../codec/writer.js';

/** Values that say themselves what they are: in the user data of a hello and in the details of an error. */

export const VARIANT_ERRORS = defineErrors({
  variant_type_unknown: { ...FAMILY.parse, text: '${type} is no type of a value' },
});

/** The type is kept beside the value, because there are several for a number. */
export type Variant =
  | { readonly kind: 'null' }
  | { readonly kind: 'signed' | 'unsigned'; readonly value: bigint }
  | { readonly kind: 'double'; readonly value: number }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'array'; readonly value: readonly Variant[] }
  | { readonly kind: 'object'; readonly value: VariantObject };

/** Entries in the order of the wire. Where a name repeats, the last one counts. */
export type VariantObject = readonly (readonly [string, Variant])[];

const KINDS = ['null', 'signed', 'unsigned', 'double', 'bool', 'text', 'array', 'object'] as const;
const NAME = 'generic_variant';
/** A value that nests costs as much as a variant of the chain and its list; the budget allows some 300 of them. */
const DEPTH = DEPTH_COST.variant + DEPTH_COST.list;
const ENTRY_BYTES_MIN = 2;
const BOUNDS = boundsOf(NAME);

function readVariant(reader: Reader): Variant {
  reader.enter(DEPTH, DEPTH);
  const variant = readKind(reader);
  reader.leave(DEPTH);
  return variant;
}

function readKind(reader: Reader): Variant {
  const type = reader.u8();
  const kind = KINDS[type];
  switch (kind) {
    case 'null':
      return { kind };
    case 'signed':
      return { kind, value: reader.i64() };
    case 'unsigned':
      return { kind, value: reader.u64() };
    case 'double':
      return { kind, value: reader.f64() };
    case 'bool':
      return { kind, value: reader.bool() };
    case 'text':
      return { kind, value: reader.text() };
    case 'array':
      return { kind, value: variants.read(reader) };
    case 'object':
      return { kind, value: variantObject.read(reader) };
    default:
      return fail(VARIANT_ERRORS.variant_type_unknown, { type });
  }
}

function writeVariant(writer: Writer, variant: Variant): void {
  writer.u8(KINDS.indexOf(variant.kind));
  switch (variant.kind) {
    case 'null':
      return;
    case 'signed':
    case 'unsigned':
      writer.u64(variant.value);
      return;
    case 'double':
      writer.f64(variant.value);
      return;
    case 'bool':
      writer.u8(variant.value ? 1 : 0);
      return;
    case 'text':
      writer.text(variant.value);
      return;
    case 'array':
      variants.write(writer, variant.value as Variant[]);
      return;
    case 'object':
      variantObject.write(writer, variant.value);
      return;
  }
}

function variantToJson(variant: Variant): Json {
  switch (variant.kind) {
    case 'null':
      return null;
    case 'signed':
      return signedToJson(variant.value);
    case 'unsigned':
      return unsignedToJson(variant.value);
    case 'array':
      return variant.value.map(variantToJson);
    case 'object':
      return variantObject.toJson(variant.value);
    default:
      return variant.value;
  }
}

/** JSON knows fewer kinds: a number that is not negative comes back unsigned. */
function variantFromJson(json: Json): Variant {
  switch (typeof json) {
    case 'string':
      return { kind: 'text', value: json };
    case 'boolean':
      return { kind: 'bool', value: json };
    case 'number':
      if (!Number.isInteger(json)) return { kind: 'double', value: json };
      return { kind: json < 0 ? 'signed' : 'unsigned', value: BigInt(json) };
    case 'bigint':
      return { kind: json < 0n ? 'signed' : 'unsigned', value: json };
    default:
      if (json === null) return { kind: 'null' };
      if (Array.isArray(json)) return { kind: 'array', value: json.map(variantFromJson) };
      return { kind: 'object', value: variantObject.fromJson(json) };
  }
}

export const variant: PlainType<Variant> = {
  name: NAME,
  bytesMin: 1,
  depth: DEPTH,
  shape: { kind: 'scalar' },
  read: readVariant,
  write: writeVariant,
  toJson: variantToJson,
  fromJson: variantFromJson,
  default: () => ({ kind: 'null' }),
};

const variants = array(variant);

export const variantObject: PlainType<VariantObject> = {
  name: 'variant_object',
  bytesMin: 1,
  depth: DEPTH_COST.list,
  shape: { kind: 'scalar' },
  read: (reader) => {
    reader.enter(DEPTH_COST.list, DEPTH_COST.list);
    const count = reader.count('variant_object', ENTRY_BYTES_MIN, BOUNDS[reader.column]);
    const entries: [string, Variant][] = [];
    for (let i = 0; i < count; i++) entries.push([reader.text(), readVariant(reader)]);
    reader.leave(DEPTH_COST.list);
    return entries;
  },
  write: (writer, entries) => {
    writer.varint(entries.length);
    for (const [key, value] of entries) {
      writer.text(key);
      writeVariant(writer, value);
    }
  },
  // An own property also for a name such as `__proto__`.
  toJson: (entries) => Object.fromEntries(entries.map(([key, value]) => [key, variantToJson(value)])),
  fromJson: (json) => Object.entries(json as JsonObject).map(([key, value]) => [key, variantFromJson(value)] as const),
  default: () => [],
};

/** Undefined where no entry has the name. */
export function entryOf(entries: VariantObject, name: string): Variant | undefined {
  for (let i = entries.length - 1; i >= 0; i--) {
    const [key, value] = entries[i] as readonly [string, Variant];
    if (key === name) return value;
  }
  return undefined;
}

export const textVariant = (value: string): Variant => ({ kind: 'text', value });
export const unsignedVariant = (value: number | bigint): Variant => ({ kind: 'unsigned', value: BigInt(value) });
