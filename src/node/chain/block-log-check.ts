import { ChainError } from '../../base/errors.js';
import type { Cancel, Clock, Logger } from '../../base/world.js';
import type { BlockLog } from '../../storage/block-log.js';

/** Between two turns; one turn takes a few milliseconds of the main thread. */
const TURN_MS = 250;
/** Read and compared in one turn: 2 MiB/s, an hour for each 7 GB. */
const TURN_BYTES = 512 * 1024;
const TURN_BLOCKS = 500;
/** From the end of one round to the beginning of the next one. */
const REST_MS = 24 * 3600 * 1000;

export interface BlockLogCheckParts {
  readonly log: Pick<BlockLog, 'firstNumber' | 'read'>;
  /** Blocks up to this one are never cut again. */
  readonly irreversible: () => number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onDamage: (number: number) => void;
}

/**
 * Blocks far behind the head are read once in years, by somebody who then needs them. This reads all of them slowly, in
 * the background, over and over: damage is found while another copy of the block still exists somewhere.
 */
export class BlockLogCheck {
  readonly #parts: BlockLogCheckParts;
  #next = 0;
  #damaged = 0;
  #cancel: Cancel = () => undefined;

  constructor(parts: BlockLogCheckParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#wait(TURN_MS);
  }

  stop(): void {
    this.#cancel();
  }

  #wait(ms: number): void {
    this.#cancel = this.#parts.clock.after(ms, () => this.#turn());
  }

  #turn(): void {
    const { log, irreversible, logger } = this.#parts;
    const last = irreversible();
    if (this.#next === 0) this.#next = log.firstNumber;
    let bytes = 0;
    for (let i = 0; i < TURN_BLOCKS && bytes < TURN_BYTES && this.#next <= last; i++) {
      bytes += this.#compare(this.#next++);
    }
    if (this.#next <= last) {
      this.#wait(TURN_MS);
      return;
    }
    if (last > 0) logger.info('the block log was read to its end', { block: last, damaged: this.#damaged });
    this.#next = 0;
    this.#damaged = 0;
    this.#wait(REST_MS);
  }

  #compare(number: number): number {
    const { log, logger, onDamage } = this.#parts;
    try {
      return log.read(number)?.length ?? 0;
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      this.#damaged++;
      logger.error('a block of the log is damaged', { block: number, error: error.message });
      onDamage(number);
      return 0;
    }
  }
}
