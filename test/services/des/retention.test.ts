import { join } from 'node:path';
import type { Kysely } from 'kysely';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/node/runtime/clock.js';
import { ContentStore } from '../../../src/services/content/content-store.js';
import type { ContentTables } from '../../../src/services/content/tables.js';
import { openExchangeDatabase } from '../../../src/services/des/des.js';
import type { AllTables } from '../../../src/services/des/legs.js';
import { erase, forget } from '../../../src/services/des/retention.js';
import type { LegRow } from '../../../src/services/des/tables.js';
import { placeOf } from '../support/databases.js';

/** What is forgotten of requests, and what is kept of them. */

const DAY_MS = 86_400_000;
const [BUYER, SOURCE] = [17, 18];
const RETENTION = { dataDays: 7, contentDays: 30, requestDays: 400 };

interface Opened {
  readonly db: Kysely<AllTables>;
  readonly content: ContentStore;
  add(name: string, ageDays: number, more?: Partial<LegRow>): Promise<string>;
  leg(name: string): Promise<LegRow | undefined>;
}

async function opened(t: Test): Promise<Opened> {
  const dataDir = join(t.testdir(), 'exchange');
  const db = await openExchangeDatabase(await placeOf(dataDir));
  t.teardown(() => db.destroy());
  const content = new ContentStore(join(dataDir, 'blocks'), db.withTables<ContentTables>(), systemClock);
  return {
    db,
    content,
    add: async (name, ageDays, more = {}) => {
      const created_ms = systemClock.nowMs() - ageDays * DAY_MS;
      await db
        .insertInto('des_request')
        .values({ request_id: name, product_id: 1, buyer: BUYER, asset: 1, units: '5', percent: 0, created_ms })
        .execute();
      const keys = { source_key: '', buyer_key: '', nonce: '1', nonce_is_text: 0, memo: '', answer_nonce: null };
      await db
        .insertInto('des_leg')
        .values({
          ...{ signature: name, request_id: name, position: 0, source: SOURCE, ...keys, params: null },
          ...{ deadline_ms: 0, expiration: 0, asked_ms: 1, answer_ms: 1, data: 'abcd', outcome: 'SUCCESS' },
          ...{ comment: '', created_ms, decided_ms: created_ms },
          ...more,
        })
        .execute();
      const { cid } = await content.add(
        (async function* () {
          yield Buffer.from(name);
        })(),
        name,
      );
      await content.release(name);
      return cid;
    },
    leg: (name) => db.selectFrom('des_leg').selectAll().where('signature', '=', name).executeTakeFirst(),
  };
}

t.test('by age', async (t) => {
  const { db, content, add, leg } = await opened(t);
  const clock = systemClock;
  const young = await add('young', 6);
  const week = await add('week', 8);
  const month = await add('month', 31);
  await add('old', 401);
  await add('open', 401, { outcome: null, decided_ms: null });
  await add('asking', 401, { outcome: null, decided_ms: null, data: null });
  await db.deleteFrom('content_pin').where('owner', '=', 'asking').execute();
  await forget({ db, content, clock }, RETENTION);
  t.match(await leg('young'), { data: 'abcd' });
  t.match(await leg('week'), { data: null, outcome: 'SUCCESS' });
  t.ok(await content.find(young));
  t.ok(await content.find(week), 'still there by its id');
  t.equal(await content.find(month), undefined);
  t.match(await leg('month'), { outcome: 'SUCCESS' });
  t.equal(await leg('old'), undefined);
  t.match(await leg('open'), { data: 'abcd' }, 'what is under way is not forgotten');
  const left = await db.selectFrom('des_request').select('request_id').orderBy('request_id').execute();
  t.same(
    left.map(({ request_id }) => request_id),
    ['asking', 'month', 'open', 'week', 'young'],
  );
});

t.test('more of them than are taken at once', async (t) => {
  const { db, content, add } = await opened(t);
  await add('first', 401);
  const one = (await db.selectFrom('des_leg').selectAll().executeTakeFirst()) as LegRow;
  const request = await db.selectFrom('des_request').selectAll().executeTakeFirstOrThrow();
  const names = Array.from({ length: 1100 }, (_, i) => `old-${i}`);
  await db.transaction().execute(async (trx) => {
    for (const name of names) {
      await trx
        .insertInto('des_request')
        .values({ ...request, request_id: name })
        .execute();
      await trx
        .insertInto('des_leg')
        .values({ ...one, signature: name, request_id: name })
        .execute();
    }
  });
  await forget({ db, content, clock: systemClock }, RETENTION);
  t.same(await db.selectFrom('des_request').selectAll().execute(), []);
  t.same(await db.selectFrom('des_leg').selectAll().execute(), []);
});

t.test('contents that are kept for longer than requests', async (t) => {
  const { db, content, add, leg } = await opened(t);
  const clock = systemClock;
  const cid = await add('old', 401);
  await forget({ db, content, clock }, { ...RETENTION, contentDays: 500 });
  t.ok(await content.find(cid));
  t.match(await leg('old'), { data: null }, 'whose it is has to be known until it goes');
  await forget({ db, content, clock }, RETENTION);
  t.equal(await content.find(cid), undefined);
  t.equal(await leg('old'), undefined);
});

t.test('others have their turn while very much is forgotten', async (t) => {
  const { db, content, add } = await opened(t);
  for (let i = 0; i < 20; i++) await add(`done-${i}`, 1);
  await db.insertInto('erasure').values({ account: SOURCE, asked_ms: 1, packets_ms: null }).execute();
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await erase({ db, content, clock: systemClock });
  isOver = true;
  t.ok(turns >= 20, `${turns} turns`);
  t.same(await db.selectFrom('content_pin').selectAll().execute(), []);
});

for (const account of [BUYER, SOURCE]) {
  t.test(`whoever asks to be forgotten: ${account}`, async (t) => {
    const { db, content, add, leg } = await opened(t);
    const clock = systemClock;
    const cid = await add('done', 1);
    await add('open', 1, { outcome: null, decided_ms: null, params: 'ab', data: null });
    await add('other', 1, { source: 99 });
    await db.updateTable('des_request').set({ buyer: 98 }).where('request_id', '=', 'other').execute();
    await db.insertInto('erasure').values({ account, asked_ms: 1, packets_ms: null }).execute();
    for (const online of [account, 99]) {
      const presence = { account: online, products: '[1]', query_url: null, expire_ms: systemClock.nowMs() + DAY_MS };
      await db.insertInto('des_presence').values(presence).execute();
    }
    await erase({ db, content, clock });
    t.same(await db.selectFrom('des_presence').select('account').execute(), [{ account: 99 }], 'it sells nothing more');
    t.match(await leg('done'), { data: null, params: null, outcome: 'SUCCESS' });
    t.equal(await content.find(cid), undefined);
    t.match(await leg('open'), { params: 'ab' });
    t.match(await leg('other'), { data: 'abcd' }, 'somebody else’s');
    const state = () => db.selectFrom('erasure').select('packets_ms').executeTakeFirstOrThrow();
    t.same(await state(), { packets_ms: null }, 'not all of it is gone');
    await db.updateTable('des_leg').set({ outcome: 'FAIL' }).where('signature', '=', 'open').execute();
    await erase({ db, content, clock });
    t.match(await leg('open'), { params: null });
    t.match(await state(), { packets_ms: Number });
  });
}
