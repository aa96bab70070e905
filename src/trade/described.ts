import type { Json, JsonObject } from '../codec/json.js';
import { isJsonObject } from '../codec/struct.js';

/** What a product says of values, and whether they are like that: what is asked, and what is delivered. */

const isWhole = (value: Json): boolean => typeof value === 'bigint' || Number.isInteger(value);
const isNumber = (value: Json): boolean => typeof value === 'number' || typeof value === 'bigint';

const TYPES: Readonly<Record<string, readonly [wanted: string, fits: (value: Json) => boolean]>> = {
  string: ['a text', (value) => typeof value === 'string'],
  boolean: ['true or false', (value) => typeof value === 'boolean'],
  integer: ['a whole number', isWhole],
  long: ['a whole number', isWhole],
  number: ['a number', isNumber],
  float: ['a number', isNumber],
  double: ['a number', isNumber],
};

/** What a value of this type is; undefined where this one is that, or where the type is one that only one client knows. */
export function wantedInstead(value: Json, type: Json | undefined): string | undefined {
  const rule = typeof type === 'string' && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  return rule === undefined || rule[1](value) ? undefined : rule[0];
}

/** Undefined where nothing was given. */
export function given(values: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(values, name) ? (values[name] ?? undefined) : undefined;
}

/** How what was delivered differs from what the product describes; more than it describes is nobody's loss. */
export function differences(data: Json, output: JsonObject): readonly string[] {
  const described = Object.entries(output);
  if (described.length === 0) return [];
  if (!isJsonObject(data)) return [`it has to have ${described.map(([name]) => name).join(', ')}`];
  return described.flatMap(([name, one]) => {
    const { type, required } = isJsonObject(one) ? one : {};
    const value = given(data, name);
    if (value === undefined) return required === false ? [] : [`${name} is missing`];
    const wanted = wantedInstead(value, type);
    return wanted === undefined ? [] : [`${name} has to be ${wanted}`];
  });
}
