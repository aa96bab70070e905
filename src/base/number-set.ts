/** Small whole numbers, each once, taken out all together: what has changed since somebody last looked. */
export class NumberSet {
  #numbers: number[] = [];
  /** One byte for each number up to the greatest one: looked at for every change of the state. */
  #marks = new Uint8Array(1024);

  has(number: number): boolean {
    return this.#marks[number] === 1;
  }

  add(number: number): void {
    if (this.has(number)) return;
    if (number >= this.#marks.length) {
      const wider = new Uint8Array(Math.max(number + 1, 2 * this.#marks.length));
      wider.set(this.#marks);
      this.#marks = wider;
    }
    this.#marks[number] = 1;
    this.#numbers.push(number);
  }

  /** All of them in the order in which they came; the set is empty afterwards. */
  take(): readonly number[] {
    const taken = this.#numbers;
    for (const number of taken) this.#marks[number] = 0;
    this.#numbers = [];
    return taken;
  }
}
