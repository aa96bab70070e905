import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { hasNoPostgres } from './server.js';

/**
 * The same test files over PostgreSQL: those that say most about the database for the least time. `npm run postgres` runs
 * all of them.
 */

const FILES = [
  'services/gateway/',
  'services/market/bills',
  'services/market/market',
  'services/market/votes',
  'services/des/retention',
  'services/des/taken-up',
  'services/payments',
  'services/storage/instances',
  'services/storage/storage',
];
/** Other files run beside this one. */
const FEW_AT_ONCE = ['--jobs', '2'];
const SHOWN_CHARS = 20_000;

t.test(FILES.join(', '), { skip: hasNoPostgres }, async (t) => {
  const program = fileURLToPath(new URL('run.js', import.meta.url));
  const child = spawn(process.execPath, [program, ...FEW_AT_ONCE, ...FILES], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-SHOWN_CHARS);
    });
  }
  const code = await new Promise((done) => child.once('exit', done));
  t.equal(code, 0, output);
  t.match(output, /\b12 files, \d+ passed, 0 failed, 0 skipped/);
});
