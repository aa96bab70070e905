import type { Transaction } from 'kysely';
import type { Clock, Logger } from '../../base/world.js';
import { transact } from '../common/database.js';
import type { ContentStore } from '../content/content-store.js';
import type { ContentTables } from '../content/tables.js';
import type { LegParts } from './legs.js';

/** What is forgotten, and when: packets soon, requests later, what was paid never. */

export interface Retention {
  readonly dataDays: number;
  readonly contentDays: number;
  readonly requestDays: number;
}

const DAY_MS = 86_400_000;
const AT_ONCE_MAX = 500;

type Parts = Pick<LegParts, 'db'> & { readonly content: ContentStore; readonly clock: Clock };

export async function forget(
  { db, content, clock }: Parts,
  { dataDays, contentDays, requestDays }: Retention,
): Promise<void> {
  const nowMs = clock.nowMs();
  await db
    .updateTable('des_leg')
    .set({ data: null })
    .where('data', 'is not', null)
    .where('outcome', 'is not', null)
    .where('created_ms', '<', nowMs - dataDays * DAY_MS)
    .execute();
  await unpinOld({ db, content, clock }, nowMs - contentDays * DAY_MS);
  const old = await db
    .selectFrom('des_request')
    .select('request_id')
    .where('created_ms', '<', nowMs - requestDays * DAY_MS)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('des_leg')
            .select('signature')
            .whereRef('des_leg.request_id', '=', 'des_request.request_id')
            .where('outcome', 'is', null),
        ),
      ),
    )
    .limit(AT_ONCE_MAX)
    .execute();
  if (old.length === 0) return;
  const ids = old.map(({ request_id }) => request_id);
  await transact(db, async (trx) => {
    await trx.deleteFrom('des_leg').where('request_id', 'in', ids).execute();
    await trx.deleteFrom('des_request').where('request_id', 'in', ids).execute();
  });
}

/** Only pins of requests: those of paid storage are for ever, and may be in the same database. */
async function unpinOld({ db, content }: Parts, beforeMs: number): Promise<void> {
  const rows = await db
    .selectFrom('des_leg')
    .innerJoin('content_pin', 'content_pin.owner', 'des_leg.signature')
    .select('signature')
    .where('outcome', 'is not', null)
    .where('created_ms', '<', beforeMs)
    .limit(AT_ONCE_MAX)
    .execute();
  for (const { signature } of rows) {
    await transact(db, (trx) =>
      content.unpin(signature, trx.withTables<ContentTables>() as Transaction<ContentTables>),
    );
  }
}

/** Whoever has asked to be forgotten, as buyer or as source; what was paid for stands on the chain and in bills. */
export async function erase({ db, content, clock }: Parts): Promise<void> {
  const asked = await db.selectFrom('erasure').select('account').where('packets_ms', 'is', null).execute();
  for (const { account } of asked) {
    const rows = await db
      .selectFrom('des_leg')
      .innerJoin('des_request', 'des_request.request_id', 'des_leg.request_id')
      .select(['signature', 'outcome'])
      .where((where) => where.or([where('buyer', '=', account), where('source', '=', account)]))
      .execute();
    // What is under way comes first: its packets go when it is decided.
    const isOver = rows.every(({ outcome }) => outcome !== null);
    const done = rows.filter(({ outcome }) => outcome !== null).map(({ signature }) => signature);
    await transact(db, async (trx) => {
      for (const signature of done) {
        await trx.updateTable('des_leg').set({ data: null, params: null }).where('signature', '=', signature).execute();
        await content.unpin(signature, trx.withTables<ContentTables>() as Transaction<ContentTables>);
      }
      await trx.deleteFrom('des_presence').where('account', '=', account).execute();
      if (!isOver) return;
      await trx.updateTable('erasure').set({ packets_ms: clock.nowMs() }).where('account', '=', account).execute();
    });
  }
}

const FORGET_MS = 600_000;
const ERASE_MS = 2000;

export function startForgetting(parts: Parts & { readonly log: Logger }, retention: Retention): () => Promise<void> {
  const { clock, log } = parts;
  const loops = [
    repeat(clock, ERASE_MS, () => erase(parts), log),
    repeat(clock, FORGET_MS, () => forget(parts, retention), log),
  ];
  return async () => {
    for (const stop of loops) await stop();
  };
}

function repeat(clock: Clock, everyMs: number, work: () => Promise<void>, log: Logger): () => Promise<void> {
  let isStopped = false;
  let cancel = (): void => undefined;
  let round: Promise<void> = Promise.resolve();
  const again = (): void => {
    round = work()
      .catch((error: unknown) => log.warn('could not forget what is old', { error }))
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
