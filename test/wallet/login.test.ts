import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type WebSocket, WebSocketServer } from 'ws';
import { DEV_ACCOUNTS } from '../../src/node/dev/dev-network.js';
import { NODE_ERRORS } from '../../src/wallet/errors.js';
import { NodeSession } from '../../src/wallet/node-session.js';
import { startDevNode } from '../support/dev-node.js';
import { MemoryLog } from '../support/memory-log.js';
import { refusedLater } from '../support/refused.js';
import { runTrustnode } from '../support/run-trustnode.js';
import { recordedHistory } from './support/frozen.js';

/** Whom a node lets in, and what a wallet says when it is not let in, or finds another chain where its own was. */

const PASSWORD = 'open sesame';
const folder = t.testdir();

/** As the operator of a node writes it: a salted hash, and what the user may use. */
function accessFile(): string {
  const salt = Buffer.from('some salt');
  const hash = createHash('sha256').update(PASSWORD).update(salt).digest('base64');
  const all = ['database_api', 'network_broadcast_api', 'history_api'];
  const user = { password_hash_b64: hash, password_salt_b64: salt.toString('base64'), allowed_apis: all };
  const file = join(folder, 'access.json');
  writeFileSync(file, JSON.stringify({ permission_map: [['alice', user]] }));
  return file;
}

const dev = await startDevNode(folder, { 'api-access': accessFile() });
dev.clock.advance(9_000);
t.teardown(() => dev.node.stop());
const node = `ws://${dev.node.endpoints.plain}`;
const file = join(folder, 'wallet.json');
const wif = DEV_ACCOUNTS[0]?.key.toWif() ?? '';

t.test('who is not known is told so, and nothing is written', async (t) => {
  for (const access of [
    { user: '', password: '' },
    { user: 'alice', password: '' },
    { user: 'alice', password: 'wrong' },
    { user: 'bob', password: PASSWORD },
  ]) {
    const session = new NodeSession({ url: node, ...access }, new MemoryLog());
    await refusedLater(t, NODE_ERRORS.node_login, session.chainId(), JSON.stringify(access));
    await session.close();
  }
  for (const args of [[], ['-u', 'alice', '-p', 'wrong']]) {
    const { code, stdout, stderr } = await runTrustnode([
      'wallet',
      '-w',
      file,
      '-s',
      node,
      ...args,
      '--exec',
      'is_new',
    ]);
    t.equal(code, 1, args.join(' '));
    t.equal(stdout, '');
    t.match(stderr, /node_login: Failed to log in to API server\n$/);
    t.notMatch(stderr, /sesame|wrong/);
    t.throws(() => readFileSync(file), { code: 'ENOENT' });
  }
});

t.test('who is known gets in, and is let in again without being asked', async (t) => {
  const lines = ['set_password p', 'unlock p', `import_key alice ${wif}`];
  const args = ['wallet', '-w', file, '-s', node, '-u', 'alice', '-p', PASSWORD];
  const made = await runTrustnode([...args, ...lines.flatMap((line) => ['--exec', line])]);
  t.same([made.code, made.stderr], [0, '']);
  const again = await runTrustnode(['wallet', '-w', file, '--exec', 'get_account_id alice']);
  t.same([again.code, again.stderr], [0, '']);
  t.match(JSON.parse(readFileSync(file, 'utf8')), { ws_server: node, ws_user: 'alice', ws_password: PASSWORD });
  const checked = await runTrustnode(['wallet', 'check', '-w', file]);
  t.match(checked.stdout, /the password of the node/, 'that it stands there is said');
  t.notMatch(checked.stdout, /sesame/);
  const other = await runTrustnode(['wallet', '-w', file, '-p', 'wrong', '--exec', 'is_new']);
  t.match(other.stderr, /node_login/, 'what is given counts more than the file');
});

t.test('another chain where the own one was', async (t) => {
  const recorded = await recordedHistory();
  const url = await recorded.serve();
  const session = new NodeSession({ url, user: '', password: '' }, new MemoryLog());
  const own = await session.chainId();
  session.expectChain(own);
  t.match(await session.call('database', 'get_config', []), { GRAPHENE_ADDRESS_PREFIX: 'GXC' });
  await recorded.close();
  await refusedLater(t, NODE_ERRORS.node_gone, session.call('database', 'get_config', []), 'while nobody is there');
  const other = await startDevNode(t.testdir(), { 'rpc-endpoint': url.slice('ws://'.length) });
  t.teardown(async () => {
    await session.close();
    await other.node.stop();
  });
  await refusedLater(t, NODE_ERRORS.node_chain, session.call('database', 'get_config', []), 'nothing is asked of it');
  const send = session.call('network_broadcast', 'broadcast_transaction', [{}]);
  await refusedLater(t, NODE_ERRORS.node_chain, send, 'and nothing is sent to it');
});

/** A server that does with each connection what it likes. */
async function strange(t: Test, meet: (socket: Socket) => void): Promise<NodeSession> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    meet(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const session = new NodeSession({ url: `ws://127.0.0.1:${port}`, user: '', password: '' }, new MemoryLog());
  t.teardown(async () => {
    await session.close();
    server.close();
  });
  return session;
}

t.test('what is no node', async (t) => {
  const hangsUp = await strange(t, (socket) => socket.destroy());
  await refusedLater(t, NODE_ERRORS.node_gone, hangsUp.chainId(), 'hangs up');
  const page = await strange(t, (socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'));
  });
  await refusedLater(t, NODE_ERRORS.node_gone, page.chainId(), 'a page');
  const mumbles = await strange(t, (socket) => socket.end('SSH-2.0\r\n'));
  await refusedLater(t, NODE_ERRORS.node_gone, mumbles.chainId(), 'another protocol');
});

/** A node that lets everybody in; `meet` says what becomes of all other questions of a connection. */
async function admitting(
  t: Test,
  meet: (socket: WebSocket, connection: number, answer: () => void) => void,
): Promise<{ session: NodeSession; server: WebSocketServer; made: () => number }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  t.teardown(() => server.close());
  let count = 0;
  server.on('connection', (socket) => {
    const connection = ++count;
    socket.on('message', (data) => {
      const { id, method } = JSON.parse(String(data)) as { id: number; method: string };
      const answer = (): void => socket.send(JSON.stringify({ id, result: true }));
      if (method === 'call') answer();
      else meet(socket, connection, answer);
    });
  });
  const { port } = server.address() as { port: number };
  const session = new NodeSession({ url: `ws://127.0.0.1:${port}`, user: '', password: '' }, new MemoryLog());
  return { session, server, made: () => count };
}

t.test('a connection that breaks under several questions is replaced by one', async (t) => {
  let waiting = 0;
  const { session, made } = await admitting(t, (socket, connection, answer) => {
    if (connection > 1) answer();
    else if (++waiting === 3) socket.terminate();
  });
  const asked = ['one', 'two', 'three'].map((method) => session.call('database', method, []));
  t.same(await Promise.all(asked), [true, true, true]);
  t.equal(made(), 2, 'one before and one after');
  await session.close();
});

t.test('nothing is connected to any more for a wallet that has ended', async (t) => {
  const { session, server, made } = await admitting(t, () => void session.close());
  await refusedLater(t, NODE_ERRORS.node_gone, session.call('database', 'get_config', []), 'not asked again');
  await refusedLater(t, NODE_ERRORS.node_gone, session.call('database', 'get_config', []), 'nor anew');
  t.equal(made(), 1);
  for (const socket of server.clients) await once(socket, 'close');
});
