import t from 'tap';
import { UploadBudget } from '../../src/rpc/upload-budget.js';

t.test('unfinished bodies share a bounded memory; small ones always have room', async (t) => {
  const budget = new UploadBudget(100_000);
  const first = budget.begin();
  t.ok(first.add(65_536), 'small');
  t.equal(budget.free, 100_000);
  t.ok(first.add(60_000));
  t.equal(budget.free, 40_000);
  const second = budget.begin();
  t.ok(second.add(65_536));
  t.notOk(second.add(50_000), 'no room for this piece');
  second.end();
  t.equal(budget.free, 40_000, 'what was refused holds nothing');
  first.end();
  first.end();
  t.equal(budget.free, 100_000, 'given back once');
});
