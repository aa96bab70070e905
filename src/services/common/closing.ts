/** What a service has opened; the first one is closed last. */
export class Closing {
  readonly #all: (() => Promise<void> | void)[] = [];

  add(close: () => Promise<void> | void): void {
    this.#all.push(close);
  }

  async run(): Promise<void> {
    for (const close of this.#all.splice(0).reverse()) await close();
  }
}
