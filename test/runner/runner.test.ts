import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { projectPath } from '../support/paths.js';
import { fileText, summaryText } from './report.js';
import { type FileResult, type RunFileOptions, runFile } from './run-file.js';

/** A runner that counts a broken file as good would hide everything else: it is tried on files of every kind. */

async function run(t: Test, script: string, options: RunFileOptions = {}): Promise<FileResult> {
  const path = join(t.testdir(), 'one.mjs');
  writeFileSync(path, script);
  return runFile('one', path, options);
}

const says = (...lines: readonly string[]): string =>
  `process.stdout.write(${JSON.stringify(`${lines.join('\n')}\n`)});`;

const NESTED = [
  'TAP version 14',
  '# Subtest: outer',
  '    # Subtest: inner',
  '        ok 1 - leaf',
  '        not ok 2 - bad',
  '          ---',
  '          diff: |',
  '            -1',
  '            +2',
  '          note: not ok 7 - only a text',
  '          ...',
  '        1..2',
  '    not ok 1 - inner # time=3ms',
  '    ok 2 - later # SKIP there is no clang; install it',
  '    1..2',
  'not ok 1 - outer # time=1ms',
  'ok 2 - whole # SKIP',
  'ok 3 - good',
  '1..3',
];

t.test('assertions are counted where they are, not where they are summed up', async (t) => {
  const result = await run(t, says(...NESTED));
  t.match(result, { passed: 2, failures: [{ name: 'outer > inner > bad', diagnostics: { diff: '-1\n+2\n' } }] });
  t.equal(result.failures.length, 1, 'each once');
  t.same(result.skips, [
    { name: 'outer > later', reason: 'there is no clang; install it' },
    { name: 'whole', reason: '' },
  ]);
  t.match(fileText(result), /^FAIL .* one {2}\(2 passed, 1 failed, 2 skipped\)\n {6}outer > inner > bad\n.*diff:\n/);
});

t.test('a sum that is bad without a reason below it is a failure', async (t) => {
  const lines = ['TAP version 14', '# Subtest: outer', '    ok 1 - leaf', '    1..1', 'not ok 1 - outer', '1..1'];
  t.match(await run(t, says(...lines)), { passed: 1, failures: [{ name: 'outer' }] });
});

t.test('each sum is looked at by itself, whatever has failed before it', async (t) => {
  const part = (number: number, name: string, leaf: string, sum: string): string[] => [
    `# Subtest: ${name}`,
    `    ${leaf} 1 - leaf`,
    '    1..1',
    `${sum} ${number} - ${name}`,
  ];
  const lines = [...part(1, 'a', 'ok', 'ok'), ...part(2, 'b', 'not ok', 'not ok'), ...part(3, 'c', 'ok', 'not ok')];
  const { passed, failures } = await run(t, says('TAP version 14', ...lines, '1..3'));
  t.same([passed, failures.map(({ name }) => name)], [2, ['b > leaf', 'c']]);
});

t.test('where one failure is enough, nobody waits for the rest', async (t) => {
  const script = `${says('TAP version 14', 'ok 1 - a', 'not ok 2 - b', 'ok 3 - c')} setTimeout(() => {}, 3_600_000);`;
  const { failures, seconds } = await run(t, script, { endsAtFailure: true });
  t.same(failures[0]?.name, 'b');
  t.equal(failures.at(-1)?.name, 'ended by SIGKILL');
  t.ok(seconds < 600);
  const passes = says('TAP version 14', 'ok 1 - a', '1..1');
  t.same((await run(t, passes, { endsAtFailure: true })).failures, []);
  const named = await run(t, `console.log('TAP version 14\\nok 1 - ' + process.env.A_NAME + '\\n1..1')`, {
    environment: { A_NAME: 'given' },
  });
  t.same(named.failures, []);
  t.equal(named.passed, 1);
});

t.test('a file that passes', async (t) => {
  const result = await run(t, says('TAP version 14', 'ok 1 - a', 'ok 2 - b', '1..2'));
  t.match(result, { passed: 2, failures: [], skips: [] });
  t.match(fileText(result), /^ ok {2} +\d+\.\d s {2} +\d+\.\d s CPU {2}one {2}\(2 passed\)\n$/);
});

t.test('the CPU time of a file is that of all its processes', async (t) => {
  const burn = 'const end = process.cpuUsage().user + 400_000; while (process.cpuUsage().user < end);';
  const script = `import { execFileSync } from 'node:child_process';
    ${says('TAP version 14', 'ok 1 - a', '1..1')}
    ${burn}
    execFileSync(process.execPath, [...process.execArgv, '-e', ${JSON.stringify(burn)}]);`;
  const { cpuSeconds = 0, failures } = await run(t, script);
  t.same(failures, []);
  t.ok(cpuSeconds > (process.platform === 'linux' ? 0.8 : 0.4), `${cpuSeconds} s`);
});

t.test('what does not say that it passes fails', async (t) => {
  const cases: readonly (readonly [what: string, script: string, failure: RegExp])[] = [
    ['nothing at all', '', /tests nothing|not that of a test/],
    ['an exit code', `${says('TAP version 14', 'ok 1 - a', '1..1')} process.exitCode = 7;`, /exit code 7/],
    ['an end in between', says('TAP version 14', 'ok 1 - a', '1..3'), /./],
    ['an end in a subtest', says('TAP version 14', '# Subtest: x', '    ok 1 - a'), /./],
    ['an error of its own', `${says('TAP version 14', 'ok 1 - a', '1..1')} throw new Error('oh');`, /exit code 1/],
    ['a signal', `${says('TAP version 14', 'ok 1 - a', '1..1')} process.kill(process.pid, 'SIGKILL');`, /SIGKILL/],
    ['giving up', says('TAP version 14', 'Bail out! no room'), /./],
    [
      'a real one',
      `import t from ${JSON.stringify(import.meta.resolve('tap'))}; t.equal(1, 2, 'one is two');`,
      /one is two/,
    ],
  ];
  for (const [what, script, failure] of cases) {
    const { failures } = await run(t, script);
    t.match(failures[0]?.name ?? 'it passes', failure, what);
  }
});

t.test('a file that waits for what never comes is ended, with what it started', async (t) => {
  // Whoever holds the pipe keeps the run waiting: it comes to an end only if the other process does.
  const script = `import { spawn } from 'node:child_process';
    spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
    process.stdout.write('TAP version 14\\n');
    process.stderr.write('I wait');
    setInterval(() => {}, 1000);`;
  const result = await run(t, script, { silenceMsMax: 3000 });
  t.match(result.failures[0]?.name, /nothing was heard for 3 s/);
  t.match(fileText(result), /standard error output:\n +I wait/);
});

t.test('a run that is given up ends the file at once', async (t) => {
  const given = new AbortController();
  const running = run(t, 'setInterval(() => {}, 1000);', { signal: given.signal, silenceMsMax: 20_000 });
  given.abort();
  t.match((await running).failures, [{ name: 'ended by SIGKILL' }]);
});

t.test('what a file that has passed leaves running is ended, too', async (t) => {
  const script = `import { spawn } from 'node:child_process';
    spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' }).once('spawn', () => {
      ${says('TAP version 14', 'ok 1 - a', '1..1')}
      process.exit();
    });`;
  const { passed, failures } = await run(t, script, { silenceMsMax: 20_000 });
  t.same([passed, failures], [1, []]);
});

t.test('the last lines name what was skipped and why', async (t) => {
  const result = await run(t, says(...NESTED));
  const lines = summaryText([result], [], 3).trimEnd().split('\n');
  t.match(lines[1], /^\d+ s of CPU time, most of it for one \d+\.\d$/);
  t.match(lines[2], /^1 files, 2 passed, 1 failed, 2 skipped, in 3 s$/);
  t.match(lines.slice(-5), [
    /^Skipped/,
    '  one: outer > later',
    '    there is no clang; install it',
    '  one: whole',
    '    no reason given',
  ]);
});

t.test('runs of one file at the same time have folders of their own', async (t) => {
  const script = `import t from ${JSON.stringify(import.meta.resolve('tap'))}; t.pass(t.testdirName);`;
  const folders: unknown[] = [];
  for (const beside of [undefined, 'one', 'two']) {
    const path = join(t.testdir(), 'one.test.mjs');
    writeFileSync(path, script.replace('t.pass(', 't.fail('));
    const { failures } = await runFile('one', path, { beside });
    folders.push(failures[0]?.name);
  }
  t.equal(new Set(folders).size, 3, folders.join(' '));
});

t.test('the whole run: exit codes, names, --no-skips', async (t) => {
  const folder = t.testdir();
  for (const name of ['run.js', 'runner'])
    cpSync(projectPath('dist/test', name), join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'good.test.js'), says('TAP version 14', 'ok 1 - a', '1..1'));
  writeFileSync(join(folder, 'skips.test.js'), says('TAP version 14', 'ok 1 - a', 'ok 2 - b # SKIP get it', '1..2'));
  writeFileSync(join(folder, 'bad.test.js'), says('TAP version 14', 'not ok 1 - a', '1..1'));
  for (let i = 1; i <= 5; i++)
    writeFileSync(join(folder, `many-${i}.test.js`), says('TAP version 14', 'not ok 1 - a', '1..1'));
  // Bad as long as it is in company, and remembers that by a file.
  const met = JSON.stringify(join(folder, 'met'));
  writeFileSync(
    join(folder, 'shy.test.js'),
    `import { existsSync, writeFileSync } from 'node:fs';
    process.stdout.write('TAP version 14\\n' + (existsSync(${met}) ? '' : 'not ') + 'ok 1 - company\\n1..1\\n');
    writeFileSync(${met}, '');`,
  );
  for (const [args, code, text] of [
    [['good', 'shy', '--once'], 1, /Failed:\n {2}shy: company\n$/],
    [['good'], 0, /1 files, 1 passed, 0 failed, 0 skipped/],
    [['good', 'skips'], 0, /skips: b\n {4}get it\n$/],
    [['skips', '--no-skips'], 1, /skips: b\n {4}get it\n\nA skipped test fails this run/],
    [['good', '--no-skips'], 0, /1 passed/],
    [['bad', 'good', '--jobs', '1'], 1, /FAIL .* bad .*Failed:\n {2}bad: a\n$/s],
    [['bad', 'good'], 1, /bad once more, by itself:\nFAIL .*Failed:\n {2}bad: a\n$/s],
    [['nowhere'], 1, /^$/],
    [['good', '--jobs', '0'], 1, /^$/],
    [['many'], 1, /many-5: a\n$/],
  ] as const) {
    const { status, stdout } = spawnSync(process.execPath, [join(folder, 'run.js'), ...args], { encoding: 'utf8' });
    t.equal(status, code, args.join(' '));
    t.match(stdout, text);
    if (args[0] === 'many') t.notMatch(stdout, /once more/, 'it is not the company');
  }

  rmSync(join(folder, 'met'));
  const { status, stdout } = spawnSync(process.execPath, [join(folder, 'run.js'), 'good', 'shy'], { encoding: 'utf8' });
  t.equal(status, 0, 'what passes by itself does not fail the run');
  t.match(stdout, /FAIL .* shy .*shy once more, by itself:\n ok .* shy .*\n2 files, 2 passed, 0 failed/s);
  t.match(stdout, /Unsteady tests, to be mended.*:\n {2}shy: company\n$/, 'and is named');
});

t.test('a run that a signal ends says so', async (t) => {
  const folder = t.testdir();
  for (const name of ['run.js', 'runner'])
    cpSync(projectPath('dist/test', name), join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'good.test.js'), says('TAP version 14', 'ok 1 - a', '1..1'));
  writeFileSync(join(folder, 'waits.test.js'), 'setInterval(() => {}, 1000);');
  const child = spawn(process.execPath, [join(folder, 'run.js'), 'good', 'waits', '--jobs', '2'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.stdout.once('data', () => child.kill('SIGINT'));
  const [code] = await once(child, 'exit');
  t.equal(code, 130);
});

t.test('what was compiled of a file that is gone is not run', async (t) => {
  const project = t.testdir({ test: { 'good.test.ts': '' }, 'package.json': '{"type":"module"}' });
  const folder = join(project, 'dist', 'test');
  for (const name of ['run.js', 'runner'])
    cpSync(projectPath('dist/test', name), join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'good.test.js'), says('TAP version 14', 'ok 1 - a', '1..1'));
  writeFileSync(join(folder, 'gone.test.js'), says('TAP version 14', 'not ok 1 - a', '1..1'));
  const { status, stdout } = spawnSync(process.execPath, [join(folder, 'run.js')], { encoding: 'utf8' });
  t.equal(status, 0, stdout);
  t.match(stdout, /1 files, 1 passed, 0 failed/);
});
