import type { Cancel, Clock } from '../../base/world.js';

/** Looks at something now and then, and at once when that is wanted; one look after another. */
export class Rounds {
  readonly #clock: Clock;
  readonly #everyMs: number;
  /** Fails never: what went wrong is told by whoever looks. */
  readonly #look: () => Promise<void>;
  #cancel: Cancel | undefined;
  #round: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(clock: Clock, everyMs: number, look: () => Promise<void>) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#look = look;
  }

  /** Behind the look that is under way, if there is one. */
  lookNow(): void {
    if (this.#isStopped) return;
    this.#cancel?.();
    this.#round = this.#round.then(() => this.#look()).then(() => this.#later());
  }

  #later(): void {
    this.#cancel?.();
    if (!this.#isStopped) this.#cancel = this.#clock.after(this.#everyMs, () => this.lookNow());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#round;
  }
}
