import { check, defineErrors } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';

export const BASE58_ERRORS = defineErrors({
  base58_char_invalid: { text: 'base58: character at position ${position} is not in the alphabet' },
  base58_too_long: { text: 'base58: ${length} characters are more than the ${max} allowed' },
});

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const VALUES = new Uint8Array(128).fill(255);
for (let i = 0; i < ALPHABET.length; i++) VALUES[ALPHABET.charCodeAt(i)] = i;

/** Value of the digit with this code, if it is one. */
export function base58Digit(code: number): number | undefined {
  const value = VALUES[code];
  return value === 255 ? undefined : value;
}

export function toBase58(bytes: Uint8Array): string {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  // Digits of base 58, lowest first: log(256) / log(58) is below 1.37 digits for each byte.
  const digits = new Uint8Array(Math.ceil((bytes.length - zeros) * 1.37) + 1); // nondet-ok: only sizes a buffer
  let length = 0;
  for (let i = zeros; i < bytes.length; i++) {
    let carry = bytes[i] as number;
    for (let j = 0; j < length || carry > 0; j++) {
      carry += (digits[j] as number) << 8;
      digits[j] = carry % 58;
      carry = (carry / 58) | 0;
      if (j >= length) length = j + 1;
    }
  }
  let out = ALPHABET.charAt(0).repeat(zeros);
  for (let i = length - 1; i >= 0; i--) out += ALPHABET.charAt(digits[i] as number);
  return out;
}

/** The work grows with the square of the length, so the text is measured before anything else. */
export function fromBase58(text: string): Uint8Array {
  const max = LIMITS.base58_chars_max;
  check(text.length <= max, BASE58_ERRORS.base58_too_long, { length: text.length, max });
  let zeros = 0;
  while (zeros < text.length && text.charCodeAt(zeros) === ALPHABET.charCodeAt(0)) zeros++;
  // Bytes, lowest first; a digit is less than a byte, so the text's length is room enough.
  const bytes = new Uint8Array(text.length - zeros);
  let length = 0;
  for (let i = zeros; i < text.length; i++) {
    const code = text.charCodeAt(i);
    let carry = code < 128 ? (VALUES[code] as number) : 255;
    if (carry === 255) check(false, BASE58_ERRORS.base58_char_invalid, { position: i });
    for (let j = 0; j < length || carry > 0; j++) {
      carry += (bytes[j] as number) * 58;
      bytes[j] = carry & 255;
      carry >>= 8;
      if (j >= length) length = j + 1;
    }
  }
  const out = new Uint8Array(zeros + length);
  for (let i = 0; i < length; i++) out[zeros + i] = bytes[length - 1 - i] as number;
  return out;
}
