import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { WebSocketServer } from 'ws';
import { RpcConnectionError, RpcError } from '../../src/client/connection.js';
import { LASTING_ERRORS } from '../../src/client/lasting-connection.js';
import { openClient } from '../../src/client/library.js';
import type { Json } from '../../src/codec/json.js';
import { refusedLater } from '../support/refused.js';

/** What a client does about a connection that comes late or goes, by a node that is told what to say. */

const run = promisify(execFile);
const CHAIN = 'a'.repeat(64);
const idOfBlock = (number: number): string => number.toString(16).padStart(8, '0').padEnd(40, '0');
const HEAD = { head_block_number: 5, head_block_id: idOfBlock(5), last_irreversible_block_num: 4 };
const STARTING = { error: { code: 1, message: 'starting', data: { key: 'rpc_starting' } } };
const RETRY = { first: 1, longest: 1 };

interface Asked {
  readonly id: number;
  readonly method: string;
  readonly params: readonly Json[];
}

/** Says what `says` does; nothing where it does not. Direct calls and those through an API have the method's name. */
async function startNode(t: Test, says: (method: string) => object | undefined) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  const asked: string[] = [];
  const callbacks = new Map<string, Json>();
  const waiting = new Map<string, () => void>();
  server.on('connection', (socket) => {
    socket.on('message', (text) => {
      const { id, method: given, params } = JSON.parse(String(text)) as Asked;
      const method = given === 'call' ? String(params[1]) : given;
      asked.push(method);
      if (method.endsWith('_callback')) callbacks.set(method, params[0] ?? null);
      const answer = says(method);
      if (answer !== undefined) socket.send(JSON.stringify({ id, jsonrpc: '2.0', ...answer }));
      waiting.get(method)?.();
    });
  });
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: (method: string) => asked.filter((one) => one === method).length,
    until: (method: string) => new Promise<void>((resolve) => waiting.set(method, resolve)),
    notify: (method: string, argument: Json) => {
      const params = [callbacks.get(method) ?? null, [argument]];
      for (const socket of server.clients) socket.send(JSON.stringify({ method: 'notice', params }));
    },
    left: async () => {
      for (const socket of server.clients) await once(socket, 'close');
    },
    drop: () => {
      for (const socket of server.clients) socket.terminate();
    },
  };
}

const usual = (method: string): object | undefined => {
  if (method === 'get_chain_id') return { result: CHAIN };
  if (method === 'get_config') return { result: { GRAPHENE_ADDRESS_PREFIX: 'GXC' } };
  if (method === 'get_dynamic_global_properties') return { result: HEAD };
  if (method === 'get_objects') return { result: [null] };
  return { result: null };
};

t.test('what sends something is not made again by itself, other calls are', async (t) => {
  let answers = false;
  const silent = ['broadcast_transaction', 'get_test'];
  const node = await startNode(t, (method) => (answers || !silent.includes(method) ? usual(method) : undefined));
  const client = await openClient(node.url, { retryMs: RETRY });
  t.teardown(() => client.close());
  const arrived = Promise.all(silent.map(node.until));
  const asked = client.call('database', 'get_test');
  const sent = client.call('network_broadcast', 'broadcast_transaction', [{}]).catch((error: unknown) => error);
  await arrived;
  answers = true;
  node.drop();
  t.ok((await sent) instanceof RpcConnectionError, 'nobody knows whether it was taken');
  t.equal(await asked, null);
  t.equal(node.count('get_test'), 2);
  t.equal(node.count('broadcast_transaction'), 1);
});

t.test('a node that is starting is waited for, and not for ever', async (t) => {
  let left = 2;
  const node = await startNode(t, (method) => (method === 'get_chain_id' && left-- > 0 ? STARTING : usual(method)));
  const client = await openClient(node.url, { retryMs: RETRY });
  t.equal(client.chainId, CHAIN);
  client.close();
  const never = await startNode(t, () => STARTING);
  const refused = await openClient(never.url, { retryMs: RETRY, timeoutMs: 50 }).catch((error: unknown) => error);
  t.ok(refused instanceof RpcError && refused.key === 'rpc_starting');
});

t.test('a chain that is not the wished one is refused, and nothing stays open', async (t) => {
  const node = await startNode(t, usual);
  const wished = openClient(node.url, { chainId: 'b'.repeat(64), retryMs: RETRY });
  await refusedLater(t, LASTING_ERRORS.client_other_chain, wished);
  await wished.then(
    (other) => other.close(),
    () => undefined,
  );
  await node.left();
  const client = await openClient(node.url, { chainId: CHAIN, keyPrefix: 'XYZ', retryMs: RETRY });
  t.equal(client.keyPrefix, 'XYZ', 'as its program says');
  client.close();
});

t.test('what was ended is not subscribed again, and hears nothing more', async (t) => {
  const node = await startNode(t, usual);
  const client = await openClient(node.url, { retryMs: RETRY });
  t.teardown(() => client.close());
  const heard: unknown[] = [];
  const endBlocks = await client.onBlock((block) => void heard.push(block));
  const endChanges = await client.onChange(['1.2.17'], (change) => void heard.push(change));
  node.notify('set_block_applied_callback', idOfBlock(6));
  await client.call('database', 'get_test');
  const told = [
    { id: '1.2.17', object: undefined },
    { number: 6, id: idOfBlock(6) },
  ];
  t.same(heard, told);
  endBlocks();
  endChanges();
  node.notify('set_block_applied_callback', idOfBlock(7));
  await client.call('database', 'get_test');
  const subscribed = node.until('set_subscribe_callback');
  node.drop();
  await subscribed;
  // Whatever it asks for behind the subscription has come when it has had an answer twice.
  for (let i = 0; i < 2; i++) await client.call('database', 'get_test');
  t.equal(node.count('set_block_applied_callback'), 1);
  t.equal(node.count('get_objects'), 1);
  t.same(heard, told);
});

t.test('who is hung up on at once', async (t) => {
  // As a proxy does that has nobody behind it.
  const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const module = (name: string): string => JSON.stringify(new URL(`../../src/${name}.js`, import.meta.url));
  const buyer = `{ exchange: '${url}', account: 1, key: PrivateKey.fromSeed('x'), timeoutMs: 200 }`;
  // Programs that have nothing else to do: what nothing holds is ended without a word.
  for (const program of [
    `import { connect } from ${module('client/client')};
    await (await connect('${url}', { timeoutMs: 200 })).database.get_config().catch(tell);`,
    `import { Buyer } from ${module('trade/buyer')};
    import { PrivateKey } from ${module('crypto/private-key')};
    await new Buyer(${buyer}).product(1).catch(tell);`,
  ]) {
    const { stdout } = await run(process.execPath, [
      '--input-type=module',
      '--eval',
      `const tell = ({ message }) => console.log(message); ${program}`,
    ]);
    t.match(stdout, 'does not answer', program);
  }
});
