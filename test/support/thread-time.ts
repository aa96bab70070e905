import { closeSync, openSync, readSync } from 'node:fs';

/**
 * CPU time of the main thread, which is what a request takes from everybody else. The clock would count what the
 * machine's other work takes from the thread. Undefined where the system does not tell it.
 */
export class ThreadTime {
  readonly #file: number;
  readonly #buffer = Buffer.alloc(64);

  private constructor(file: number) {
    this.#file = file;
  }

  static open(): ThreadTime | undefined {
    try {
      // The main thread's number is that of the process.
      return new ThreadTime(openSync(`/proc/self/task/${process.pid}/schedstat`, 'r'));
    } catch {
      return undefined;
    }
  }

  /** Milliseconds so far. */
  now(): number {
    // The file is as old as the system's last tick; asked for the time of the process, it counts up to this moment.
    process.cpuUsage();
    const bytes = readSync(this.#file, this.#buffer, 0, this.#buffer.length, 0);
    return Number(this.#buffer.toString('latin1', 0, bytes).split(' ')[0]) / 1e6;
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Finds the longest time that the main thread worked without a turn of its event loop. */
export class Watchdog {
  readonly #time: ThreadTime;
  #longestMs = 0;
  #last: number;
  #isOver = false;

  constructor(time: ThreadTime) {
    this.#time = time;
    this.#last = time.now();
    setImmediate(this.#look);
  }

  readonly #look = (): void => {
    const now = this.#time.now();
    this.#longestMs = Math.max(this.#longestMs, now - this.#last);
    this.#last = now;
    if (!this.#isOver) setImmediate(this.#look);
  };

  /** The longest time since the last call. Ends with a turn of the loop, so that what is under way counts. */
  async take(): Promise<number> {
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    const longest = this.#longestMs;
    this.#longestMs = 0;
    return longest;
  }

  close(): void {
    this.#isOver = true;
  }
}
