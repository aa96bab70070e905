import type { Logger } from '../../base/world.js';
import { durationText } from '../runtime/duration.js';
import type { Replayed } from '../runtime/start-stage.js';

/** A line for so much time, however many blocks that are: a log of years has tens of millions. */
const LINE_MS = 10_000;
/** The first one comes sooner: who began a long replay wants to know how long. */
const FIRST_LINE_MS = 2_000;
/** Who asks between two lines hears of the pace since the last one, once that is this long ago. */
const PACE_MS = 1_000;

export interface ReplayedSoFar extends Replayed {
  readonly transactions: number;
}

interface Shown {
  readonly ms: number;
  readonly number: number;
  readonly transactions: number;
}

interface Pace {
  readonly blocksPerSec: number;
  readonly left: string;
}

/** Says how far applying the blocks of the log has come, at which pace, and how long it will take. */
export class ReplayProgress {
  readonly #log: Logger;
  readonly #monotonicMs: () => number;
  readonly #tell: (detail: string, replayed: Replayed) => void;
  #left = '';
  #shown: Shown | undefined;
  #lineMs = FIRST_LINE_MS;

  /** `tell` is told at every look, for those who ask. */
  constructor(
    log: Logger,
    monotonicMs: () => number,
    tell: (detail: string, replayed: Replayed) => void = () => undefined,
  ) {
    this.#log = log;
    this.#monotonicMs = monotonicMs;
    this.#tell = tell;
  }

  look({ number, last, transactions }: ReplayedSoFar): void {
    const percent = Math.floor((number / last) * 1000) / 10;
    const ms = this.#monotonicMs();
    const before = this.#shown;
    const pace = before === undefined || ms - before.ms < PACE_MS ? undefined : this.#pace(before, ms, number, last);
    if (pace !== undefined) this.#left = `, ${pace.blocksPerSec} blocks/s, ${pace.left} left`;
    this.#tell(`applying blocks of the log, ${number} of ${last} (${percent} %)${this.#left}`, { number, last });
    if (before !== undefined && ms - before.ms < this.#lineMs) return;
    this.#shown = { ms, number, transactions };
    // The first look is only a beginning: most starts are over before the second.
    if (before === undefined || pace === undefined) return;
    this.#lineMs = LINE_MS;
    const txsPerSec = Math.round((1000 * (transactions - before.transactions)) / (ms - before.ms));
    const { blocksPerSec, left } = pace;
    this.#log.info('applying blocks of the log', { num: number, of: last, percent, blocksPerSec, txsPerSec, left });
  }

  #pace(since: Shown, ms: number, number: number, last: number): Pace {
    const blocksPerSec = (1000 * (number - since.number)) / (ms - since.ms);
    return { blocksPerSec: Math.round(blocksPerSec), left: durationText((last - number) / blocksPerSec) };
  }
}
