import type { SimulatedClock } from './clock.js';
import type { SeededRandom } from './random.js';

/** Blocks and transactions travel as bytes: nodes share nothing. */
export type Message =
  | { readonly kind: 'block'; readonly bytes: Uint8Array }
  | { readonly kind: 'transaction'; readonly bytes: Uint8Array }
  /** What the sender's head is. */
  | { readonly kind: 'status'; readonly number: number; readonly id: string }
  /** Asks for what follows the first of these ids, newest first, that the receiver has in its chain. */
  | { readonly kind: 'want'; readonly ids: readonly string[] }
  | { readonly kind: 'blocks'; readonly list: readonly Uint8Array[] };

export interface NetworkFaults {
  readonly drop: number;
  readonly duplicate: number;
  readonly delayMsMin: number;
  readonly delayMsMax: number;
  /** Now and then a message takes much longer, and others overtake it. */
  readonly slow: number;
  readonly slowMsMax: number;
}

export const CALM: NetworkFaults = { drop: 0, duplicate: 0, delayMsMin: 10, delayMsMax: 60, slow: 0, slowMsMax: 0 };

export interface NetworkParts {
  readonly clock: SimulatedClock;
  readonly random: SeededRandom;
  readonly deliver: (from: number, to: number, message: Message) => void;
}

export class SimulatedNetwork {
  faults: NetworkFaults = CALM;
  readonly #p: NetworkParts;
  /** Nodes of one side of a partition; undefined while everybody reaches everybody. */
  #side: ReadonlySet<number> | undefined;
  counts = { sent: 0, dropped: 0, duplicated: 0, cut: 0 };

  constructor(parts: NetworkParts) {
    this.#p = parts;
  }

  get isParted(): boolean {
    return this.#side !== undefined;
  }

  part(side: readonly number[]): void {
    this.#side = new Set(side);
  }

  heal(): void {
    this.#side = undefined;
  }

  send(from: number, to: number, message: Message): void {
    this.counts.sent++;
    const { random } = this.#p;
    if (random.chance(this.faults.drop)) {
      this.counts.dropped++;
      return;
    }
    this.#sendOnce(from, to, message);
    if (!random.chance(this.faults.duplicate)) return;
    this.counts.duplicated++;
    this.#sendOnce(from, to, message);
  }

  #sendOnce(from: number, to: number, message: Message): void {
    const { clock, random, deliver } = this.#p;
    const { delayMsMin, delayMsMax, slow, slowMsMax } = this.faults;
    const delay = random.chance(slow) ? random.between(delayMsMax, slowMsMax) : random.between(delayMsMin, delayMsMax);
    clock.after(delay, to, () => {
      // A partition also swallows what was under way when it came.
      if (this.#side !== undefined && this.#side.has(from) !== this.#side.has(to)) this.counts.cut++;
      else deliver(from, to, message);
    });
  }
}
