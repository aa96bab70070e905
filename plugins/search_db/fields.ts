import type { Json, JsonObject } from '../../src/codec/json.js';
import type { AnyType, Network } from '../../src/codec/type.js';
import { operation } from '../../src/protocol/operation-slot.js';
import { adapted } from './adapt.js';

/**
 * Types of the fields inside of operations, taken from the declarations of the operations: an index knows all of them
 * when it is made, and the first document of a kind decides nothing.
 */

export type FieldType = Readonly<Record<string, unknown>>;
export type Fields = { [name: string]: Field };
export type Field = FieldType | { readonly properties: Fields };

const KEYWORD_CHARS_MAX = 1024;

/** In the document, and not to be searched. */
export const KEPT_FIELD: FieldType = { type: 'keyword', index: false, doc_values: false };
export const NUMBER_FIELD: FieldType = { type: 'long', ignore_malformed: true };
/** As it is, and under `<field>.keyword` as where types were guessed. */
export const TEXT_FIELD: FieldType = {
  type: 'keyword',
  ignore_above: KEYWORD_CHARS_MAX,
  fields: { keyword: { type: 'keyword', ignore_above: KEYWORD_CHARS_MAX } },
};
export const MEMO_FIELD: FieldType = { type: 'text', fields: TEXT_FIELD.fields };

/** Where no prefix of keys matters. */
const NETWORK: Network = { keyPrefix: '' };

/** JSON with every member that a value of this type can have. */
function fullest(type: AnyType): Json {
  const { shape } = type;
  switch (shape.kind) {
    case 'struct':
    case 'extension':
      return Object.fromEntries(shape.fields.map(([name, of]) => [name, fullest(of)]));
    case 'optional':
      return fullest(shape.of);
    case 'scalar':
    case 'enumeration':
      return type.toJson(type.default(), NETWORK);
    default:
      return [];
  }
}

function fieldOf(name: string, value: Json): Field {
  if (typeof value === 'object' && value !== null) return { properties: fieldsOf(value as JsonObject) };
  if (name === 'amount' || name === 'amount_str') return NUMBER_FIELD;
  if (name === 'memo_') return MEMO_FIELD;
  if (name.endsWith('_str')) return KEPT_FIELD;
  if (typeof value === 'number') return NUMBER_FIELD;
  return typeof value === 'boolean' ? { type: 'boolean' } : TEXT_FIELD;
}

function fieldsOf(object: JsonObject): Fields {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, fieldOf(name, value)]));
}

const isObject = (field: Field): field is { readonly properties: Fields } => 'properties' in field;

/** Operations that use one name for different things: as text everything can be found. */
function merge(into: Fields, from: Fields): void {
  for (const [name, field] of Object.entries(from)) {
    const known = into[name];
    if (known === undefined) into[name] = field;
    else if (isObject(known) && isObject(field)) merge(known.properties, field.properties);
    else if (!isObject(known) && !isObject(field) && known.type !== field.type) into[name] = TEXT_FIELD;
  }
}

/** Of all operations together. */
export function operationFields(): Fields {
  const all: Fields = {};
  const { shape } = operation;
  if (shape.kind !== 'variant') throw new Error('an operation is one of many');
  for (const type of shape.of) merge(all, fieldsOf(adapted(fullest(type) as JsonObject)));
  return all;
}
