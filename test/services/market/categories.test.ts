import { join } from 'node:path';
import t from 'tap';
import { deleteCategory } from '../../../src/services/market/administration.js';
import { openMarket } from '../../../src/services/market/market.js';
import { bind, type Trx } from '../../../src/services/market/merchants.js';
import { Notifier } from '../../../src/services/market/notifications.js';
import { addMembers, createCategory, createProduct, findProduct } from '../../../src/services/market/products.js';
import { Votes } from '../../../src/services/market/votes.js';
import { placeOf } from '../support/databases.js';

/** No product is ever in a category that is not there. */

const db = await openMarket(await placeOf(join(t.testdir(), 'market')));
t.teardown(() => db.destroy());
const votes = new Votes({ lifetimeMs: 1000, banMs: 1000 }, new Notifier(false));
const inOne = <V>(work: (trx: Trx) => Promise<V>): Promise<V> => db.transaction().execute(work);

t.test('one that a vote would put a product into', async (t) => {
  const price = { amount: 5n, assetId: '1.3.1' };
  const values = { productName: 'x', briefDesc: '', price, categoryId: 1, privacy: false, input: {}, output: {} };
  await inOne(async (trx) => {
    for (const name of ['first', 'second', 'third']) await createCategory(trx, name);
    for (const merchantId of [1, 2]) {
      await bind(trx, { account: merchantId, merchantId, serviceUrl: 'http://x', timestamp: 1, signature: '' }, 0);
    }
    await createProduct(trx, { ...values, logo: '', threshold: 10_000 }, 1, 0);
    await addMembers(trx, 1, [2], 0);
  });
  const { voteId } = await inOne((trx) => votes.askForChange(trx, 1, 1, { categoryId: 2 }, 10));
  await t.rejects(
    inOne((trx) => deleteCategory(trx, 2)),
    { message: 'vote 1 is about a product that would be in this category' },
  );
  await inOne((trx) => deleteCategory(trx, 3));
  await inOne((trx) => votes.vote(trx, voteId, 2, true, 20));
  t.match(await findProduct(db, 1), { category_id: 2 });
  await t.rejects(
    inOne((trx) => deleteCategory(trx, 2)),
    { message: 'product 1 is in this category' },
  );
  await inOne((trx) => deleteCategory(trx, 1));
  await t.rejects(
    inOne((trx) => votes.askForChange(trx, 1, 1, { categoryId: 1 }, 30)),
    { message: 'there is no category 1' },
  );
});
