import { ChainError } from '../../src/base/errors.js';
import type { Clock, Logger } from '../../src/base/world.js';

/** Thrown to whoever waits when nothing is tried any more. */
export class GivenUp extends Error {}

const FIRST_WAIT_MS = 100;
const WAIT_MS_MAX = 30_000;
/** Between two lines in the log about the same trouble. */
const TOLD_MS = 60_000;

export interface RetryParts {
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** There is trouble, more of it, or none any more. */
  onChange?(): void;
}

export const textOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

/** Tries again for as long as it takes, with pauses that grow, and says so now and then. */
export class Retry {
  readonly #parts: RetryParts;
  #waitMs = FIRST_WAIT_MS;
  #toldMs: number | undefined;
  readonly #given = new AbortController();
  #wake: (() => void) | undefined;
  /** Why the last try has failed; undefined when it has not. */
  trouble: string | undefined;
  count = 0;

  constructor(parts: RetryParts) {
    this.#parts = parts;
  }

  /** What fails from now on fails for good. */
  giveUp(): void {
    this.#given.abort();
    this.#wake?.();
  }

  /** Ends requests that are under way. */
  get signal(): AbortSignal {
    return this.#given.signal;
  }

  /** What the last try was about has come about. */
  succeeded(): void {
    if (this.trouble !== undefined) {
      if (this.#toldMs !== undefined) this.#parts.log.info('the search database takes what it is given again');
      this.trouble = undefined;
      this.#toldMs = undefined;
      this.#parts.onChange?.();
    }
    this.#waitMs = FIRST_WAIT_MS;
  }

  /** Waits before the next try. */
  async failed(what: string, reason: string): Promise<void> {
    const { clock, log } = this.#parts;
    this.trouble = reason;
    this.count++;
    this.#parts.onChange?.();
    const nowMs = clock.monotonicMs();
    if (this.#toldMs === undefined || nowMs - this.#toldMs >= TOLD_MS) {
      this.#toldMs = nowMs;
      log.warn('the search database does not take what it is given, the node goes on', { while: what, reason });
    }
    if (!this.signal.aborted) await this.#pause();
    if (this.signal.aborted) throw new GivenUp(reason);
  }

  async #pause(): Promise<void> {
    const waitMs = this.#waitMs;
    this.#waitMs = Math.min(waitMs * 2, WAIT_MS_MAX);
    await new Promise<void>((resolve) => {
      const cancel = this.#parts.clock.after(waitMs, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
    this.#wake = undefined;
  }

  /** `isFinal`: what no second try can change. */
  async until<T>(
    what: string,
    attempt: (how: { readonly signal: AbortSignal }) => Promise<T>,
    isFinal: (error: unknown) => boolean = (error) => error instanceof ChainError,
  ): Promise<T> {
    for (;;) {
      try {
        const value = await attempt(this);
        this.succeeded();
        return value;
      } catch (error) {
        if (isFinal(error)) throw error;
        await this.failed(what, textOf(error));
      }
    }
  }
}
