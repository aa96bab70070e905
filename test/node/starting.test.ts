import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import WebSocket from 'ws';
import { HTTP_ERRORS } from '../../src/http/errors.js';
import { nodeParts } from '../../src/node/parts/list.js';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import { startDevNode } from '../support/dev-node.js';
import { freePort } from '../support/free-port.js';
import { refusedLater } from '../support/refused.js';
import { slowPart } from '../support/slow-part.js';

async function starting(t: Test) {
  const [port, monitor] = [await freePort(), await freePort()];
  const { part, reached, goOn } = slowPart();
  const parts = nodeParts([part]);
  const line = { 'rpc-endpoint': `127.0.0.1:${port}`, 'monitor-endpoint': `127.0.0.1:${monitor}` };
  const started = startDevNode(t.testdir(), line, undefined, parts);
  t.teardown(async () => {
    goOn();
    await (await started).node.stop();
  });
  await Promise.race([reached, started]);
  return { port, monitor, goOn, started };
}

const asked = async (url: string, body?: string): Promise<{ status: number; text: string }> => {
  const answer = await fetch(url, body === undefined ? {} : { method: 'POST', body });
  return { status: answer.status, text: await answer.text() };
};

t.test('whoever asks while the node starts is told what it does', async (t) => {
  const { port, monitor, goOn, started } = await starting(t);
  const rpc = `http://127.0.0.1:${port}`;
  const stage = 'opening a slow part';
  t.same(await asked(`http://127.0.0.1:${monitor}/healthz`), { status: 200, text: `starting, ${stage}\n` });
  t.same(await asked(`http://127.0.0.1:${monitor}/readyz`), { status: 503, text: `starting, ${stage}\n` });
  const metrics = (await asked(`http://127.0.0.1:${monitor}/metrics`)).text;
  t.match(metrics, /^trustnode_starting 1$/m);
  t.match(metrics, /^trustnode_build_info\{/m);
  t.equal((await asked(`${rpc}/readyz`)).status, 503);
  t.match(await asked(rpc), { status: 503, text: /"key":"rpc_starting"/ });

  const question = '{"id":"a","method":"get_chain_id","params":[]}';
  const { status, text } = await asked(rpc, question);
  t.equal(status, 200, 'as every refusal');
  t.match(JSON.parse(text), {
    id: 'a',
    error: {
      message: `Assert Exception: this node is starting (${stage}); try again later`,
      data: { key: 'rpc_starting', kind: 'limit' },
    },
  });
  const batch = JSON.parse((await asked(rpc, `[${question},{"id":2}]`)).text) as { id: unknown }[];
  t.same(
    batch.map(({ id }) => id),
    ['a', 2],
  );
  t.match(JSON.parse((await asked(rpc, 'no JSON')).text), { id: null, error: { data: { key: 'rpc_starting' } } });
  t.equal((await asked(rpc, 'x'.repeat(70_000))).status, 413);

  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  await once(socket, 'open');
  socket.send(question);
  const [message] = await once(socket, 'message');
  t.match(JSON.parse(String(message)), { id: 'a', error: { data: { key: 'rpc_starting' } } });
  const closed = once(socket, 'close');

  goOn();
  await closed;
  const { node } = await started;
  t.match(JSON.parse((await asked(rpc, question)).text), { id: 'a', result: node.chainId });
  t.same(await asked(`http://127.0.0.1:${monitor}/healthz`), { status: 200, text: 'ok\n' });
});

t.test('a port that is taken does not hide what else is wrong with a start', async (t) => {
  const { port, started, goOn } = await starting(t);
  goOn();
  await started;
  const line = { 'rpc-endpoint': `127.0.0.1:${port}` };
  await refusedLater(t, STORAGE_ERRORS.storage_in_use, startDevNode(t.testdirName, line));
  const elsewhere = mkdtempSync(join(tmpdir(), 'trustnode-starting-'));
  t.teardown(() => rmSync(elsewhere, { recursive: true }));
  await refusedLater(t, HTTP_ERRORS.http_listen, startDevNode(elsewhere, line));
});

t.test('a port that is taken ends a start before anything long is begun', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  t.teardown(() => taken.close());
  const address = `127.0.0.1:${(taken.address() as AddressInfo).port}`;
  for (const option of ['rpc-endpoint', 'monitor-endpoint', 'p2p-endpoint']) {
    const { part, reached } = slowPart();
    const refused = startDevNode(t.testdir(), { [option]: address }, undefined, nodeParts([part]));
    const first = await Promise.race([reached.then(() => 'a state was built'), refused.catch((error) => error)]);
    t.match(first, { message: /cannot listen .*: another program has it$/ }, option);
  }
});
