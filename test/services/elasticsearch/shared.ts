import { ElasticServer } from './elastic.js';
import { cannotStartElastic, GIVEN_URL, GIVEN_URL_VARIABLE } from './tools.js';

/**
 * One server for all files of a run that take any: starting one and running it warm is half of what each of them computes. It
 * starts with the first of them and ends with the last.
 */
export class SharedElastic {
  readonly #waiting: Set<string>;
  #server: Promise<ElasticServer | undefined> | undefined;

  constructor(users: readonly string[]) {
    const isWanted = GIVEN_URL === undefined && cannotStartElastic === false;
    this.#waiting = new Set(isWanted ? users : []);
  }

  async environmentOf(name: string): Promise<Record<string, string>> {
    if (!this.#waiting.has(name)) return {};
    // Where it does not start, each file tries by itself and says why not.
    this.#server ??= ElasticServer.start().catch(() => undefined);
    const server = await this.#server;
    return server === undefined ? {} : { [GIVEN_URL_VARIABLE]: server.url };
  }

  async leave(name: string): Promise<void> {
    if (this.#waiting.delete(name) && this.#waiting.size === 0) await this.end();
  }

  async end(): Promise<void> {
    const server = await this.#server;
    this.#server = undefined;
    this.#waiting.clear();
    await server?.remove();
  }
}
