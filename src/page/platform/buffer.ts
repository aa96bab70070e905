/** In a browser, for what the package's own modules use of `Buffer`: texts of bytes. */

class Bytes {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  toString(encoding: 'hex' | 'binary' | 'latin1'): string {
    let text = '';
    for (const byte of this.#bytes) {
      text += encoding === 'hex' ? byte.toString(16).padStart(2, '0') : String.fromCharCode(byte);
    }
    return text;
  }
}

export const Buffer = {
  from(given: ArrayBufferLike | Uint8Array, offset?: number, length?: number): Bytes {
    return new Bytes(given instanceof Uint8Array ? given : new Uint8Array(given, offset, length));
  },
};
