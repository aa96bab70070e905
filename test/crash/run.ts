import { CRASH_POINTS } from '../../src/base/crash-point.js';
import { tellLostWork } from '../runner/lost-work.js';
import { exitOnSignals, keepTemporaryFoldersTogether } from '../support/ends-with-us.js';
import { CrashDriver } from './driver.js';

/** `npm run crash -- --kills 200 [--seed N]` */
function option(name: string, standard: number): number {
  const at = process.argv.indexOf(`--${name}`);
  const value = at < 0 ? standard : Number(process.argv[at + 1]);
  if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} takes a whole number`);
  return value;
}

exitOnSignals();
tellLostWork();
keepTemporaryFoldersTogether();
const kills = option('kills', 200);
const seed = option('seed', Date.now() % 2 ** 31);
const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};
say(`seed ${seed}`);
const report = await new CrashDriver(seed, say).run(kills);
say('');
say(`${report.kills} kills, ${report.blocks} blocks, longest restart ${report.restartMsMax} ms`);
for (const name of Object.keys(CRASH_POINTS)) say(`  ${name}: ${report.points.get(name) ?? 0}`);
for (const failure of report.failures) say(`FAILED ${failure}`);
say(report.failures.length === 0 ? 'everything irreversible was there, every state was right' : `seed ${seed} fails`);
process.exitCode = report.failures.length === 0 ? 0 : 1;
