import { equalBytes } from '../base/bytes.js';
import { check, defineErrors, FAMILY, fail } from '../base/errors.js';
import { base58Digit } from '../crypto/base58.js';
import { ripemd160 } from '../crypto/hash.js';
import { PUBLIC_KEY_BYTES, PUBLIC_KEY_ERRORS } from '../crypto/public-key.js';

/**
 * The text of a public key as host functions take it. Contracts are often compiled from C, and pass the terminator of
 * a text along: what the reference reads from it decides about calls that stand in blocks.
 */

const FRAME = 'error unpacking graphene::chain::public_key_type::binary_key';

export const KEY_TEXT_ERRORS = defineErrors({
  contract_key_empty: { text: 'base58str.size() > prefix_len: ', hint: 'the text of a key is longer than its prefix' },
  contract_key_letter: { ...FAMILY.parse, text: 'Unable to decode base58 string ${base58_str}' },
  contract_key_data_short: {
    ...FAMILY.outOfRange,
    text: `read datastream of length \${length} over by \${over} fc::array<type,length> Error unpacking field data ${FRAME} ${FRAME}`,
    hint: 'the text of a key holds 33 bytes and a checksum of 4, and not ${length} bytes',
  },
  contract_key_check_short: {
    ...FAMILY.outOfRange,
    text: `read datastream of length \${length} over by \${over} Error unpacking field check ${FRAME} ${FRAME}`,
    hint: 'the text of a key holds 33 bytes and a checksum of 4, and not ${length} bytes',
  },
});

const CHECKSUM_BYTES = 4;
const KEY_BYTES = PUBLIC_KEY_BYTES + CHECKSUM_BYTES;
const ZERO_DIGIT = 0x31;

/** What C takes for white space. */
const isSpace = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

const shown = (bytes: Uint8Array): string => Array.from(bytes.subarray(0, 256), (b) => String.fromCharCode(b)).join('');

/**
 * The digits between the white space around them.
 * Quirk: the text ends at a NUL, wherever the caller says that it ends.
 */
function digitsOf(given: Uint8Array): Uint8Array {
  const end = given.indexOf(0);
  const text = end < 0 ? given : given.subarray(0, end);
  let from = 0;
  while (from < text.length && isSpace(text[from] as number)) from++;
  let to = from;
  while (to < text.length && base58Digit(text[to] as number) !== undefined) to++;
  for (let at = to; at < text.length; at++) {
    if (!isSpace(text[at] as number)) fail(KEY_TEXT_ERRORS.contract_key_letter, { base58_str: shown(text) });
  }
  return text.subarray(from, to);
}

/** In halves: a contract may give a text as long as its memory. */
function numberOf(digits: Uint8Array): bigint {
  if (digits.length <= 16) {
    let value = 0n;
    for (const digit of digits) value = value * 58n + BigInt(base58Digit(digit) ?? 0);
    return value;
  }
  const half = digits.length >> 1;
  const low = digits.subarray(half);
  return numberOf(digits.subarray(0, half)) * 58n ** BigInt(low.length) + numberOf(low);
}

/** The first bytes of what the digits say, and how many there are. */
function leadingBytes(digits: Uint8Array): { bytes: Uint8Array; length: number } {
  let zeros = 0;
  while (digits[zeros] === ZERO_DIGIT) zeros++;
  const value = numberOf(digits.subarray(zeros));
  const hex = value === 0n ? '' : value.toString(16);
  const valueBytes = (hex.length + 1) >> 1;
  const padded = hex.padStart(2 * valueBytes, '0');
  const bytes = new Uint8Array(Math.min(zeros + valueBytes, KEY_BYTES));
  for (let at = zeros; at < bytes.length; at++) {
    bytes[at] = Number.parseInt(padded.slice(2 * (at - zeros), 2 * (at - zeros) + 2), 16);
  }
  return { bytes, length: zeros + valueBytes };
}

/** What an exhausted stream says: `over` counts down from 1 with the bytes that are left. */
const short = (length: number, read: number) => ({ length, over: 1 - (length - read) });

/** Compressed key. Quirk: bytes behind the checksum are ignored. */
export function keyFromText(text: Uint8Array, prefix: string): Uint8Array {
  check(text.length > prefix.length, KEY_TEXT_ERRORS.contract_key_empty);
  const hasPrefix = equalBytes(text.subarray(0, prefix.length), new TextEncoder().encode(prefix));
  check(hasPrefix, PUBLIC_KEY_ERRORS.public_key_prefix_wrong, { prefix });
  const { bytes, length } = leadingBytes(digitsOf(text.subarray(prefix.length)));
  check(length >= PUBLIC_KEY_BYTES, KEY_TEXT_ERRORS.contract_key_data_short, () => short(length, 0));
  check(length >= KEY_BYTES, KEY_TEXT_ERRORS.contract_key_check_short, () => short(length, PUBLIC_KEY_BYTES));
  const key = bytes.slice(0, PUBLIC_KEY_BYTES);
  const checksum = ripemd160(key).subarray(0, CHECKSUM_BYTES);
  check(equalBytes(checksum, bytes.subarray(PUBLIC_KEY_BYTES)), PUBLIC_KEY_ERRORS.public_key_checksum_wrong);
  return key;
}
