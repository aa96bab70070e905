import { cbc } from '@noble/ciphers/aes.js';
import { md5, ripemd160, sha1 } from '@noble/hashes/legacy.js';
import { sha224, sha256, sha512 } from '@noble/hashes/sha2.js';
import { Buffer } from './buffer.js';

/** In a browser, for `node:crypto`: what the package's own modules use of it, over libraries. */

const HASHES = { md5, ripemd160, sha1, sha224, sha256, sha512 };
type Algorithm = keyof typeof HASHES;
type Encoding = 'hex' | 'binary';

const textOf = (bytes: Uint8Array, encoding: Encoding): string => Buffer.from(bytes).toString(encoding);

export const hash = (algorithm: Algorithm, bytes: Uint8Array, encoding: Encoding): string =>
  textOf(HASHES[algorithm](bytes), encoding);

export function createHash(algorithm: Algorithm) {
  const state = HASHES[algorithm].create();
  const self = {
    update(bytes: Uint8Array) {
      state.update(bytes);
      return self;
    },
    digest(encoding?: Encoding) {
      const bytes = state.digest();
      return encoding === undefined ? bytes : textOf(bytes, encoding);
    },
  };
  return self;
}

const NOTHING = new Uint8Array();

/** All of it is known at the end; the pieces before it give nothing. */
class Cipher {
  readonly #work: (bytes: Uint8Array, pads: boolean) => Uint8Array;
  readonly #pieces: Uint8Array[] = [];
  #pads = true;

  constructor(algorithm: string, work: (bytes: Uint8Array, pads: boolean) => Uint8Array) {
    if (algorithm !== 'aes-256-cbc') throw new Error(`${algorithm} is not used here`);
    this.#work = work;
  }

  setAutoPadding(pads: boolean): void {
    this.#pads = pads;
  }

  update(bytes: Uint8Array): Uint8Array {
    this.#pieces.push(bytes);
    return NOTHING;
  }

  final(): Uint8Array {
    const all = new Uint8Array(this.#pieces.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const piece of this.#pieces) {
      all.set(piece, at);
      at += piece.length;
    }
    return this.#work(all, this.#pads);
  }
}

export const createCipheriv = (algorithm: string, key: Uint8Array, iv: Uint8Array): Cipher =>
  new Cipher(algorithm, (bytes, pads) => cbc(key, iv, { disablePadding: !pads }).encrypt(bytes));

export const createDecipheriv = (algorithm: string, key: Uint8Array, iv: Uint8Array): Cipher =>
  new Cipher(algorithm, (bytes, pads) => cbc(key, iv, { disablePadding: !pads }).decrypt(bytes));

/** None of its own: points are computed by the curve library. */
export const getCurves = (): readonly string[] => [];

export function createECDH(): never {
  throw new Error('there is no curve here');
}
