import t from 'tap';
import { MemoryBudget } from '../../src/http/memory-budget.js';

function budgetOf(bytesMax: number) {
  const dropped: string[] = [];
  let drops = 0;
  const budget = new MemoryBudget(bytesMax, () => drops++);
  const open = (name: string) => budget.open(() => dropped.push(name));
  return { budget, dropped, open, drops: () => drops };
}

t.test('those go that have held something for the longest time without a break', async (t) => {
  const { budget, dropped, open, drops } = budgetOf(100);
  const [a, b, c] = [open('a'), open('b'), open('c')];
  t.ok(a.set(40));
  t.ok(b.set(40));
  t.ok(a.set(0));
  t.ok(a.set(20));
  t.ok(c.set(41));
  t.same(dropped, ['b'], 'a has held nothing for a moment, so it began later');
  t.equal(budget.bytes, 61);
  t.notOk(b.set(10), 'who was dropped holds nothing any more');
  t.equal(budget.bytes, 61);
  t.notOk(c.set(200), 'nor does one that is too large for all of it, itself included');
  t.same(dropped, ['b', 'a', 'c']);
  t.equal(budget.bytes, 0);
  t.equal(drops(), 3);
});

t.test('what was taken on stays, and others make room for it', async (t) => {
  const { budget, dropped, open } = budgetOf(100);
  const a = open('a');
  a.set(60);
  t.ok(budget.take(40, false));
  t.same(dropped, []);
  t.ok(budget.take(50, false));
  t.same(dropped, ['a'], 'a slow client goes before work is refused');
  t.notOk(budget.take(20, false), 'no more than there is in all');
  t.equal(budget.bytes, 90, 'and what was refused is not counted');
  t.ok(budget.take(20, true), 'unless it has to be');
  t.equal(budget.bytes, 110);
  const b = open('b');
  t.notOk(b.set(1), 'then there is no room for anybody else');
  budget.give(110);
  t.equal(budget.bytes, 0);
  t.ok(budget.take(100, false), 'what was given back can be taken again');
  budget.give(100);
  t.ok(open('c').set(100));
});
