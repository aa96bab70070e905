import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import t from 'tap';
import { WebSocketServer } from 'ws';
import { connect } from '../../src/client/client.js';
import { RpcConnectionError, RpcError } from '../../src/client/connection.js';
import { Rpc } from '../../src/rpc/rpc.js';
import { ApiAccess } from '../../src/rpc/sessions/access.js';
import { FakeChain } from './support/fake-chain.js';
import { EVERY_API, goldenPorts } from './support/golden-rpc.js';
import { serveRpcHere } from './support/serve-rpc.js';

const chain = new FakeChain(goldenPorts());
const rpc = new Rpc(chain.ports, { access: ApiAccess.open(EVERY_API) });
const server = await serveRpcHere(rpc, chain.ports);
t.teardown(() => server.close());

for (const scheme of ['http', 'ws']) {
  t.test(`typed calls over ${scheme}`, async (t) => {
    const client = await connect(`${scheme}://127.0.0.1:${server.port}`);
    const alice = await client.database.get_account_by_name({ name: 'alice' });
    t.equal(alice?.id, 32, 'ids are numbers, as in the node');
    const [core] = await client.database.get_account_balances({ id: 32, assets: [1] });
    t.equal(core?.amount, 325_888_615_030n, 'amounts are bigints');
    t.equal(await client.database.get_account_by_name({ name: 'nobody-here' }), undefined);
    t.equal(await client.asset.get_asset_holders_count({ asset_id: 1 }), 58n, 'other APIs go through call');
    const block = await client.database.get_block({ block_num: 791 });
    t.equal(block?.transactions.length, block?.transaction_ids.length);
    const refusal = await client.database.get_transaction({ block_num: 999_999, trx_in_block: 0 }).catch((e) => e);
    t.ok(refusal instanceof RpcError);
    t.match(refusal, { code: 10, kind: 'assert_exception', key: 'transaction_block_missing' });
    client.connection.close();
  });
}

t.test('notices over a WebSocket', async (t) => {
  const client = await connect(`ws://127.0.0.1:${server.port}`);
  const told = new Promise((resolve) => {
    void client.database
      .set_block_applied_callback({ cb: client.connection.subscribe(resolve) })
      .then(() => chain.applied(5));
  });
  t.equal(await told, '0000000500000000000000000000000000000000');
  client.connection.close();
});

t.test('a connection that breaks rejects what was under way', async (t) => {
  const silent = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  t.teardown(() => silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as { port: number };
  const client = await connect(`ws://127.0.0.1:${port}`, { timeoutMs: 50 });
  const late = await client.database.get_test().catch((error) => error);
  t.ok(late instanceof RpcConnectionError);
  t.match(late.message, 'no answer to get_test within 50 ms');
  const pending = client.database.get_test().catch((error) => error);
  for (const socket of silent.clients) socket.terminate();
  t.ok((await pending) instanceof RpcConnectionError);
  t.ok((await client.database.get_test().catch((error) => error)) instanceof RpcConnectionError, 'and later calls');
  await t.rejects(connect('ws://127.0.0.1:1'));
  const nobody = await connect('http://127.0.0.1:1');
  t.ok((await nobody.database.get_test().catch((error) => error)) instanceof RpcConnectionError);
});

t.test('who takes a connection and says nothing is given up', async (t) => {
  const silent = createTcpServer((socket) => socket.on('error', () => undefined));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.teardown(() => silent.close());
  const { port } = silent.address() as { port: number };
  const refusal = await connect(`ws://127.0.0.1:${port}`, { timeoutMs: 50 }).catch((error) => error);
  t.ok(refusal instanceof RpcConnectionError, 'before the protocol is agreed on');

  for (const end of [(socket: Socket) => socket.destroy(), () => undefined]) {
    const half = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"id":1', () => end(socket));
      });
    });
    half.listen(0, '127.0.0.1');
    await once(half, 'listening');
    t.teardown(() => half.close());
    const at = `http://127.0.0.1:${(half.address() as { port: number }).port}`;
    const { connection } = await connect(at, { timeoutMs: 200 });
    const broken = await connection.request('get_config', []).catch((error) => error);
    t.ok(broken instanceof RpcConnectionError, 'in the middle of an answer');
  }
});

t.test('who sends what no node sends is left', async (t) => {
  const stranger = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  t.teardown(() => stranger.close());
  await once(stranger, 'listening');
  let said = '';
  stranger.on('connection', (socket) => socket.on('message', () => socket.send(said)));
  const { port } = stranger.address() as { port: number };
  for (said of ['hello', 'null', '[]', '{"method":"notice"}', '{"method":"notice","params":[1,2]}']) {
    const { connection } = await connect(`ws://127.0.0.1:${port}`);
    const refusal = await connection.request('get_config', []).catch((error) => error);
    t.ok(refusal instanceof RpcConnectionError, said);
    t.match(refusal.message, 'no node');
    t.ok(
      (await connection.request('get_config', []).catch((error) => error)) instanceof RpcConnectionError,
      'for good',
    );
  }
});

t.test('what is at the address is no node', async (t) => {
  let body = '';
  const other = createServer((_request, response) => response.writeHead(404).end(body));
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.teardown(() => other.close());
  const { port } = other.address() as { port: number };
  const client = await connect(`http://127.0.0.1:${port}`, { keyPrefix: 'GXC' });
  for (const [given, message] of [
    ['<html>', 'answers with status 404 and no JSON'],
    ['{"code":"NOT_FOUND","msg":"there is nothing at this path"}', 'answers with status 404 and is no node'],
    ['null', 'is no node'],
    ['[]', 'is no node'],
  ] as const) {
    body = given;
    const refusal = await client.database.get_config().catch((error) => error);
    t.ok(refusal instanceof RpcConnectionError, given);
    t.match(refusal.message, message);
  }
});
