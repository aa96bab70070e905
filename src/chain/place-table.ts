/**
 * Places by a hash of what stands there, in two columns of integers: a map of texts takes ten times as much for each of
 * hundreds of thousands, and every collection of garbage walks through it. Whether what stands at a place is what is
 * looked for, the caller says. Open addressing, the next free slot after the hash; nothing is left where one went.
 */

const SLOTS_MIN = 1024;
const FULL_SHARE = 0.75;
const FREE = -1;

export class PlaceTable {
  #places = new Int32Array(SLOTS_MIN).fill(FREE);
  #hashes = new Uint32Array(SLOTS_MIN);
  #count = 0;

  /** Undefined: `isIt` is true of none with this hash. */
  find(hash: number, isIt: (place: number) => boolean): number | undefined {
    const slot = this.#slotOf(hash, isIt);
    return slot === FREE ? undefined : this.#places[slot];
  }

  #slotOf(hash: number, isIt: (place: number) => boolean): number {
    const places = this.#places;
    const mask = places.length - 1;
    for (let slot = hash & mask; places[slot] !== FREE; slot = (slot + 1) & mask) {
      if (this.#hashes[slot] === hash && isIt(places[slot] as number)) return slot;
    }
    return FREE;
  }

  add(hash: number, place: number): void {
    if (this.#count >= this.#places.length * FULL_SHARE) this.#grow();
    this.#put(hash, place);
    this.#count++;
  }

  #put(hash: number, place: number): void {
    const places = this.#places;
    const mask = places.length - 1;
    let slot = hash & mask;
    while (places[slot] !== FREE) slot = (slot + 1) & mask;
    places[slot] = place;
    this.#hashes[slot] = hash;
  }

  #grow(): void {
    const [places, hashes] = [this.#places, this.#hashes];
    this.#places = new Int32Array(2 * places.length).fill(FREE);
    this.#hashes = new Uint32Array(2 * places.length);
    for (const [slot, place] of places.entries()) if (place !== FREE) this.#put(hashes[slot] as number, place);
  }

  remove(hash: number, place: number): void {
    const slot = this.#slotOf(hash, (other) => other === place);
    if (slot === FREE) return;
    this.#count--;
    if (this.#count === 0) this.clear();
    else this.#close(slot);
  }

  /** Those behind move up, as far as their hash lets them: a search ends at the first free slot. */
  #close(from: number): void {
    const [places, hashes] = [this.#places, this.#hashes];
    const mask = places.length - 1;
    let free = from;
    for (let slot = (free + 1) & mask; places[slot] !== FREE; slot = (slot + 1) & mask) {
      const home = (hashes[slot] as number) & mask;
      if (((slot - home) & mask) < ((slot - free) & mask)) continue;
      places[free] = places[slot] as number;
      hashes[free] = hashes[slot] as number;
      free = slot;
    }
    places[free] = FREE;
  }

  clear(): void {
    if (this.#places.length > SLOTS_MIN) {
      this.#places = new Int32Array(SLOTS_MIN);
      this.#hashes = new Uint32Array(SLOTS_MIN);
    }
    this.#places.fill(FREE);
    this.#count = 0;
  }
}
