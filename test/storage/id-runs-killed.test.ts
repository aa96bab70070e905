import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { seededRandom } from '../crash/random.js';
import { endWithUs } from '../support/ends-with-us.js';
import { hasFound, hash, openRuns } from '../support/id-runs.js';

/** `TRUSTNODE_ID_RUNS_KILLS=1000 node dist/test/storage/id-runs-killed.test.js` tries more of it. */
const KILLS = Number(process.env.TRUSTNODE_ID_RUNS_KILLS ?? 30);
const WORKER = fileURLToPath(new URL('./id-runs-worker.js', import.meta.url));
/** So many that merges take a part of the time. */
const IDS = 600;
const LIFE_MS_MAX = 60;

/** How many blocks it said that it has stored before it was killed. */
async function killed(folder: string, afterMs: number): Promise<number> {
  const child = spawn(process.execPath, [WORKER, folder, String(IDS)], { stdio: ['ignore', 'pipe', 'inherit'] });
  endWithUs(child);
  let told = '';
  child.stdout.setEncoding('latin1').on('data', (text: string) => {
    told += text;
  });
  await once(child.stdout, 'data');
  await pause(afterMs);
  child.kill('SIGKILL');
  await once(child, 'close');
  return Number(told.trimEnd().split('\n').at(-1));
}

t.test('a process that is killed at any instant has lost nothing that it had stored', async (t) => {
  const folder = t.testdir();
  const random = seededRandom(1);
  let [mended, last] = [0, 0];
  for (let kill = 1; kill <= KILLS; kill++) {
    const told = await killed(folder, random(LIFE_MS_MAX));
    const before = readdirSync(folder).sort();
    const runs = openRuns(folder);
    const after = readdirSync(folder).sort();
    if (after.join() !== before.join()) mended++;
    const position = runs.position ?? { number: 0, id: '' };
    t.ok(told > last && position.number >= told, `kill ${kill}: all ${told} blocks are there`);
    t.equal(position.id, hash(`block ${position.number}`));
    // What was looked at after an earlier kill may have been merged since.
    const wrong = [];
    for (let block = 1; block <= position.number; block++) if (!hasFound(runs, block, 5)) wrong.push(block);
    t.same(wrong, []);
    for (let block = last + 1; block <= position.number; block++) if (!hasFound(runs, block, IDS)) wrong.push(block);
    t.same(wrong, [], 'each with all of its ids');
    await runs.close();
    last = position.number;
  }
  t.ok(mended > 0, `${mended} times something was left half done`);
});
