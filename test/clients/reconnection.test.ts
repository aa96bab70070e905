import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { WebSocketServer } from 'ws';
import { openClient, type SeenBlock } from '../../src/client/library.js';
import { DEV_ACCOUNTS } from '../../src/node/dev/dev-network.js';
import { freePort } from '../support/free-port.js';
import { NodeProcess } from '../support/node-process.js';
import { projectPath } from '../support/paths.js';
import { replace } from '../support/replaced.js';

/** The client for programs over the life of a node that is killed and started again. */

const DAY_MS = 86_400_000;

const port = await freePort();
const folder = t.testdir();

async function start(): Promise<NodeProcess> {
  const options = ['--dev', '--data-dir', join(folder, 'data'), '--verify-threads', '0'];
  const node = new NodeProcess(['start', ...options, '--rpc-endpoint', `127.0.0.1:${port}`]);
  process.once('exit', () => node.kill('SIGKILL'));
  await node.until(/RPC +http/);
  return node;
}

/** Something that tells of things one by one, and whoever waits for one that fits. */
class Heard<T> {
  readonly all: T[] = [];
  #wake: (() => void)[] = [];

  readonly hear = (one: T): void => {
    this.all.push(one);
    for (const wake of this.#wake.splice(0)) wake();
  };

  async until(fits: (one: T) => boolean): Promise<T> {
    for (;;) {
      const found = this.all.find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }
}

let node = await start();
t.teardown(() => node.kill('SIGKILL'));
await node.until(/chain +block +num=3 /);
const [alice] = DEV_ACCOUNTS;
const states = new Heard<string>();
const client = await openClient(`ws://127.0.0.1:${port}`, {
  keys: alice === undefined ? [] : [alice.key],
  onState: states.hear,
  retryMs: { first: 50, longest: 500 },
});
t.teardown(() => client.close());

t.test('a node that is killed and comes back', async (t) => {
  const blocks = new Heard<SeenBlock>();
  const heads = new Heard<{ readonly id: string; readonly object: unknown }>();
  await client.onBlock(blocks.hear);
  await client.onChange(['2.1.0', '1.2.999999'], heads.hear);
  t.match(heads.all[0], { id: '2.1.0', object: { id: '2.1.0', head_block_number: Number } }, 'told at once');
  t.match(heads.all[1], { id: '1.2.999999', object: undefined });
  const first = await blocks.until(() => true);
  const changed = heads.all.length;
  await heads.until((one) => heads.all.indexOf(one) >= changed);

  // It is killed while the transaction waits for a block, so the node has forgotten it when it comes back.
  const killed = new Heard<string>();
  const payment = client.transfer({
    from: 'alice',
    to: 'bob',
    amount: '1.5 GXC',
    onChange: ({ state }) => killed.hear(state),
  });
  await killed.until((state) => state === 'waiting');
  node.kill('SIGKILL');
  await node.finished;
  await states.until((state) => state === 'lost');
  const asked = client.balances('alice');
  node = await start();
  await states.until((state) => state === 'open');
  t.ok((await asked).length > 0, 'what was asked meanwhile is answered');
  const receipt = await payment;
  t.equal(receipt.state, 'included');

  const last = await blocks.until(({ number }) => number > (receipt.block_num ?? 0));
  const numbers = blocks.all.map(({ number }) => number).filter((number) => number <= last.number);
  const all = Array.from({ length: last.number - first.number + 1 }, (_, i) => first.number + i);
  t.same(
    [...new Set(numbers)].sort((a, b) => a - b),
    all,
    'no block is missing',
  );
  const isTold = ({ object }: { readonly object: unknown }): boolean =>
    (object as { head_block_number?: number } | undefined)?.head_block_number === last.number;
  await heads.until(isTold);
  t.same(states.all, ['lost', 'open']);
});

t.test('what a listener throws ends its program, unless that has closed the client', async (t) => {
  const program = (listener: string): Promise<string> => {
    const library = JSON.stringify(projectPath('dist/src/client/library.js'));
    const code = `import { openClient } from ${library};
      const client = await openClient('ws://127.0.0.1:${port}');
      await client.onBlock(async () => { ${listener} });`;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
    return run.then(
      () => 'an orderly end',
      (error: { stderr: string }) => error.stderr,
    );
  };
  t.match(await program("throw new Error('not credited')"), /not credited/);
  t.equal(await program("client.close(); await client.balances('alice')"), 'an orderly end');
});

t.test('who has closed it hears of it', async (t) => {
  const other = await openClient(`ws://127.0.0.1:${port}`);
  other.close();
  await t.rejects(other.balances('alice'), { message: 'the connection is closed' });
});

t.test('another chain at the same address is not taken for the old one', async (t) => {
  let chain = 'a'.repeat(64);
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  t.teardown(() => server.close());
  server.on('connection', (socket) => {
    socket.on('message', (text) => {
      const { id, method } = JSON.parse(String(text)) as { id: number; method: string };
      const result = method === 'get_chain_id' ? chain : { GRAPHENE_ADDRESS_PREFIX: 'GXC' };
      socket.send(JSON.stringify({ id, jsonrpc: '2.0', result }));
    });
  });
  await once(server, 'listening');
  const heard = new Heard<string>();
  const { port } = server.address() as AddressInfo;
  const watching = await openClient(`ws://127.0.0.1:${port}`, {
    onState: heard.hear,
    retryMs: { first: 1, longest: 1 },
  });
  t.teardown(() => watching.close());
  chain = 'b'.repeat(64);
  for (const socket of server.clients) socket.terminate();
  await heard.until((state) => state === 'lost');
  await t.rejects(watching.database.get_chain_id(), { message: /is of chain b{64}, not of a{64}/ });
});

t.test('a clock that is set changes nothing about how long somebody waits', async (t) => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  t.teardown(() => server.close());
  const asked = new Heard<string>();
  let answers = false;
  server.on('connection', (socket) => {
    socket.on('message', (text) => {
      const { id, method } = JSON.parse(String(text)) as { id: number; method: string };
      asked.hear(method);
      if (method === 'get_test' && !answers) return;
      const result = method === 'get_chain_id' ? 'a'.repeat(64) : method === 'get_test' ? 100 : {};
      socket.send(JSON.stringify({ id, jsonrpc: '2.0', result }));
    });
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const waiting = await openClient(`ws://127.0.0.1:${port}`, { retryMs: { first: 1, longest: 1 } });
  t.teardown(() => waiting.close());
  const answer = waiting.database.get_test();
  await asked.until((method) => method === 'get_test');
  const { now } = Date;
  const restore = replace(t, Date, 'now', () => now() + DAY_MS);
  answers = true;
  for (const socket of server.clients) socket.terminate();
  t.equal(await answer, 100, 'forward: it is asked again on the next connection');

  restore();
  const short = await openClient(`ws://127.0.0.1:${port}`, { timeoutMs: 500, retryMs: { first: 1, longest: 1 } });
  t.teardown(() => short.close());
  const lost = new Promise<void>((resolve) => server.once('close', () => resolve()));
  for (const socket of server.clients) socket.terminate();
  server.close();
  await lost;
  const refused = t.rejects(short.database.get_test(), { message: /is gone/ });
  replace(t, Date, 'now', () => now() - DAY_MS);
  await refused;
});
