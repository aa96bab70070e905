import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { tellLostWork } from '../runner/lost-work.js';
import { exitOnSignals } from '../support/ends-with-us.js';
import { linksForCutting } from './choose-links.js';
import { Trial } from './trial.js';

/**
 * `npm run network-trial -- --minutes 10 [--seed N] [--interval 3]`: seven nodes with 21 witnesses under load, killed and
 * started again, cut apart once; see trial.ts.
 */

const NODES = 7;
const WITNESSES = 21;
const FILLED_MIN = 0.99;
const PARTITION_SECONDS_MAX = 60;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string' },
    interval: { type: 'string', default: '3' },
    keep: { type: 'boolean', default: false },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const blockIntervalSec = Number(values.interval);
if (!(minutes > 0) || !Number.isInteger(seed) || !Number.isInteger(blockIntervalSec)) {
  throw new Error('--minutes takes a number above 0, --seed and --interval whole ones');
}

exitOnSignals();
tellLostWork();
const startMs = performance.now();
const say = (line: string): void => {
  process.stdout.write(`${((performance.now() - startMs) / 1000).toFixed(1).padStart(7)} s  ${line}\n`);
};
const folder = mkdtempSync(join(tmpdir(), 'trustnode-trial-'));
say(`seed ${seed}, ${minutes} minutes, data in ${folder}`);
try {
  const trial = new Trial({
    folder,
    links: await linksForCutting(NODES, say),
    nodes: NODES,
    witnesses: WITNESSES,
    blockIntervalSec,
    seed,
    seconds: minutes * 60,
    partitionSeconds: Math.min(PARTITION_SECONDS_MAX, minutes * 15),
    killEverySeconds: 15,
    transfersPerSecond: 10,
    say,
  });
  const { problems, blocks, sent, toldIrreversible, kills, slots, stateHash } = await trial.run();
  const filled = 1 - slots.misses.length / Math.max(1, slots.due);
  say(`${blocks} blocks, ${kills} kills, ${sent} transfers accepted, ${toldIrreversible} told to be irreversible`);
  say(
    `${slots.due} slots of witnesses whose node stood at the head, ${slots.misses.length} empty: ${(100 * filled).toFixed(2)} % filled`,
  );
  say(`state ${stateHash}`);
  for (const problem of problems) say(`PROBLEM ${problem}`);
  const isGood = problems.length === 0 && filled >= FILLED_MIN;
  say(
    isGood ? 'all nodes agree, and nothing irreversible is lost' : `failed; again: --seed ${seed} --minutes ${minutes}`,
  );
  if (!isGood) process.exitCode = 1;
} finally {
  if (!values.keep) rmSync(folder, { recursive: true, force: true });
}
process.exit();
