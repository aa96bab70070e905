/**
 * Strings of the chain are bytes, UTF-8 by convention only. A byte that is not part of valid UTF-8 becomes the lone
 * surrogate U+DC00 + byte, and back, so that every string keeps its bytes.
 */

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
/** Put together letter by letter a longer one would stay a tree of its parts for as long as it lives. */
const SHORT_LENGTH_MAX = 12;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

export function decodeText(bytes: Uint8Array, from: number, to: number): string {
  if (to - from <= SHORT_LENGTH_MAX) {
    let out = '';
    let at = from;
    for (; at < to; at++) {
      const byte = bytes[at] as number;
      if (byte >= 0x80) break;
      out += String.fromCharCode(byte);
    }
    if (at === to) return out;
  }
  const part = bytes.subarray(from, to);
  try {
    return strict.decode(part);
  } catch {
    return decodeEscaping(part);
  }
}

/** Bytes in the valid sequence that starts at `at`, or 0. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] as number;
  if (lead < 0x80) return 1;
  const length =
    lead >= 0xc2 && lead <= 0xdf ? 2 : lead >= 0xe0 && lead <= 0xef ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  const second = bytes[at + 1] as number;
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let i = 2; i < length; i++) if (((bytes[at + i] as number) & 0xc0) !== 0x80) return 0;
  return length;
}

function decodeEscaping(bytes: Uint8Array): string {
  let out = '';
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    if (length === 0) {
      out += String.fromCharCode(0xdc00 + (bytes[at] as number));
      at++;
    } else {
      out += strict.decode(bytes.subarray(at, at + length));
      at += length;
    }
  }
  return out;
}

/**
 * A text from elsewhere as its own bytes give it back. Lone surrogates may have the same bytes as others or as real
 * letters: who has the bytes alone, as peers and the own log do, would otherwise have another text than who read it.
 */
export function asPacked(text: string): string {
  if (!LONE_SURROGATE.test(text)) return text;
  const bytes = encodeText(text);
  return decodeText(bytes, 0, bytes.length);
}

export function encodeText(text: string): Uint8Array {
  if (!LONE_SURROGATE.test(text)) return encoder.encode(text);
  const out: number[] = [];
  for (const symbol of text) {
    const code = symbol.codePointAt(0) as number;
    if (code >= 0xdc80 && code <= 0xdcff) out.push(code - 0xdc00);
    else out.push(...encoder.encode(symbol));
  }
  return Uint8Array.from(out);
}

/** Writes short ASCII without an intermediate copy; -1 means: not that simple, use `encodeText`. */
export function encodeAsciiInto(text: string, target: Uint8Array, at: number): number {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x80) return -1;
    target[at + i] = code;
  }
  return text.length;
}
