import fc from 'fast-check';
import t from 'tap';
import { findAction } from '../../../src/protocol/find-action.js';

const named = (names: readonly bigint[]) => names.map((name, place) => ({ name, place }));

t.test('the first action with a name is found, in lists of any length', async () => {
  const name = fc.oneof(fc.bigInt({ min: 0n, max: 40n }), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }));
  fc.assert(
    fc.property(fc.array(name, { maxLength: 200 }), fc.array(name), (names, others) => {
      const actions = named(names);
      return [...names, ...others].every(
        (one) => findAction(actions, one) === actions.find((action) => action.name === one),
      );
    }),
  );
});

t.test('a long list is looked through once', async (t) => {
  let looks = 0;
  const actions = new Proxy(named(Array.from({ length: 10_000 }, (_, i) => BigInt(i * 7919) % 10_007n)), {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^\d/.test(key)) looks++;
      return Reflect.get(target, key, receiver);
    },
  });
  t.equal(findAction(actions, 7919n)?.place, 1);
  looks = 0;
  for (let name = 0n; name < 100n; name++) findAction(actions, name);
  t.ok(looks <= 100 * 16, `${looks} looks for a hundred names`);
});
