import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { accountObject } from '../../src/state/objects/account.js';
import { startDevNode } from '../support/dev-node.js';
import { freePort } from '../support/free-port.js';
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

interface Loop {
  /** The next line in which it says what has come of a round. */
  verdict(): Promise<string>;
}

function startLoop(t: Test, url: string): Loop {
  const child: ChildProcess = spawn(process.execPath, ['watch.mjs', url], {
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
  return { verdict };
}

t.test('a change makes the loop run again, and it says what has come of it', async (t) => {
  // A block as soon as a transaction waits.
  const { node } = await startDevNode(t.testdir(), { 'dev-block-ms': '0' });
  t.teardown(() => node.stop());
  const codeOnChain = (): string =>
    Buffer.from(node.chain.queries.state.findBy(accountObject.by.name, 'tally')?.code ?? []).toString('hex');
  const built = (): string => readFileSync(join(folder, 'tally.wasm')).toString('hex');

  const { verdict } = startLoop(t, `http://${node.endpoints.plain}`);
  t.match(await verdict(), 'all tests pass, deployed;');
  const first = codeOnChain();
  t.equal(first, built(), 'what was built is on the chain');
  const source = join(folder, 'tally.ts');
  const text = readFileSync(source, 'utf8');
  writeFileSync(source, text.replace(' has ', ' owns '));
  t.match(await verdict(), 'a test fails, deployed;');
  t.not(codeOnChain(), first);
  t.equal(codeOnChain(), built(), 'and so is what a change has made of it');
  writeFileSync(source, `${text}nonsense`);
  t.match(await verdict(), 'it does not compile');
  node.dev?.setProducing(false);
  writeFileSync(source, text);
  t.match(await verdict(), 'all tests pass, deployed;');
  t.equal(codeOnChain(), first, 'also where blocks are made by hand');
});

t.test('without a chain the loop tests alone, and a chain of others is left alone', async (t) => {
  const nowhere = startLoop(t, `http://127.0.0.1:${await freePort()}`);
  t.match(await nowhere.verdict(), 'all tests pass, no chain to deploy to;');
  const { node } = await startDevNode(t.testdir(), { dev: 'false', 'genesis-json': projectPath('genesis/dev.json') });
  t.teardown(() => node.stop());
  const refused = run(process.execPath, ['deploy.mjs', `http://${node.endpoints.plain}`], { cwd: folder, env });
  await t.rejects(refused, { code: 1, stderr: /tally was not deployed on .*development chain/ });
});

t.test('nothing is written over, and names that cannot be are refused', async (t) => {
  await t.rejects(make('tally', folder), /is there already and not empty/);
  for (const place of [join(folder, 'package.json'), join(folder, 'package.json', 'below')]) {
    await t.rejects(
      make('tally', place),
      { code: 1, stderr: /^assert_exception .*package\.json/ },
      'no folder can be there',
    );
  }
  for (const name of ['', 'Tally', '1st', 'a_b', 'a--b', '../x']) {
    await t.rejects(make(name, join(t.testdir(), 'x')), { code: 1 }, name);
  }
});
