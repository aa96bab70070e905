/**
 * Many small byte strings in a few large ones. A million of them, each an object of its own with its own memory, cost
 * the garbage collector more than whoever made them.
 */
const SLAB_BYTES = 1024 * 1024;
const LENGTH_BYTES = 4;

export class RecordArena {
  readonly #slabs: Uint8Array<ArrayBuffer>[] = [];
  #view = new DataView(new ArrayBuffer(0));
  #used = 0;

  /** Takes a copy; gives where it lies. */
  add(record: Uint8Array): number {
    const needed = LENGTH_BYTES + record.length;
    if (this.#used + needed > this.#view.byteLength) this.#grow(needed);
    const at = this.#used;
    this.#view.setUint32(at, record.length, true);
    const slab = this.#slabs.length - 1;
    (this.#slabs[slab] as Uint8Array).set(record, at + LENGTH_BYTES);
    this.#used += needed;
    return slab * SLAB_BYTES + at;
  }

  /** A larger one gets a slab for itself, and its place is at the start of that. */
  #grow(needed: number): void {
    const slab = new Uint8Array(Math.max(SLAB_BYTES, needed));
    this.#slabs.push(slab);
    this.#view = new DataView(slab.buffer);
    this.#used = 0;
  }

  /** Its memory is used again, as far as one slab goes. */
  clear(): void {
    const [first] = this.#slabs;
    const isUsual = first?.length === SLAB_BYTES;
    this.#slabs.length = isUsual ? 1 : 0;
    this.#view = isUsual ? new DataView(first.buffer) : new DataView(new ArrayBuffer(0));
    this.#used = 0;
  }

  /** Not a copy. */
  at(place: number): Uint8Array {
    const slab = this.#slabs[Math.floor(place / SLAB_BYTES)] as Uint8Array;
    const start = (place % SLAB_BYTES) + LENGTH_BYTES;
    const length = new DataView(slab.buffer).getUint32(start - LENGTH_BYTES, true);
    return slab.subarray(start, start + length);
  }
}
