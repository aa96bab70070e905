import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { uwsTransport } from '../../src/http/uws-server.js';
import { STACK_SIZE } from '../runner/stack-size.js';
import { NodeProcess } from '../support/node-process.js';
import { rpcCall } from '../support/rpc-call.js';

/**
 * Clients that make the real program hold what they send in part and do not read: the memory of the process grows by
 * what `rpc-memory-max` says and not by what they would like. The bytes themselves are counted in the tests of the
 * transports; this is what the system says.
 */

const LINUX = process.platform === 'linux' ? false : 'the memory of a process is read from /proc';
const MEGABYTE = 1_000_000;
const MEMORY_MAX = 100 * MEGABYTE;
/**
 * What the program may take besides: garbage that no collector has come to yet, which is little on a quiet machine (155
 * to 261 MB more in all), and was 425 MB in all where others took the processors from it. Without bounds the messages in
 * part alone are 1,000 MB.
 */
const ROOM = 400 * MEGABYTE;
/** A fast machine with nothing else to do lets hundreds of megabytes lie that nobody holds: it is told to look now and then. */
const COLLECTS = ['--expose-gc', '--import', 'data:text/javascript,setInterval(gc,250).unref()'];
const CLIENTS = 60;
/** Of those that send in part. */
const SENDERS = 120;
/** What all of them together try to make the node hold. */
const PARTIAL_MESSAGE = 9 * MEGABYTE;
const UNREAD = 24 * MEGABYTE;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const UPGRADE = [
  'GET / HTTP/1.1',
  'Host: localhost',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  '\r\n',
].join('\r\n');

/** The beginning of a client's text frame that announces so many bytes. */
function longFrame(bytes: number): Buffer {
  const head = Buffer.alloc(14);
  head.set([0x81, 0xff]);
  head.writeBigUInt64BE(BigInt(bytes), 2);
  return head;
}

async function open(port: number, first: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(first);
  return socket;
}

async function webSocket(port: number): Promise<Socket> {
  const socket = await open(port, UPGRADE);
  await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  return socket;
}

/** Until the system has taken it all or the node has closed the connection; both are told in the end. */
const push = (socket: Socket, bytes: Buffer): Promise<void> =>
  new Promise((resolve) => {
    const late = setTimeout(resolve, 2000);
    socket.write(bytes, () => {
      clearTimeout(late);
      resolve();
    });
  });

const filler = Buffer.alloc(64 * 1024, 'x');

/** Sends most of what the head announces. */
async function inPart(socket: Socket, head: Buffer | string, bytes: number): Promise<void> {
  socket.resume();
  socket.write(head);
  for (let sent = 0; sent < bytes && !socket.destroyed; sent += filler.length) await push(socket, filler);
}

/** Of the batch below. */
const ANSWER_BYTES_MIN = 400_000;
const BATCH = `[${Array.from({ length: 100 }, (_, id) => `{"id":${id},"method":"get_config","params":[]}`).join()}]`;

function textFrame(text: string): Buffer {
  const head = Buffer.alloc(8);
  head.set([0x81, 0xfe]);
  head.writeUInt16BE(text.length, 2);
  return Buffer.concat([head, Buffer.from(text)]);
}

/** Asks for so many bytes without reading one. */
async function unread(socket: Socket, request: Buffer | string): Promise<void> {
  socket.pause();
  for (let asked = 0; asked < UNREAD && !socket.destroyed; asked += ANSWER_BYTES_MIN) {
    socket.write(request);
    await sleep(15);
  }
}

const httpHead = (bytes: number): string => `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${bytes}\r\n\r\n`;

/** One of the clients. */
type Attack = (index: number, port: number, sockets: Socket[]) => Promise<void>;

const ATTACKS: readonly (readonly [what: string, clients: number, attack: Attack])[] = [
  [
    'WebSocket messages in part',
    SENDERS,
    async (index, port, sockets) => {
      const socket = await webSocket(port);
      sockets.push(socket);
      // Some as long as the native server takes them.
      const bytes = index % 4 > 0 ? PARTIAL_MESSAGE : 65_000;
      await inPart(socket, longFrame(bytes), bytes - filler.length);
    },
  ],
  [
    'HTTP bodies in part',
    SENDERS,
    async (_index, port, sockets) => {
      const socket = await open(port, '');
      sockets.push(socket);
      await inPart(socket, httpHead(PARTIAL_MESSAGE), PARTIAL_MESSAGE - filler.length);
    },
  ],
  [
    'answers to WebSockets that nobody reads',
    CLIENTS,
    async (_index, port, sockets) => {
      const socket = await webSocket(port);
      sockets.push(socket);
      await unread(socket, textFrame(BATCH));
    },
  ],
  [
    'answers over HTTP that nobody reads',
    CLIENTS,
    async (_index, port, sockets) => {
      const socket = await open(port, '');
      sockets.push(socket);
      await unread(socket, `${httpHead(BATCH.length)}${BATCH}`);
    },
  ],
];

/** A process for each: what one has given back is not taken anew by the next. */
async function withstands(t: Test, transport: string, clients: number, attack: Attack): Promise<void> {
  const node = new NodeProcess(
    [
      ...['start', '--dev', '--data-dir', join(t.testdir(), 'data'), '--rpc-endpoint', '127.0.0.1:0'],
      ...['--rpc-transport', transport, '--rpc-memory-max', String(MEMORY_MAX), '--verify-threads', '0'],
      // What histories and their thread take is none of what clients hold.
      ...['--max-ops-per-account', '0'],
    ],
    [STACK_SIZE, '--max-semi-space-size=16', ...COLLECTS],
  );
  t.teardown(() => node.kill('SIGKILL'));
  const [, plain] = (await node.until(/rpc listens +plain=(\S+)/)) as unknown as [string, string];
  const port = Number(plain.split(':')[1]);
  const resident = (): number =>
    Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${node.child.pid}/status`, 'utf8'))?.[1]) * 1024;
  await (await fetch(`http://${plain}`, { method: 'POST', body: BATCH })).text();
  const sockets: Socket[] = [];
  const before = resident();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, resident());
  }, 20);
  try {
    await Promise.all(Array.from({ length: clients }, (_, index) => attack(index, port, sockets)));
    // Until all that they have asked for is done: the memory grows no more.
    for (let seen = 0; seen < most; await sleep(1500)) seen = most;
    t.equal(await rpcCall(plain, 'get_test', []), 100, 'others are served');
  } finally {
    clearInterval(watch);
    for (const socket of sockets) socket.destroy();
  }
  const grown = most - before;
  t.ok(grown < 1.5 * MEMORY_MAX + ROOM, `${(grown / MEGABYTE).toFixed(0)} MB more`);
  node.kill('SIGTERM');
  t.equal((await node.finished).code, 0);
}

const native = uwsTransport() === undefined && 'the native server does not load here';
for (const [what, clients, attack] of ATTACKS) {
  t.test(`${what}, the server of Node`, { skip: LINUX }, (t) => withstands(t, 'node-http', clients, attack));
  t.test(`${what}, the native server`, { skip: LINUX || native }, (t) => withstands(t, 'uws', clients, attack));
}
