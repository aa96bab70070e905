/** How far applying the blocks of the log has come. */
export interface Replayed {
  readonly number: number;
  readonly last: number;
}

/** What a node is doing before it serves clients, in words for those who ask it meanwhile. */
export class StartStage {
  #part = 'starting';
  #title = '';
  #detail = '';
  #replayed: Replayed | undefined;

  /** Undefined before the first block is applied, and once that is over. */
  get replayed(): Replayed | undefined {
    return this.#replayed;
  }

  get text(): string {
    return this.#detail === '' ? this.#part : `${this.#part}: ${this.#detail}`;
  }

  /** Of the part that is being opened, or that is tried before its turn. */
  get title(): string {
    return this.#title;
  }

  begin(title: string): void {
    this.#title = title;
    this.#part = `opening ${title}`;
    this.tell('');
  }

  tell(detail: string, replayed?: Replayed): void {
    this.#detail = detail;
    this.#replayed = replayed;
  }
}
