import type { Clock, Logger } from '../../base/world.js';

interface Part {
  readonly name: string;
  readonly stop: () => void | Promise<void>;
}

/**
 * What was started, in order. Stopping goes the other way round, one part after the other, and says so: the database,
 * which is opened first, is closed last.
 */
export class Shutdown {
  readonly #parts: Part[] = [];
  readonly #clock: Clock;
  readonly #log: Logger;
  #stopped: Promise<boolean> | undefined;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  add(name: string, stop: Part['stop']): void {
    this.#parts.push({ name, stop });
  }

  /** True when every part stopped without an error. Calling it again waits for the same stop. */
  stop(): Promise<boolean> {
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
  }

  async #stopAll(): Promise<boolean> {
    let clean = true;
    for (const part of this.#parts.splice(0).reverse()) {
      const start = this.#clock.monotonicMs();
      try {
        await part.stop();
        this.#log.info('stopped', { part: part.name, ms: Math.round(this.#clock.monotonicMs() - start) });
      } catch (error) {
        // The parts behind it, the database above all, must be closed all the same.
        clean = false;
        this.#log.error('could not stop', { part: part.name, error });
      }
    }
    return clean;
  }
}
