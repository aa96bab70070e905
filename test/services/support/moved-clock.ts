import type { Clock } from '../../../src/base/world.js';
import { systemClock } from '../../../src/node/runtime/clock.js';

/** The real time, moved by a test: days pass at once. */
export class MovedClock implements Clock {
  #ahead = 0;

  move(ms: number): void {
    this.#ahead += ms;
  }

  nowMs(): number {
    return systemClock.nowMs() + this.#ahead;
  }

  monotonicMs(): number {
    return systemClock.monotonicMs() + this.#ahead;
  }

  after(delayMs: number, run: () => void): () => void {
    return systemClock.after(delayMs, run);
  }
}
