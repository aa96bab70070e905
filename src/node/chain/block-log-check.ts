import { ChainError, type ErrorRow } from '../../base/errors.js';
import type { Cancel, Clock, Logger } from '../../base/world.js';
import type { BlockLog } from '../../storage/block-log.js';
import { STORAGE_ERRORS } from '../../storage/errors.js';

const DAMAGES: readonly ErrorRow[] = [STORAGE_ERRORS.block_log_corrupt, STORAGE_ERRORS.block_index_corrupt];

/** Between two turns; one turn takes a few milliseconds of the main thread. */
const TURN_MS = 250;
/** Read and compared in one turn: 2 MiB/s, an hour for each 7 GB. */
const TURN_BYTES = 512 * 1024;
const TURN_BLOCKS = 500;
/** From the end of one round to the beginning of the next one. */
const REST_MS = 24 * 3600 * 1000;
/** Until a block is read again that the system did not give out. */
const RETRY_MS = 60_000;
/** Times in a row; then the rest is left for the next round. */
const RETRIES_MAX = 10;

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
  /** Times in a row that the system has refused to read. */
  #refused = 0;
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
      const compared = this.#compare(this.#next);
      if (compared === undefined) {
        this.#again();
        return;
      }
      this.#refused = 0;
      bytes += compared;
      this.#next++;
    }
    if (this.#next <= last) {
      this.#wait(TURN_MS);
      return;
    }
    if (last > 0) logger.info('the block log was read to its end', { block: last, damaged: this.#damaged });
    this.#rest();
  }

  #rest(): void {
    this.#next = 0;
    this.#damaged = 0;
    this.#refused = 0;
    this.#wait(REST_MS);
  }

  /** What the system refuses says nothing of the block: too many open files or an unplugged disk may pass. */
  #again(): void {
    if (++this.#refused < RETRIES_MAX) {
      this.#wait(RETRY_MS);
      return;
    }
    this.#parts.logger.error('the block log cannot be read; its check is put off', { block: this.#next });
    this.#rest();
  }

  /** Bytes of the block; undefined: the system has refused to read it. */
  #compare(number: number): number | undefined {
    const { log, logger, onDamage } = this.#parts;
    try {
      return log.read(number)?.length ?? 0;
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      if (!DAMAGES.includes(error.row)) {
        if (this.#refused === 0)
          logger.warn('a block of the log cannot be read', { block: number, error: error.message });
        return undefined;
      }
      this.#damaged++;
      logger.error('a block of the log is damaged', { block: number, error: error.message, hint: error.hint });
      onDamage(number);
      return 0;
    }
  }
}
