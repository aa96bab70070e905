import { ChainError, check, defineErrors, fail } from '../../base/errors.js';
import { isJsonObject } from '../../codec/struct.js';
import type { Given, Schema } from '../../http/routes.js';

/**
 * What services take and give, declared once: it reads what clients send, and it stands in the OpenAPI document. Strict
 * where the types of the chain are lenient: a text is a text, and nothing is cut to its width.
 */

export const SCHEMA_ERRORS = defineErrors({
  service_value: { text: 'it has to be ${wanted}' },
  service_missing: { text: 'it is missing' },
});

/** JSON Schema, as far as OpenAPI documents are written here. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Described<V> extends Schema<V> {
  readonly json: JsonSchema;
  /** May be left out of the object that it belongs to. */
  readonly isOptional?: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: some value; its object knows which
type AnyDescribed = Described<any>;
export type DescribedFields = Readonly<Record<string, AnyDescribed>>;
export type FieldsOf<F extends DescribedFields> = { readonly [K in keyof F]: ReturnType<F[K]['fromJson']> };

interface TextRule {
  /** For messages: `an account id such as 1.2.17`. */
  readonly wanted: string;
  readonly pattern: RegExp;
  readonly charsMax: number;
  readonly example?: string;
}

/** A text that `read` turns into what is meant. */
export function textAs<V>({ wanted, pattern, charsMax, example }: TextRule, read: (text: string) => V): Described<V> {
  return {
    json: {
      type: 'string',
      description: wanted,
      pattern: pattern.source,
      maxLength: charsMax,
      ...(example === undefined ? {} : { example }),
    },
    fromJson: (given) => {
      const fits = typeof given === 'string' && given.length <= charsMax && pattern.test(given);
      check(fits, SCHEMA_ERRORS.service_value, { wanted });
      return read(given);
    },
  };
}

export const textOf = (rule: TextRule): Described<string> => textAs(rule, (text) => text);

export function choice<const T extends readonly string[]>(...choices: T): Described<T[number]> {
  const wanted = `one of ${choices.join(', ')}`;
  return {
    json: { type: 'string', enum: [...choices] },
    fromJson: (given) => choices.find((one) => one === given) ?? fail(SCHEMA_ERRORS.service_value, { wanted }),
  };
}

export function integerOf(min: number, max: number, description: string): Described<number> {
  return {
    json: { type: 'integer', minimum: min, maximum: max, description },
    fromJson: (given) => {
      const fits = typeof given === 'number' && Number.isInteger(given) && given >= min && given <= max;
      check(fits, SCHEMA_ERRORS.service_value, { wanted: `a whole number from ${min} to ${max}` });
      return given;
    },
  };
}

export function booleanOf(description: string): Described<boolean> {
  return {
    json: { type: 'boolean', description },
    fromJson: (given) => {
      check(typeof given === 'boolean', SCHEMA_ERRORS.service_value, { wanted: 'true or false' });
      return given;
    },
  };
}

export function listOf<V>(of: Described<V>, itemsMax = Number.POSITIVE_INFINITY): Described<V[]> {
  const limit = Number.isFinite(itemsMax) ? { maxItems: itemsMax } : {};
  const wanted = Number.isFinite(itemsMax) ? `a list of at most ${itemsMax}` : 'a list';
  return {
    json: { type: 'array', items: of.json, ...limit },
    fromJson: (given) => {
      check(Array.isArray(given) && given.length <= itemsMax, SCHEMA_ERRORS.service_value, { wanted });
      return given.map((item, i) => inField(`[${i}]`, () => of.fromJson(item)));
    },
  };
}

export function optionalOf<V>(of: Described<V>): Described<V | undefined> {
  return {
    json: of.json,
    isOptional: true,
    fromJson: (given) => (given === null ? undefined : of.fromJson(given)),
  };
}

function inField<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof ChainError ? error.at(name) : error;
  }
}

/** Members that are not declared are passed over, as later clients may send more. */
export function objectOf<F extends DescribedFields>(fields: F): Described<FieldsOf<F>> {
  const entries = Object.entries(fields);
  const required = entries.filter(([, field]) => field.isOptional !== true).map(([name]) => name);
  return {
    json: {
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, field]) => [name, field.json])),
      ...(required.length === 0 ? {} : { required }),
    },
    fromJson: (given) => {
      check(isJsonObject(given), SCHEMA_ERRORS.service_value, { wanted: 'an object' });
      const read = entries.map(([name, field]) => [name, inField(name, () => memberOf(given, name, field))]);
      return Object.fromEntries(read) as FieldsOf<F>;
    },
  };
}

function memberOf(given: { [name: string]: Given }, name: string, field: AnyDescribed): unknown {
  // Names of what every object has are no members.
  const value = Object.hasOwn(given, name) ? given[name] : undefined;
  if (value !== undefined) return field.fromJson(value);
  check(field.isOptional === true, SCHEMA_ERRORS.service_missing);
  return undefined;
}
