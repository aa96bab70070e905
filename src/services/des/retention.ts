import { setImmediate as turnOfOthers } from 'node:timers/promises';
import type { ExpressionBuilder, Transaction } from 'kysely';
import type { Clock, Logger } from '../../base/world.js';
import { transact } from '../common/database.js';
import type { ContentStore } from '../content/content-store.js';
import type { ContentTables } from '../content/tables.js';
import type { AllTables, LegParts } from './legs.js';
import type { LegRow } from './tables.js';

/** What is forgotten, and when: packets soon, requests later, what was paid never. */

export interface Retention {
  readonly dataDays: number;
  readonly contentDays: number;
  readonly requestDays: number;
}

const DAY_MS = 86_400_000;
const AT_ONCE_MAX = 500;

type Unpinning = Pick<LegParts, 'db'> & { readonly content: ContentStore };
type Parts = Unpinning & { readonly clock: Clock };

/** SQLite answers in the thread of everything else: between two pieces of work others have their turn. */

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
  // As often as there are as many as one piece takes: otherwise a busy exchange would never come to an end of them.
  while ((await unpinOld({ db, content }, nowMs - contentDays * DAY_MS)) === AT_ONCE_MAX) await turnOfOthers();
  while ((await forgetRequests(db, nowMs - requestDays * DAY_MS)) === AT_ONCE_MAX) await turnOfOthers();
}

/** How many. Those of which something is under way, or kept by its content id, stay. */
async function forgetRequests(db: Parts['db'], beforeMs: number): Promise<number> {
  const old = await db
    .selectFrom('des_request')
    .select('request_id')
    .where('created_ms', '<', beforeMs)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('des_leg')
            .leftJoin('content_pin', 'content_pin.owner', 'des_leg.signature')
            .select('signature')
            .whereRef('des_leg.request_id', '=', 'des_request.request_id')
            .where((where) => where.or([where('outcome', 'is', null), where('content_pin.owner', 'is not', null)])),
        ),
      ),
    )
    .limit(AT_ONCE_MAX)
    .execute();
  if (old.length === 0) return 0;
  const ids = old.map(({ request_id }) => request_id);
  await transact(db, async (trx) => {
    await trx.deleteFrom('des_leg').where('request_id', 'in', ids).execute();
    await trx.deleteFrom('des_request').where('request_id', 'in', ids).execute();
  });
  return old.length;
}

/** How many. Only pins of requests: those of paid storage are for ever, and may be in the same database. */
async function unpinOld({ db, content }: Unpinning, beforeMs: number): Promise<number> {
  const rows = await db
    .selectFrom('des_leg')
    .innerJoin('content_pin', 'content_pin.owner', 'des_leg.signature')
    .select('signature')
    .where('outcome', 'is not', null)
    .where('created_ms', '<', beforeMs)
    .limit(AT_ONCE_MAX)
    .execute();
  await unpin({ db, content }, rows);
  return rows.length;
}

async function unpin({ db, content }: Unpinning, legs: readonly Pick<LegRow, 'signature'>[]): Promise<void> {
  for (const { signature } of legs) {
    await transact(db, (trx) =>
      content.unpin(signature, trx.withTables<ContentTables>() as Transaction<ContentTables>),
    );
    await turnOfOthers();
  }
}

/** Whoever has asked to be forgotten, as buyer or as source; what was paid for stands on the chain and in bills. */
export async function erase({ db, content, clock }: Parts): Promise<void> {
  const asked = await db.selectFrom('erasure').select('account').where('packets_ms', 'is', null).execute();
  for (const { account } of asked) {
    // What is under way comes first: its packets go when it is decided.
    const open = await db
      .selectFrom('des_leg')
      .innerJoin('des_request', 'des_request.request_id', 'des_leg.request_id')
      .select('signature')
      .where('outcome', 'is', null)
      .where((where) => where.or([where('buyer', '=', account), where('source', '=', account)]))
      .executeTakeFirst();
    await db.deleteFrom('des_presence').where('account', '=', account).execute();
    for (const role of ['buyer', 'source'] as const) await erasePackets({ db, content }, role, account);
    if (open !== undefined) continue;
    await db.updateTable('erasure').set({ packets_ms: clock.nowMs() }).where('account', '=', account).execute();
  }
}

/** One statement for the rows: an account may have very many, and few of them still have a packet. */
async function erasePackets({ db, content }: Unpinning, role: 'buyer' | 'source', account: number): Promise<void> {
  const isOwn = (where: ExpressionBuilder<AllTables, 'des_leg'>) =>
    role === 'source'
      ? where('source', '=', account)
      : where(
          'des_leg.request_id',
          'in',
          where.selectFrom('des_request').select('des_request.request_id').where('buyer', '=', account),
        );
  await db
    .updateTable('des_leg')
    .set({ data: null, params: null })
    .where(isOwn)
    .where('outcome', 'is not', null)
    .where((where) => where.or([where('data', 'is not', null), where('params', 'is not', null)]))
    .execute();
  const pinned = await db
    .selectFrom('des_leg')
    .select('signature')
    .where(isOwn)
    .where('outcome', 'is not', null)
    .where((where) =>
      where.exists(
        where.selectFrom('content_pin').select('owner').whereRef('content_pin.owner', '=', 'des_leg.signature'),
      ),
    )
    .execute();
  await unpin({ db, content }, pinned);
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
