import type { Kysely } from 'kysely';
import { toHex } from '../../base/bytes.js';
import { crashPoint } from '../../base/crash-point.js';
import type { Cancel, Clock, Logger, Random } from '../../base/world.js';
import { isDatabaseError } from '../common/database.js';
import type { Carrier } from '../mail/carrier.js';
import type { MailRow, MarketTables } from './tables.js';

/**
 * Letters that wait in the database, each brought away by one instance: whoever takes one holds it for a while, and what
 * becomes of it is recorded before anybody else may have it.
 */

const MINUTE_MS = 60_000;
const PAUSES_MS = [1, 5, 30, 120, 720].map((minutes) => minutes * MINUTE_MS);
/** Longer than any letter may take. */
const LEASE_MS = 2 * MINUTE_MS;
const LOOK_MS = 1000;
const RECORD_PAUSE_MS = 500;
const AT_ONCE_MAX = 20;
const FAILURE_CHARS_MAX = 200;

export interface OutboxParts {
  readonly db: Kysely<MarketTables>;
  readonly carrier: Carrier;
  readonly from: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export class Outbox {
  readonly #parts: OutboxParts;
  /** This instance. */
  readonly #owner: string;
  readonly #host: string;
  #cancel: Cancel | undefined;
  #round: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    this.#owner = toHex(parts.random.bytes(8));
    this.#host = parts.from.split('@')[1] as string;
  }

  start(): void {
    const again = (): void => {
      if (this.#isStopped) return;
      this.#round = this.#try().then(() => {
        if (!this.#isStopped) this.#cancel = this.#parts.clock.after(LOOK_MS, again);
      });
    };
    again();
  }

  /** The letter that is on its way is brought to its end first. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#round;
    this.#parts.carrier.close();
  }

  async #try(): Promise<void> {
    try {
      await this.#sendDue();
    } catch (error) {
      this.#parts.log.error('the outbox could not be looked at', { error });
    }
  }

  async #sendDue(): Promise<void> {
    const { db, clock } = this.#parts;
    const nowMs = clock.nowMs();
    const due = await db
      .selectFrom('mail')
      .select('id')
      .where('state', '=', 'waiting')
      .where('due_ms', '<=', nowMs)
      .where('lease_until_ms', '<', nowMs)
      .orderBy('id')
      .limit(AT_ONCE_MAX)
      .execute();
    for (const { id } of due) {
      if (this.#isStopped) return;
      const row = await this.#take(id);
      if (row !== undefined) await this.#send(row);
    }
  }

  /** Undefined: another instance has it. */
  #take(id: number): Promise<MailRow | undefined> {
    const nowMs = this.#parts.clock.nowMs();
    return this.#parts.db
      .updateTable('mail')
      .set((of) => ({
        lease_owner: this.#owner,
        lease_until_ms: nowMs + LEASE_MS,
        attempts: of('attempts', '+', 1),
      }))
      .where('id', '=', id)
      .where('state', '=', 'waiting')
      .where('lease_until_ms', '<', nowMs)
      .returningAll()
      .executeTakeFirst();
  }

  async #send(row: MailRow): Promise<void> {
    const { carrier, from, log } = this.#parts;
    const { id, vote_id, merchant_id, kind, address, subject, body, attempts } = row;
    const letter = {
      id: `<vote-${vote_id}-${merchant_id}-${kind.toLowerCase().replace('_', '-')}@${this.#host}>`,
      from,
      to: address,
      subject,
      text: body,
    };
    try {
      await carrier.send(letter);
    } catch (error) {
      const failure = (error as Error).message.split('\n')[0]?.slice(0, FAILURE_CHARS_MAX) ?? '';
      const pauseMs = PAUSES_MS[attempts - 1];
      const isDead = pauseMs === undefined;
      log.warn('an e-mail could not be sent', { id, attempts, failure, isDead });
      await this.#record(id, {
        state: isDead ? 'dead' : 'waiting',
        failure,
        due_ms: this.#parts.clock.nowMs() + (pauseMs ?? 0),
        lease_until_ms: 0,
      });
      return;
    }
    crashPoint('mail_taken');
    await this.#recordSent(id);
  }

  /** A database that is away just now would have the letter sent again: it is told when it is back. */
  async #recordSent(id: number): Promise<void> {
    const { clock, log } = this.#parts;
    const sent_ms = clock.nowMs();
    for (;;) {
      try {
        await this.#record(id, { state: 'sent', failure: null, sent_ms });
        return;
      } catch (error) {
        const isLate = clock.nowMs() + RECORD_PAUSE_MS >= sent_ms + LEASE_MS;
        if (!isDatabaseError(error) || this.#isStopped || isLate) throw error;
        log.warn('it cannot be recorded yet that an e-mail was sent', { id, error });
      }
      await new Promise<void>((resolve) => {
        clock.after(RECORD_PAUSE_MS, resolve);
      });
    }
  }

  async #record(id: number, values: Partial<MailRow>): Promise<void> {
    await this.#parts.db
      .updateTable('mail')
      .set(values)
      .where('id', '=', id)
      .where('lease_owner', '=', this.#owner)
      .execute();
  }

  /** For whoever watches. */
  async counts(): Promise<readonly { readonly state: string; readonly count: number }[]> {
    const rows = await this.#parts.db
      .selectFrom('mail')
      .select(['state', (of) => of.fn.countAll<number>().as('count')])
      .groupBy('state')
      .execute();
    return rows.map(({ state, count }) => ({ state, count: Number(count) }));
  }
}
