/** In a browser, for what the package's own modules use of `Buffer`: texts of bytes. */

class Bytes {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  toString(encoding: 'hex' | 'binary' | 'latin1', start = 0, end = this.#bytes.length): string {
    let text = '';
    for (const byte of this.#bytes.subarray(start, end)) {
      text += encoding === 'hex' ? byte.toString(16).padStart(2, '0') : String.fromCharCode(byte);
    }
    return text;
  }
}

const encoder = new TextEncoder();

function from(given: string, encoding: 'utf8'): Uint8Array;
function from(given: ArrayBufferLike | Uint8Array, offset?: number, length?: number): Bytes;
function from(
  given: string | ArrayBufferLike | Uint8Array,
  offset?: number | 'utf8',
  length?: number,
): Uint8Array | Bytes {
  if (typeof given === 'string') return encoder.encode(given);
  return new Bytes(given instanceof Uint8Array ? given : new Uint8Array(given, Number(offset ?? 0), length));
}

export const Buffer = { from };
