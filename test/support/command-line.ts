import { runCommandLine } from '../../src/commands/run.js';
import { EXIT, type Terminal } from '../../src/commands/terminal.js';
import type { Outcome } from './run-trustnode.js';

/** A terminal that keeps what is written and has been typed what it gives. */
class TextTerminal implements Terminal {
  readonly isTTY = false;
  readonly columns = undefined;
  exitCode: number = EXIT.done;
  stdout = '';
  stderr = '';
  readonly #input: string;

  constructor(input: string) {
    this.#input = input;
  }

  readonly out = (text: string): void => {
    this.stdout += text;
  };

  readonly err = (text: string): void => {
    this.stderr += text;
  };

  input(): Uint8Array {
    return new TextEncoder().encode(this.#input);
  }
}

/**
 * A command line of `trustnode` in this process: the same parser, commands, texts and exit codes as `runTrustnode`,
 * without the second that a process takes to start. That the streams and the exit code of a process follow is tested
 * with one process for each command.
 */
export async function commandLine(args: readonly string[], input = ''): Promise<Outcome> {
  const terminal = new TextTerminal(input);
  // Contracts of tests need little of the stack; that a process is started with enough is a test of its own.
  await runCommandLine(args, terminal, { version: '0.0.0', prepareStack: () => undefined });
  return { code: terminal.exitCode, stdout: terminal.stdout, stderr: terminal.stderr };
}
