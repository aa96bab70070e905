import t from 'tap';
import { PlaceTable } from '../../../src/state/place-table.js';

/** Few hashes, so that searches go over many slots and around the end; against a map. */
t.test('finds what a map finds, whatever came and went', async (t) => {
  const table = new PlaceTable();
  const model = new Map<number, number>();
  const hashOf = (place: number): number => (place % 7) * 0x2000_0001 + (place % 3 === 0 ? 1020 : place % 40);
  let seed = 1;
  const random = (below: number): number => {
    seed = (seed * 48_271) % 0x7fff_ffff;
    return seed % below;
  };
  const check = (place: number): void => {
    const found = table.find(hashOf(place) >>> 0, (one) => one === place);
    if (found !== model.get(place)) t.fail(`place ${place}: ${found}`);
  };
  for (let round = 0; round < 20_000; round++) {
    const place = random(3000);
    if (model.has(place)) {
      table.remove(hashOf(place) >>> 0, place);
      model.delete(place);
    } else {
      table.add(hashOf(place) >>> 0, place);
      model.set(place, place);
    }
    check(random(3000));
  }
  for (let place = 0; place < 3000; place++) check(place);
  t.ok(model.size > 1000, 'it has grown');
  for (const place of model.keys()) table.remove(hashOf(place) >>> 0, place);
  model.clear();
  for (let place = 0; place < 3000; place++) check(place);
  table.add(5, 1);
  table.clear();
  t.equal(
    table.find(5, () => true),
    undefined,
  );
});
