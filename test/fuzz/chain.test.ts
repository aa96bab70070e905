import t from 'tap';
import { OPERATIONS } from '../../src/operations/index.js';
import { ChainRun } from './chain/run.js';

/** For more of them: `npm run fuzz -- chain --chains 1000`. */
const SEEDS = Array.from({ length: 14 }, (_, i) => i + 1);
/** No transaction with one of them is ever accepted. */
const NEVER_ACCEPTED = OPERATIONS.filter(({ noEvaluator }) => noEvaluator === true).map(({ name }) => name);

t.test('fourteen chains of random operations: no bug, the same state again from bytes and after undo', async (t) => {
  const accepted = new Map(OPERATIONS.map(({ name }) => [name, 0]));
  for (const seed of SEEDS) {
    const { how, blocks, operations, switches, restarts, maintenances, counts, isAtRest } = await new ChainRun(
      seed,
    ).run();
    for (const [name, count] of counts) accepted.set(name, (accepted.get(name) ?? 0) + count.accepted);
    t.pass(`seed ${seed}, ${how}: ${blocks} blocks, ${operations} operations`);
    if (isAtRest) continue;
    t.ok(blocks >= 200 && operations >= 500 && maintenances >= 4, 'long enough to say something');
    t.ok(switches >= 2 && restarts >= 1, 'with other branches and a restart');
  }
  const missing = [...accepted].filter(([, count]) => count === 0).map(([name]) => name);
  t.same(missing, NEVER_ACCEPTED, 'each kind of operation was accepted somewhere');
});
