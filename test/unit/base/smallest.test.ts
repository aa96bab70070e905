import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import { Smallest } from '../../../src/base/smallest.js';

t.test('the smallest of many are those of the sorted list; of equal ones the first', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.nat(50), { maxLength: 600 }), fc.nat(20), (numbers, count) => {
      const compare = (a: readonly [number, number], b: readonly [number, number]): number => a[0] - b[0];
      const smallest = new Smallest(count, compare);
      const pairs = numbers.map((number, place) => [number, place] as const);
      for (const pair of pairs) smallest.put(pair);
      return isDeepStrictEqual(smallest.values(), pairs.sort(compare).slice(0, count));
    }),
  );
  t.pass('whatever their order and their number');
});
