import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { type Finished, NodeProcess } from '../support/node-process.js';
import { projectPath } from '../support/paths.js';

/** What operators get wrong when they join or begin a network: each mistake is one line with what they have to know. */

const DEV = projectPath('genesis', 'dev.json');

const start = (dataDir: string, ...more: string[]): NodeProcess =>
  new NodeProcess(['start', '--data-dir', dataDir, '--verify-threads', '0', '--plugins', 'none', ...more]);

/** The last word of a start that fails: a kind, its number, the key and what is wrong. */
const complaints = ({ stderr }: Finished): string[] =>
  stderr.split('\n').filter((line) => /^\w+ \(\d+\) \w+: /.test(line));

t.test('an endpoint that somebody else has', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const taken = `127.0.0.1:${(server.address() as { port: number }).port}`;
  const ended = await start(join(t.testdir(), 'data'), '--genesis-json', DEV, '--p2p-endpoint', taken).finished;
  server.close();
  t.equal(ended.code, 1);
  const lines = complaints(ended);
  t.equal(lines.length, 1, ended.stderr);
  t.match(lines[0], `listen_failed: this node cannot listen for peers on ${taken}: another program has it`);
});

t.test('an address for others that is a name', async (t) => {
  const options = ['--genesis-json', DEV, '--p2p-endpoint', '127.0.0.1:0', '--p2p-advertise', 'example.com:6789'];
  const process = start(join(t.testdir(), 'data'), ...options);
  t.teardown(() => process.kill('SIGKILL'));
  const ended = await process.finished;
  t.equal(ended.code, 1, 'no open listener keeps it from ending');
  t.match(ended.stderr, /option p2p-advertise: .* is not an IPv4 address and a port/);
});

t.test('a port at which nobody is', async (t) => {
  for (const option of ['seed-node', 'p2p-peer']) {
    const ended = await start(join(t.testdir(), 'data'), '--genesis-json', DEV, `--${option}`, 'example.com:0')
      .finished;
    t.equal(ended.code, 1);
    t.match(ended.stderr, new RegExp(`option ${option}: .* is not an address of the form host:port with`));
  }
});

t.test('a seed whose name is wrong', async (t) => {
  const process = start(join(t.testdir(), 'data'), '--genesis-json', DEV, '--seed-node', 'no-such-host.invalid:6789');
  t.teardown(() => process.kill('SIGKILL'));
  const [line] = await process.until(/.*a peer has no address.*/);
  t.match(line, /warn +p2p .*peer=no-such-host.invalid:6789 reason="(there is no such name|the name).*"/);
  process.kill('SIGTERM');
  t.equal((await process.finished).code, 0, 'the node goes on without it');
});

t.test('a data directory of another network, and a peer of another one', async (t) => {
  const folder = t.testdir();
  const a = start(join(folder, 'a'), '--genesis-json', DEV, '--p2p-endpoint', '127.0.0.1:0');
  t.teardown(() => a.kill('SIGKILL'));
  const [, listening] = await a.until(/the network is open +listening=(\S+)/);
  const [, own] = await a.until(/starting +network=.* chain=([0-9a-f]{64})/);

  const other = join(folder, 'other.json');
  writeFileSync(other, `${JSON.stringify(JSON.parse(readFileSync(DEV, 'utf8')))}\n\n`);
  const b = start(join(folder, 'b'), '--genesis-json', other, '--seed-node', listening as string);
  t.teardown(() => b.kill('SIGKILL'));
  const [, theirs] = await b.until(/starting +network=.* chain=([0-9a-f]{64})/);
  const [line] = await b.until(/.*a peer belongs to another chain.*/);
  t.match(line, `peer=${listening} own=${theirs} theirs=${own}`);
  const [there] = await a.until(/.*a peer belongs to another chain.*/);
  t.match(there, `own=${own} theirs=${theirs}`);
  b.kill('SIGTERM');
  await b.finished;
  a.kill('SIGTERM');
  await a.finished;

  const wrong = await start(join(folder, 'a'), '--genesis-json', other).finished;
  t.equal(wrong.code, 1);
  const lines = complaints(wrong);
  t.equal(lines.length, 1, wrong.stderr);
  for (const part of [join(folder, 'a', 'genesis.json'), own as string, other, theirs as string]) {
    t.ok(lines[0]?.includes(part), part);
  }
});
