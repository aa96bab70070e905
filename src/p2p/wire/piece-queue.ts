import { joinBytes } from '../../base/bytes.js';

/** Pieces below this are gathered in one array of this size. */
const GATHERED_BYTES = 4096;

/**
 * Bytes that come in pieces and are taken in lengths of the reader's own. Whoever sends decides how small the pieces are:
 * small ones are copied together, so that there are never many of them, and each byte is copied twice at most.
 */
export class PieceQueue {
  #pieces: Uint8Array<ArrayBufferLike>[] = [];
  #bytes = 0;
  /** Where the last piece lies, if small ones are gathered there, and how much of it is used. */
  #gathered: Uint8Array | undefined;
  #used = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Of how many pieces the bytes are. */
  get pieces(): number {
    return this.#pieces.length;
  }

  push(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#bytes += piece.length;
    // Most pieces are taken at once, and none of these is copied.
    if (this.#pieces.length === 0 || piece.length >= GATHERED_BYTES) {
      this.#gathered = undefined;
      this.#pieces.push(piece);
    } else if (this.#gathered === undefined || this.#used + piece.length > GATHERED_BYTES) {
      this.#gathered = new Uint8Array(GATHERED_BYTES);
      this.#used = 0;
      this.#pieces.push(this.#gather(this.#gathered, 0, piece));
    } else {
      const last = this.#pieces.length - 1;
      const from = (this.#pieces[last] as Uint8Array).byteOffset;
      this.#pieces[last] = this.#gather(this.#gathered, from, piece);
    }
  }

  /** What has been gathered from there on, with the piece behind it. */
  #gather(into: Uint8Array, from: number, piece: Uint8Array): Uint8Array {
    into.set(piece, this.#used);
    this.#used += piece.length;
    return into.subarray(from, this.#used);
  }

  /** The first so many; there must be as many. */
  take(count: number): Uint8Array {
    this.#bytes -= count;
    const parts: Uint8Array[] = [];
    let missing = count;
    let used = 0;
    while (missing > 0) {
      const piece = this.#pieces[used] as Uint8Array;
      if (piece.length > missing) {
        parts.push(piece.subarray(0, missing));
        this.#pieces[used] = piece.subarray(missing);
        break;
      }
      parts.push(piece);
      missing -= piece.length;
      used++;
    }
    this.#pieces.splice(0, used);
    return parts.length === 1 ? (parts[0] as Uint8Array) : joinBytes(parts);
  }
}
