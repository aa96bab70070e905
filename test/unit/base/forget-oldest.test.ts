import t from 'tap';
import { forgetOldest } from '../../../src/base/forget-oldest.js';

t.test('the oldest entries go, many at a time', async (t) => {
  const map = new Map(Array.from({ length: 8 }, (_, i) => [i, 'x']));
  forgetOldest(map, 8);
  t.equal(map.size, 8, 'as many as allowed');
  map.set(8, 'x');
  forgetOldest(map, 8);
  t.same([...map.keys()], [3, 4, 5, 6, 7, 8]);
  const set = new Set(['a', 'b']);
  forgetOldest(set, 1);
  t.same([...set], ['b']);
});
