import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { constants, deflateRawSync, gunzipSync, inflateSync } from 'node:zlib';
import t from 'tap';
import { WebSocket } from 'ws';
import type { ChainError } from '../../src/base/errors.js';
import { type CallerOptions, CallerRules } from '../../src/http/caller.js';
import { COMPRESSING_CHARS_MAX } from '../../src/http/compress.js';
import { Gate, type GateLimits } from '../../src/http/gate.js';
import { MemoryBudget } from '../../src/http/memory-budget.js';
import type { RunningTransport, TlsFiles, Transport, TransportLimits } from '../../src/http/transport.js';
import { Rpc } from '../../src/rpc/rpc.js';
import { RpcHandler } from '../../src/rpc/serving/rpc-handler.js';
import { explorerFiles } from '../../src/rpc/serving/serve.js';
import { ApiAccess } from '../../src/rpc/sessions/access.js';
import { ask } from '../http/support/ask.js';
import { transports } from '../http/support/servers.js';
import { eventually } from '../support/eventually.js';
import { projectPath } from '../support/paths.js';
import { goldenPorts } from './support/golden-rpc.js';

/** One suite, run on every server: a client must not be able to tell them apart. */

const ports = goldenPorts();

const GATE: GateLimits = {
  connections_max: 20,
  connections_per_address_max: 0,
  requests_per_second: 0,
  requests_burst: 1,
};
const SNAPSHOT = { head_block_num: 7, head_block_id: '7'.repeat(40), snapshot_dir: 'x' };
const LIMITS: TransportLimits = { message_bytes_max: 50_000, backlog_bytes_max: 200_000, idle_timeout_sec: 60 };
/** Both servers end an idle connection by themselves after nine seconds or more. What comes before was not the clock. */
const IDLE_MS_MIN = 8000;
const RPC_LIMITS = { request_bytes_max: 100_000, waiting_per_connection_max: 5, held_chars_max: 10_000 };

interface Teardown {
  teardown(run: () => Promise<void>): void;
}

interface Served {
  readonly running: RunningTransport;
  readonly url: string;
  readonly refused: string[];
  readonly gate: Gate;
  readonly rpc: Rpc;
  readonly memory: MemoryBudget;
}

async function serve(
  transport: Transport,
  t: Teardown,
  how: {
    port?: number;
    gate?: Partial<GateLimits>;
    limits?: Partial<TransportLimits>;
    tls?: TlsFiles;
    memory?: number;
    callers?: Partial<CallerOptions>;
    access?: ApiAccess;
    socket?: string;
    listensOn?: string;
  } = {},
): Promise<Served> {
  const snapshots = { create: async () => SNAPSHOT, copy: async () => ({ ...SNAPSHOT, snapshot_dir: 'y' }) };
  const refused: string[] = [];
  const memory = new MemoryBudget(how.memory ?? 10_000_000, () => refused.push('memory'));
  const access = how.access ?? ApiAccess.open(['network_node', 'debug']);
  const rpc = new Rpc({ ...ports, snapshots }, { access, room: memory });
  const gate = new Gate({ ...GATE, ...how.gate }, ports.clock);
  const metrics = { connections: () => undefined, refused: (reason: string) => refused.push(reason) };
  const page = explorerFiles();
  const handler = new RpcHandler({ rpc, gate, page, corsOrigin: '*', limits: RPC_LIMITS, metrics });
  const running = await transport.listen({
    at: how.socket === undefined ? { host: how.listensOn ?? '127.0.0.1', port: how.port ?? 0 } : { socket: how.socket },
    callers: new CallerRules(how.callers),
    memory,
    tls: how.tls,
    http: handler,
    sockets: handler,
    gate,
    limits: { ...LIMITS, ...how.limits },
    log: ports.log,
    metrics,
  });
  t.teardown(async () => {
    await running.close();
    rpc.close();
  });
  return { running, url: `http://127.0.0.1:${running.port}`, refused, gate, rpc, memory };
}

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

/** With header lines as they are. */
async function rawStatus(port: number, lines: readonly string[]): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  socket.write(
    ['POST / HTTP/1.1', 'Host: localhost', ...lines, `Content-Length: ${TEST.length}`, '', TEST].join('\r\n'),
  );
  const [answer] = await once(socket, 'data');
  socket.destroy();
  return Number(String(answer).split(' ')[1]);
}

async function open(port: number): Promise<{ socket: WebSocket; ask(text: string): Promise<string> }> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/any/path`);
  await once(socket, 'open');
  return {
    socket,
    async ask(text) {
      const answer = once(socket, 'message');
      socket.send(text);
      return String((await answer)[0]);
    },
  };
}

const call = (method: string, params: unknown[] = [], id = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const TEST = call('get_test');
const ANSWER = '{"id":1,"jsonrpc":"2.0","result":100}';

const UPGRADE = [
  'GET / HTTP/1.1',
  'Host: 127.0.0.1',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  'Sec-WebSocket-Extensions: permessage-deflate',
  '\r\n',
].join('\r\n');
/** Bits and kinds in the first byte of a frame. */
const FIRST = 0x80;
const COMPRESSED = 0x40;
const TEXT = 1;
const PING = 9;

/** A client's frame of up to 65535 bytes; the mask is zero. */
function frame(payload: Buffer, first: number): Buffer {
  const { length } = payload;
  const head = length < 126 ? [first, 0x80 | length] : [first, 0xfe, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), payload]);
}

for (const transport of transports) {
  t.test(transport.name, async (t) => {
    t.test('HTTP: POST to any path, with keep-alive', async (t) => {
      const { running } = await serve(transport, t);
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      t.teardown(() => agent.destroy());
      const first = await ask(running.port, { path: '/rpc/v1?x=1', body: TEST, agent });
      t.equal(first.body.toString(), ANSWER);
      t.equal(first.headers['content-type'], 'application/json');
      t.equal(first.headers['access-control-allow-origin'], '*');
      const second = await ask(running.port, { body: TEST, agent });
      t.equal(second.body.toString(), ANSWER);
      t.ok(second.reused, 'the second request went over the same connection');
      const chunked = await ask(running.port, { body: [TEST.slice(0, 10), TEST.slice(10)] });
      t.equal(chunked.body.toString(), ANSWER, 'a body in chunks is read too');
      const silent = await ask(running.port, { body: '{"method":"get_test","params":[]}' });
      t.equal(silent.status, 200);
      t.equal(silent.body.length, 0, 'no id, no answer');
    });

    t.test('HTTP: GET, HEAD and OPTIONS', async (t) => {
      const { running } = await serve(transport, t);
      const api = await ask(running.port, { method: 'GET', path: '/rpc' });
      t.equal(api.status, 200);
      t.match(JSON.parse(api.body.toString()), { id: null, error: { data: { name: 'eof_exception' } } });
      const page = await ask(running.port, { method: 'GET', headers: { Accept: 'text/html,*/*' } });
      t.match(page.headers['content-type'], 'text/html');
      t.match(page.body.toString(), '<!doctype html>');
      const head = await ask(running.port, { method: 'HEAD', headers: { Accept: 'text/html' } });
      t.equal(head.body.length, 0);
      const preflight = await ask(running.port, { method: 'OPTIONS', headers: { Origin: 'http://elsewhere' } });
      t.equal(preflight.status, 204);
      t.equal(preflight.headers['access-control-allow-origin'], '*');
      t.match(preflight.headers['access-control-allow-methods'], 'POST');
      t.match(preflight.headers['access-control-allow-headers'], 'Content-Type');
    });

    t.test('HTTP: large answers are compressed for clients that can read it', async (t) => {
      const { running } = await serve(transport, t);
      const body = call('lookup_accounts', ['', 1000]);
      const plain = await ask(running.port, { body });
      t.notOk(plain.headers['content-encoding']);
      const gzip = await ask(running.port, { body, headers: { 'Accept-Encoding': 'gzip, deflate' } });
      t.equal(gzip.headers['content-encoding'], 'gzip');
      t.same(gunzipSync(gzip.body), plain.body);
      t.ok(gzip.body.length < plain.body.length / 2);
      const deflate = await ask(running.port, { body, headers: { 'Accept-Encoding': 'deflate' } });
      t.equal(deflate.headers['content-encoding'], 'deflate');
      t.same(inflateSync(deflate.body), plain.body);
    });

    t.test('HTTP: of many large answers at once only some are compressed', async (t) => {
      const { running } = await serve(transport, t);
      // A megabyte each, and far more of them than may be compressed at a time.
      const body = call('get_objects', [Array.from({ length: 1000 }, () => '2.0.0')]);
      const plain = await ask(running.port, { body });
      const count = Math.ceil((3 * COMPRESSING_CHARS_MAX) / plain.body.length);
      const asked = { body, headers: { 'Accept-Encoding': 'gzip' } };
      const answers = await Promise.all(Array.from({ length: count }, () => ask(running.port, asked)));
      const packed = answers.filter(({ headers }) => headers['content-encoding'] === 'gzip');
      t.ok(packed.length > 0 && packed.length < count, `${packed.length} of ${count}`);
      for (const { headers, body } of answers) {
        const text = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
        if (!text.equals(plain.body)) t.fail('another answer');
      }
      t.equal((await ask(running.port, asked)).headers['content-encoding'], 'gzip', 'and there is room again');
    });

    t.test('HTTP: bodies above the limit are refused and the connection ends', async (t) => {
      const { running, refused } = await serve(transport, t);
      const declared = await ask(running.port, { body: 'x'.repeat(200_000) }).catch(() => undefined);
      if (declared !== undefined) t.equal(declared.status, 413);
      const socket = connect(running.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n');
      const chunk = `${(50_000).toString(16)}\r\n${'x'.repeat(50_000)}\r\n`;
      for (let i = 0; i < 4; i++) socket.write(chunk);
      socket.resume();
      await once(socket, 'close');
      t.same(refused, ['size', 'size']);
      t.equal((await ask(running.port, { body: TEST })).body.toString(), ANSWER, 'others are served');
    });

    t.test('HTTP: of bodies that are not whole the oldest go when there is no room', async (t) => {
      const { running, refused, memory } = await serve(transport, t, { memory: 240_000 });
      const upload = async (): Promise<{ socket: Socket; answer: Promise<string> }> => {
        const socket = connect(running.port, '127.0.0.1');
        socket.on('error', () => undefined);
        const answer = new Promise<string>((resolve) => {
          let text = '';
          socket.setEncoding('utf8').on('data', (piece: string) => {
            text += piece;
          });
          socket.on('close', () => resolve(text));
        });
        const before = memory.bytes;
        socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 95000\r\n\r\n${TEST.padEnd(90_000)}`);
        while (memory.bytes < before + 90_000 && refused.length === 0) await soon();
        return { socket, answer };
      };
      const [first, second] = [await upload(), await upload()];
      t.same(refused, []);
      t.ok(memory.bytes >= 180_000 && memory.bytes < 240_000, 'every byte is counted');
      const third = await upload();
      t.match(await first.answer, /^HTTP\/1.1 503 .*http_uploads/s, 'the oldest one');
      t.same(refused, ['memory']);
      t.equal((await ask(running.port, { body: TEST })).body.toString(), ANSWER, 'whole requests are served');
      const answered = once(second.socket, 'data');
      second.socket.write(' '.repeat(5000));
      await answered;
      third.socket.destroy();
      second.socket.destroy();
      t.match(await second.answer, ANSWER);
      while (memory.bytes > 0) await soon();
      t.pass('nothing is held for those who got their answer or have gone');
    });

    t.test('HTTP: of answers that nobody reads the oldest go when there is no room', async (t) => {
      const { running, refused, memory } = await serve(transport, t, { memory: 1_500_000 });
      const batch = `[${Array.from({ length: 100 }, (_, id) => call('get_config', [], id)).join()}]`;
      const bytes = (await ask(running.port, { body: batch })).body.length;
      t.ok(bytes > 200_000, `${bytes} bytes`);
      const request = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${batch.length}\r\n\r\n${batch}`;
      const sockets: Socket[] = [];
      const isFull = (): boolean => refused.includes('memory');
      while (sockets.length < 40 && !isFull()) {
        const socket = connect(running.port, '127.0.0.1');
        socket.on('error', () => undefined);
        socket.pause();
        sockets.push(socket);
        // The system keeps some megabytes for each connection.
        for (let k = 0, before = memory.bytes; k < 100 && memory.bytes < before + bytes && !isFull(); k++) {
          socket.write(request);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        t.ok(memory.bytes <= 1_500_000);
      }
      t.ok(refused.includes('memory'), `after ${sockets.length} connections`);
      t.equal((await ask(running.port, { body: TEST })).body.toString(), ANSWER, 'who reads is served');
      for (const socket of sockets) socket.destroy();
      while (memory.bytes > 0) await soon();
    });

    t.test('WebSocket: of answers that nobody reads the oldest go when there is no room', async (t) => {
      const { running, refused, memory } = await serve(transport, t, {
        memory: 1_000_000,
        limits: { backlog_bytes_max: 600_000 },
      });
      const big = call('lookup_accounts', ['', 1000]);
      const clients: { socket: WebSocket; raw: Socket }[] = [];
      for (let i = 0; i < 15 && !refused.includes('memory'); i++) {
        const { socket } = await open(running.port);
        socket.on('error', () => undefined);
        const raw = (socket as unknown as { _socket: Socket })._socket;
        raw.pause();
        clients.push({ socket, raw });
        const before = memory.bytes;
        for (let k = 0; k < 4000 && memory.bytes < before + 400_000 && !refused.includes('memory'); k++) {
          socket.send(big);
          if (k % 20 === 0) await soon();
        }
        t.ok(memory.bytes <= 1_000_000);
      }
      t.ok(refused.includes('memory'), `with ${clients.length} clients`);
      const [oldest] = clients;
      const closed = new Promise((resolve) => oldest?.raw.once('close', resolve));
      oldest?.raw.resume();
      await closed;
      t.not(clients.at(-1)?.raw.destroyed, true, 'the newest one stays');
      for (const { raw } of clients) raw.destroy();
      while (memory.bytes > 0) await soon();
      t.equal((await ask(running.port, { body: TEST })).body.toString(), ANSWER);
    });

    t.test('WebSocket: of messages that are not whole the oldest go when there is no room', async (t) => {
      if (!transport.countsMessages) {
        t.comment('this server cannot count them; its limits for one message and for connections bound them');
        return;
      }
      const { running, refused, memory } = await serve(transport, t, { memory: 100_000 });
      const begin = async (first: number): Promise<Socket> => {
        const socket = connect(running.port, '127.0.0.1');
        socket.on('error', () => undefined);
        socket.write(UPGRADE);
        await once(socket, 'data');
        socket.resume();
        socket.write(frame(Buffer.from(TEST.padEnd(45_000)), first).subarray(0, 40_000));
        return socket;
      };
      const sockets = [await begin(FIRST | TEXT), await begin(TEXT)];
      while (memory.bytes < 80_000) await soon();
      t.ok(memory.bytes < 85_000);
      const closed = once(sockets[0] as Socket, 'close');
      sockets.push(await begin(FIRST | TEXT));
      await closed;
      t.same(refused, ['memory']);
      const rest = frame(Buffer.from(TEST.padEnd(45_000)), TEXT).subarray(40_000);
      (sockets[2] as Socket).write(rest);
      while (memory.bytes > 45_000) await soon();
      t.pass('a message that is whole holds nothing');
      for (const socket of sockets) socket.destroy();
      while (memory.bytes > 0) await soon();

      const { socket } = await open(running.port);
      const answered = new Promise<void>((resolve) => {
        let count = 0;
        socket.on('message', () => {
          if (++count === 100) resolve();
        });
      });
      for (const size of [1, 125, 126, 1000, 40_000]) {
        for (let k = 0; k < 20; k++) socket.send(TEST.padEnd(size));
        socket.ping('x');
      }
      await answered;
      await soon();
      t.equal(memory.bytes, 0, 'whole messages of every length hold nothing');
      const pieces = ['[', TEST, ']'];
      for (const [at, piece] of pieces.entries()) socket.send(piece, { fin: at === pieces.length - 1 });
      await once(socket, 'message');
      await soon();
      t.ok(memory.bytes < 300, 'a message in several frames holds next to nothing when it is whole');
      socket.close();
    });

    t.test('the name in the Host header', async (t) => {
      const { running, refused } = await serve(transport, t);
      const { port } = running;
      const get = (host: string) => ask(port, { body: TEST, headers: { Host: host } });
      for (const host of [
        `127.0.0.1:${port}`,
        `localhost:${port}`,
        'LOCALHOST',
        `[::1]:${port}`,
        '192.168.7.7',
        'a.localhost',
      ])
        t.equal((await get(host)).body.toString(), ANSWER, host);
      for (const host of [
        'attacker.example',
        `attacker.example:${port}`,
        'localhost.attacker.example',
        '127.0.0.1.attacker.example',
      ]) {
        const { status, body } = await get(host);
        t.equal(status, 403, host);
        t.match(body.toString(), 'http_host');
        const socket = new WebSocket(`ws://127.0.0.1:${port}`, { headers: { Host: host } });
        t.match(String((await once(socket, 'error'))[0]), '403', `WebSocket of ${host}`);
      }
      t.equal(refused.filter((reason) => reason === 'host').length, 8);
      for (const head of ['GET / HTTP/1.1\r\nAccept: x', UPGRADE.replace('Host: 127.0.0.1\r\n', '').trimEnd()]) {
        const begun = Date.now();
        const socket = connect(port, '127.0.0.1');
        socket.write(`${head}\r\n\r\n`);
        const [answer] = await once(socket, 'data');
        t.match(String(answer), 'HTTP/1.1 400', head.slice(0, 30));
        await once(socket, 'close');
        t.ok(Date.now() - begun < IDLE_MS_MIN, 'at once, and not because it was idle');
      }
      const named = await serve(transport, t, { callers: { hostNames: ['Node.Example.'] } });
      for (const [host, status] of [
        ['node.example:80', 200],
        ['other.example', 403],
        ['127.0.0.1', 200],
      ] as const)
        t.equal((await ask(named.running.port, { body: TEST, headers: { Host: host } })).status, status, host);
      const wide = await serve(transport, t, { listensOn: '0.0.0.0' });
      const rebound = await ask(wide.running.port, { body: TEST, headers: { Host: 'attacker.example' } });
      t.equal(rebound.status, 403, 'who comes from this machine is asked for the name wherever the node listens');
    });

    t.test('WebSocket: who is refused and keeps its side open is not waited for', async (t) => {
      const { running } = await serve(transport, t);
      const socket = connect({ port: running.port, host: '127.0.0.1', allowHalfOpen: true });
      socket.write(UPGRADE.replace('127.0.0.1', 'attacker.example'));
      t.match(String((await once(socket, 'data'))[0]), 'HTTP/1.1 403');
      let isRefused = false;
      socket.on('error', () => (isRefused = true));
      await eventually('the end of the connection', () => {
        if (!isRefused) socket.write('x');
        return isRefused;
      });
      t.ok(isRefused, 'nobody is there any more');
    });

    t.test('a page in a browser may read and send, and no more unless its origin is known', async (t) => {
      const known = 'https://admin.example';
      const { running } = await serve(transport, t, { callers: { origins: [`${known}/`] } });
      const keyOf = (text: string): string | undefined => JSON.parse(text).error?.data.key;
      const overHttp = async (text: string, headers: Record<string, string>): Promise<string | undefined> =>
        keyOf((await ask(running.port, { body: text, headers })).body.toString());
      const overSocket = async (text: string, headers: Record<string, string>): Promise<string | undefined> => {
        const socket = new WebSocket(`ws://127.0.0.1:${running.port}`, { headers });
        await once(socket, 'open');
        socket.send(text);
        const [answer] = await once(socket, 'message');
        socket.close();
        return keyOf(String(answer));
      };
      const foreign = [
        { Origin: 'https://attacker.example' },
        { Origin: 'null' },
        { Origin: `http://127.0.0.1:${running.port}` },
        { Origin: `${known}.attacker.example` },
        { 'Sec-Fetch-Site': 'cross-site' },
      ];
      const closed = [
        call('call', ['debug', 'debug_stream_json_objects_flush', []]),
        call('call', ['network_node', 'get_info', []]),
        call('create_snapshot'),
        call('copy_state'),
      ];
      for (const [over, how] of [
        [overHttp, 'HTTP'],
        [overSocket, 'WebSocket'],
      ] as const) {
        for (const headers of foreign as Record<string, string>[]) {
          const what = `${how}, ${JSON.stringify(headers)}`;
          t.equal(await over(TEST, headers), undefined, what);
          t.same(
            await Promise.all(closed.map((text) => over(text, headers))),
            closed.map(() => 'rpc_foreign_page'),
            what,
          );
        }
        const mayUse = { Origin: known };
        t.same(
          await Promise.all(closed.map((text) => over(text, mayUse))),
          ['debug_off', undefined, 'rpc_operator', 'rpc_operator'],
          how,
        );
        t.same(
          await Promise.all(closed.map((text) => over(text, {}))),
          ['debug_off', undefined, undefined, undefined],
          `${how}, no page`,
        );
      }
    });

    t.test('snapshots are for the operator', async (t) => {
      const entry = (apis: string[], hash = '*') => ({
        password_hash_b64: hash,
        password_salt_b64: '',
        allowed_apis: apis,
      });
      const hash = createHash('sha256').update('secret').digest('base64');
      const file = {
        permission_map: [
          ['*', entry(['database_api'])],
          ['keeper', entry(['create_snapshot'], hash)],
        ],
      };
      const { running } = await serve(transport, t, { access: ApiAccess.parse(JSON.stringify(file)) });
      const body = call('create_snapshot');
      const ANSWERED = JSON.stringify({ id: 1, jsonrpc: '2.0', result: SNAPSHOT });
      const answered = async (headers: Record<string, string>) =>
        (await ask(running.port, { body, headers })).body.toString();
      t.equal(await answered({}), ANSWERED, 'from this machine');
      for (const headers of [{ 'X-Forwarded-For': '127.0.0.1' }, { Forwarded: 'for=127.0.0.1' }, { Via: '1.1 x' }]) {
        t.match(await answered(headers as Record<string, string>), 'rpc_operator', 'through a proxy on this machine');
      }
      const Authorization = `Basic ${Buffer.from('keeper:secret').toString('base64')}`;
      t.equal(await answered({ Authorization, Via: '1.1 x' }), ANSWERED, 'whom the access file lets');
      t.match(await answered({ Authorization: 'Basic a2VlcGVyOng=', Via: '1.1 x' }), 'rpc_operator');
    });

    t.test('limits by address behind a proxy', async (t) => {
      const gate = { requests_per_second: 1, requests_burst: 1, connections_per_address_max: 1 };
      const statusOf = async (port: number, headers: Record<string, string>): Promise<number> =>
        (await ask(port, { body: TEST, headers })).status;
      const unknown = await serve(transport, t, { gate });
      const { port } = unknown.running;
      t.same([await statusOf(port, {}), await statusOf(port, {})], [200, 200], 'this machine itself');
      t.equal(await statusOf(port, { 'X-Forwarded-For': '9.9.9.1' }), 200);
      t.equal(await statusOf(port, { 'X-Forwarded-For': '9.9.9.2' }), 429, 'a proxy that nobody trusts is one client');
      const known = await serve(transport, t, { gate, callers: { trustedProxies: ['127.0.0.0/8'] } });
      const at = known.running.port;
      t.equal(await statusOf(at, { 'X-Forwarded-For': '9.9.9.1' }), 200);
      t.equal(
        await statusOf(at, { 'X-Forwarded-For': '8.8.8.8, 9.9.9.1' }),
        429,
        'what stands before is the client’s word',
      );
      t.equal(await statusOf(at, { 'X-Forwarded-For': '9.9.9.2' }), 200);
      t.equal(await statusOf(at, { Forwarded: 'for="[2001:db8::1]:4711";proto=http' }), 200);
      t.equal(await statusOf(at, { Forwarded: 'for=1.2.3.4, For="[2001:db8::1]"' }), 429);
      const own = await rawStatus(at, ['X-Forwarded-For: 9.9.9.77', 'X-Forwarded-For: 9.9.9.2']);
      t.equal(own, 429, 'a second header of the name is the proxy’s');
      const headers = { 'X-Forwarded-For': '9.9.9.3' };
      const first = new WebSocket(`ws://127.0.0.1:${at}`, { headers });
      await once(first, 'open');
      const second = new WebSocket(`ws://127.0.0.1:${at}`, { headers });
      t.match(String((await once(second, 'error'))[0]), '503');
      first.close();
    });

    t.test('HTTP: a client that goes away stops waiting', async (t) => {
      const { running, rpc } = await serve(transport, t);
      const dispatch = rpc.services.confirmations;
      const { stop } = dispatch.wait('00', {
        expiration: 2 ** 32,
        included: () => undefined,
        refused: () => undefined,
      });
      t.equal(dispatch.waiting, 1);
      stop();
      t.equal(dispatch.waiting, 0);
      const socket = connect(running.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"id":1');
      await once(socket, 'ready');
      socket.destroy();
      t.equal((await ask(running.port, { body: TEST })).body.toString(), ANSWER, 'half a request harms nobody');
    });

    t.test('HTTP: Basic credentials open what the access file allows', async (t) => {
      const { running } = await serve(transport, t, { access: ApiAccess.open() });
      const body = call('call', ['network_node', 'get_info', []]);
      const refusal = await ask(running.port, { body, headers: { Authorization: 'Basic YTpi' } });
      t.match(refusal.body.toString(), '_network_node_api: ');
    });

    t.test('WebSocket: a session that stays, notices, pipelined requests', async (t) => {
      const { running, gate } = await serve(transport, t);
      const client = await open(running.port);
      t.equal(await client.ask(TEST), ANSWER);
      const ids = [
        await client.ask(call('call', [1, 'database', []])),
        await client.ask(call('call', [1, 'crypto', []])),
      ];
      t.same(
        ids.map((text) => JSON.parse(text).result),
        [4, 5],
      );
      const answers: string[] = [];
      client.socket.on('message', (data) => answers.push(String(data)));
      for (let id = 1; id <= 50; id++) client.socket.send(call('get_test', [], id));
      while (answers.length < 50) await once(client.socket, 'message');
      t.same(
        answers.map((text) => JSON.parse(text).id),
        Array.from({ length: 50 }, (_, i) => i + 1),
        'answers in order',
      );
      t.equal(gate.connections, 1);
      client.socket.close();
      await once(client.socket, 'close');
      await eventually('its place is free again', () => gate.connections === 0);
    });

    t.test('WebSocket: too large a message ends the connection', async (t) => {
      const { running } = await serve(transport, t);
      const client = await open(running.port);
      client.socket.on('error', () => undefined);
      t.equal(await client.ask(TEST.padEnd(LIMITS.message_bytes_max)), ANSWER, 'as large as allowed');
      const larger = TEST.padEnd(LIMITS.message_bytes_max + 1);
      client.socket.send(larger);
      await once(client.socket, 'close');
      t.equal((await ask(running.port, { body: larger })).body.toString(), ANSWER, 'HTTP has its own limit');
    });

    t.test('WebSocket: what is not JSON, or no request, gets an answer or none, never an end', async (t) => {
      const { running } = await serve(transport, t);
      const client = await open(running.port);
      for (const text of ['', 'x', '[', '[[[[[[', '{}', 'null', '7', '{"id":{}}', '{"id":1,"method":5}', '[1,2]']) {
        client.socket.send(text);
      }
      client.socket.send(Buffer.from([0xff, 0xfe, 0x00]));
      const answers: string[] = [];
      client.socket.on('message', (data) => answers.push(String(data)));
      client.socket.send(call('get_test', [], 99));
      while (!answers.at(-1)?.includes('"id":99')) await once(client.socket, 'message');
      for (const text of answers) t.ok(JSON.parse(text), text.slice(0, 60));
    });

    t.test('WebSocket: frames that break the protocol end their own connection only', async (t) => {
      const { running } = await serve(transport, t);
      const packed = deflateRawSync(Buffer.alloc(40_000, 'a'), { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, -4);
      const compressed = frame(packed, FIRST | COMPRESSED | TEXT);
      const notUtf8 = frame(Buffer.from([0xff, 0xfe]), FIRST | TEXT);
      const third = frame(Buffer.from(TEST), FIRST | TEXT);
      const unended = frame(Buffer.from('half'), TEXT);
      const cases: [string, Buffer[]][] = [
        ['a compressed one, then what is no text, then another', [compressed, notUtf8, third]],
        ['what is no text', [notUtf8, third, third]],
        ['a continuation of nothing', [frame(Buffer.from('x'), FIRST), third]],
        ['two beginnings', [unended, unended, third]],
        ['a ping in two parts', [frame(Buffer.from('x'), PING), third]],
        ['an unknown kind', [frame(Buffer.from('x'), FIRST | 3), third]],
        ['without a mask', [Buffer.from([FIRST | TEXT, 1, 0x78]), third]],
      ];
      for (const [what, frames] of cases) {
        // Whether they arrive together decides what the server does.
        for (const pauseMs of [undefined, 0, 1, 2]) {
          const socket = connect(running.port, '127.0.0.1').setNoDelay();
          socket.on('error', () => undefined);
          const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
          socket.write(UPGRADE);
          await once(socket, 'data');
          socket.resume();
          for (const one of pauseMs === undefined ? [Buffer.concat(frames)] : frames) {
            socket.write(one);
            if (pauseMs !== undefined) await new Promise((resolve) => setTimeout(resolve, pauseMs));
          }
          await closed;
        }
        t.equal((await ask(running.port, { body: TEST })).body.toString(), ANSWER, `others are served after ${what}`);
      }
    });

    t.test('WebSocket: a client that does not read is dropped', async (t) => {
      const { running, refused } = await serve(transport, t);
      const client = await open(running.port);
      client.socket.on('error', () => undefined);
      const raw = (client.socket as unknown as { _socket: Socket })._socket;
      raw.pause();
      const closed = new Promise<void>((resolve) => raw.once('close', () => resolve()));
      const big = call('get_config');
      for (let i = 0; refused.length === 0; i++) {
        client.socket.send(big);
        // The server is in this process and has its turn.
        if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      t.ok(refused.includes('backlog'), 'the backlog limit was met');
      raw.resume();
      await closed;
      t.equal((await ask(running.port, { body: TEST })).body.toString(), ANSWER);
    });

    t.test('WebSocket: a client that pings and does not read costs no memory', async (t) => {
      const { running, memory } = await serve(transport, t);
      const socket = connect(running.port, '127.0.0.1');
      socket.on('error', () => undefined);
      let isClosed = false;
      socket.on('close', () => (isClosed = true));
      socket.write(UPGRADE);
      await once(socket, 'data');
      socket.pause();
      const pings = Buffer.concat(Array.from({ length: 500 }, () => frame(Buffer.alloc(125), FIRST | PING)));
      const before = process.memoryUsage().rss;
      // Hundreds of megabytes, of which the system itself holds a few.
      for (let i = 0; i < 5000 && !isClosed; i++) {
        if (!socket.write(pings)) await new Promise((resolve) => setImmediate(resolve));
        while (socket.writableLength > 1_000_000 && !isClosed) await soon();
      }
      const grown = process.memoryUsage().rss - before;
      t.ok(grown < 150_000_000, `${grown} bytes more`);
      if (transport.name === 'node-http') t.equal(isClosed, true, 'its library drops who reads no answer to a ping');
      socket.destroy();
      while (memory.bytes > 0) await soon();
      t.equal((await ask(running.port, { body: TEST })).body.toString(), ANSWER);
    });

    t.test('WebSocket: no more connections than allowed', async (t) => {
      const { running, refused } = await serve(transport, t, { gate: { connections_max: 2 } });
      const clients = [await open(running.port), await open(running.port)];
      const third = new WebSocket(`ws://127.0.0.1:${running.port}`);
      const [error] = await once(third, 'error');
      t.match(String(error), '503');
      t.same(refused, ['connections']);
      for (const { socket } of clients) socket.close();
    });

    t.test('TLS', async (t) => {
      const pem = projectPath('test/rpc/support/server.pem');
      const { running } = await serve(transport, t, { tls: { pem, password: '' } });
      const text = await new Promise<string>((resolve, reject) => {
        const options = { host: '127.0.0.1', port: running.port, method: 'POST', rejectUnauthorized: false };
        const req = tlsRequest(options, (response) => {
          let body = '';
          response.on('data', (chunk) => (body += chunk));
          response.on('end', () => resolve(body));
        });
        req.on('error', reject);
        req.end(TEST);
      });
      t.equal(text, ANSWER);
      const socket = new WebSocket(`wss://127.0.0.1:${running.port}`, { rejectUnauthorized: false });
      await once(socket, 'open');
      socket.send(TEST);
      t.equal(String((await once(socket, 'message'))[0]), ANSWER);
      socket.close();
    });

    t.test('TLS: who does not come to the end of its handshake is counted', async (t) => {
      if (!transport.countsConnections) {
        t.comment('this server does not tell of connections before they ask something');
        return;
      }
      const pem = projectPath('test/rpc/support/server.pem');
      const { running, memory, refused } = await serve(transport, t, { tls: { pem, password: '' }, memory: 1_000_000 });
      const begun: Socket[] = [];
      const ended = new Set<Socket>();
      for (let i = 0; i < 25; i++) {
        const socket = connect(running.port, '127.0.0.1');
        socket.on('error', () => undefined);
        socket.on('close', () => ended.add(socket));
        await once(socket, 'connect');
        begun.push(socket);
      }
      while (ended.size < 5) await soon();
      t.ok(memory.bytes > 900_000 && memory.bytes <= 1_000_000);
      t.ok(refused.includes('memory'));
      t.ok(
        begun.slice(0, 5).every((socket) => ended.has(socket)),
        'the oldest went',
      );
      for (const socket of begun) socket.destroy();
      while (memory.bytes > 0) await soon();
      const opened = connectTls({ host: '127.0.0.1', port: running.port, rejectUnauthorized: false });
      await once(opened, 'secureConnect');
      while (memory.bytes !== 49_152) await soon();
      t.pass('an open one is counted once');
      opened.destroy();
      while (memory.bytes > 0) await soon();
    });

    t.test('a taken port is refused with its name; a closed server frees it', async (t) => {
      const free = createServer().listen(0, '127.0.0.1');
      await once(free, 'listening');
      const { port } = free.address() as AddressInfo;
      await new Promise((resolve) => free.close(resolve));
      const { running } = await serve(transport, t, { port });
      const rpc = new Rpc(ports, { access: ApiAccess.open() });
      const gate = new Gate(GATE, ports.clock);
      const metrics = undefined;
      const handler = new RpcHandler({ rpc, gate, page: undefined, corsOrigin: '', limits: RPC_LIMITS, metrics });
      const options = {
        at: { host: '127.0.0.1', port: running.port },
        callers: new CallerRules(),
        memory: new MemoryBudget(10_000_000),
        tls: undefined,
        http: handler,
        sockets: handler,
        gate,
        limits: LIMITS,
        log: ports.log,
        metrics,
      };
      const refusal = await transport.listen(options).catch((error: unknown) => error);
      t.equal((refusal as ChainError).key, 'http_listen');
      const client = await open(running.port);
      const closed = once(client.socket, 'close');
      await running.close();
      await closed;
      const again = await transport.listen(options);
      t.equal((await ask(again.port, { body: TEST })).body.toString(), ANSWER);
      await again.close();
      rpc.close();
    });
  });
}
