/**
 * Where the tables of what waits and of what is remembered look for an id. Ids are hashes, but of what their senders have written: whoever knew
 * which ones stand at one place could make thousands of them, and each would be looked for behind all others. So a node
 * has a salt of its own, that it tells nobody. It changes nothing but places.
 */

/** Of as many words of an id as nobody can choose. */
const WORDS = 2;
export const ID_SALT_BYTES = 4 * WORDS;
/** For whoever takes nothing from strangers. */
const NO_SALT = Uint8Array.of(0x9e, 0x37, 0x79, 0xb1, 0x85, 0xeb, 0xca, 0x6b);

export class IdHash {
  readonly #first: number;
  readonly #second: number;

  constructor(salt: Uint8Array = NO_SALT) {
    const view = new DataView(salt.buffer, salt.byteOffset, ID_SALT_BYTES);
    // Odd ones: an even one would make two words one.
    this.#first = view.getInt32(0) | 1;
    this.#second = view.getInt32(4) | 1;
  }

  /** Of the id that begins there. */
  of(view: DataView, at: number): number {
    return this.#sum(view.getInt32(at), view.getInt32(at + 4));
  }

  /** The same of an id in hex. */
  ofHex(id: string): number {
    return this.#sum(wordAt(id, 0), wordAt(id, 8));
  }

  #sum(one: number, two: number): number {
    const sum = (Math.imul(one, this.#first) + Math.imul(two, this.#second)) | 0;
    // Low bits choose the place, and those of a sum depend on the low bits of its words alone.
    return (sum ^ (sum >>> 15)) >>> 0;
  }
}

function wordAt(hex: string, at: number): number {
  let word = 0;
  // Digits are 0x30 to 0x39, letters 0x41 to 0x46 or 0x61 to 0x66.
  for (let i = at; i < at + 8; i++) {
    const code = hex.charCodeAt(i);
    word = (word << 4) | ((code & 0x0f) + 9 * (code >> 6));
  }
  return word;
}
