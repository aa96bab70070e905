import type { Kysely } from 'kysely';
import t from 'tap';
import { openDatabase } from '../../../src/services/common/database.js';
import { findOffer } from '../../../src/services/des/products.js';
import { DES_TABLES, type DesTables } from '../../../src/services/des/tables.js';
import { EXCHANGE_TABLES } from '../../../src/services/exchange/tables.js';
import { MARKET_TABLES, type MarketTables } from '../../../src/services/market/tables.js';
import { PAYMENT_TABLES } from '../../../src/services/payment/tables.js';
import { hasNoPostgres, PostgresServer } from './server.js';

/** In which order rows come whose times are equal: PostgreSQL gives them as they lie, which every change of one changes. */

type AllTables = MarketTables & DesTables;
const PARTS = [EXCHANGE_TABLES, PAYMENT_TABLES, MARKET_TABLES, DES_TABLES];

async function publish(db: Kysely<AllTables>, product_id: number): Promise<void> {
  const row = { name: 'a', logo: '', brief: '', category_id: 1, issuer: 1, threshold: 5000, version: 1, asset: 1 };
  const more = { units: '1', privacy: 0, input: '{}', output: '{}', on_sale: 1, created_ms: 0 };
  await db
    .insertInto('product')
    .values({ product_id, ...row, ...more })
    .execute();
}

t.test('sources that became members by one vote', { skip: hasNoPostgres }, async (t) => {
  const server = await PostgresServer.start();
  t.teardown(() => server.remove());
  const db = await openDatabase<AllTables>(await server.database('orders'), PARTS);
  t.teardown(() => db.destroy());
  await publish(db, 1);
  for (const merchant_id of [3, 1, 4, 2]) {
    const texts = { authorizer_name: '', merchant_name: '', logo_url: '', address: '', email: '' };
    const row = { service_url: 'http://a.example/', ...texts, rejections: 0, banned_until_ms: 0, created_ms: 0 };
    await db
      .insertInto('merchant')
      .values({ merchant_id, account: 100 + merchant_id, ...row })
      .execute();
    await db.insertInto('product_member').values({ product_id: 1, merchant_id, joined_ms: 5 }).execute();
  }
  const order = async (): Promise<number[]> => (await findOffer(db, 1, 0)).members.map(({ account }) => account);
  t.same(await order(), [101, 102, 103, 104]);
  await db.updateTable('product_member').set({ joined_ms: 5 }).where('merchant_id', '=', 1).execute();
  t.same(await order(), [101, 102, 103, 104], 'and later, too');
});
