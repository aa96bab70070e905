import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { constants, deflateRawSync, gunzipSync, inflateSync } from 'node:zlib';
import t from 'tap';
import { WebSocket } from 'ws';
import type { ChainError } from '../../src/base/errors.js';
import { ApiAccess } from '../../src/rpc/access.js';
import { Gate, type GateLimits } from '../../src/rpc/gate.js';
import { HttpAnswers } from '../../src/rpc/http.js';
import { nodeTransport } from '../../src/rpc/node-http.js';
import { Page, pageFolder } from '../../src/rpc/page.js';
import { Rpc } from '../../src/rpc/rpc.js';
import { uwsTransport } from '../../src/rpc/server.js';
import type { RunningTransport, TlsFiles, Transport, TransportLimits } from '../../src/rpc/transport.js';
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
const LIMITS: TransportLimits = {
  request_bytes_max: 100_000,
  message_bytes_max: 50_000,
  uploads_bytes_max: 150_000,
  backlog_bytes_max: 200_000,
  idle_timeout_sec: 60,
  waiting_per_connection_max: 5,
};

interface Teardown {
  teardown(run: () => Promise<void>): void;
}

interface Served {
  readonly running: RunningTransport;
  readonly url: string;
  readonly refused: string[];
  readonly gate: Gate;
  readonly rpc: Rpc;
}

async function serve(
  transport: Transport,
  t: Teardown,
  how: { port?: number; gate?: Partial<GateLimits>; limits?: Partial<TransportLimits>; tls?: TlsFiles } = {},
): Promise<Served> {
  const rpc = new Rpc(ports, { access: ApiAccess.open() });
  const gate = new Gate({ ...GATE, ...how.gate }, ports.clock);
  const refused: string[] = [];
  const metrics = { connections: () => undefined, refused: (reason: string) => refused.push(reason) };
  const http = new HttpAnswers({ rpc, gate, page: new Page(pageFolder()), corsOrigin: '*', metrics });
  const running = await transport.listen({
    host: '127.0.0.1',
    port: how.port ?? 0,
    tls: how.tls,
    rpc,
    http,
    gate,
    limits: { ...LIMITS, ...how.limits },
    log: ports.log,
    metrics,
  });
  t.teardown(async () => {
    await running.close();
    rpc.close();
  });
  return { running, url: `http://127.0.0.1:${running.port}`, refused, gate, rpc };
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly reused: boolean;
}

interface Ask {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | readonly string[];
  readonly agent?: Agent;
}

function ask(port: number, { method = 'POST', path = '/', headers = {}, body = '', agent }: Ask): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(
      { host: '127.0.0.1', port, method, path, headers, ...(agent ? { agent } : {}) },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
            reused: call.reusedSocket,
          }),
        );
      },
    );
    call.on('error', reject);
    if (typeof body === 'string') call.end(body);
    else {
      for (const part of body) call.write(part);
      call.end();
    }
  });
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

const transports: Transport[] = [nodeTransport];
const fast = uwsTransport();
if (fast !== undefined) transports.push(fast);
else t.comment('uWebSockets.js does not load here: its half of this suite is left out');

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

    t.test('HTTP: bodies above the limit are refused and the connection ends', async (t) => {
      const { running, refused } = await serve(transport, t);
      const declared = await ask(running.port, { body: 'x'.repeat(200_000) }).catch(() => undefined);
      if (declared !== undefined) t.equal(declared.status, 413);
      const socket = connect(running.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
      const chunk = `${(50_000).toString(16)}\r\n${'x'.repeat(50_000)}\r\n`;
      for (let i = 0; i < 4; i++) socket.write(chunk);
      socket.resume();
      await once(socket, 'close');
      t.same(refused, ['size', 'size']);
      t.equal((await ask(running.port, { body: TEST })).body.toString(), ANSWER, 'others are served');
    });

    t.test('HTTP: bodies that are not whole have a limit over all clients', async (t) => {
      const { running, refused } = await serve(transport, t, { limits: { uploads_bytes_max: 40_000 } });
      const begun = 'x'.repeat(90_000);
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
        await once(socket, 'connect');
        socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 95000\r\n\r\n');
        await new Promise<void>((resolve) => socket.write(begun, () => resolve()));
        return { socket, answer };
      };
      const first = await upload();
      // The server may not have read all of it yet.
      let second = await upload();
      while (refused.length === 0) second = await Promise.race([upload(), second.answer.then(() => second)]);
      t.equal(refused[0], 'uploads');
      t.equal((await ask(running.port, { body: TEST })).body.toString(), ANSWER, 'small requests have room');
      first.socket.destroy();
      const isRoom = async (): Promise<boolean> => {
        const whole = await ask(running.port, { body: TEST.padEnd(90_000) }).catch(() => undefined);
        const hasAnswer = whole?.body.toString() === ANSWER;
        if (whole !== undefined && !hasAnswer) t.equal(whole.status, 503);
        return hasAnswer;
      };
      await eventually('room', isRoom);
      second.socket.destroy();
      t.pass('a client that has gone takes no room');
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
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"id":1');
      await once(socket, 'ready');
      socket.destroy();
      t.equal((await ask(running.port, { body: TEST })).body.toString(), ANSWER, 'half a request harms nobody');
    });

    t.test('HTTP: Basic credentials open what the access file allows', async (t) => {
      const { running } = await serve(transport, t);
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

    t.test('a taken port is refused with its name; a closed server frees it', async (t) => {
      const free = createServer().listen(0, '127.0.0.1');
      await once(free, 'listening');
      const { port } = free.address() as AddressInfo;
      await new Promise((resolve) => free.close(resolve));
      const { running } = await serve(transport, t, { port });
      const rpc = new Rpc(ports, { access: ApiAccess.open() });
      const gate = new Gate(GATE, ports.clock);
      const http = new HttpAnswers({ rpc, gate, page: undefined, corsOrigin: '', metrics: undefined });
      const options = {
        host: '127.0.0.1',
        port: running.port,
        tls: undefined,
        rpc,
        http,
        gate,
        limits: LIMITS,
        log: ports.log,
        metrics: undefined,
      };
      const refusal = await transport.listen(options).catch((error: unknown) => error);
      t.equal((refusal as ChainError).key, 'rpc_listen');
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
