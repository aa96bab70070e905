import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ChainError, fail } from '../base/errors.js';
import type { Clock, Logger } from '../base/world.js';
import type { Json } from '../codec/json.js';
import type { Fields } from '../codec/struct.js';
import type { CommandTable } from './commands/define.js';
import { WALLET_FILE_ERRORS } from './errors.js';

/** What programs ask a wallet for, a line of JSON each: without answers, and without the keys and passwords in it. */

/** So large the file becomes the older one, in the place of the one that was: a daemon is asked for years. */
export const RPC_LOG_BYTES = 64 * 1_048_576;

const PRIVATE = 0o600;
const MASK = '***';

/** Arguments as they may be kept. Those of an unknown command may be anything. */
function maskedParams(table: CommandTable, method: string, params: readonly Json[]): readonly Json[] | string {
  const definition = Object.hasOwn(table, method) ? table[method] : undefined;
  if (definition === undefined) return MASK;
  const names = Object.keys(definition.params as Fields);
  return params.map((value, i) => {
    const name = names[i];
    return name === undefined || definition.secret?.includes(name) === true ? MASK : value;
  });
}

export class RpcLog {
  readonly #file: string;
  readonly #table: CommandTable;
  readonly #clock: Clock;
  readonly #log: Logger;
  #isBroken = false;

  /** Refused at the start when the file cannot be written. */
  constructor(file: string, table: CommandTable, world: { readonly clock: Clock; readonly log: Logger }) {
    this.#file = file;
    this.#table = table;
    this.#clock = world.clock;
    this.#log = world.log;
    try {
      mkdirSync(dirname(file), { recursive: true });
      appendFileSync(file, '', { mode: PRIVATE });
    } catch (error) {
      fail(WALLET_FILE_ERRORS.wallet_file_write, { file, reason: (error as Error).message });
    }
  }

  /** The same work, with a line about it. A log that cannot be written holds nobody up. */
  async around(method: string, params: readonly Json[], run: () => Promise<Json>): Promise<Json> {
    const began = this.#clock.nowMs();
    // People set the other one.
    const beganMs = this.#clock.monotonicMs();
    let outcome = 'done';
    try {
      return await run();
    } catch (error) {
      outcome = error instanceof ChainError ? error.key : 'failed';
      throw error;
    } finally {
      const ms = Math.round(this.#clock.monotonicMs() - beganMs);
      const time = new Date(began).toISOString();
      this.#write({ time, method, params: maskedParams(this.#table, method, params), outcome, ms });
    }
  }

  #write(line: object): void {
    try {
      // It may have been moved away by others: then there is a new one.
      const bytes = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
      if (bytes >= RPC_LOG_BYTES) renameSync(this.#file, `${this.#file}.1`);
      appendFileSync(this.#file, `${JSON.stringify(line)}\n`, { mode: PRIVATE });
      this.#isBroken = false;
    } catch (error) {
      if (!this.#isBroken) this.#log.error('the RPC log cannot be written', { why: (error as Error).message });
      this.#isBroken = true;
    }
  }
}
