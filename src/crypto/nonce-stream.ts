import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes } from '../base/bytes.js';

const BLOCK_BYTES = 32;
const ZERO = Uint8Array.of(0);
const ONE = Uint8Array.of(1);

/**
 * Numbers that nobody can guess who does not know the seed, and everybody can repeat who does: the generator of
 * RFC 6979, section 3.2, over HMAC-SHA-256.
 */
export class NonceStream {
  #key: Uint8Array = new Uint8Array(BLOCK_BYTES);
  #block: Uint8Array = new Uint8Array(BLOCK_BYTES).fill(1);
  #isFresh = true;

  constructor(seed: Uint8Array) {
    this.#stir(ZERO, seed);
    this.#stir(ONE, seed);
  }

  /** The next 32 bytes. */
  next(): Uint8Array {
    if (!this.#isFresh) this.#stir(ZERO, new Uint8Array(0));
    this.#isFresh = false;
    this.#block = hmac(sha256, this.#key, this.#block);
    return this.#block;
  }

  #stir(mark: Uint8Array, seed: Uint8Array): void {
    this.#key = hmac(sha256, this.#key, concatBytes(this.#block, mark, seed));
    this.#block = hmac(sha256, this.#key, this.#block);
  }
}
