import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { coveredLines, covers } from './coverage.js';
import { apply, mutantsOf } from './mutants.js';

const SOURCE = `/** a >= b && true */
import { check } from './x.js';
export function f(a, b) {
    if (a >= b && b !== 'x === y')
        return true;
    log.info('a > b', { a });
    this.log.sync();
    check(a < b, ROW, () => ({ a: 'a + b' }));
    this.#count += 1;
    if (!a) return 1;
    return a + b;
}
`;

t.test('faults are made in code, not in comments, texts, imports or log lines', (t) => {
  const mutants = mutantsOf('x.js', SOURCE);
  const lineOf = (line: number): string[] => mutants.filter((one) => one.line === line).map(({ kind }) => kind);
  t.same(lineOf(1), []);
  t.same(lineOf(2), []);
  t.same(lineOf(4), ['unequal', 'at least', 'and']);
  t.same(lineOf(5), ['true']);
  t.same(lineOf(6), []);
  t.same(lineOf(7), ['call left out']);
  t.same(lineOf(8), ['less than', 'call left out']);
  t.same(lineOf(9), ['assignment left out']);
  t.same(lineOf(10), ['not', 'early end left out']);
  t.same(lineOf(11), ['plus']);
  const changed = mutants.map((mutant) => apply(mutant, SOURCE).split('\n')[mutant.line - 1]?.trim());
  t.same(changed, [
    "if (a >= b && b === 'x === y')",
    "if (a > b && b !== 'x === y')",
    "if (a >= b || b !== 'x === y')",
    'return false;',
    ';',
    "check(a <= b, ROW, () => ({ a: 'a + b' }));",
    ';',
    ';',
    'if (a) return 1;',
    'if (!a) {}',
    'return a - b;',
  ]);
  t.equal(new Set(changed.map((_, i) => apply(mutants[i] as (typeof mutants)[0], SOURCE))).size, mutants.length);
  t.end();
});

const REPORT_START = new URL('report-start.js', import.meta.url).href;

const PROGRAM = `import { Worker, isMainThread } from 'node:worker_threads';
export function called(n) {
    if (n > 1)
        return 'large';
    return 'small';
}
export function never() {
    return 1;
}
if (isMainThread) {
    called(0);
    new Worker(new URL(import.meta.url));
}
else
    called(2);
`;

t.test('which lines a program came through is known, in all its threads', (t) => {
  const folder = t.testdir();
  const [program, reports] = [join(folder, 'src'), join(folder, 'reports')];
  mkdirSync(program);
  writeFileSync(join(program, 'one.mjs'), PROGRAM);
  mkdirSync(reports);
  const env = { ...process.env, NODE_V8_COVERAGE: reports, NODE_OPTIONS: `--import=${REPORT_START}` };
  t.equal(spawnSync(process.execPath, [join(program, 'one.mjs')], { env }).status, 0);
  const covered = coveredLines(reports, program) ?? {};
  t.same(Object.keys(covered), ['one.mjs']);
  const lines = PROGRAM.split('\n').map((_, i) => i + 1);
  t.same(
    lines.filter((line) => covers(covered, 'one.mjs', line)),
    [1, 2, 3, 4, 5, 7, 10, 11, 12, 14, 15],
  );
  t.notOk(covers(covered, 'other.mjs', 1));

  // By somebody else: Node makes its report before it kills itself.
  const killed = "import { execSync } from 'node:child_process';\nexecSync('kill -9 $PPID');\n";
  writeFileSync(join(program, 'two.mjs'), killed);
  t.equal(spawnSync(process.execPath, [join(program, 'two.mjs')], { env }).signal, 'SIGKILL');
  t.equal(coveredLines(reports, program), undefined, 'what a process ran that was killed is not known');
  t.end();
});
