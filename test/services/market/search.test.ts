import { join } from 'node:path';
import t from 'tap';
import { openMarket } from '../../../src/services/market/market.js';
import { createCategory, createProduct, listProducts } from '../../../src/services/market/products.js';
import { placeOf } from '../support/databases.js';

/** What a search for products finds, in the database itself. */

const db = await openMarket(await placeOf(join(t.testdir(), 'market')));
t.teardown(() => db.destroy());
const price = { amount: 5n, assetId: '1.3.1' };
const rest = { price, categoryId: 1, privacy: false, input: {}, output: {}, logo: '', threshold: 5000 };
const names = ['Ärzte in Österreich', 'Погода в Москве', 'ΩMEGA prices', '100% of all_names', 'plain'];
await db.transaction().execute(async (trx) => {
  await createCategory(trx, 'all');
  for (const [i, productName] of names.entries()) {
    await createProduct(trx, { ...rest, productName, briefDesc: `ÜBER ${i}` }, 1, i);
  }
});

const found = async (text: string): Promise<string[]> => {
  const { rows, total } = await listProducts(db, { text }, { page: 1, limit: 100 });
  t.equal(total, rows.length);
  return rows.map(({ name }) => name).sort();
};

t.test('capital letters of all alphabets, as they stand there', async (t) => {
  for (const [text, name] of [
    ['Ärzte', 'Ärzte in Österreich'],
    ['in Öster', 'Ärzte in Österreich'],
    ['Москве', 'Погода в Москве'],
    ['ΩM', 'ΩMEGA prices'],
  ] as const) {
    t.same(await found(text), [name], text);
  }
  t.equal((await found('ÜBER')).length, names.length, 'in descriptions as well');
});

t.test('ASCII letters whatever their case, and signs for themselves', async (t) => {
  t.same(await found('PLAIN'), ['plain']);
  t.same(await found('mega PRICES'), ['ΩMEGA prices']);
  t.same(await found('0% OF ALL_'), ['100% of all_names']);
  t.same(await found('p_ain'), []);
  t.same(await found('\\'), []);
});

t.test(
  'the cheapest first, by what they cost and not by how it is written, up to a price that is meant as well',
  async (t) => {
    const other = await openMarket(await placeOf(join(t.testdir(), 'prices')));
    t.teardown(() => other.destroy());
    await other.transaction().execute(async (trx) => {
      await createCategory(trx, 'all');
      for (const [i, amount] of [10n, 9n, 200n].entries()) {
        const price = { amount, assetId: '1.3.1' };
        await createProduct(trx, { ...rest, price, productName: String(amount), briefDesc: '' }, 1, i);
      }
    });
    const names = async (wanted: Parameters<typeof listProducts>[1]) =>
      (await listProducts(other, wanted, { page: 1, limit: 100 })).rows.map(({ name }) => name);
    t.same(await names({ sort: 'cheapest' }), ['9', '10', '200']);
    t.same(await names({ sort: 'newest' }), ['200', '9', '10']);
    t.same(await names({ sort: 'cheapest', priceMax: 10n }), ['9', '10']);
  },
);
