/** What a node is doing before it serves clients, in words for those who ask it meanwhile. */
export class StartStage {
  #part = 'starting';
  #detail = '';

  get text(): string {
    return this.#detail === '' ? this.#part : `${this.#part}: ${this.#detail}`;
  }

  begin(part: string): void {
    this.#part = `opening ${part}`;
    this.#detail = '';
  }

  tell(detail: string): void {
    this.#detail = detail;
  }
}
