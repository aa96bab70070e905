import { join } from 'node:path';
import { sql } from 'kysely';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/node/runtime/clock.js';
import { systemRandom } from '../../../src/node/runtime/random.js';
import { dropMail, retryMail } from '../../../src/services/market/administration.js';
import { MARKET_ERRORS } from '../../../src/services/market/errors.js';
import { openMarket } from '../../../src/services/market/market.js';
import { Outbox } from '../../../src/services/market/outbox.js';
import type { MailRow } from '../../../src/services/market/tables.js';
import { eventually } from '../../support/eventually.js';
import { FakeClock } from '../../support/fake-clock.js';
import { MemoryLog } from '../../support/memory-log.js';
import { refusedLater } from '../../support/refused.js';

/** When letters are sent, and what is recorded of it: by one instance of several, with a database that may go away. */

const LETTER: MailRow = {
  ...{ id: 1, merchant_id: 2, vote_id: 3, kind: 'VOTE_CREATED', address: 'a@b.example', subject: 's', body: 'b' },
  ...{ state: 'waiting', attempts: 0, due_ms: 0, lease_owner: '', lease_until_ms: 0, sent_ms: null },
  ...{ failure: null, created_ms: 0 },
};

t.test('what was sent is recorded when it is back, and not sent again', async (t) => {
  const place = { 'data-dir': t.testdir(), database: join(t.testdirName, 'exchange.db') };
  const [db, other] = [await openMarket(place), await openMarket(place)];
  t.teardown(() => Promise.all([db.destroy(), other.destroy()]));
  await db.insertInto('mail').values(LETTER).execute();
  const log = new MemoryLog();
  let sent = 0;
  let unlock: () => void = () => undefined;
  const mayUnlock = new Promise<void>((resolve) => {
    unlock = resolve;
  });
  let locked: Promise<void> = Promise.resolve();
  const carrier = {
    send: async () => {
      sent++;
      await new Promise<void>((isLocked) => {
        locked = other.connection().execute(async (held) => {
          await sql`BEGIN EXCLUSIVE`.execute(held);
          isLocked();
          await mayUnlock;
          await sql`ROLLBACK`.execute(held);
        });
      });
    },
    close: () => undefined,
  };
  const outbox = new Outbox({ db, carrier, from: 'm@x.example', clock: systemClock, random: systemRandom, log });
  outbox.start();
  t.teardown(() => outbox.stop());
  await eventually('that it cannot be recorded', () =>
    log.texts('warn').includes('it cannot be recorded yet that an e-mail was sent'),
  );
  unlock();
  await locked;
  const state = async () => (await db.selectFrom('mail').selectAll().executeTakeFirstOrThrow()).state;
  await eventually('the record', async () => (await state()) === 'sent');
  t.equal(sent, 1);
});

const NOW_MS = 1_700_000_000_000;
const MINUTE_MS = 60_000;

/** A book of letters, and one look into it by an outbox that can send none of them unless it is told otherwise. */
async function opened(t: Test, letters: readonly Partial<MailRow>[]) {
  const db = await openMarket({ 'data-dir': t.testdir(), database: join(t.testdirName, 'exchange.db') });
  t.teardown(() => db.destroy());
  for (const [i, letter] of letters.entries()) {
    const row = { ...LETTER, id: i + 1, vote_id: i + 1, ...letter };
    await db.insertInto('mail').values(row).execute();
  }
  const row = (id: number) => db.selectFrom('mail').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const look = async (send: () => Promise<void> = () => Promise.reject(new Error('nobody there'))): Promise<number> => {
    const clock = new FakeClock(NOW_MS);
    let tries = 0;
    const carrier = {
      send: () => {
        tries++;
        return send();
      },
      close: () => undefined,
    };
    const log = new MemoryLog();
    const outbox = new Outbox({ db, carrier, from: 'm@x.example', clock, random: systemRandom, log });
    outbox.start();
    await eventually('the look is over', () => clock.timers === 1);
    await outbox.stop();
    return tries;
  };
  return { db, row, look };
}

t.test('a letter is tried when it is due, and by nobody else meanwhile', async (t) => {
  for (const [what, letter, tries] of [
    ['due now', { due_ms: NOW_MS }, 1],
    ['due in a moment', { due_ms: NOW_MS + 1 }, 0],
    ['on its way', { lease_owner: 'other', lease_until_ms: NOW_MS }, 0],
    ['left by an instance that is gone', { lease_owner: 'other', lease_until_ms: NOW_MS - 1 }, 1],
    ['given up', { state: 'dead' }, 0],
  ] as const) {
    const { look } = await opened(t, [letter]);
    t.equal(await look(), tries, what);
  }
});

t.test('tried again after 1, 5, 30 and 120 minutes and 12 hours, then given up', async (t) => {
  const pauses = [1, 5, 30, 120, 720];
  const { row, look } = await opened(
    t,
    [...pauses, 0].map((_, attempts) => ({ attempts })),
  );
  t.equal(await look(), 6);
  for (const [i, minutes] of pauses.entries()) {
    t.match(await row(i + 1), { state: 'waiting', attempts: i + 1, due_ms: NOW_MS + minutes * MINUTE_MS });
  }
  t.match(await row(6), { state: 'dead', attempts: 6, failure: 'nobody there' });
});

t.test('what another instance has taken meanwhile is that one’s', async (t) => {
  const { db, row, look } = await opened(t, [{}, {}]);
  const others = { lease_owner: 'other', lease_until_ms: NOW_MS + MINUTE_MS };
  const tries = await look(async () => {
    await db.updateTable('mail').set(others).execute();
    throw new Error('nobody there');
  });
  t.equal(tries, 1, 'the second one is not sent');
  t.match(await row(1), { ...others, state: 'waiting', due_ms: 0, failure: null }, 'nothing is recorded of the first');
});

t.test('what an administrator may do about a letter', async (t) => {
  const { db, row } = await opened(t, [
    { state: 'dead', attempts: 6, due_ms: 1, failure: 'nobody there' },
    { lease_owner: 'other', lease_until_ms: NOW_MS + 1 },
    { state: 'sent' },
  ]);
  const change = (work: typeof retryMail, id: number) => db.transaction().execute((trx) => work(trx, id, NOW_MS));
  await change(retryMail, 1);
  t.match(await row(1), { state: 'waiting', attempts: 0, due_ms: NOW_MS }, 'all its tries begin anew');
  for (const work of [retryMail, dropMail]) {
    await refusedLater(t, MARKET_ERRORS.market_duplicate, change(work, 2));
    await refusedLater(t, MARKET_ERRORS.market_duplicate, change(work, 3));
    await refusedLater(t, MARKET_ERRORS.market_not_found, change(work, 4));
  }
  t.match([await row(2), await row(3)], [{ state: 'waiting' }, { state: 'sent' }]);
  await change(dropMail, 1);
  t.match(await row(1), { state: 'dropped' });
  await change(retryMail, 1);
  t.match(await row(1), { state: 'waiting' });
});
