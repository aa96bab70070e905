/**
 * Where the table of what waits looks for an id. Ids are hashes, but of what their senders have written: whoever knew
 * which ones stand at one place could make thousands of them, and each would be looked for behind all others. So a node
 * has a salt of its own, that it tells nobody. It changes nothing but places.
 */

/** Of as many words of an id as nobody can choose. */
const WORDS = 3;
export const ID_SALT_BYTES = 4 * WORDS;
/** For whoever takes nothing from strangers. */
const NO_SALT = Uint8Array.of(0x9e, 0x37, 0x79, 0xb1, 0x85, 0xeb, 0xca, 0x6b, 0xc2, 0xb2, 0xae, 0x35);

export class IdHash {
  readonly #factors: readonly number[];

  constructor(salt: Uint8Array = NO_SALT) {
    const view = new DataView(salt.buffer, salt.byteOffset, ID_SALT_BYTES);
    // Odd ones: an even one would make two words one.
    this.#factors = Array.from({ length: WORDS }, (_, i) => view.getInt32(4 * i) | 1);
  }

  /** Of the id that begins there. */
  of(view: DataView, at: number): number {
    const [first, second, third] = this.#factors as [number, number, number];
    const sum =
      (Math.imul(view.getInt32(at), first) +
        Math.imul(view.getInt32(at + 4), second) +
        Math.imul(view.getInt32(at + 8), third)) |
      0;
    // Low bits choose the place, and those of a sum depend on the low bits of its words alone.
    return (sum ^ (sum >>> 15)) >>> 0;
  }
}
