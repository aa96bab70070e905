import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { STACK_SIZE } from '../runner/stack-size.js';
import { TRUSTNODE } from './run-trustnode.js';

/**
 * `trustnode` at a terminal, as a person has it: `script`, which every Debian has, gives it one. What is typed goes in,
 * what the screen would show comes out.
 */
export class PseudoTerminal {
  readonly #child: ChildProcess;
  #shown = '';
  #read = 0;
  #wake: () => void = () => undefined;
  readonly ended: Promise<number | null>;

  /** `program`: what runs there in place of `trustnode`. */
  constructor(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    program: readonly string[] = [process.execPath, STACK_SIZE, TRUSTNODE],
  ) {
    const quoted = [...program, ...args].map((arg) => `'${arg.replaceAll("'", "'\\''")}'`);
    this.#child = spawn('script', ['-qefc', `stty cols 200; exec ${quoted.join(' ')}`, '/dev/null'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, TERM: 'xterm', NO_COLOR: '1', ...env },
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#shown += text;
      this.#wake();
    });
    this.ended = once(this.#child, 'close').then(([code]) => {
      this.#wake();
      return code as number | null;
    });
  }

  /** All that was shown, control sequences and all. */
  get shown(): string {
    return this.#shown;
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  /** What was shown since the last time, up to `end` and with it. */
  async until(end: RegExp | string, ms = 30_000): Promise<string> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#wake();
    }, ms);
    try {
      return await this.#wait(end, () => isLate);
    } finally {
      clearTimeout(timer);
    }
  }

  async #wait(end: RegExp | string, isLate: () => boolean): Promise<string> {
    for (;;) {
      const fresh = this.#shown.slice(this.#read);
      const found = typeof end === 'string' ? fresh.indexOf(end) : fresh.search(end);
      if (found >= 0) {
        const length = typeof end === 'string' ? end.length : (end.exec(fresh)?.[0].length ?? 0);
        this.#read += found + length;
        return plain(fresh.slice(0, found + length));
      }
      if (isLate() || this.#child.exitCode !== null) {
        throw new Error(`${String(end)} was not shown, but: ${JSON.stringify(fresh)}`);
      }
      await new Promise<void>((done) => {
        this.#wake = done;
      });
    }
  }

  /** The answer to a line, up to the next prompt. */
  async run(line: string, prompt = '>>> '): Promise<string> {
    this.type(`${line}\r`);
    await this.until(/\n/);
    const answer = await this.until(prompt);
    return answer.slice(0, answer.lastIndexOf('\n') + 1);
  }

  stop(): void {
    this.#child.kill();
  }
}

const CONTROL = /\u001b\[[\d;?]*[A-Za-z]/g;

/** Without control sequences, and with plain line ends. */
export function plain(text: string): string {
  return text.replace(CONTROL, '').replaceAll('\r', '');
}
