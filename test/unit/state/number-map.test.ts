import fc from 'fast-check';
import t from 'tap';
import { NumberMap } from '../../../src/state/number-map.js';

t.test('equals the built-in map under random work', async (t) => {
  // Few keys, so that many share a home slot, and keys of every size.
  const key = fc.oneof(
    fc.nat(40),
    fc.nat(40).map((n) => n * 2 ** 21 + 1),
    fc.nat(40).map((n) => n * 2 ** 32),
    fc.maxSafeNat(),
  );
  const step = fc.tuple(fc.constantFrom('set', 'set', 'delete'), key);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const map = new NumberMap();
      const naive = new Map<number, number>();
      steps.forEach(([action, at], n) => {
        if (action === 'set') {
          map.set(at, n);
          naive.set(at, n);
        } else {
          map.delete(at);
          naive.delete(at);
        }
      });
      if (map.size !== naive.size) return false;
      const asked = steps.map(([, at]) => at);
      const into: number[] = [];
      const count = map.getAll(asked, asked.length, into);
      const found = asked.flatMap((at) => naive.get(at) ?? []);
      if (into.slice(0, count).join() !== found.join()) return false;
      return asked.every((at) => map.get(at) === (naive.get(at) ?? -1));
    }),
    { numRuns: 500 },
  );
  t.pass();
});

t.test('an emptied map can be filled again', async (t) => {
  const map = new NumberMap();
  for (let n = 0; n < 1000; n++) map.set(n * 2 ** 21, n);
  for (let n = 0; n < 1000; n++) map.delete(n * 2 ** 21);
  t.equal(map.size, 0);
  t.equal(map.get(0), -1);
  for (let n = 0; n < 1000; n++) map.set(n * 2 ** 21, n);
  t.equal(map.get(999 * 2 ** 21), 999);
  map.clear();
  t.equal(map.get(0), -1);
});

t.test('room that is made beforehand changes nothing but the number of slots', async (t) => {
  const [map, other] = [new NumberMap(), new NumberMap()];
  map.set(7, 1);
  map.reserve(1000);
  map.reserve(10);
  for (const one of [map, other]) for (let n = 0; n < 1000; n++) one.set(n * 2 ** 21, n);
  for (let n = 0; n < 1000; n++) t.equal(map.get(n * 2 ** 21), other.get(n * 2 ** 21));
  t.equal(map.get(7), 1);
  t.equal(map.size, 1001);
});
