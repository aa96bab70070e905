import * as fs from 'node:fs';
import { guarded } from '../../storage/errors.js';
import type { LogSink } from './logger.js';

/** The standard error output, and a file if one is wanted. Written at once: the last line before a crash matters most. */
export class LogOutput implements LogSink {
  readonly #path: string | undefined;
  readonly #toStream: (line: string) => void;
  #descriptor: number | undefined;
  #isFailing = false;

  /** Throws where the file cannot be written: whoever starts a program is told. */
  constructor(path: string | undefined, toStream: (line: string) => void = (line) => process.stderr.write(line)) {
    this.#path = path;
    this.#toStream = toStream;
    if (path !== undefined) this.#open(path);
  }

  #open(path: string): number {
    this.#descriptor ??= guarded(path, () => fs.openSync(path, 'a', 0o644));
    return this.#descriptor;
  }

  /** After somebody has moved the file away. */
  reopen(): void {
    this.close();
    this.#toFile((path) => void this.#open(path));
  }

  write(line: string): void {
    this.#toStream(line);
    this.#toFile((path) => void fs.writeSync(this.#open(path), line));
  }

  /** A full disk, or a folder that is gone, must not stop a node because of its log: the stream still has the lines. */
  #toFile(work: (path: string) => void): void {
    if (this.#path === undefined) return;
    try {
      work(this.#path);
      this.#isFailing = false;
    } catch {
      if (!this.#isFailing)
        this.#toStream(`cannot write to ${this.#path}, logging goes on without it until that is possible again\n`);
      this.#isFailing = true;
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) fs.closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
