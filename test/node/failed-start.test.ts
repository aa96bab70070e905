import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { NodeProcess } from '../support/node-process.js';
import { projectPath } from '../support/paths.js';
import { hasNoModes, throughModes } from '../support/without-rights.js';

/** Whoever has mistyped something tries again, and finds everything as it was. */

const QUIET = ['--verify-threads', '0'];
const genesis = ['--genesis-json', projectPath('genesis', 'dev.json')];

/** A port that somebody else listens on. */
async function takenPort(test: Test): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.teardown(() => server.close());
  return (server.address() as { port: number }).port;
}

t.test('a start that fails leaves nothing behind, whatever the reason', async (t) => {
  const folder = t.testdir({ 'broken.json': '{"initial_', 'empty.json': '{}' });
  const port = await takenPort(t);
  const cases: [words: string[], reason: RegExp][] = [
    [[], /genesis_missing/],
    [['--genesis-json', join(folder, 'nowhere.json')], /storage_missing|nowhere\.json/],
    [['--genesis-json', join(folder, 'broken.json')], /broken\.json|json_syntax/],
    [['--genesis-json', join(folder, 'empty.json')], /genesis|initial_/],
    [[...genesis, '--rpc-endpoint', `127.0.0.1:${port}`], /http_listen.*while RPC was opened/s],
    [[...genesis, '--p2p-endpoint', `127.0.0.1:${port}`], /listen_failed.*while peer-to-peer network was opened/s],
    [[...genesis, '--monitor-endpoint', `127.0.0.1:${port}`], /listen|EADDRINUSE/],
    [[...genesis, '--witness-id', '"1.6.1"', '--private-key', '["GXC5","5K"]'], /private-key/],
    [[...genesis, '--log-file', join(folder, 'none', 'node.log')], /log_folder/],
  ];
  for (const [i, [words, reason]] of cases.entries()) {
    const dataDir = join(folder, 'new', String(i), 'data');
    const end = await new NodeProcess(['start', '--data-dir', dataDir, ...QUIET, ...words]).finished;
    t.equal(end.code, 1, words.join(' '));
    t.match(end.stderr, reason);
    const taken = `removed again, as the start has failed: ${join(dataDir, 'config.ini')}`;
    if (end.stderr.includes('wrote a new config file')) t.match(end.stderr, taken, 'nobody looks for it in vain');
    t.same(readdirSync(folder).sort(), ['broken.json', 'empty.json'], `${words.join(' ')}: ${end.stderr}`);
  }
});

t.test('what was there before stays as it was', async (t) => {
  const config = `genesis-json = ${projectPath('genesis', 'dev.json')}\nlog-file = node.log\n`;
  const folder = t.testdir({ data: { 'config.ini': config, 'notes.txt': 'mine' } });
  const port = await takenPort(t);
  const dataDir = join(folder, 'data');
  const words = ['start', '--data-dir', dataDir, ...QUIET, '--rpc-endpoint', `127.0.0.1:${port}`];
  t.equal((await new NodeProcess(words).finished).code, 1);
  t.same(readdirSync(dataDir).sort(), ['config.ini', 'node.log', 'notes.txt'], 'the log says why, and stays');
  t.match(readFileSync(join(dataDir, 'node.log'), 'utf8'), /error node +the node cannot start .*key=/);
  // A chain is never removed.
  mkdirSync(join(dataDir, 'blockchain'));
  writeFileSync(join(dataDir, 'blockchain', 'mine'), '');
  await new NodeProcess(words).finished;
  t.ok(readdirSync(join(dataDir, 'blockchain')).includes('mine'));
});

t.test('a data directory of somebody else is refused by its name', { skip: hasNoModes }, async (t) => {
  const folder = t.testdir({ data: { 'notes.txt': 'theirs' } });
  const dataDir = join(folder, 'data');
  const run = (...words: string[]) => new NodeProcess(words, undefined, throughModes).finished;
  for (const mode of [0o000, 0o500]) {
    chmodSync(dataDir, mode);
    const start = await run('start', '--data-dir', dataDir, ...QUIET, ...genesis);
    t.equal(start.code, 1, mode.toString(8));
    t.match(start.stderr, /^assert_exception \(10\) storage_access_denied: .*data.*: access denied/m);
    t.notMatch(start.stderr, /^ +at /m, 'no place in the program');
    const check = await run('check-config', '--data-dir', dataDir, ...genesis);
    t.equal(check.code, 1, mode.toString(8));
    t.match(check.stdout, /^mistake: .*data: access denied .*1 mistake, /ms);
    t.equal(check.stderr, '');
  }
  const below = await run('check-config', '--data-dir', join(dataDir, 'new', 'node'), ...genesis);
  t.match(below.stdout, /^mistake: .*data: access denied/m, 'nor can one be made there');
  chmodSync(dataDir, 0o700);
  t.same(readdirSync(dataDir), ['notes.txt']);
});

t.test('with log-format json the reason is a line of JSON too', async (t) => {
  const folder = t.testdir();
  const words = ['start', '--data-dir', join(folder, 'data'), '--log-format', 'json'];
  const cases: [more: string[], fields: object, exit: number][] = [
    [[], { key: 'genesis_missing', level: 'error', module: 'node', text: 'the node cannot start' }, 1],
    [['--rpc-endpoint', 'x'], { key: 'option_value', reason: /rpc-endpoint/ }, 1],
    [['--private-key-credential', 'x'], { key: 'no_credentials', hint: /LoadCredential/ }, 1],
    [['--rpc-endpont', 'x'], { key: 'usage', level: 'error', module: 'node', reason: /rpc-?endpont/i }, 2],
  ];
  for (const [more, fields, exit] of cases) {
    const { code, stderr } = await new NodeProcess([...words, ...more]).finished;
    t.equal(code, exit);
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    t.match(lines.at(-1), fields);
  }
});
