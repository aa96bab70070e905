import { createInterface } from 'node:readline';
import type { LocalNetwork } from './local-network.js';
import type { LocalNode } from './local-node.js';
import { tableRows, tableText } from './table.js';

/**
 * What somebody does with a running network, by single keys at a terminal and by lines anywhere else. Settles when it is
 * to end.
 */

export interface ConsoleStreams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

const REDRAW_MS = 1000;
/** Without a terminal: a table that nobody has asked for. */
const LINES_MS = 30_000;
const CTRL_C = '\u0003';
const [UP, DOWN] = ['\u001b[A', '\u001b[B'];
const CLEAR = '\u001b[H\u001b[J';

const KEY_HELP =
  'up, down or 0-9: choose   s: stop or start   k: kill -9   p: pause or go on   c: cut off or join   q: end';
const LINE_HELP =
  'lines: status, stop N, start N, kill N, pause N, resume N, cut N [N ...] (from all others), join, help, quit';

export class NetworkConsole {
  readonly #network: LocalNetwork;
  readonly #streams: ConsoleStreams;
  /** One after the other, so that a stop and a start of one node do not meet. */
  #work: Promise<void> = Promise.resolve();
  #message = '';
  #selected = 0;
  #end: () => void = () => undefined;

  constructor(network: LocalNetwork, streams: ConsoleStreams) {
    this.#network = network;
    this.#streams = streams;
  }

  /** `end` ends it from outside. */
  async run(end: AbortSignal): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.#end = resolve;
      end.addEventListener('abort', () => resolve());
      if (end.aborted) resolve();
    });
    const { input, output } = this.#streams;
    const close = input.isTTY && output.isTTY ? this.#keys() : this.#lines();
    await ended;
    close();
    await this.#work;
  }

  #say(text: string): void {
    this.#message = text;
    if (!this.#streams.output.isTTY) this.#streams.output.write(`${text}\n`);
  }

  #do(what: string, work: () => Promise<unknown> | unknown): void {
    this.#work = this.#work.then(async () => {
      this.#say(`${what} ...`);
      try {
        await work();
        this.#say(`${what}: done`);
      } catch (error) {
        this.#say(`${what}: ${(error as Error).message.split('\n')[0]}`);
      }
    });
  }

  // Keys.

  #keys(): () => void {
    const { input, output } = this.#streams;
    let isDrawing = false;
    const draw = async (): Promise<void> => {
      if (isDrawing) return;
      isDrawing = true;
      const text = tableText(this.#network, await tableRows(this.#network), this.#selected);
      isDrawing = false;
      output.write(`${CLEAR}${text}\n\n${KEY_HELP}\n${this.#message}\n`);
    };
    const onKey = (key: string): void => {
      this.#key(key);
      void draw();
    };
    input.setRawMode(true);
    input.setEncoding('utf8').on('data', onKey).resume();
    const timer = setInterval(() => void draw(), REDRAW_MS);
    void draw();
    return () => {
      clearInterval(timer);
      input.off('data', onKey).setRawMode(false).pause();
    };
  }

  #key(key: string): void {
    const count = this.#network.nodes.length;
    const node = this.#network.node(this.#selected);
    if (key === 'q' || key === CTRL_C) this.#end();
    else if (key === UP) this.#selected = (this.#selected + count - 1) % count;
    else if (key === DOWN) this.#selected = (this.#selected + 1) % count;
    else if (/^[0-9]$/.test(key) && Number(key) < count) this.#selected = Number(key);
    else if (key === 's') this.#stopOrStart(node);
    else if (key === 'k') this.#do(`kill ${node.index}`, () => node.kill());
    else if (key === 'p') this.#pauseOrResume(node);
    else if (key === 'c') this.#cutOrJoin(node);
  }

  #stopOrStart(node: LocalNode): void {
    if (node.state === 'down') this.#do(`start ${node.index}`, () => this.#network.restart(node.index));
    else this.#do(`stop ${node.index}`, () => node.stop());
  }

  #pauseOrResume(node: LocalNode): void {
    if (node.state === 'paused') this.#do(`resume ${node.index}`, () => node.resume());
    else this.#do(`pause ${node.index}`, () => node.pause());
  }

  /** Those that are cut off reach each other: a second group makes a branch of its own. */
  #cutOrJoin({ index }: LocalNode): void {
    const { groups } = this.#network;
    const away = new Set(groups?.[1]);
    if (away.has(index)) away.delete(index);
    else away.add(index);
    this.#cut([...away]);
  }

  #cut(away: readonly number[]): void {
    const all = this.#network.nodes.map(({ index }) => index);
    if (away.length === 0) this.#do('join', () => this.#network.heal());
    else this.#do(`cut ${away.join(' ')}`, () => this.#network.cut([all.filter((one) => !away.includes(one)), away]));
  }

  // Lines.

  #lines(): () => void {
    const { input } = this.#streams;
    const reader = createInterface({ input });
    const show = (): Promise<void> => this.#show();
    this.#say(LINE_HELP);
    reader.on('line', (line) => this.#line(line.trim()));
    const timer = setInterval(() => void show(), LINES_MS);
    return () => {
      clearInterval(timer);
      reader.close();
    };
  }

  async #show(): Promise<void> {
    this.#streams.output.write(`${tableText(this.#network, await tableRows(this.#network))}\n`);
  }

  #line(line: string): void {
    const [word = '', ...rest] = line.split(/\s+/);
    const numbers = rest.map(Number);
    const nodes = this.#network.nodes.filter(({ index }) => numbers.includes(index));
    if (nodes.length !== rest.length) {
      this.#say(`there is no node ${rest.join(' ')}`);
      return;
    }
    const each = (work: (node: LocalNode) => Promise<unknown> | unknown): void => {
      for (const node of nodes) this.#do(`${word} ${node.index}`, () => work(node));
      if (nodes.length === 0) this.#say(`${word} which node?`);
    };
    if (word === 'quit') this.#end();
    else if (word === 'status') this.#do('status', () => this.#show());
    else if (word === 'stop') each((node) => node.stop());
    else if (word === 'start') each((node) => this.#network.restart(node.index));
    else if (word === 'kill') each((node) => node.kill());
    else if (word === 'pause') each((node) => node.pause());
    else if (word === 'resume') each((node) => node.resume());
    else if (word === 'cut' && nodes.length > 0) this.#cut(numbers);
    else if (word === 'join') this.#cut([]);
    else if (word !== '') this.#say(LINE_HELP);
  }
}
