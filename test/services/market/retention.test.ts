import { join } from 'node:path';
import t from 'tap';
import { openMarket } from '../../../src/services/market/market.js';
import { forgetOld } from '../../../src/services/market/retention.js';
import { placeOf } from '../support/databases.js';

/** How long a market keeps what, as docs/market.md says. */

const DAY_MS = 86_400_000;
const NOW_MS = 1_700_000_000_000;
const ago = (days: number): number => NOW_MS - days * DAY_MS;

const MAIL = {
  ...{
    merchant_id: 1,
    kind: 'VOTE_CREATED' as const,
    address: 'one@sellers.example',
    subject: 'a vote',
    body: 'on it',
  },
  ...{ attempts: 1, due_ms: 0, lease_owner: '', lease_until_ms: 0, sent_ms: null, failure: null },
};
const NOTIFICATION = { merchant_id: 1, kind: 'VOTE_CLOSED' as const, read_ms: null };
const DELIVERY = {
  ...{ request_id: 'r', product_id: 1, buyer: 17, source: 18, asset: 1, units: '5', percent: 0, answer_ms: null },
};
const PAYMENT = {
  ...{
    purpose: 'des',
    payer: 17,
    asset: 1,
    units: '5',
    expiration: 1,
    request: '',
    memo: null,
    packed: null,
    txid: null,
  },
  ...{ tx_expiration: null, after_block: null, attempts: 1, block: null, block_id: null, failure: null, sent_ms: null },
  ...{ created_ms: 0, released_ms: null, lease_owner: '', lease_until_ms: 0 },
};

async function opened() {
  const db = await openMarket(await placeOf(join(t.testdir(), 'market')));
  t.teardown(() => db.destroy());
  return db;
}

t.test('what is old goes, what waits, was paid or may be stays', async (t) => {
  const db = await opened();
  for (const [id, state, days] of [
    [1, 'sent', 31],
    [2, 'dead', 31],
    [3, 'waiting', 31],
    [4, 'sent', 29],
    [5, 'dead', 29],
  ] as const) {
    await db
      .insertInto('mail')
      .values({ ...MAIL, id, vote_id: id, state, created_ms: ago(days) })
      .execute();
  }
  for (const [id, days] of [
    [1, 401],
    [2, 399],
  ] as const) {
    const row = { ...NOTIFICATION, id, vote_id: id, created_ms: ago(days) };
    await db.insertInto('notification').values(row).execute();
  }
  for (const [id, outcome, days, payment] of [
    [1, 'FAIL', 401, undefined],
    [2, 'FAIL', 401, 'failed'],
    [3, 'FAIL', 401, 'sent'],
    [4, 'SUCCESS', 401, undefined],
    [5, 'FAIL', 399, undefined],
  ] as const) {
    const signature = String(id);
    await db
      .insertInto('delivery')
      .values({ ...DELIVERY, id, signature, outcome, created_ms: ago(days) })
      .execute();
    if (payment === undefined) continue;
    await db
      .insertInto('payment')
      .values({ ...PAYMENT, signature, state: payment })
      .execute();
  }
  await forgetOld(db, NOW_MS);
  const idsOf = async (table: 'mail' | 'notification' | 'delivery') =>
    (await db.selectFrom(table).select('id').orderBy('id').execute()).map(({ id }) => Number(id));
  t.same(await idsOf('mail'), [3, 4, 5], 'an e-mail that waits is sent, however long that takes');
  t.same(await idsOf('notification'), [2]);
  t.same(await idsOf('delivery'), [3, 4, 5], 'what is on its way to be paid may still be');
});
