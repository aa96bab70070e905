import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
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
  /** Where its process is named, so that the next one can end it after a kill -9 of whoever started it. */
  readonly pidFile?: string;
}

const LOOK_MS = 20;

function commandLineOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** The process that the file names, if it still is this program: its number may have got another owner. */
async function endLeftOver(pidFile: string, words: readonly string[]): Promise<void> {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8'));
  const dataDir = words[words.indexOf('--data-dir') + 1] as string;
  const isOurs = (): boolean => [words[0] as string, dataDir].every((word) => commandLineOf(pid).includes(word));
  if (isOurs()) process.kill(pid, 'SIGKILL');
  while (isOurs()) await pause(LOOK_MS);
}

export class Program {
  readonly #options: ProgramOptions;
  #process: NodeProcess | undefined;
  /** Where it answers, in this life. */
  address = '';
  #isClosed = false;
  #hasBegun = false;
  /** What earlier lives have said. */
  #earlier = '';

  constructor(options: ProgramOptions) {
    this.#options = options;
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
    const { words, pidFile } = this.#options;
    if (pidFile !== undefined && !this.#hasBegun) await endLeftOver(pidFile, words);
    this.#hasBegun = true;
    if (this.#process !== undefined) throw new Error(`${words[0]} is running`);
    if (this.#isClosed) throw new Error(`${words[0]} is not wanted any more`);
    const point = crashPoint === undefined ? {} : { TRUSTNODE_CRASH_POINT: crashPoint };
    const variables = Object.entries({ ...this.#options.variables, ...point }).map(
      ([name, value]) => `${name}=${value}`,
    );
    const started = new NodeProcess(words, [STACK_SIZE], ['env', ...variables]);
    this.#process = started;
    if (pidFile !== undefined) writeFileSync(pidFile, String(started.child.pid));
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
  }
}
