import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { tellLostWork } from './runner/lost-work.js';
import { fileText, summaryText } from './runner/report.js';
import { type FileResult, runFile } from './runner/run-file.js';

/**
 * `npm test -- [--no-skips] [--once] [--jobs N] [part of a name ...]`: every test file, or those whose name has one of
 * the parts, each in a process of its own. With --no-skips a test that is skipped fails the run: where all tools are,
 * none is. With --beside WORD it may run beside another run of the same files: their folders have the word in their names.
 *
 * What fails beside other files is run once more by itself. If it passes then, no rule is broken but the test depends on
 * what else the machine does: that is a defect of the test, named in the last lines, and not a reason to doubt the rest
 * of the run. With --once it fails the run too.
 */

const ENDING = '.test.js';
/** Files that share an Elasticsearch. */
const SEARCH_FOLDER = 'plugins/search_db/';
const EXIT_FAILED = 1;
const EXIT_INTERRUPTED = 130;
/** Tests wait for half of their time, for blocks and for what was killed to be there again. */
const JOBS = Math.min(availableParallelism() + 2, 6);
/** Where more fail, it is not the company. */
const REPEATED_MAX = 4;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'no-skips': { type: 'boolean', default: false },
    once: { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(JOBS) },
    beside: { type: 'string' },
  },
});
const jobs = Number(values.jobs);
if (!Number.isInteger(jobs) || jobs < 1) throw new Error('--jobs takes a whole number');

const folder = fileURLToPath(new URL('.', import.meta.url));
/** Beside `dist`: what was compiled of a file that is gone stays behind there. */
const sources = join(folder, '..', '..', 'test');
const hasSource = (name: string): boolean => !existsSync(sources) || existsSync(join(sources, `${name}.test.ts`));
const names = readdirSync(folder, { recursive: true })
  .map((file) => String(file).split(sep).join('/'))
  .filter((file) => file.endsWith(ENDING) && !file.includes('node_modules/'))
  .map((file) => file.slice(0, -ENDING.length))
  .filter(hasSource)
  .filter((name) => positionals.length === 0 || positionals.some((part) => name.includes(part)))
  .sort();
if (names.length === 0) throw new Error(`no test file has ${positionals.join(' or ')} in its name`);

tellLostWork();
const startMs = performance.now();
const results: FileResult[] = [];
const given = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => given.abort());

async function tell(name: string, environment: Readonly<Record<string, string>> = {}): Promise<FileResult> {
  const options = { signal: given.signal, environment, beside: values.beside };
  const result = await runFile(name, join(folder, `${name}${ENDING}`), options);
  process.stdout.write(fileText(result));
  return result;
}

/** Loaded where it is wanted: it looks for tools that take a second to say that they are there. */
async function shareElastic() {
  const { SharedElastic } = await import('./services/elasticsearch/shared.js');
  return new SharedElastic(searching);
}

const waiting = [...names];
const searching = names.filter((name) => name.startsWith(SEARCH_FOLDER));
const elastic = searching.length > 1 ? await shareElastic() : undefined;
try {
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      for (let name = waiting.shift(); name !== undefined && !given.signal.aborted; name = waiting.shift()) {
        results.push(await tell(name, await elastic?.environmentOf(name)));
        await elastic?.leave(name);
      }
    }),
  );
} finally {
  await elastic?.end();
}

const unsteady: FileResult[] = [];
const failed = results.filter(({ failures }) => failures.length > 0);
if (!values.once && jobs > 1 && names.length > 1 && failed.length <= REPEATED_MAX) {
  for (const first of failed) {
    if (given.signal.aborted) break;
    process.stdout.write(`\n${first.name} once more, by itself:\n`);
    const second = await tell(first.name);
    if (second.failures.length > 0) continue;
    results[results.indexOf(first)] = second;
    unsteady.push(first);
  }
}

results.sort((a, b) => (a.name < b.name ? -1 : 1));
process.stdout.write(summaryText(results, unsteady, (performance.now() - startMs) / 1000));
const hasFailed = results.some(({ failures }) => failures.length > 0);
const hasSkipped = results.some(({ skips }) => skips.length > 0);
if (values['no-skips'] && hasSkipped) process.stdout.write('\nA skipped test fails this run (--no-skips).\n');
if (given.signal.aborted) process.exitCode = EXIT_INTERRUPTED;
else if (hasFailed || (values['no-skips'] && hasSkipped)) process.exitCode = EXIT_FAILED;
