import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { WebSocket } from 'ws';
import type { ErrorRow } from '../../src/base/errors.js';
import { resolveOptions } from '../../src/config/load.js';
import { HTTP_ERRORS } from '../../src/http/errors.js';
import { uwsTransport } from '../../src/http/uws-server.js';
import { systemClock } from '../../src/node/runtime/clock.js';
import { rpcOptions } from '../../src/rpc/serving/options.js';
import { memoryLimits, type RpcOptionValues, SERVE_ERRORS, serveRpc } from '../../src/rpc/serving/serve.js';
import { eventually } from '../support/eventually.js';
import { MemoryLog } from '../support/memory-log.js';
import { projectPath } from '../support/paths.js';
import { refusedLater } from '../support/refused.js';
import { goldenPorts } from './support/golden-rpc.js';

const ports = goldenPorts();
const folder = mkdtempSync(join(tmpdir(), 'trustnode-serve-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));

/** Values as a command line would give them. */
function options(given: Record<string, string>): RpcOptionValues {
  const commandLine = new Map(Object.entries(given).map(([name, text]) => [name, [text]]));
  return resolveOptions(rpcOptions, commandLine, new Map());
}

const ANY_PORT = '127.0.0.1:0';
const TEST = '{"id":1,"method":"get_test","params":[]}';
const post = async (url: string, body = TEST): Promise<string> => (await fetch(url, { method: 'POST', body })).text();

t.test('a WebSocket message has a limit of its own, and that of a request', async (t) => {
  const closed = async (limits: Record<string, string>, bytes: number): Promise<boolean> => {
    const running = await serveRpc(options({ 'rpc-endpoint': ANY_PORT, 'rpc-transport': 'node-http', ...limits }), {
      node: ports,
    });
    const socket = new WebSocket(`ws://${running.plain}`);
    await once(socket, 'open');
    const ended = Promise.race([once(socket, 'close').then(() => true), once(socket, 'message').then(() => false)]);
    socket.on('error', () => undefined);
    socket.send(TEST.padEnd(bytes));
    const result = await ended;
    socket.terminate();
    await running.close();
    return result;
  };
  t.notOk(await closed({ 'rpc-message-bytes-max': '2000' }, 2000));
  t.ok(await closed({ 'rpc-message-bytes-max': '2000' }, 2001));
  t.ok(await closed({ 'rpc-request-bytes-max': '1500' }, 1501), 'who lowers the limit of requests lowers this one too');
});

t.test('where blocks are signed the native server is only used by wish', async (t) => {
  const native = uwsTransport()?.name;
  const nameOf = async (transport: string, holdsKeys: boolean): Promise<string> => {
    const log = new MemoryLog();
    const node = { ...ports, log };
    const given = options({ 'rpc-endpoint': ANY_PORT, 'rpc-transport': transport });
    await (await serveRpc(given, { node, holdsKeys })).close();
    return String(log.entries.find(({ text }) => text === 'rpc listens')?.values.server);
  };
  t.equal(await nameOf('auto', true), 'node-http');
  t.equal(await nameOf('auto', false), native ?? 'node-http');
  t.equal(await nameOf('node-http', false), 'node-http');
  if (native !== undefined) t.equal(await nameOf('uws', true), native);
});

t.test('nothing is opened that nobody asked for', async (t) => {
  const running = await serveRpc(options({}), { node: ports });
  t.same([running.plain, running.tls, running.monitor], [undefined, undefined, undefined]);
  await running.close();
});

for (const transport of ['node-http', 'auto'] as const) {
  t.test(`plain, TLS and monitor, ${transport}`, async (t) => {
    let reason: string | undefined = 'the head block is 500 seconds old';
    let warning: string | undefined;
    const running = await serveRpc(
      options({
        'rpc-endpoint': ANY_PORT,
        'rpc-tls-endpoint': ANY_PORT,
        'server-pem': projectPath('test/rpc/support/server.pem'),
        'monitor-endpoint': ANY_PORT,
        'rpc-transport': transport,
      }),
      { node: { ...ports, pendingCount: () => 7 }, notReady: () => reason, warning: () => warning },
    );
    t.teardown(() => running.close());
    t.match(await post(`http://${running.plain}`), '"result":100');
    t.match(running.tls, /^127\.0\.0\.1:\d+$/);
    const ask = (path: string) => fetch(`http://${running.monitor}${path}`);
    t.equal((await ask('/healthz')).status, 200);
    const notReady = await ask('/readyz');
    t.equal(notReady.status, 503);
    t.match(await notReady.text(), 'the head block is 500 seconds old');
    reason = undefined;
    const ready = await ask('/readyz');
    t.same([ready.status, await ready.text()], [200, 'ready\n']);
    warning = 'a history has stopped';
    const warned = await ask('/readyz');
    t.same([warned.status, await warned.text()], [200, 'ready\nwarning: a history has stopped\n']);
    await post(`http://${running.plain}`, '{"id":1,"method":"some_thing_a_client_invents"}');
    const metrics = await (await ask('/metrics')).text();
    t.match(metrics, 'trustnode_rpc_calls_total{method="get_test",outcome="ok"} 1');
    t.match(metrics, 'trustnode_rpc_calls_total{method="unknown",outcome="error"} 1');
    t.notMatch(metrics, 'invents', 'clients cannot make series');
    t.match(metrics, 'trustnode_chain_head_block 792');
    t.match(metrics, 'trustnode_chain_irreversible_block 770');
    t.match(metrics, 'trustnode_chain_pending_transactions 7');
    t.match(metrics, 'process_cpu_seconds_total');
    t.equal((await ask('/else')).status, 404);
    await running.close();
    await t.rejects(post(`http://${running.plain}`), 'a closed server does not answer');
  });
}

t.test('what cannot work is refused at start, and leaves nothing open', async (t) => {
  const cases: [Record<string, string>, ErrorRow][] = [
    [{ 'rpc-tls-endpoint': ANY_PORT }, SERVE_ERRORS.serve_tls],
    [{ 'rpc-tls-endpoint': ANY_PORT, 'server-pem': join(folder, 'none.pem') }, SERVE_ERRORS.serve_file],
    [{ 'rpc-endpoint': ANY_PORT, 'api-access': join(folder, 'none.json') }, SERVE_ERRORS.serve_file],
  ];
  for (const [given, row] of cases) await refusedLater(t, row, serveRpc(options(given), { node: ports }));
  const first = await serveRpc(options({ 'rpc-endpoint': ANY_PORT, 'rpc-transport': 'node-http' }), { node: ports });
  const taken = first.plain as string;
  const second = serveRpc(options({ 'rpc-endpoint': ANY_PORT, 'monitor-endpoint': taken }), { node: ports });
  await refusedLater(t, HTTP_ERRORS.http_listen, second);
  await first.close();
});

t.test('the access file decides who gets what', async (t) => {
  const path = join(folder, 'access.json');
  const entry = { password_hash_b64: '*', password_salt_b64: '*', allowed_apis: ['asset_api'] };
  writeFileSync(path, JSON.stringify({ permission_map: [['*', entry]] }));
  const running = await serveRpc(options({ 'rpc-endpoint': ANY_PORT, 'api-access': path }), { node: ports });
  t.teardown(() => running.close());
  const call = (api: string) => post(`http://${running.plain}`, `{"id":1,"method":"call","params":["${api}","x",[]]}`);
  t.match(await call('asset'), "no method with name 'x'");
  t.match(await call('crypto'), '_crypto_api: ');
  const stranger = { Authorization: `Basic ${Buffer.from('nobody:knows').toString('base64')}` };
  const body = '{"id":1,"method":"call","params":["asset","x",[]]}';
  const answer = await fetch(`http://${running.plain}`, { method: 'POST', headers: stranger, body });
  t.match(await answer.text(), "no method with name 'x'", 'a user whom the file does not name is everybody else');
});

t.test('debug and network_node are closed unless opened', async (t) => {
  for (const [given, open] of [
    [{}, false],
    [{ 'enable-debug-api': 'true', 'enable-network-node-api': 'true' }, true],
  ] as const) {
    const running = await serveRpc(options({ 'rpc-endpoint': ANY_PORT, ...given }), { node: ports });
    for (const api of ['debug', 'network_node']) {
      const text = await post(`http://${running.plain}`, `{"id":1,"method":"call","params":["${api}","x",[]]}`);
      t.match(text, open ? "no method with name 'x'" : `_${api}_api: `, `${api} ${open}`);
    }
    await running.close();
  }
});

t.test('the operator’s socket', { skip: process.platform === 'win32' && 'there are no socket files' }, async (t) => {
  const path = join(folder, 'operator.sock');
  writeFileSync(path, 'left by another node');
  const access = join(folder, 'closed.json');
  writeFileSync(access, JSON.stringify({ permission_map: [] }));
  const made = { head_block_num: 7, head_block_id: '7'.repeat(40), snapshot_dir: 'x' };
  const snapshots = { create: async () => made, copy: async () => ({ ...made, head_block_num: 8 }) };
  const given = options({ 'rpc-endpoint': ANY_PORT, 'api-access': access, 'rpc-transport': 'auto' });
  const running = await serveRpc(given, { node: { ...ports, snapshots }, operatorSocket: path });
  t.equal(statSync(path).mode & 0o777, 0o600, 'for the own user alone');
  const overSocket = (body: string, method = 'POST', url = '/'): Promise<string> =>
    new Promise((resolve, reject) => {
      const sent = request({ socketPath: path, method, path: url }, (response) => {
        let text = '';
        response.on('data', (piece) => (text += piece));
        response.on('end', () => resolve(text));
      });
      sent.on('error', reject);
      sent.end(body);
    });
  const call = (api: string, method: string) => `{"id":1,"method":"call","params":["${api}","${method}",[]]}`;
  t.match(await overSocket(call('network_node', 'get_info')), '"result":{"listening_on"');
  t.match(
    await overSocket(call('debug', 'debug_stream_json_objects_flush')),
    'debug_off',
    'open, where the node has it',
  );
  t.match(await overSocket(call('database', 'create_snapshot')), '"head_block_num":7');
  t.match(await overSocket(call('database', 'copy_state')), '"head_block_num":8');
  t.match(await post(`http://${running.plain}`, call('network_node', 'get_info')), '_network_node_api: ');
  t.equal(await overSocket('', 'GET', '/healthz'), 'ok\n');
  t.match(await overSocket('', 'GET', '/metrics'), 'trustnode_chain_head_block 792');
  t.notMatch(
    await (await fetch(`http://${running.plain}/metrics`)).text(),
    'trustnode_chain_head_block',
    'not for everybody',
  );
  const socket = new WebSocket(`ws+unix:${path}:/`);
  await once(socket, 'open');
  socket.send(call('network_node', 'get_info'));
  t.match(String((await once(socket, 'message'))[0]), 'listening_on', 'WebSockets too');
  await running.close();
  t.notOk(existsSync(path), 'gone with the node');
  const long = await serveRpc(options({}), { node: ports, operatorSocket: join(folder, 'x'.repeat(200)) });
  await long.close();
});

t.test('a server that cannot count unfinished messages has room for one of every connection', async (t) => {
  const of = (countsMessages: boolean, given: Record<string, string> = {}) =>
    memoryLimits(options(given), { countsMessages });
  t.same(of(true), { counted: 256e6, message: 10e6, connections: 5000 });
  t.same(of(false), { counted: 128e6, message: 65_536, connections: 1953 });
  t.same(of(false, { 'rpc-connections-max': '100' }), { counted: 128e6, message: 1_280_000, connections: 100 });
  t.same(of(false, { 'rpc-memory-max': '10000000000' }), { counted: 5e9, message: 1_000_000, connections: 5000 });
  t.same(of(false, { 'rpc-message-bytes-max': '2000' }), { counted: 128e6, message: 2000, connections: 5000 });
  for (const memory of [1e6, 256e6, 1e9]) {
    const { counted, message, connections } = of(false, { 'rpc-memory-max': String(memory) });
    t.ok(counted + message * connections <= memory, String(memory));
  }
});

t.test('a request that waits for its turn takes from rpc-memory-max', async (t) => {
  const running = await serveRpc(
    options({ 'rpc-endpoint': ANY_PORT, 'rpc-transport': 'node-http', 'rpc-memory-max': '1000000' }),
    // Turns end when their time is over.
    { node: { ...ports, clock: systemClock } },
  );
  t.teardown(() => running.close());
  const url = `http://${running.plain}`;
  // Half a million values: they are read in many turns.
  const large = `[${'1,'.repeat(470_000)}1]`;
  const { scheduler } = running.rpc.dispatcher;
  await eventually('the small one meets the large one', async () => {
    let isDone = false;
    const first = post(url, large).then(() => (isDone = true));
    while (scheduler.waitingBytes === 0 && !isDone) await new Promise(setImmediate);
    const second = await post(url, `[${'1,'.repeat(50_000)}1]`);
    await first;
    return second.includes('http_uploads');
  });
});
