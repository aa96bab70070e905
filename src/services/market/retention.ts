import type { Kysely } from 'kysely';
import type { Clock, Logger } from '../../base/world.js';
import { isUndelivered } from '../exchange/tables.js';
import type { MarketTables } from './tables.js';

/** What is kept no longer than it is needed. */

const DAY_MS = 86_400_000;
/** A client that comes back after a day asks anew. */
const ANSWER_MS = DAY_MS;
const MAIL_MS = 30 * DAY_MS;
const UNPAID_MS = 400 * DAY_MS;
const NOTIFICATION_MS = 400 * DAY_MS;

export async function forgetOld(db: Kysely<MarketTables>, nowMs: number): Promise<void> {
  await db.deleteFrom('seen_call').where('until_ms', '<', nowMs).execute();
  await db
    .deleteFrom('kept_answer')
    .where('created_ms', '<', nowMs - ANSWER_MS)
    .execute();
  await db
    .deleteFrom('mail')
    .where('state', '!=', 'waiting')
    .where('created_ms', '<', nowMs - MAIL_MS)
    .execute();
  await db
    .deleteFrom('notification')
    .where('created_ms', '<', nowMs - NOTIFICATION_MS)
    .execute();
  await db
    .deleteFrom('delivery')
    .where(isUndelivered)
    .where('created_ms', '<', nowMs - UNPAID_MS)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('payment')
            .select('payment.signature')
            .whereRef('payment.signature', '=', 'delivery.signature')
            .where('payment.state', '!=', 'failed'),
        ),
      ),
    )
    .execute();
}

/** Again and again until it is stopped; a failure is for the log, and the next time. */
export function repeatedly(
  everyMs: number,
  what: string,
  work: () => Promise<unknown>,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): () => Promise<void> {
  let isStopped = false;
  let cancel = (): void => undefined;
  let round: Promise<void> = Promise.resolve();
  const again = (): void => {
    round = work()
      .then(
        () => undefined,
        (error: unknown) => log.warn('could not do what is due', { what, error }),
      )
      .then(() => {
        if (!isStopped) cancel = clock.after(everyMs, again);
      });
  };
  again();
  return async () => {
    isStopped = true;
    cancel();
    await round;
  };
}
