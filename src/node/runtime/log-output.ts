import * as fs from 'node:fs';
import { guarded } from '../../storage/errors.js';
import type { LogSink } from './logger.js';

/** The standard error output, and a file if one is wanted. Written at once: the last line before a crash matters most. */
export class LogOutput implements LogSink {
  readonly #path: string | undefined;
  readonly #toStream: (line: string) => void;
  #descriptor: number | undefined;

  constructor(path: string | undefined, toStream: (line: string) => void = (line) => process.stderr.write(line)) {
    this.#path = path;
    this.#toStream = toStream;
    this.reopen();
  }

  /** After somebody has moved the file away. */
  reopen(): void {
    this.close();
    const path = this.#path;
    if (path !== undefined) this.#descriptor = guarded(path, () => fs.openSync(path, 'a', 0o644));
  }

  write(line: string): void {
    this.#toStream(line);
    if (this.#descriptor === undefined) return;
    try {
      fs.writeSync(this.#descriptor, line);
    } catch {
      // A full disk must not stop a node because of its log; the stream still has the line.
      this.#descriptor = undefined;
      this.#toStream(`cannot write to ${this.#path}, logging goes on without it\n`);
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) fs.closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
