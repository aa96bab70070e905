/**
 * Places by a hash of what stands there, in a column of integers: a map of texts takes ten times as much for each of
 * hundreds of thousands, and every collection of garbage walks through it. Whether what stands at a place is what is
 * looked for, the caller says. Open addressing, the next free slot after the hash; nothing is left where one went.
 */

const SLOTS_MIN = 1024;
const FULL_SHARE = 0.75;
const FREE = -1;

export class PlaceTable {
  /** Of each slot the place and the hash, side by side: a look at one brings the other. */
  #cells = new Int32Array(2 * SLOTS_MIN).fill(FREE);
  #count = 0;

  /** Undefined: `isIt` is true of none with this hash. */
  find(hash: number, isIt: (place: number) => boolean): number | undefined {
    const at = this.#find(hash, isIt);
    return at === FREE ? undefined : this.#cells[at];
  }

  /** Where the slot begins among the cells. */
  #find(hash: number, isIt: (place: number) => boolean): number {
    const cells = this.#cells;
    const mask = cells.length - 1;
    const wanted = hash | 0;
    for (let at = (2 * hash) & mask; cells[at] !== FREE; at = (at + 2) & mask) {
      if (cells[at + 1] === wanted && isIt(cells[at] as number)) return at;
    }
    return FREE;
  }

  add(hash: number, place: number): void {
    if (2 * this.#count >= this.#cells.length * FULL_SHARE) this.#grow();
    this.#put(hash, place);
    this.#count++;
  }

  #put(hash: number, place: number): void {
    const cells = this.#cells;
    const mask = cells.length - 1;
    let at = (2 * hash) & mask;
    while (cells[at] !== FREE) at = (at + 2) & mask;
    cells[at] = place;
    cells[at + 1] = hash;
  }

  #grow(): void {
    const cells = this.#cells;
    this.#cells = new Int32Array(2 * cells.length).fill(FREE);
    for (let at = 0; at < cells.length; at += 2) {
      if (cells[at] !== FREE) this.#put(cells[at + 1] as number, cells[at] as number);
    }
  }

  remove(hash: number, place: number): void {
    this.take(hash, (other) => other === place);
  }

  /** As `find`; what was found is there no more. */
  take(hash: number, isIt: (place: number) => boolean): number | undefined {
    const at = this.#find(hash, isIt);
    if (at === FREE) return undefined;
    const place = this.#cells[at];
    this.#count--;
    if (this.#count === 0) this.clear();
    else this.#close(at);
    return place;
  }

  /** Those behind move up, as far as their hash lets them: a search ends at the first free slot. */
  #close(from: number): void {
    const cells = this.#cells;
    const mask = cells.length - 1;
    let free = from;
    for (let at = (free + 2) & mask; cells[at] !== FREE; at = (at + 2) & mask) {
      const home = (2 * (cells[at + 1] as number)) & mask;
      if (((at - home) & mask) < ((at - free) & mask)) continue;
      cells[free] = cells[at] as number;
      cells[free + 1] = cells[at + 1] as number;
      free = at;
    }
    cells[free] = FREE;
  }

  clear(): void {
    if (this.#cells.length > 2 * SLOTS_MIN) this.#cells = new Int32Array(2 * SLOTS_MIN);
    this.#cells.fill(FREE);
    this.#count = 0;
  }
}
