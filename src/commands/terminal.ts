import { readFileSync } from 'node:fs';

const STANDARD_INPUT = 0;

/** Where commands read and write: the streams of the process, or the texts of a test. */
export interface Terminal {
  /** Messages are seen by a person as they come. */
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  /** What the program ends with; a command whose answer is no says so here. */
  exitCode: number;
  /** Results. */
  out(text: string): void;
  /** Messages for people. */
  err(text: string): void;
  /** All of the standard input. */
  input(): Uint8Array;
}

export const EXIT = { done: 0, refused: 1, usage: 2 } as const;

/** Whoever reads the results may leave, as `head` does: what is left to say is for nobody, and that is no mistake. */
function leaveWithReader(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit();
  throw error;
}
let isWatched = false;

export const processTerminal: Terminal = {
  isTTY: process.stderr.isTTY === true,
  columns: process.stdout.columns,
  get exitCode() {
    return Number(process.exitCode ?? EXIT.done);
  },
  set exitCode(code) {
    process.exitCode = code;
  },
  out: (text) => {
    if (!isWatched) process.stdout.on('error', leaveWithReader);
    isWatched = true;
    process.stdout.write(text);
  },
  err: (text) => {
    process.stderr.write(text);
  },
  input: () => readFileSync(STANDARD_INPUT),
};
