import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { tellLostWork } from '../../runner/lost-work.js';
import { PostgresServer } from '../../services/postgres/server.js';
import { exitOnSignals } from '../../support/ends-with-us.js';
import type { ReleaseAt } from './judge.js';
import { moneyRun } from './money-run.js';
import { CRASH_POINTS } from './phase.js';

/**
 * `npm run money -- --purchases 5000 --seed 7 [--at-once 50] [--folder F] [--release-at final]`: purchases while everything
 * goes wrong, and what must be true of money and data afterwards. With --folder a run that was ended goes on by the next.
 * `--postgres [--instances 3]`: so many exchanges and so many markets over one PostgreSQL, which is restarted as well.
 * `--forked`: the chain changes its branch all the time, and most buyers have little, so that payments are lost.
 */

const POINTS: readonly ReleaseAt[] = ['accepted', 'included', 'final'];
const { values } = parseArgs({
  options: {
    purchases: { type: 'string', default: '200' },
    seed: { type: 'string' },
    'at-once': { type: 'string', default: '50' },
    'release-at': { type: 'string' },
    folder: { type: 'string' },
    postgres: { type: 'boolean', default: false },
    instances: { type: 'string', default: '3' },
    forked: { type: 'boolean', default: false },
  },
});
const purchases = Number(values.purchases);
const atOnce = Number(values['at-once']);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const instances = Number(values.instances);
const wanted = values['release-at'] ?? (values.postgres ? 'included' : undefined);
const releaseAt = wanted === undefined ? POINTS : POINTS.filter((one) => one === wanted);
if (values.postgres && values.folder !== undefined) throw new Error('the server of --postgres goes when the run ends');
if (![purchases, atOnce, seed, instances].every(Number.isInteger) || releaseAt.length === 0) {
  throw new Error(
    '--purchases, --at-once, --seed and --instances take whole numbers, --release-at accepted, included or final',
  );
}

const folder = values.folder === undefined ? mkdtempSync(join(tmpdir(), 'trustnode-money-')) : resolve(values.folder);
mkdirSync(folder, { recursive: true });
exitOnSignals();
tellLostWork();
const startMs = performance.now();
const say = (line: string): void => {
  process.stdout.write(`${((performance.now() - startMs) / 1000).toFixed(1).padStart(7)} s  ${line}\n`);
};
say(`seed ${seed}, ${purchases} purchases, data in ${folder}`);
const server = values.postgres ? await PostgresServer.start() : undefined;
const several = server === undefined ? {} : { several: { server, instances, waitsForLetters: true } };
const options = {
  folder,
  seed,
  purchases,
  atOnce,
  seconds: Number.POSITIVE_INFINITY,
  releaseAt,
  say,
  ...several,
  isForked: values.forked,
};
const { problems, begun, delivered, lost, charges, counts } = await moneyRun(options);
say(`${begun} purchases, ${delivered} deliveries, ${charges} charges, ${lost} lost`);
say(counts.text);
for (const point of CRASH_POINTS) if (counts.get(`killed at ${point}`) === 0) say(`never killed at ${point}`);
for (const problem of problems) say(`PROBLEM ${problem}`);
say(problems.length === 0 ? 'all money and all data are where they belong' : `failed; again: --seed ${seed}`);
if (problems.length > 0) process.exitCode = 1;
await server?.remove();
// What went wrong is looked into with what is there.
if (values.folder === undefined && problems.length === 0) rmSync(folder, { recursive: true, force: true });
process.exit();
