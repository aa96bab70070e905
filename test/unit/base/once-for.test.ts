import t from 'tap';
import { onceFor } from '../../../src/base/once-for.js';

t.test('what belongs to an object is made once, and a refusal is made anew', async (t) => {
  const asked: string[] = [];
  const lengthOf = onceFor(({ name }: { readonly name: string }) => {
    asked.push(name);
    if (name === 'bad') throw new Error('refused');
    return name.length;
  });
  const [one, other, bad] = [{ name: 'one' }, { name: '' }, { name: 'bad' }];
  t.same([lengthOf(one), lengthOf(one), lengthOf(other), lengthOf(other)], [3, 3, 0, 0]);
  t.equal(lengthOf({ name: 'one' }), 3, 'an equal one is another one');
  for (let i = 0; i < 2; i++) t.throws(() => lengthOf(bad), { message: 'refused' });
  t.same(asked, ['one', '', 'one', 'bad', 'bad']);
});
