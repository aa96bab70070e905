import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import t from 'tap';
import { projectPath } from '../support/paths.js';

/** The project that `trustnode contract new` writes builds, passes its test, and does so again after a change. */

const run = promisify(execFile);
const PROGRAM = ['--stack-size=6500', projectPath('dist/src/bin/trustnode.js')];
const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
const make = (...words: string[]) => run(process.execPath, [...PROGRAM, 'contract', 'new', ...words], { env });

const folder = join(t.testdir(), 'tally');
await make('tally', folder);
// What `npm install` would bring.
mkdirSync(join(folder, 'node_modules'));
symlinkSync(projectPath('.'), join(folder, 'node_modules/trustnode'));
symlinkSync(projectPath('node_modules/assemblyscript'), join(folder, 'node_modules/assemblyscript'));

t.test('its test passes', async (t) => {
  const { stdout } = await run('npm', ['test'], { cwd: folder, env });
  t.match(stdout, /tally\.wasm \d+ bytes, tally\.abi 1 actions/);
  t.match(stdout, /# pass 2\n# fail 0|pass 2\n.*fail 0/);
});

t.test('a change makes the loop run again, and it says what has come of it', async (t) => {
  const child: ChildProcess = spawn(process.execPath, ['watch.mjs'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.teardown(() => child.kill());
  if (child.stdout === null) throw new Error('its output is a pipe');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const verdict = async (): Promise<string> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done === true) throw new Error('the loop has ended');
      if (value.startsWith('-- ')) return value;
    }
  };
  t.match(await verdict(), 'all tests pass');
  const source = join(folder, 'tally.ts');
  const text = readFileSync(source, 'utf8');
  writeFileSync(source, text.replace(' has ', ' owns '));
  t.match(await verdict(), 'a test fails');
  writeFileSync(source, `${text}nonsense`);
  t.match(await verdict(), 'it does not compile');
  writeFileSync(source, text);
  t.match(await verdict(), 'all tests pass');
});

t.test('nothing is written over, and names that cannot be are refused', async (t) => {
  await t.rejects(make('tally', folder), /is there already and not empty/);
  for (const name of ['', 'Tally', '1st', 'a_b', 'a--b', '../x']) {
    await t.rejects(make(name, join(t.testdir(), 'x')), { code: 1 }, name);
  }
});
