import { check, defineErrors } from '../base/errors.js';
import { textOf, u64 } from '../codec/scalars.js';
import type { AsText, PlainType } from '../codec/type.js';

/**
 * Names of contract actions and tables: a 64-bit number that reads as base-32 text of up to 13 symbols. Twelve symbols
 * take 5 bits each from the top; the thirteenth has only 4 bits left.
 */

const NAME = { code: 3010001, name: 'name_type_exception', title: 'Invalid name' } as const;

export const NAME_ERRORS = defineErrors({
  name_too_long: { ...NAME, text: 'Name is longer than 13 characters (${name}) ' },
  name_not_normalized: { ...NAME, text: 'Name not properly normalized (name: ${name}, normalized: ${normalized}) ' },
});

const ALPHABET = '.12345abcdefghijklmnopqrstuvwxyz';
const LENGTH_MAX = 13;
const WIDE_SYMBOLS = 12;

/** Never refuses: unknown characters count as dots and everything behind the thirteenth is ignored. */
export function nameFromTextLenient(text: string): bigint {
  let value = 0n;
  for (let i = 0; i < WIDE_SYMBOLS; i++) value = (value << 5n) | BigInt(Math.max(0, ALPHABET.indexOf(text[i] ?? '.')));
  return (value << 4n) | BigInt(Math.max(0, ALPHABET.indexOf(text[WIDE_SYMBOLS] ?? '.')) & 0x0f);
}

/** Refuses text that would read differently when it is turned back. */
export function nameFromText(text: string): bigint {
  check(text.length <= LENGTH_MAX, NAME_ERRORS.name_too_long, { name: text });
  const value = nameFromTextLenient(text);
  const normalized = nameToText(value);
  check(normalized === text, NAME_ERRORS.name_not_normalized, { name: text, normalized });
  return value;
}

/** Trailing dots are left out, so the number 0 is the empty text. */
export function nameToText(value: bigint): string {
  let out = ALPHABET[Number(value & 0x0fn)] as string;
  let rest = value >> 4n;
  for (let i = 0; i < WIDE_SYMBOLS; i++) {
    out = (ALPHABET[Number(rest & 0x1fn)] as string) + out;
    rest >>= 5n;
  }
  return out.replace(/\.+$/, '');
}

export const contractName: PlainType<AsText<bigint>> = {
  ...u64,
  name: 'name',
  toJson: nameToText,
  fromJson: (json) => nameFromText(textOf(json, 'name')),
};
