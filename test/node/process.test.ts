import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { NodeProcess } from '../support/node-process.js';
import { projectPath } from '../support/paths.js';

/** The real program, with its own clock: few tests, since blocks come every 3 seconds. */

const devArgs = (folder: string, ...more: string[]): string[] => [
  ...['start', '--dev', '--data-dir', join(folder, 'data'), '--rpc-endpoint', '127.0.0.1:0', '--verify-threads', '1'],
  ...more,
];

t.test('start, make blocks, SIGTERM, start again, kill -9, start again', async (t) => {
  const folder = t.testdir();
  const first = new NodeProcess(devArgs(folder));
  t.teardown(() => first.kill('SIGKILL'));
  await first.until(/chain +block +num=3 /);
  first.kill('SIGTERM');
  const end = await first.finished;
  t.equal(end.code, 0);
  const order = ['shutting down in order', 'part="block production"', 'part=storage', 'the node has stopped'];
  const places = order.map((text) => end.stderr.indexOf(text));
  t.ok(
    places.every((place) => place > 0),
    'every step is said',
  );
  t.same(
    places,
    [...places].sort((a, b) => a - b),
    'in reverse order of the start',
  );
  t.match(end.stdout, /chain id +[0-9a-f]{64}/);
  t.match(end.stdout, /alice.*lifetime member/);
  t.match(end.stdout, /curl -s http:\/\/127\.0\.0\.1:\d+\/rpc/);
  const accounts = JSON.parse(readFileSync(join(folder, 'data', 'dev-accounts.json'), 'utf8')) as object[];
  t.equal(accounts.length, 3);
  t.match(accounts[0], { name: 'alice', id: /^1\.2\.\d+$/, wif: /^5/, public_key: /^GXC/ });

  const second = new NodeProcess(devArgs(folder, '--log-format', 'json'));
  t.teardown(() => second.kill('SIGKILL'));
  const loaded = JSON.parse((await second.until(/^.*"state loaded".*$/m))[0]) as { block: number };
  t.ok(loaded.block > 0, 'the state was on the disk');
  await second.until(/"text":"block","num":5|"num":5,.*"text":"block"/);
  second.kill('SIGKILL');
  t.equal((await second.finished).signal, 'SIGKILL');

  const third = new NodeProcess(devArgs(folder, '--dev-block-ms', '700'));
  t.teardown(() => third.kill('SIGKILL'));
  const running = await third.until(/the node is running +blocks=(\d+)/);
  t.ok(Number(running[1]) >= 5, 'nothing was lost');
  await third.until(/one node, a block every 700 ms\./);
  third.kill('SIGINT');
  t.equal((await third.finished).code, 0);
});

t.test('a log that is rotated while the node starts does not end it', async (t) => {
  const folder = t.testdir({
    hanger: {
      'package.json': '{"type":"module"}',
      'index.js':
        "process.kill(process.pid, 'SIGHUP');\nexport default { name: 'hanger', needs: {}, plugin: {}, open() {} };",
    },
  });
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  t.teardown(() => taken.close());
  const { port } = taken.address() as AddressInfo;
  const words = devArgs(folder, '--plugins', join(folder, 'hanger'), '--monitor-endpoint', `127.0.0.1:${port}`);
  const logged = await new NodeProcess([...words, '--log-file', join(folder, 'node.log')]).finished;
  t.match(logged, { code: 1, signal: null, stderr: /http_listen/ }, 'it comes to its end');
  const gone = await new NodeProcess(words).finished;
  t.equal(gone.signal, 'SIGHUP', 'whose terminal is gone, and who has no log file, ends');
});

t.test('a signal that the system has not told yet counts as well', async (t) => {
  const hangUp = pathToFileURL(projectPath('dist', 'src', 'node', 'runtime', 'hang-up.js'));
  const script = `import { heedHangUps, holdHangUps } from '${hangUp}';
    holdHangUps();
    process.kill(process.pid, 'SIGHUP');
    heedHangUps(undefined);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
  const [, signal] = await once(child, 'exit');
  t.equal(signal, 'SIGHUP');
});

t.test('bad options end with a coded message and a code', async (t) => {
  const folder = t.testdir();
  const cases: [args: string[], code: number, message: RegExp][] = [
    [['start', '--data-dir', join(folder, 'a')], 1, /genesis_missing.*--genesis-json/],
    [['start', '--data-dir', join(folder, 'b'), '--witness-id', '1.2.3'], 1, /option_value.*witness-id.*1\.2\.3/],
    [['start', '--data-dir', join(folder, 'b'), '--bogus'], 2, /bogus/],
    [['start', '--data-dir', join(folder, 'b'), '--log-level'], 2, /log-level/],
    [['start', '--dev', '--data-dir', join(folder, 'b'), '--private-key', 'S3CRET'], 1, /private-key: \(not shown\)/],
  ];
  const finished = await Promise.all(cases.map(([args]) => new NodeProcess(args).finished));
  cases.forEach(([args, code, message], i) => {
    t.equal(finished[i]?.code, code, args.join(' '));
    t.match(finished[i]?.stderr, message);
    t.notMatch(finished[i]?.stderr, /S3CRET|\n +at /);
  });
  t.notOk(existsSync(join(folder, 'b')), 'nothing was written');
});

t.test('without the flag for a larger stack the program starts itself with it', async (t) => {
  const folder = t.testdir();
  const first = new NodeProcess(devArgs(folder), []);
  t.teardown(() => first.kill('SIGKILL'));
  const pid = Number((await first.until(/ pid=(\d+)/))[1]);
  t.not(pid, first.child.pid);
  await first.until(/chain +block +num=1 /);
  first.kill('SIGTERM');
  const end = await first.finished;
  t.equal(end.code, 0);
  t.equal(end.stderr.split('caught a signal').length, 2, 'one signal stays one');
  t.match(end.stderr, /the node has stopped/);

  const second = new NodeProcess(devArgs(folder), []);
  await second.until(/the node is running/);
  second.kill('SIGKILL');
  // Settles when nobody holds the output any more: the inner process ends with the outer one.
  await second.finished;
  const third = new NodeProcess(devArgs(folder), []);
  await third.until(/the node is running/);
  third.kill('SIGTERM');
  t.equal((await third.finished).code, 0, 'the data directory was free');
  const refused = await new NodeProcess(['start', '--data-dir', join(folder, 'none')], []).finished;
  t.equal(refused.code, 1, 'exit codes come through');
  t.match(refused.stderr, /genesis_missing/);
});

t.test('help names every option', async (t) => {
  const { code, stdout } = await new NodeProcess(['start', '--help']).finished;
  t.equal(code, 0);
  for (const option of ['--data-dir', '--rpc-endpoint', '--witness-id', '--log-level-module', '--checkpoint']) {
    t.ok(stdout.includes(option), option);
  }
});
