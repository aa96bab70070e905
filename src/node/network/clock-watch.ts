import type { Cancel, Clock, Logger } from '../../base/world.js';

const OFFSET_MS_MAX = 500;
/** Peers that send blocks of what is the future here are left soon: what they say of their clocks is not there for long. */
const LOOK_MS = 5000;
const REPEAT_MS = 60_000;

export interface ClockWatchParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** Milliseconds by which most peers' clocks are ahead of this one; undefined while nobody has said. */
  offsetMs(): number | undefined;
}

/** A clock that most peers disagree with makes blocks at the wrong time, or none: the head looks old, or lies ahead. */
export class ClockWatch {
  readonly #p: ClockWatchParts;
  #cancel: Cancel = () => undefined;
  #offMs = 0;
  #saidMs: number | undefined;

  constructor(parts: ClockWatchParts) {
    this.#p = parts;
  }

  /** What is to be seen behind `/readyz`. It stays while no peer is there to say otherwise. */
  get warning(): string | undefined {
    if (this.#offMs === 0) return undefined;
    const seconds = (Math.abs(this.#offMs) / 1000).toFixed(1);
    return `the clock of this machine is ${seconds} s ${this.#offMs > 0 ? 'behind' : 'ahead of'} those of its peers`;
  }

  start(): void {
    const look = (): void => {
      this.#look();
      this.#cancel = this.#p.clock.after(LOOK_MS, look);
    };
    look();
  }

  stop(): void {
    this.#cancel();
  }

  #look(): void {
    const { clock, log } = this.#p;
    const offsetMs = this.#p.offsetMs();
    if (offsetMs === undefined) return;
    const wasOff = this.#offMs !== 0;
    this.#offMs = Math.abs(offsetMs) > OFFSET_MS_MAX ? Math.round(offsetMs) : 0;
    if (this.#offMs === 0) {
      this.#saidMs = undefined;
      if (wasOff) log.info('the clocks of the peers agree with this one again');
      return;
    }
    const nowMs = clock.monotonicMs();
    if (this.#saidMs !== undefined && nowMs - this.#saidMs < REPEAT_MS) return;
    this.#saidMs = nowMs;
    log.warn('the clocks of the peers differ from this one', { ms: this.#offMs });
  }
}
