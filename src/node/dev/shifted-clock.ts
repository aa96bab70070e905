import type { Cancel, Clock } from '../../base/world.js';

/** A clock whose date runs ahead of another one's. How long something takes, and when a timer is due, stays as it is. */
export class ShiftedClock implements Clock {
  readonly #base: Clock;
  #aheadMs = 0;

  constructor(base: Clock) {
    this.#base = base;
  }

  nowMs(): number {
    return this.#base.nowMs() + this.#aheadMs;
  }

  monotonicMs(): number {
    return this.#base.monotonicMs();
  }

  after(delayMs: number, run: () => void): Cancel {
    return this.#base.after(delayMs, run);
  }

  /** By whole seconds: timers that wait for a full one stay right. */
  shift(seconds: number): void {
    this.#aheadMs += seconds * 1000;
  }
}
