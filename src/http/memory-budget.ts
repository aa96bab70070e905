/** What a piece of a request takes besides its bytes. */
export const CHUNK_BYTES = 256;

/** Bytes that one connection makes the node hold: what it has sent of something unfinished, or does not read. */
export interface Held {
  readonly bytes: number;
  /** So many are held now. False: this one had to go to make room; what it held is no longer counted. */
  set(bytes: number): boolean;
}

/** Room for work that was taken on: it is not let go for others. */
export interface Room {
  /** False: there is none for so much, and nothing is taken; `always` takes it all the same. */
  take(bytes: number, always: boolean): boolean;
  give(bytes: number): void;
}

/**
 * Memory for what clients make the server hold, all connections together: requests that are not whole, those that wait
 * for their turn, answers that nobody reads, connections on which nothing happens. The limits of a single one do not
 * bound their sum. Where there is no room, those go that have held something for the longest time without a break; a
 * request that waits for its turn is not the fault of its client and stays.
 */
export class MemoryBudget implements Room {
  readonly #bytesMax: number;
  readonly #onDrop: () => void;
  /** In the order in which they began to hold something. */
  readonly #holders = new Set<Holder>();
  #bytes = 0;
  /** Those of them that stay. */
  #taken = 0;

  constructor(bytesMax: number, onDrop: () => void = () => undefined) {
    this.#bytesMax = bytesMax;
    this.#onDrop = onDrop;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** `drop` ends what holds the bytes; it is called at most once. */
  open(drop: () => void): Held {
    return new Holder(drop, (holder, bytes) => this.#change(holder, bytes));
  }

  take(bytes: number, always: boolean): boolean {
    if (!always && this.#taken + bytes > this.#bytesMax) return false;
    this.#taken += bytes;
    this.#bytes += bytes;
    this.#makeRoom();
    return true;
  }

  give(bytes: number): void {
    this.#taken -= bytes;
    this.#bytes -= bytes;
  }

  #change(holder: Holder, bytes: number): void {
    const more = bytes - holder.bytes;
    this.#bytes += more;
    if (holder.bytes === 0 && bytes > 0) this.#holders.add(holder);
    if (bytes === 0) this.#holders.delete(holder);
    holder.bytes = bytes;
    if (more > 0) this.#makeRoom();
  }

  #makeRoom(): void {
    while (this.#bytes > this.#bytesMax) {
      const oldest = this.#holders.values().next();
      if (oldest.done === true) return;
      this.#holders.delete(oldest.value);
      this.#bytes -= oldest.value.bytes;
      this.#onDrop();
      oldest.value.end();
    }
  }
}

class Holder implements Held {
  bytes = 0;
  readonly #drop: () => void;
  readonly #change: (holder: Holder, bytes: number) => void;
  #isDropped = false;

  constructor(drop: () => void, change: (holder: Holder, bytes: number) => void) {
    this.#drop = drop;
    this.#change = change;
  }

  set(bytes: number): boolean {
    if (!this.#isDropped && bytes !== this.bytes) this.#change(this, bytes);
    return !this.#isDropped;
  }

  end(): void {
    this.#isDropped = true;
    this.bytes = 0;
    this.#drop();
  }
}
