import { type ChildProcess, spawn } from 'node:child_process';
import { STACK_SIZE } from '../runner/stack-size.js';
import { endWithUs } from './ends-with-us.js';
import { TRUSTNODE } from './run-trustnode.js';

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * `trustnode` as a process of its own. `through`: the command that is to start it, such as one for a network namespace;
 * `program`: another Node.
 */
export class NodeProcess {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  stdout = '';
  stderr = '';
  #watchers: (() => void)[] = [];

  constructor(
    args: readonly string[],
    flags: readonly string[] = [STACK_SIZE],
    through: readonly string[] = [],
    program = process.execPath,
  ) {
    const [command, ...words] = [...through, program, ...flags, TRUSTNODE, ...args] as [string, ...string[]];
    this.child = spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    endWithUs(this.child);
    const listen = (stream: 'stdout' | 'stderr') =>
      this.child[stream]?.setEncoding('utf8').on('data', (text: string) => {
        this[stream] += text;
        for (const watch of this.#watchers) watch();
      });
    listen('stdout');
    listen('stderr');
    this.finished = new Promise((resolve) =>
      this.child.on('close', (code, signal) => {
        for (const watch of this.#watchers) watch();
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr });
      }),
    );
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Waits until the output of either stream matches; fails when the process ends before. */
  async until(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.stderr) ?? pattern.exec(this.stdout);
      if (found !== null) return found;
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        throw new Error(`the process ended without ${pattern}: ${this.stderr}${this.stdout}`);
      }
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
      this.#watchers = [];
    }
  }
}
