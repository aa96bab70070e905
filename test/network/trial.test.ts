import t from 'tap';
import { linksForCutting } from './choose-links.js';
import { Trial } from './trial.js';

/** The short form of `npm run network-trial`. */

const NODES = 7;
const SEED = Number(process.env.TRUSTNODE_TRIAL_SEED ?? 1);
/** Of so few slots one is more than a hundredth. */
const MISSES_MAX = 1;

t.test(`${NODES} nodes under load, killed and cut apart, seed ${SEED}`, async (t) => {
  const trial = new Trial({
    folder: t.testdir(),
    links: await linksForCutting(NODES, (line) => t.comment(line)),
    nodes: NODES,
    witnesses: 21,
    blockIntervalSec: 2,
    seed: SEED,
    seconds: 34,
    partitionSeconds: 10,
    killEverySeconds: 4,
    transfersPerSecond: 5,
    say: (line) => t.comment(line),
  });
  const report = await trial.run();
  t.same(report.problems, []);
  t.ok(report.kills >= 2, `${report.kills} kills`);
  t.ok(report.sent > 40, `${report.sent} transfers were accepted`);
  t.ok(report.toldIrreversible > report.sent / 2, `${report.toldIrreversible} of them are irreversible`);
  t.ok(report.slots.due >= 5, `${report.slots.due} slots were due`);
  t.ok(report.slots.misses.length <= MISSES_MAX, `${report.slots.misses.length} of them stayed empty`);
  t.match(report.stateHash, /^[0-9a-f]{64}$/);
});
