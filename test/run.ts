import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { fileText, summaryText } from './runner/report.js';
import { type FileResult, runFile } from './runner/run-file.js';

/**
 * `npm test -- [--no-skips] [--jobs N] [part of a name ...]`: every test file, or those whose name has one of the parts,
 * each in a process of its own. With --no-skips a test that is skipped fails the run: where all tools are, none is.
 */

const ENDING = '.test.js';
const EXIT_FAILED = 1;
const EXIT_INTERRUPTED = 130;
/** Some tests wait while others compute. */
const JOBS = Math.max(2, Math.min(availableParallelism() + 1, 4));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'no-skips': { type: 'boolean', default: false }, jobs: { type: 'string', default: String(JOBS) } },
});
const jobs = Number(values.jobs);
if (!Number.isInteger(jobs) || jobs < 1) throw new Error('--jobs takes a whole number');

const folder = fileURLToPath(new URL('.', import.meta.url));
const names = readdirSync(folder, { recursive: true })
  .map((file) => String(file).split(sep).join('/'))
  .filter((file) => file.endsWith(ENDING) && !file.includes('node_modules/'))
  .map((file) => file.slice(0, -ENDING.length))
  .filter((name) => positionals.length === 0 || positionals.some((part) => name.includes(part)))
  .sort();
if (names.length === 0) throw new Error(`no test file has ${positionals.join(' or ')} in its name`);

const startMs = performance.now();
const results: FileResult[] = [];
const given = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => given.abort());

const waiting = [...names];
await Promise.all(
  Array.from({ length: jobs }, async () => {
    for (let name = waiting.shift(); name !== undefined && !given.signal.aborted; name = waiting.shift()) {
      const result = await runFile(name, join(folder, `${name}${ENDING}`), { signal: given.signal });
      results.push(result);
      process.stdout.write(fileText(result));
    }
  }),
);
results.sort((a, b) => (a.name < b.name ? -1 : 1));
process.stdout.write(summaryText(results, (performance.now() - startMs) / 1000));
const hasFailed = results.some(({ failures }) => failures.length > 0);
const hasSkipped = results.some(({ skips }) => skips.length > 0);
if (values['no-skips'] && hasSkipped) process.stdout.write('\nA skipped test fails this run (--no-skips).\n');
if (given.signal.aborted) process.exitCode = EXIT_INTERRUPTED;
else if (hasFailed || (values['no-skips'] && hasSkipped)) process.exitCode = EXIT_FAILED;
