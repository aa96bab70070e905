/** Work that is done in pieces: one piece per turn of the event loop, in the order of asking. */
export class Turns {
  readonly #queue: (() => void)[] = [];

  get waiting(): number {
    return this.#queue.length;
  }

  /** Resolves when the caller may do its next piece. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#queue.push(resolve);
      if (this.#queue.length === 1) setImmediate(() => this.#give());
    });
  }

  #give(): void {
    this.#queue.shift()?.();
    if (this.#queue.length > 0) setImmediate(() => this.#give());
  }
}
