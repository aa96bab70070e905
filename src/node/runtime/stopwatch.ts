import type { Clock } from '../../base/world.js';
import type { BlockDoor } from '../../chain/doors.js';

/** Measures how long the block door has been at work when somebody asks during it, for the line of each block. */
export class Stopwatch {
  readonly #clock: Clock;
  #startMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  elapsedMs(): number {
    return this.#clock.monotonicMs() - this.#startMs;
  }

  around(door: BlockDoor): BlockDoor {
    const timed =
      <A extends unknown[], R>(work: (...args: A) => R) =>
      (...args: A): R => {
        this.#startMs = this.#clock.monotonicMs();
        return work(...args);
      };
    return {
      get head() {
        return door.head;
      },
      get haltingBug() {
        return door.haltingBug;
      },
      push: timed(door.push),
      produce: timed(door.produce),
      popTo: (number) => door.popTo(number),
      save: () => door.save(),
      saveEvery: (blocks, changes) => door.saveEvery(blocks, changes),
      subscribe: (listener) => door.subscribe(listener),
    };
  }
}
