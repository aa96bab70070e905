/** What one turn of the event loop may give to all peers together: blocks are made and clients answered beside it. */
export const TURN_MS = 10;
/** Of this, what they are given may take so much before it is what they send that has its turn. */
const GIVING_MS = TURN_MS / 2;

/** Of a socket. */
interface Source {
  pause(): void;
  resume(): void;
}

/** Bytes of one connection on their way. */
export interface PacedStream {
  came(bytes: Uint8Array): void;
  /** Nothing comes any more; what waits is read first. */
  ended(): void;
}

interface Waiting {
  readonly source: Source;
  readonly read: (bytes: Uint8Array) => void;
  readonly chunks: Uint8Array[];
}

/**
 * Reads what peers send and goes on with what they are sent, a limited time per turn of the event loop: two hundred sockets
 * may all be full at once, and timers wait until the last of them is read. Beyond that time a connection is paused, so that
 * the sender waits and memory does not grow, and those that wait are read in turn. A socket that takes what it is given at
 * once would have thousands of blocks read for it in one turn, so the next one is made in a later turn.
 */
export class PacedTraffic {
  readonly #monotonicMs: () => number;
  readonly #nextTurn: (run: () => void) => void;
  /** In the order in which they are read next. */
  readonly #waiting = new Set<Waiting>();
  /** Goes on with what is sent: a socket has taken what it was given. */
  readonly #taken: (() => void)[] = [];
  #spentMs = 0;
  #isTurn = false;

  /** `nextTurn` runs something after timers and sockets have had theirs. */
  constructor(monotonicMs: () => number, nextTurn: (run: () => void) => void) {
    this.#monotonicMs = monotonicMs;
    this.#nextTurn = nextTurn;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  stream(source: Source, read: (bytes: Uint8Array) => void): PacedStream {
    const one: Waiting = { source, read, chunks: [] };
    return {
      came: (bytes) => this.#came(one, bytes),
      ended: () => {
        this.#waiting.delete(one);
        for (const bytes of one.chunks.splice(0)) read(bytes);
      },
    };
  }

  #came(one: Waiting, bytes: Uint8Array): void {
    this.#beginTurn();
    if (this.#waiting.size === 0 && this.#spentMs < TURN_MS) {
      this.#read(one, bytes);
      return;
    }
    one.chunks.push(bytes);
    if (this.#waiting.has(one)) return;
    this.#waiting.add(one);
    one.source.pause();
  }

  /** A socket has taken a message: `goOn` makes the next one, in another turn. */
  taken(goOn: () => void): void {
    this.#beginTurn();
    this.#taken.push(goOn);
  }

  #read(one: Waiting, bytes: Uint8Array): void {
    this.#spend(() => one.read(bytes));
  }

  #spend(work: () => void): void {
    const startMs = this.#monotonicMs();
    work();
    this.#spentMs += this.#monotonicMs() - startMs;
  }

  #goOnGiving(): void {
    let count = 0;
    // What they lead to is for the turn after.
    const { length: most } = this.#taken;
    while (count < most && this.#spentMs < GIVING_MS) this.#spend(this.#taken[count++] as () => void);
    this.#taken.splice(0, count);
  }

  #beginTurn(): void {
    if (this.#isTurn) return;
    this.#isTurn = true;
    this.#spentMs = 0;
    this.#nextTurn(() => this.#endTurn());
  }

  #endTurn(): void {
    this.#isTurn = false;
    if (this.#waiting.size + this.#taken.length === 0) return;
    this.#beginTurn();
    this.#goOnGiving();
    for (const one of this.#waiting) {
      if (this.#spentMs >= TURN_MS) return;
      this.#waiting.delete(one);
      const bytes = one.chunks.shift();
      if (bytes !== undefined) this.#read(one, bytes);
      // Behind the others: one that has sent much does not keep them waiting.
      if (one.chunks.length > 0) this.#waiting.add(one);
      else one.source.resume();
    }
  }
}
