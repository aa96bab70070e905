import { check, defineErrors, fail } from '../base/errors.js';
import { type Json, type JsonObject, parseJson } from '../codec/json.js';

/** What a product asks, by its description, as texts that a person has typed: on the page of the market and by `trustnode buy`. */

export const INPUT_ERRORS = defineErrors({
  input_type: { text: '${name} has to be ${wanted}' },
  input_missing: { text: '${name} is missing, which the product needs' },
  input_unknown: { text: 'the product asks for no ${name}, but for ${known}' },
});

export const INTEGER_TYPES: readonly string[] = ['integer', 'long'];
export const NUMBER_TYPES: readonly string[] = ['number', 'float', 'double'];
export const TEXT_TYPES: readonly string[] = ['string', 'date'];

const refuse = (name: string, wanted: string): never => fail(INPUT_ERRORS.input_type, { name, wanted });

/** Whole numbers keep all their digits. */
function wholeNumber(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}

const isWhole = (text: string): boolean => /^-?\d{1,30}$/.test(text);

function numberOf(name: string, text: string): Json {
  if (isWhole(text)) return wholeNumber(text);
  const value = text === '' ? Number.NaN : Number(text);
  // JSON has no word for others.
  return Number.isFinite(value) ? value : refuse(name, 'a number');
}

/** Of a type that is no text: one value, as JSON writes it. */
export function parameterOf(name: string, type: string, given: string): Json {
  if (TEXT_TYPES.includes(type)) return given;
  const text = given.trim();
  if (INTEGER_TYPES.includes(type)) return isWhole(text) ? wholeNumber(text) : refuse(name, 'a whole number');
  if (NUMBER_TYPES.includes(type)) return numberOf(name, text);
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : refuse(name, 'true or false'));
  try {
    return parseJson(text);
  } catch {
    return refuse(name, 'JSON, such as "text", 5 or {"a": 1}');
  }
}

/** Whoever misspells a parameter hears it before anything is asked and paid. */
export function checkNames(given: JsonObject, input: JsonObject): void {
  const known = Object.keys(input).join(', ') || 'nothing';
  for (const name of Object.keys(given)) {
    check(Object.hasOwn(input, name), INPUT_ERRORS.input_unknown, { name, known });
  }
  for (const [name, described] of Object.entries(input)) {
    const { required } = described as { readonly required?: Json };
    check(required !== true || Object.hasOwn(given, name), INPUT_ERRORS.input_missing, { name });
  }
}
