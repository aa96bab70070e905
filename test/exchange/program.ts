import { STACK_SIZE } from '../runner/stack-size.js';
import { NodeProcess } from '../support/node-process.js';

/** One of the programs of an exchange: a process that is started, ended and started again over the same data. */

export interface ProgramOptions {
  /** Words of its command line. */
  readonly words: readonly string[];
  /** What it says when it answers; the first group is its address. */
  readonly listens: RegExp;
  /** Keys of accounts, for its environment. */
  readonly variables?: Readonly<Record<string, string>>;
}

export class Program {
  readonly #options: ProgramOptions;
  #process: NodeProcess | undefined;
  readonly #killAtExit = (): void => this.#process?.kill('SIGKILL');
  /** Where it answers, in this life. */
  address = '';
  #isClosed = false;
  /** What earlier lives have said. */
  #earlier = '';

  constructor(options: ProgramOptions) {
    this.#options = options;
    // Whoever ends in the middle must not leave it behind.
    process.once('exit', this.#killAtExit);
  }

  get running(): NodeProcess | undefined {
    return this.#process;
  }

  /** All lines of all lives. */
  get log(): string {
    return this.#earlier + (this.#process?.stderr ?? '');
  }

  /** Settles when it answers. `crashPoint`: where it is to be killed, `name:passes to let through first`. */
  async start(crashPoint?: string): Promise<NodeProcess> {
    if (this.#process !== undefined) throw new Error(`${this.#options.words[0]} is running`);
    if (this.#isClosed) throw new Error(`${this.#options.words[0]} is not wanted any more`);
    const point = crashPoint === undefined ? {} : { TRUSTNODE_CRASH_POINT: crashPoint };
    const variables = Object.entries({ ...this.#options.variables, ...point }).map(
      ([name, value]) => `${name}=${value}`,
    );
    const started = new NodeProcess(this.#options.words, [STACK_SIZE], ['env', ...variables]);
    this.#process = started;
    void started.finished.then(() => {
      this.#earlier += started.stderr;
      this.#process = undefined;
    });
    const [, address = ''] = await started.until(this.#options.listens);
    this.address = address;
    return started;
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** In order; its exit code, null where it was not running or did not end by itself. */
  stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const running = this.#process;
    if (running === undefined) return null;
    running.kill(signal);
    return (await running.finished).code;
  }

  /** It will not be started again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.kill();
    process.off('exit', this.#killAtExit);
  }
}
