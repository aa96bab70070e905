import { check, defineErrors } from '../../base/errors.js';
import type { Logger } from '../../base/world.js';
import type { Chain } from '../../chain/chain.js';
import type { PrivateKey } from '../../crypto/private-key.js';
import type { BlockImporter } from '../../importer/importer.js';
import type { DevPort, DevStatus } from '../../rpc/ports.js';
import { makeBlock } from './make-block.js';
import type { ShiftedClock } from './shifted-clock.js';

export const DEV_CONTROL_ERRORS = defineErrors({
  dev_time_past: { text: 'time does not go back behind the head block, which is of ${head}; ${wanted} does' },
  dev_time_far: { text: 'the time ${wanted} is beyond what the chain can write, which ends at ${limit}' },
});

/** Times of blocks are unsigned 32-bit numbers; a year of room is left for what adds to them, expirations above all. */
const TIME_MAX_SEC = 0xffff_ffff - 366 * 86_400;
/** Everything else gets its turn after so many blocks. */
const BLOCKS_AT_ONCE = 50;

const turnOfOthers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const timeText = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 19);

export interface DevControlParts {
  readonly chain: Chain;
  readonly clock: ShiftedClock;
  readonly importer: BlockImporter;
  readonly keys: readonly PrivateKey[];
  readonly log: Logger;
}

/** Time and blocks of a development chain, in the hands of whoever tests on it. */
export class DevControl implements DevPort {
  readonly #p: DevControlParts;
  #isProducing = true;

  constructor(parts: DevControlParts) {
    this.#p = parts;
    // What was mined ahead of the clock before a restart would stop the chain for as long.
    this.#reach(parts.chain.queries.head.time);
  }

  /** Whether blocks are made at their time. */
  get isProducing(): boolean {
    return this.#isProducing;
  }

  status(): DevStatus {
    const { head } = this.#p.chain.queries;
    return {
      head_block_number: head.number,
      head_block_time: head.time,
      now: this.#nowSec,
      producing: this.#isProducing,
    };
  }

  async mine(blocks: number, secondsBetween: number): Promise<DevStatus> {
    const { chain, importer, keys } = this.#p;
    const { queries } = chain;
    for (let i = 0; i < blocks; i++) {
      const notBefore = queries.head.time + secondsBetween;
      checkTime(notBefore);
      let slot = Math.max(1, queries.slotAt(notBefore));
      if (queries.slotTime(slot) < notBefore) slot++;
      checkTime(queries.slotTime(slot));
      makeBlock({ chain, importer }, keys, slot);
      this.#reach(queries.head.time);
      if (i % BLOCKS_AT_ONCE === BLOCKS_AT_ONCE - 1) await turnOfOthers();
    }
    return this.status();
  }

  setTime(seconds: number): DevStatus {
    const { head } = this.#p.chain.queries;
    const values = { head: timeText(head.time), wanted: timeText(seconds) };
    check(seconds >= head.time, DEV_CONTROL_ERRORS.dev_time_past, values);
    checkTime(seconds);
    this.#p.clock.shift(seconds - this.#nowSec);
    this.#p.log.info('the time of the chain was set by hand', { now: timeText(seconds) });
    return this.status();
  }

  increaseTime(seconds: number): DevStatus {
    return this.setTime(this.#nowSec + seconds);
  }

  setProducing(isOn: boolean): DevStatus {
    this.#isProducing = isOn;
    return this.status();
  }

  get #nowSec(): number {
    return Math.floor(this.#p.clock.nowMs() / 1000);
  }

  #reach(seconds: number): void {
    if (seconds > this.#nowSec) this.#p.clock.shift(seconds - this.#nowSec);
  }
}

function checkTime(seconds: number): void {
  const values = { wanted: timeText(seconds), limit: timeText(TIME_MAX_SEC) };
  check(seconds <= TIME_MAX_SEC, DEV_CONTROL_ERRORS.dev_time_far, values);
}
