import { addRun, idsOf, openRuns } from '../support/id-runs.js';

/** Adds runs of one block each until it is killed; tells of each that is stored. */
const [folder = '', count = ''] = process.argv.slice(2);
const runs = openRuns(folder);
for (let block = (runs.position?.number ?? 0) + 1; ; block++) {
  await addRun(runs, block, idsOf(block, Number(count)));
  process.stdout.write(`${block}\n`);
}
