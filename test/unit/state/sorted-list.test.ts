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
