import { check, defineErrors, FAMILY } from './errors.js';

export const BYTES_ERRORS = defineErrors({
  hex_invalid: { ...FAMILY.unspecified, text: "Invalid hex character '${c}'" },
  hex_length: { ...FAMILY.unspecified, text: 'hex text has an odd number of digits, ${length}' },
});

const DIGITS = '0123456789abcdef';
const ZERO = DIGITS.charCodeAt(0);
const SMALL_A = DIGITS.charCodeAt(10);
/** Value of an ASCII hex digit by character code, or 255. */
const NIBBLES = new Uint8Array(256).fill(255);
for (let i = 0; i < 16; i++) {
  NIBBLES[DIGITS.charCodeAt(i)] = i;
  NIBBLES[DIGITS.toUpperCase().charCodeAt(i)] = i;
}

/** `Buffer` is ten times faster here than any loop; it is a view, nothing is copied but the text. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
}

/** Strict by default: even length. With `oddTail: 'drop'` a lone last digit is dropped, as the chain's JSON does. */
export function fromHex(text: string, oddTail: 'refuse' | 'drop' = 'refuse'): Uint8Array {
  check(oddTail === 'drop' || text.length % 2 === 0, BYTES_ERRORS.hex_length, { length: text.length });
  const out = new Uint8Array(text.length >> 1);
  decodeHex(text, out, 0);
  return out;
}

/** Longest array of bytes that the engine keeps in its own heap; a longer one costs an allocation outside. */
const OWN_BYTES_MAX = 64;
/** Signatures are just longer: some of them share one allocation, few enough that a lasting one holds on to little. */
const SHARED_BYTES_MAX = 128;
const SHARED_BLOCK_BYTES = 4096;

/** Pieces of memory outside of the engine's heap: one allocation for many. */
class Pieces {
  readonly #blockBytes: number;
  #block = new Uint8Array(0);
  #used = 0;

  constructor(blockBytes: number) {
    this.#blockBytes = blockBytes;
  }

  /** Zeros; no more than a block has. */
  cut(length: number): Uint8Array {
    if (this.#used + length > this.#block.length) {
      this.#block = new Uint8Array(this.#blockBytes);
      this.#used = 0;
    }
    const out = new Uint8Array(this.#block.buffer, this.#used, length);
    this.#used += length;
    return out;
  }
}

const shared = new Pieces(SHARED_BLOCK_BYTES);

export const isShortButOutside = (length: number): boolean => length > OWN_BYTES_MAX && length <= SHARED_BYTES_MAX;

/** Zeros. What is a little too long for the engine's heap shares its memory with others of its kind. */
export function newBytes(length: number): Uint8Array {
  return isShortButOutside(length) ? shared.cut(length) : new Uint8Array(length);
}

const PASSING_BLOCK_BYTES = 65_536;
const PASSING_BYTES_MAX = PASSING_BLOCK_BYTES / 8;
const passing = new Pieces(PASSING_BLOCK_BYTES);

/** Zeros, for what is needed about as long as all that is asked for before and after it: they share their memory. */
export function passingBytes(length: number): Uint8Array {
  return length <= PASSING_BYTES_MAX ? passing.cut(length) : new Uint8Array(length);
}

/** Strict; without an array of its own for what goes somewhere else. There must be room for it. */
export function fromHexInto(text: string, out: Uint8Array, at: number): void {
  check(text.length % 2 === 0, BYTES_ERRORS.hex_length, { length: text.length });
  decodeHex(text, out, at);
}

/** Of a text that is known to be hex. */
export function hexByteAt(text: string, at: number): number {
  return ((NIBBLES[text.charCodeAt(at)] as number) << 4) | (NIBBLES[text.charCodeAt(at + 1)] as number);
}

/** So many digits, none of them a capital. */
export function isLowerHex(text: string, length: number): boolean {
  if (text.length !== length) return false;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    const isDigit = (code >= ZERO && code <= ZERO + 9) || (code >= SMALL_A && code < SMALL_A + 6);
    if (!isDigit) return false;
  }
  return true;
}

/** A last digit without a partner is not looked at. */
function decodeHex(text: string, out: Uint8Array, at: number): void {
  const count = text.length >> 1;
  for (let i = 0; i < count; i++) {
    const high = nibbleOf(text, 2 * i);
    out[at + i] = (high << 4) | nibbleOf(text, 2 * i + 1);
  }
}

function nibbleOf(text: string, position: number): number {
  const code = text.charCodeAt(position);
  const nibble = code < 256 ? (NIBBLES[code] as number) : 255;
  if (nibble === 255) check(false, BYTES_ERRORS.hex_invalid, { c: text[position], position });
  return nibble;
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  return joinBytes(parts);
}

/** The same of a list of any length: arguments have to fit on the stack, some hundred thousand of them do not. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const out = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Unsigned bytewise order; a prefix comes first. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && compareBytes(a, b) === 0;
}

/** Order of JS strings by UTF-16 units. For hex and ASCII this is the bytewise order; never use it for display. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
