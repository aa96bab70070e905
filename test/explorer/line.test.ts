import type { Page, WebSocketRoute } from 'playwright-core';
import t from 'tap';
import { hasNoBrowser } from '../support/browser.js';
import { ExplorerWorld, shows } from './support/explorer-world.js';

/** What the page makes of a line that ends, or that is slow with one answer and fast with another. */

/** What the functions that run inside the browser use of it. */
declare const document: {
  querySelector(selector: string): { readonly textContent: string } | null;
  querySelectorAll(selector: string): Iterable<{ readonly value: string }>;
};

/** Between the page and its node: lets every answer through but those that are held. */
class Line {
  #side: WebSocketRoute | undefined;
  #held: string[] | undefined;
  #ids: number[] = [];

  async on(page: Page): Promise<void> {
    await page.routeWebSocket(/^ws:/, (side) => {
      this.#side = side;
      const node = side.connectToServer();
      side.onMessage((message) => {
        const { id, params } = JSON.parse(String(message)) as { id: number; params: unknown };
        if (this.#wanted !== '' && JSON.stringify(params).includes(this.#wanted)) {
          this.#ids.push(id);
          this.#asked();
        }
        node.send(message);
      });
      node.onMessage((message) => {
        const { id } = JSON.parse(String(message)) as { id?: number };
        if (id !== undefined && this.#ids.includes(id)) this.#held?.push(String(message));
        else side.send(message);
      });
    });
  }

  #wanted = '';
  #asked: () => void = () => undefined;

  /** Answers to what is asked with this word among its parameters; settles when it is asked. */
  hold(word: string): Promise<void> {
    [this.#wanted, this.#held, this.#ids] = [word, [], []];
    return new Promise((resolve) => {
      this.#asked = resolve;
    });
  }

  /** Nothing more is held. */
  let(): void {
    const held = this.#held ?? [];
    [this.#wanted, this.#held, this.#ids] = ['', undefined, []];
    for (const message of held) this.#side?.send(message);
  }

  cut(): Promise<void> | undefined {
    return this.#side?.close();
  }
}

t.test('the line to the node', { skip: hasNoBrowser }, async (t) => {
  const world = await ExplorerWorld.start(t, { plugins: 'witness' });
  const page = await world.browser.newPage();
  const line = new Line();
  await line.on(page);
  await page.goto(world.url);
  await shows(page, 'The chain now');

  t.test('names that came late are not those of what is written now', async (t) => {
    const offered = (): Promise<string[]> =>
      page.evaluate(() => [...document.querySelectorAll('#suggestions option')].map(({ value }) => value));
    const asked = line.hold('"init"');
    await page.fill('#query', 'init');
    await asked;
    await page.fill('#query', 'alic');
    await page.waitForSelector('#suggestions option[value=alice]', { state: 'attached' });
    line.let();
    // What is asked now is answered behind those.
    await page.goto(`${world.url}#/account/bob`);
    await shows(page, 'bob');
    t.same(await offered(), ['alice']);
  });

  t.test('what is asked when the line ends is over, and shown by the next one', async (t) => {
    const asked = line.hold('"carol"');
    await page.goto(`${world.url}#/account/carol`);
    await asked;
    await line.cut();
    await page.waitForFunction(() =>
      /the connection to the node ended/.test(document.querySelector('main')?.textContent ?? ''),
    );
    t.equal(await page.textContent('h1'), 'That did not work');
    line.let();
    await shows(page, 'carol');
    await page.goto(world.url);
    await shows(page, 'The chain now');
    const before = Number(await page.textContent('#head'));
    await world.blocks(1);
    await page.waitForFunction((head) => Number(document.querySelector('#head')?.textContent) > head, before);
    t.pass('and blocks are seen again');
  });
});
