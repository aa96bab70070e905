import type { Logger } from '../../base/world.js';
import { durationText } from '../runtime/duration.js';

/** A line for so much time, however many blocks that are: a log of years has tens of millions. */
const LINE_MS = 10_000;

export interface ReplayedSoFar {
  readonly number: number;
  readonly last: number;
  readonly transactions: number;
}

/** Says how far applying the blocks of the log has come, at which pace, and how long it will take. */
export class ReplayProgress {
  readonly #log: Logger;
  readonly #monotonicMs: () => number;
  #shown: { readonly ms: number; readonly number: number; readonly transactions: number } | undefined;

  constructor(log: Logger, monotonicMs: () => number) {
    this.#log = log;
    this.#monotonicMs = monotonicMs;
  }

  look({ number, last, transactions }: ReplayedSoFar): void {
    const ms = this.#monotonicMs();
    const before = this.#shown;
    if (before !== undefined && ms - before.ms < LINE_MS) return;
    this.#shown = { ms, number, transactions };
    // The first look is only a beginning: most starts are over before the second.
    if (before === undefined) return;
    const seconds = (ms - before.ms) / 1000;
    const blocksPerSec = (number - before.number) / seconds;
    this.#log.info('applying blocks of the log', {
      num: number,
      of: last,
      percent: Math.floor((number / last) * 1000) / 10,
      blocksPerSec: Math.round(blocksPerSec),
      txsPerSec: Math.round((transactions - before.transactions) / seconds),
      left: durationText((last - number) / blocksPerSec),
    });
  }
}
