import type { Logger } from '../../base/world.js';
import { durationText } from '../runtime/duration.js';
import type { Replayed } from '../runtime/start-stage.js';

/** A line for so much time, however many blocks that are: a log of years has tens of millions. */
const LINE_MS = 10_000;
/** The first one comes sooner: who began a long replay wants to know how long. */
const FIRST_LINE_MS = 2_000;

export interface ReplayedSoFar extends Replayed {
  readonly transactions: number;
}

/** Says how far applying the blocks of the log has come, at which pace, and how long it will take. */
export class ReplayProgress {
  readonly #log: Logger;
  readonly #monotonicMs: () => number;
  readonly #tell: (detail: string, replayed: Replayed) => void;
  #left = '';
  #shown: { readonly ms: number; readonly number: number; readonly transactions: number } | undefined;
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
    this.#tell(`applying blocks of the log, ${number} of ${last} (${percent} %)${this.#left}`, { number, last });
    const ms = this.#monotonicMs();
    const before = this.#shown;
    if (before !== undefined && ms - before.ms < this.#lineMs) return;
    this.#shown = { ms, number, transactions };
    // The first look is only a beginning: most starts are over before the second.
    if (before === undefined) return;
    this.#lineMs = LINE_MS;
    const seconds = (ms - before.ms) / 1000;
    const blocksPerSec = (number - before.number) / seconds;
    const left = durationText((last - number) / blocksPerSec);
    this.#left = `, ${Math.round(blocksPerSec)} blocks/s, ${left} left`;
    this.#log.info('applying blocks of the log', {
      num: number,
      of: last,
      percent,
      blocksPerSec: Math.round(blocksPerSec),
      txsPerSec: Math.round((transactions - before.transactions) / seconds),
      left,
    });
  }
}
