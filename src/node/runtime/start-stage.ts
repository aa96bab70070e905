/** How far applying the blocks of the log has come. */
export interface Replayed {
  readonly number: number;
  readonly last: number;
}

/** What a node is doing before it serves clients, in words for those who ask it meanwhile. */
export class StartStage {
  #part = 'starting';
  #detail = '';
  #replayed: Replayed | undefined;

  /** Undefined before the first block is applied, and once that is over. */
  get replayed(): Replayed | undefined {
    return this.#replayed;
  }

  get text(): string {
    return this.#detail === '' ? this.#part : `${this.#part}: ${this.#detail}`;
  }

  begin(part: string): void {
    this.#part = `opening ${part}`;
    this.tell('');
  }

  tell(detail: string, replayed?: Replayed): void {
    this.#detail = detail;
    this.#replayed = replayed;
  }
}
