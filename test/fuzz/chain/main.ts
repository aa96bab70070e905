import { parseArgs } from 'node:util';
import { OPERATIONS } from '../../../src/operations/index.js';
import { tellLostWork } from '../../runner/lost-work.js';
import { ChainRun, type Counts } from './run.js';

/** `npm run fuzz -- chain --chains 100 --seed 7`: see run.ts beside this folder. */

tellLostWork();
const { values } = parseArgs({
  options: {
    chains: { type: 'string', default: '1000' },
    seed: { type: 'string' },
    minutes: { type: 'string' },
    'keep-going': { type: 'boolean', default: false },
  },
});
const first = Number(values.seed ?? Date.now() % 1_000_000_000);
const wanted = Number(values.chains);
const endMs = values.minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + Number(values.minutes) * 60_000;
/** Between two lines that say how far the run is. */
const PROGRESS_MS = 10_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const totals = {
  chains: 0,
  blocks: 0,
  operations: 0,
  switches: 0,
  restarts: 0,
  maintenances: 0,
  atRest: 0,
  failures: 0,
};
const counts: Counts = new Map(OPERATIONS.map(({ name }) => [name, { accepted: 0, refused: 0 }]));
const failed: number[] = [];
const startMs = Date.now();

function add(own: Counts): void {
  for (const [name, { accepted, refused }] of own) {
    const entry = counts.get(name) ?? { accepted: 0, refused: 0 };
    entry.accepted += accepted;
    entry.refused += refused;
    counts.set(name, entry);
  }
}

function progress(seed: number): void {
  const perChain = (Date.now() - startMs) / Math.max(totals.chains, 1) / 1000;
  const { chains, blocks, operations, switches, restarts, maintenances, atRest, failures } = totals;
  say(
    `seed ${seed}: ${chains} of ${wanted} chains, ${perChain.toFixed(2)} s each; ${blocks} blocks, ${operations} operations, ` +
      `${switches} fork switches, ${restarts} restarts, ${maintenances} maintenances, ${atRest} at rest, ${failures} failures`,
  );
}

say(`chain fuzz: ${wanted} chains from seed ${first}`);
let toldMs = Date.now();
for (let seed = first; seed < first + wanted && Date.now() < endMs; seed++) {
  const run = new ChainRun(seed);
  try {
    await run.run();
  } catch (error) {
    totals.failures++;
    failed.push(seed);
    say((error as Error).message);
    process.exitCode = 1;
    if (!values['keep-going']) break;
  }
  const { report } = run;
  totals.chains++;
  for (const key of ['blocks', 'operations', 'switches', 'restarts', 'maintenances'] as const)
    totals[key] += report[key];
  if (report.isAtRest) totals.atRest++;
  add(report.counts);
  if (Date.now() - toldMs < PROGRESS_MS) continue;
  toldMs = Date.now();
  progress(seed);
}
say('accepted and refused by kind:');
for (const [name, { accepted, refused }] of counts)
  say(`  ${name.padEnd(44)} ${String(accepted).padStart(8)} ${String(refused).padStart(8)}`);
if (failed.length > 0) say(`failed seeds: ${failed.join(' ')}`);
progress(first + totals.chains - 1);
