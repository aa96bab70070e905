/** What a piece of a request takes besides its bytes. */
export const CHUNK_BYTES = 256;

/** Bytes that one connection makes the node hold: what it has sent of something unfinished, or does not read. */
export interface Held {
  readonly bytes: number;
  /** So many are held now. False: this one had to go to make room; what it held is no longer counted. */
  set(bytes: number): boolean;
}

/**
 * Memory for unfinished requests and unsent answers of all connections together: the limits of a single one do not bound
 * their sum. Where there is no room, those go that have held something for the longest time without a break.
 */
export class MemoryBudget {
  readonly #bytesMax: number;
  readonly #onDrop: () => void;
  /** In the order in which they began to hold something. */
  readonly #holders = new Set<Holder>();
  #bytes = 0;

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
