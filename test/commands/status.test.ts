import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Samples, type StatusReport, statusText } from '../../src/commands/status/report.js';
import { nodeParts } from '../../src/node/parts/list.js';
import { commandLine } from '../support/command-line.js';
import { startDevNode } from '../support/dev-node.js';
import { freePort } from '../support/free-port.js';
import { slowPart } from '../support/slow-part.js';

/** `trustnode status`, beside a node that runs, one that starts, and none. */

// A socket's path has a hundred characters at most.
function shortFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-status-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const status = (...words: string[]) => commandLine(['status', ...words]);

t.test('a node that runs', async (t) => {
  const folder = shortFolder(t);
  const dev = await startDevNode(folder);
  t.teardown(() => dev.node.stop());
  dev.clock.advance(30_000);
  const { head, chainId } = dev.node.chain.queries;
  const dataDir = join(folder, 'data');
  const { code, stdout, stderr } = await status('-d', dataDir);
  t.equal(stderr, '');
  t.equal(code, 0);
  t.match(stdout, /^node +.*operator\.sock\nversion +\d+\.\d+\.\d+, up for /);
  t.match(stdout, new RegExp(`\\nready +yes\\nchain +${chainId}\\nhead +block ${head.number}, `));
  t.match(stdout, /\nslots filled +\d+ % of the last 128, which reach back behind block 1: the chain is young\n/);
  t.match(stdout, new RegExp(`\\nirreversible +block ${head.irreversible}, `));
  t.match(stdout, new RegExp(`\\npeers +no network\\nblocks made +${head.number} since the start\\n`));
  t.match(stdout, /\ntransaction_index +\d+ blocks behind\nwaiting +blocks 0, signatures 0, transactions \d+\n/);
  t.match(stdout, /\nmemory +\d+ MB\ndisk +[\d.]+ MB used, [\d.]+ GB free\n$/);

  const report = JSON.parse((await status('-d', dataDir, '--json')).stdout) as StatusReport;
  t.equal(report.ready, true);
  t.match(report.chain, { id: chainId, head_block: head.number, irreversible_block: head.irreversible });
  t.equal(report.production.produced, head.number);
  const old = { ...report, chain: { ...(report.chain as NonNullable<StatusReport['chain']>), head_block: 128 } };
  t.match(statusText(old), /\nslots filled +\d+ % of the last 128\n/, 'and later the share alone');

  const outside = await status('--url', `http://${dev.node.endpoints.plain}`, '--json');
  t.equal(outside.code, 0);
  const seen = JSON.parse(outside.stdout) as StatusReport;
  t.equal(seen.ready, null, 'clients are not told');
  t.equal(seen.chain?.head_block, head.number);
});

t.test('a node that starts, and says what it is at', async (t) => {
  const folder = shortFolder(t);
  const { part, reached, goOn } = slowPart();
  const monitor = `127.0.0.1:${await freePort()}`;
  const started = startDevNode(folder, { 'monitor-endpoint': monitor }, undefined, nodeParts([part]));
  t.teardown(async () => {
    goOn();
    await (await started).node.stop();
  });
  await reached;
  const { code, stdout } = await status('--url', `http://${monitor}`);
  t.equal(code, 1);
  t.match(stdout, /\nready +no: starting, /);
  t.notMatch(stdout, /\nhead /);
});

t.test('nobody is there', async (t) => {
  const folder = shortFolder(t);
  const nobody = `http://127.0.0.1:${await freePort()}`;
  for (const words of [
    ['-d', folder],
    ['--url', nobody],
    ['--url', 'ftp://127.0.0.1'],
  ]) {
    const { code, stdout, stderr } = await status(...words);
    t.equal(code, 1);
    t.equal(stdout, '');
    t.match(stderr, /node_not_there: no node answers at .*\n +trustnode status asks the node of --data-dir/);
  }
});

t.test('somebody else is there, or goes in the middle', async (t) => {
  const answers: Record<string, string> = { '/metrics': 'trustnode_starting 0\n' };
  const server = createServer((request, response) => {
    if (request.url === answers.gone) request.socket.destroy();
    else response.end(answers[request.method === 'POST' ? 'call' : String(request.url)] ?? '<html>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const call of ['<html>', 'null', '7']) {
    answers.call = call;
    const { code, stderr } = await status('--url', url);
    t.equal(code, 1);
    t.equal(stderr, `invalid_arg_exception (5) node_other: what answers at ${url} is no trustnode\n`);
  }
  answers.gone = '/metrics';
  t.match(await status('--url', url), { code: 1, stdout: '', stderr: /node_silent: http.* has not answered: / });
});

t.test('series with labels, quotes among them', async (t) => {
  const samples = new Samples('# HELP a b\na_total{x="1",y="a \\"b\\", c"} 5\na_total{x="2",y=""} 6e3\nb -0.5\n\n');
  t.same(samples.by('a_total', 'x'), { 1: 5, 2: 6000 });
  t.equal(samples.all('a_total')[0]?.labels.y, 'a \\"b\\", c');
  t.equal(samples.one('b'), -0.5);
  t.equal(samples.one('c'), null);
});
