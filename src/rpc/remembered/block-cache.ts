/** Texts by id, the ones used longest ago leave first. What an id stands for never changes, so nothing goes stale. */
export class TextCache {
  readonly #charsMax: number;
  readonly #texts = new Map<string, string>();
  #chars = 0;

  constructor(charsMax: number) {
    this.#charsMax = charsMax;
  }

  get chars(): number {
    return this.#chars;
  }

  find(id: string): string | undefined {
    const text = this.#texts.get(id);
    if (text === undefined) return undefined;
    this.#texts.delete(id);
    this.#texts.set(id, text);
    return text;
  }

  put(id: string, text: string): void {
    if (this.#texts.has(id) || text.length > this.#charsMax) return;
    this.#texts.set(id, text);
    this.#chars += text.length;
    for (const [oldest, { length }] of this.#texts) {
      if (this.#chars <= this.#charsMax) break;
      this.#texts.delete(oldest);
      this.#chars -= length;
    }
  }
}
