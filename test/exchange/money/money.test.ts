import t from 'tap';
import { moneyRun } from './money-run.js';
import { CRASH_POINTS } from './phase.js';

/** The short form of `npm run money`. */

const SEED = Number(process.env.TRUSTNODE_MONEY_SEED ?? 1);
/** As many as fit into the time on a machine of any speed. */
const [PURCHASES, SECONDS] = [200, 40];
const BEGUN_MIN = 20;

t.test(`purchases while everything goes wrong, seed ${SEED}`, async (t) => {
  const { problems, begun, delivered, lost, charges, counts } = await moneyRun({
    folder: t.testdir(),
    seed: SEED,
    purchases: PURCHASES,
    atOnce: 24,
    seconds: SECONDS,
    releaseAt: ['accepted', 'included', 'final'],
    say: (line) => t.comment(line),
  });
  t.comment(`${begun} purchases, ${delivered} deliveries, ${charges} charges, ${lost} lost; ${counts.text}`);
  t.same(problems, []);
  t.ok(begun >= BEGUN_MIN, `${begun} purchases were begun`);
  t.ok(charges > 0 && delivered === charges + lost, `${delivered} deliveries, ${charges} charges, ${lost} lost`);
  const points = CRASH_POINTS.filter((point) => counts.get(`killed at ${point}`) > 0);
  t.ok(points.length > 0, `killed at ${points.join(', ')}`);
});
