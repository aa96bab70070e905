import { join } from 'node:path';
import { sql } from 'kysely';
import t from 'tap';
import { systemClock } from '../../../src/node/runtime/clock.js';
import { systemRandom } from '../../../src/node/runtime/random.js';
import { openMarket } from '../../../src/services/market/market.js';
import { Outbox } from '../../../src/services/market/outbox.js';
import type { MailRow } from '../../../src/services/market/tables.js';
import { eventually } from '../../support/eventually.js';
import { MemoryLog } from '../../support/memory-log.js';

/** A database that goes away between a mail server's answer and the record of it. */

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
