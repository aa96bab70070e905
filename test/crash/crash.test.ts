import t from 'tap';
import { CrashDriver } from './driver.js';

/** The smoke size; `npm run crash -- --kills 200` is the long one. A fixed seed, for a failure that can be repeated. */
const KILLS = 10;
const SEED = 20_201_216;

t.test('a killed node is back with everything irreversible and the right state', async (t) => {
  const report = await new CrashDriver(SEED, (text) => t.comment(text)).run(KILLS);
  t.strictSame(report.failures, []);
  t.ok(report.kills >= KILLS);
  t.ok(report.blocks > 50, `${report.blocks} blocks between the kills`);
});
