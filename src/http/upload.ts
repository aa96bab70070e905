import { ChainError } from '../base/errors.js';
import { HTTP_ERRORS } from './errors.js';
import type { Held } from './memory-budget.js';

/** So much may lie ready before the client is held back. */
const AHEAD_BYTES_MAX = 262_144;

/** Holds back what the client sends, or lets it come again. */
export interface Valve {
  pause(): void;
  resume(): void;
}

/** A body that is taken while it comes. What lies ready is counted; while nobody takes it, no more comes. */
export class Upload implements AsyncIterable<Uint8Array> {
  readonly #valve: Valve;
  readonly #held: Held;
  readonly #ready: Uint8Array[] = [];
  #bytes = 0;
  #isPaused = false;
  #isWhole = false;
  #error: ChainError | undefined;
  #wake: (() => void) | undefined;

  constructor(valve: Valve, held: Held) {
    this.#valve = valve;
    this.#held = held;
  }

  /** Whether it is the reader that is waited for. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** The piece is the upload's own from here on. */
  got(piece: Uint8Array, isLast: boolean): void {
    if (this.#error !== undefined || this.#isWhole) return;
    this.#isWhole = isLast;
    if (piece.length > 0) {
      this.#ready.push(piece);
      this.#bytes += piece.length;
      this.#held.set(this.#bytes);
      if (this.#bytes > AHEAD_BYTES_MAX && !isLast && !this.#isPaused) {
        this.#isPaused = true;
        this.#valve.pause();
      }
    }
    this.#tell();
  }

  /** No more will come: the client has gone or has sent too much. What lies ready is not worth anything alone. */
  fail(error: ChainError): void {
    if (this.#isWhole && this.#ready.length === 0) return;
    this.#error ??= error;
    this.#ready.length = 0;
    this.#count(0);
    this.#tell();
  }

  #tell(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  #count(bytes: number): void {
    this.#bytes = bytes;
    this.#held.set(bytes);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      if (this.#error !== undefined) throw this.#error;
      const piece = this.#ready.shift();
      if (piece !== undefined) {
        this.#count(this.#bytes - piece.length);
        if (this.#isPaused && this.#bytes <= AHEAD_BYTES_MAX / 2) {
          this.#isPaused = false;
          this.#valve.resume();
        }
        yield piece;
      } else if (this.#isWhole) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}

export const gone = (): ChainError => new ChainError(HTTP_ERRORS.http_gone);
