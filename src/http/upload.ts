import { ChainError } from '../base/errors.js';
import { HTTP_ERRORS } from './errors.js';
import { CHUNK_BYTES, type Held } from './memory-budget.js';

/** So much may lie ready before the client is held back. */
const AHEAD_BYTES_MAX = 262_144;
/** Small pieces are given out together up to here: a client may send each byte by itself. */
const TOGETHER_BYTES_MAX = 65_536;

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
  /** Of what lies ready, with what the pieces take besides. */
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
      this.#count(this.#bytes + piece.length + CHUNK_BYTES);
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

  /** What has come first; undefined where nothing lies ready. */
  #take(): Uint8Array | undefined {
    const ready = this.#ready;
    let [pieces, bytes] = [0, 0];
    for (const piece of ready) {
      if (pieces > 0 && bytes + piece.length > TOGETHER_BYTES_MAX) break;
      bytes += piece.length;
      pieces++;
    }
    if (pieces === 0) return undefined;
    const taken = ready.splice(0, pieces);
    this.#count(this.#bytes - bytes - pieces * CHUNK_BYTES);
    return pieces === 1 ? taken[0] : Buffer.concat(taken, bytes);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      if (this.#error !== undefined) throw this.#error;
      const piece = this.#take();
      if (piece !== undefined) {
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
