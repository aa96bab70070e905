import type { Cancel, Clock, Logger } from '../../base/world.js';
import type { ChainEvent } from '../../chain/events.js';
import { durationText } from '../runtime/duration.js';

export interface SyncProgressParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** Blocks that peers have and this node has not. */
  readonly behind: () => number;
  readonly head: () => number;
}

/** What the last while looked like. */
export interface SyncRates {
  readonly blocksPerSec: number;
  readonly transactionsPerSec: number;
  /** Seconds until the last block that is known of is here, at this pace; undefined where there is no pace. */
  readonly leftSec: number | undefined;
}

const LOOK_MS = 10_000;
/** Nearer to the head than that is no catching up: every new block is somewhere for a moment. */
const NEAR_BLOCKS = 20;

/** Says how far catching up has come, as long as there is something to catch up with. */
export class SyncProgress {
  readonly #p: SyncProgressParts;
  #cancel: Cancel = () => undefined;
  #blocks = 0;
  #transactions = 0;
  #sinceMs: number;
  #isBehind = false;
  #startedMs = 0;
  #startHead = 0;
  #rates: SyncRates = { blocksPerSec: 0, transactionsPerSec: 0, leftSec: undefined };

  constructor(parts: SyncProgressParts) {
    this.#p = parts;
    this.#sinceMs = parts.clock.monotonicMs();
  }

  get rates(): SyncRates {
    return this.#rates;
  }

  listen(event: ChainEvent): void {
    if (event.kind !== 'applied') return;
    this.#blocks++;
    this.#transactions += event.block.block.transactions.length;
  }

  start(): void {
    this.#cancel = this.#p.clock.after(LOOK_MS, () => {
      this.start();
      this.#look();
    });
  }

  stop(): void {
    this.#cancel();
  }

  #look(): void {
    const { clock, log, behind, head } = this.#p;
    const nowMs = clock.monotonicMs();
    const seconds = Math.max(0.001, (nowMs - this.#sinceMs) / 1000);
    const left = behind();
    const blocksPerSec = this.#blocks / seconds;
    this.#rates = {
      blocksPerSec,
      transactionsPerSec: this.#transactions / seconds,
      leftSec: blocksPerSec === 0 ? undefined : left / blocksPerSec,
    };
    this.#blocks = 0;
    this.#transactions = 0;
    this.#sinceMs = nowMs;
    if (left > NEAR_BLOCKS) {
      if (!this.#isBehind) {
        this.#startedMs = nowMs;
        this.#startHead = head();
      }
      this.#isBehind = true;
      log.info('catching up with the network', {
        num: head(),
        behind: left,
        blocksPerSec: Math.round(blocksPerSec),
        txsPerSec: Math.round(this.#rates.transactionsPerSec),
        left: this.#rates.leftSec === undefined ? 'unknown' : durationText(this.#rates.leftSec),
      });
    } else if (this.#isBehind) {
      this.#isBehind = false;
      const [num, took] = [head(), durationText((nowMs - this.#startedMs) / 1000)];
      const blocks = num - this.#startHead;
      if (blocks > 0) log.info('level with the network', { num, blocks, took });
      else log.warn('no peer tells of more blocks any longer, and those that did gave none', { num, took });
    }
  }
}
