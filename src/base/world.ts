/** What the node needs from the world around it. The core knows none of this; the parts around it are handed it. */

export interface Clock {
  /** Milliseconds since 1970, UTC. */
  nowMs(): number;
  /** Milliseconds of a clock that never jumps. */
  monotonicMs(): number;
  after(delayMs: number, run: () => void): Cancel;
}
export type Cancel = () => void;

export interface Random {
  bytes(count: number): Uint8Array;
}

/** Beside what every line has: a value of such a name would stand in its place. */
export type LogValues = Readonly<Record<string, unknown>> & {
  readonly time?: never;
  readonly level?: never;
  readonly module?: never;
  readonly text?: never;
};

/** Constant text, values beside it. */
export interface Logger {
  debug(text: string, values?: LogValues): void;
  info(text: string, values?: LogValues): void;
  warn(text: string, values?: LogValues): void;
  error(text: string, values?: LogValues): void;
  child(module: string): Logger;
}
