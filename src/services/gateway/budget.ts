import type { Kysely, Transaction } from 'kysely';
import { check } from '../../base/errors.js';
import type { Clock } from '../../base/world.js';
import { GATEWAY_ERRORS } from './errors.js';
import type { GatewayTables } from './tables.js';

/** What registrations may cost in a day, and how many of them one address may have: rows, so that no restart forgets. */

type Trx = Transaction<GatewayTables>;

const DAY_MS = 86_400_000;

export class Budget {
  readonly #max: bigint;
  readonly #addressMax: number;
  readonly #clock: Clock;

  constructor(limits: { readonly 'daily-budget': number; readonly 'address-daily-max': number }, clock: Clock) {
    this.#max = BigInt(limits['daily-budget']);
    this.#addressMax = limits['address-daily-max'];
    this.#clock = clock;
  }

  get today(): number {
    return Math.floor(this.#clock.nowMs() / DAY_MS);
  }

  /** Seconds until the next one. */
  get untilTomorrowSec(): number {
    return Math.ceil(((this.today + 1) * DAY_MS - this.#clock.nowMs()) / 1000);
  }

  /** As somebody who changes nothing sees it. */
  async left(db: Kysely<GatewayTables>): Promise<bigint> {
    const row = await db
      .selectFrom('registration_day')
      .select('spent')
      .where('day', '=', this.today)
      .executeTakeFirst();
    return this.#max - BigInt(row?.spent ?? 0);
  }

  /** Before anything else in the transaction: until its end nobody else changes what is spent of this day. */
  async charge(trx: Trx, day: number, units: bigint): Promise<void> {
    const spent = (await this.#hold(trx, day)) + units;
    check(units <= 0n || spent <= this.#max, GATEWAY_ERRORS.gateway_budget);
    await trx
      .updateTable('registration_day')
      .set({ spent: String(spent) })
      .where('day', '=', day)
      .execute();
  }

  async #hold(trx: Trx, day: number): Promise<bigint> {
    const touched_ms = this.#clock.nowMs();
    const { spent } = await trx
      .insertInto('registration_day')
      .values({ day, spent: '0', touched_ms })
      .onConflict((conflict) => conflict.column('day').doUpdateSet({ touched_ms }))
      .returning('spent')
      .executeTakeFirstOrThrow();
    return BigInt(spent);
  }

  async countAddress(trx: Trx, address: string): Promise<void> {
    if (this.#addressMax === 0) return;
    const { count } = await trx
      .insertInto('registration_address')
      .values({ day: this.today, address, count: 1 })
      .onConflict((conflict) =>
        conflict
          .columns(['day', 'address'])
          .doUpdateSet((row) => ({ count: row('registration_address.count', '+', 1) })),
      )
      .returning('count')
      .executeTakeFirstOrThrow();
    check(count <= this.#addressMax, GATEWAY_ERRORS.gateway_address, { count: count - 1 });
  }

  /** Nothing came of what was counted. */
  async uncountAddress(trx: Trx, day: number, address: string): Promise<void> {
    await trx
      .updateTable('registration_address')
      .set((row) => ({ count: row('count', '-', 1) }))
      .where('day', '=', day)
      .where('address', '=', address)
      .where('count', '>', 0)
      .execute();
  }

  /** Who has registered yesterday is nobody's business. */
  async forgetAddresses(db: Kysely<GatewayTables>): Promise<void> {
    await db.deleteFrom('registration_address').where('day', '<', this.today).execute();
  }
}
