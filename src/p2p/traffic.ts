const MINUTE_MS = 60_000;
const MINUTES = 60;

export interface Rates {
  readonly oneMinute: number;
  readonly fifteenMinutes: number;
  readonly oneHour: number;
}

/** Bytes of the last hour, by minutes. */
export class Traffic {
  readonly #minutes = new Array<number>(MINUTES).fill(0);
  #minute = 0;

  add(bytes: number, nowMs: number): void {
    this.#turn(nowMs);
    this.#minutes[this.#minute % MINUTES] = (this.#minutes[this.#minute % MINUTES] as number) + bytes;
  }

  /** Bytes per second. */
  rates(nowMs: number): Rates {
    this.#turn(nowMs);
    return { oneMinute: this.#mean(1), fifteenMinutes: this.#mean(15), oneHour: this.#mean(60) };
  }

  #turn(nowMs: number): void {
    const minute = Math.floor(nowMs / MINUTE_MS);
    const first = Math.max(this.#minute + 1, minute - MINUTES + 1);
    for (let one = first; one <= minute; one++) this.#minutes[one % MINUTES] = 0;
    this.#minute = Math.max(this.#minute, minute);
  }

  #mean(minutes: number): number {
    let sum = 0;
    for (let i = 0; i < minutes; i++) sum += this.#minutes[(this.#minute - i + MINUTES * MINUTES) % MINUTES] as number;
    return Math.min(0xffffffff, Math.round(sum / (60 * minutes)));
  }
}
