import fc from 'fast-check';
import t from 'tap';
import { SortedList } from '../../../src/state/sorted-list.js';

const listOf = (members: readonly number[]): SortedList<number> => {
  const list = new SortedList<number>((a, b) => a - b);
  for (const member of members) list.add(member);
  return list;
};

t.test('what is not there is not removed, wherever it would be', async (t) => {
  t.equal(listOf([]).remove(1), false, 'from an empty list');
  const list = listOf([2, 4, 6]);
  for (const absent of [1, 3, 7]) t.equal(list.remove(absent), false, `${absent}`);
  t.equal(list.size, 3);
  t.equal(list.remove(4), true);
  t.equal(list.remove(4), false, 'twice');
  t.equal(list.size, 2);
});

const MANY = 1200;

t.test('long lists that lose their first members, and others, equal a sorted array', async (t) => {
  const steps = fc.array(
    fc.record({
      // What expires goes from the front; the rest of the work is between.
      gone: fc.nat(300),
      others: fc.array(fc.nat(2 * MANY), { maxLength: 40 }),
      added: fc.array(fc.nat(3 * MANY), { maxLength: 60 }),
    }),
    { maxLength: 12 },
  );
  let runs = 0;
  fc.assert(
    fc.property(steps, (rounds) => {
      const numbers = Array.from({ length: MANY }, (_, i) => 2 * i);
      const list = listOf(numbers);
      const model = new Set(numbers);
      for (const { gone, others, added } of rounds) {
        for (let i = 0; i < gone; i++) {
          const first = list.first();
          if (first === undefined) break;
          if (!list.remove(first)) throw new Error(`${first} is not found`);
          model.delete(first);
        }
        for (const one of others) if (list.remove(one) !== model.delete(one)) throw new Error(`${one}: another answer`);
        for (const one of added) {
          if (!model.has(one)) list.add(one);
          model.add(one);
        }
        const sorted = [...model].sort((a, b) => a - b);
        if (list.size !== sorted.length || list.toArray().join() !== sorted.join()) throw new Error('other members');
        if (list.first() !== sorted[0] || list.last() !== sorted.at(-1)) throw new Error('other ends');
        const probe = others[0] ?? 0;
        if (list.after(probe) !== sorted.find((n) => n > probe)) throw new Error('another one after');
        if (list.before(probe) !== sorted.findLast((n) => n < probe)) throw new Error('another one before');
        if (list.firstNotBelow((n) => n < probe) !== sorted.find((n) => n >= probe)) throw new Error('another bound');
      }
      runs++;
    }),
    { numRuns: 60 },
  );
  t.equal(runs, 60);
});
