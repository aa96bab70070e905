import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { uwsTransport } from '../../src/http/uws-server.js';
import { STACK_SIZE } from '../runner/stack-size.js';
import { YOUNG_SPACE } from '../runner/young-space.js';
import { eventually } from '../support/eventually.js';
import { COLLECT_FLAGS, collectGarbage, heldBytes, metricOf } from '../support/measured-process.js';
import { NodeProcess } from '../support/node-process.js';
import { rpcCall } from '../support/rpc-call.js';
import { frame, UPGRADE, Wire } from '../support/wire.js';

/**
 * Thousands of connections, most of which are up to no good, against the real program: every request gets a coded answer
 * or a closed connection, memory comes back, and no block is late.
 *
 * TRUSTNODE_FLOOD_SECONDS and TRUSTNODE_FLOOD_CONNECTIONS make it longer and wider.
 */

const SECONDS = Number(process.env.TRUSTNODE_FLOOD_SECONDS ?? 5);
const CONNECTIONS = Number(process.env.TRUSTNODE_FLOOD_CONNECTIONS ?? 4500);
/** Fewer prove nothing. */
const CONNECTIONS_FLOOR = 300;
const BLOCK_SEC = 3;
const MEGABYTE = 1024 * 1024;
/** Code that is compiled, caches that fill, a heap that is laid out for more: not what every client would add to. */
const HEAP_GROWTH_MAX = 16 * MEGABYTE;
/** The heap of the node; what grows without end meets it. */
const HEAP_LIMIT = '--max-old-space-size=256';

const FLAGS = [STACK_SIZE, YOUNG_SPACE, HEAP_LIMIT, ...COLLECT_FLAGS];

class Target {
  readonly process: NodeProcess;
  plain = '';
  monitor = '';

  constructor(folder: string, transport: string) {
    this.process = new NodeProcess(
      [
        ...['start', '--dev', '--data-dir', join(folder, 'data'), '--rpc-transport', transport],
        ...['--rpc-endpoint', '127.0.0.1:0', '--monitor-endpoint', '127.0.0.1:0', '--verify-threads', '0'],
        // Room for a message of every connection, which the native server cannot count.
        ...['--rpc-memory-max', '600000000'],
      ],
      FLAGS,
    );
  }

  async open(): Promise<void> {
    const found = await this.process.until(/rpc listens +plain=(\S+) monitor=(\S+)/);
    [this.plain, this.monitor] = [found[1] as string, found[2] as string];
    await this.process.until(/chain +block +num=1 /);
  }

  get port(): number {
    return Number(this.plain.split(':')[1]);
  }

  /** Bytes that are really held. */
  async held(): Promise<number> {
    await collectGarbage(this.process);
    return heldBytes(this.monitor);
  }
}

async function webSocket(port: number): Promise<Wire> {
  const wire = await new Wire(port).opened();
  wire.socket.write(UPGRADE);
  await wire.until('an upgrade', () => wire.hasHead);
  return wire;
}

const call = (method: string, params: unknown): string => JSON.stringify({ id: 1, method, params });

/** Bodies of requests that are not what they should be. */
const BODIES: readonly (readonly [what: string, body: () => string])[] = [
  ['half a document', () => '{"id":1,"method":"get_'],
  ['no JSON', () => 'GET / HTTP/1.1'],
  ['a deep list', () => '['.repeat(100_000)],
  ['a deep object', () => '{"a":'.repeat(50_000)],
  ['deep arguments', () => `{"id":1,"method":"get_objects","params":${'['.repeat(5000)}${']'.repeat(5000)}}`],
  ['an unknown method', () => call('get_everything', [])],
  ['methods of every object', () => call('__proto__', ['constructor'])],
  ['an unknown API', () => call('call', [99, 'x', []])],
  ['arguments of the wrong kind', () => call('get_objects', [[{}, 5, null]])],
  ['too many ids', () => call('get_objects', [Array.from({ length: 20_000 }, (_, i) => `1.2.${i}`)])],
  ['a limit that is too large', () => call('lookup_accounts', ['', 4_000_000_000])],
  ['a batch that is too long', () => `[${`${call('get_chain_id', [])},`.repeat(5000)}1]`],
  ['a long number', () => `{"id":1,"method":"get_block","params":[${'9'.repeat(100_000)}]}`],
  ['two megabytes of nothing', () => call('lookup_account_names', [['x'.repeat(2_000_000)]])],
  ['a transaction of nonsense', () => call('call', [2, 'broadcast_transaction', [{ operations: [[999, {}]] }]])],
  ['a block of nonsense', () => call('call', [2, 'broadcast_block', [{ transactions: [{}] }]])],
];

interface Answer {
  readonly error?: { readonly data?: { readonly code?: number; readonly name?: string } };
}

class Flood {
  readonly target: Target;
  readonly outcomes = new Map<string, number>();
  readonly wrong: string[] = [];
  readonly #roundsDone = new Map<string, number>();
  isOver = false;

  constructor(target: Target) {
    this.target = target;
  }

  #count(outcome: string): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }

  #judge(what: string, text: string): void {
    let answers: Answer[];
    try {
      answers = [JSON.parse(text)].flat();
    } catch {
      this.wrong.push(`${what}: ${text.slice(0, 100)}`);
      return;
    }
    for (const { error } of answers) {
      if (error === undefined) this.#count('answered');
      else if (typeof error.data?.code === 'number' && error.data.name !== 'unhandled_exception') this.#count('coded');
      else this.wrong.push(`${what}: ${JSON.stringify(error).slice(0, 200)}`);
    }
  }

  /** Enough of everything to be called a flood, and each kind at least once around. */
  get isFlood(): boolean {
    const { coded = 0, closed = 0 } = this.counted;
    return coded > 50 && closed > 10 && Math.min(...this.#roundsDone.values()) > 0;
  }

  get counted(): Record<string, number> {
    return Object.fromEntries(this.outcomes);
  }

  #goOn(way: string, turn: number, round: number): boolean {
    const done = Math.max(this.#roundsDone.get(way) ?? 0, Math.floor(turn / round));
    this.#roundsDone.set(way, done);
    return !this.isOver;
  }

  async overHttp(): Promise<void> {
    for (let i = 0; this.#goOn('http', i, BODIES.length); i++) {
      const [what, body] = BODIES[i % BODIES.length] as (typeof BODIES)[number];
      try {
        const response = await fetch(`http://${this.target.plain}/`, { method: 'POST', body: body() });
        this.#judge(what, await response.text());
      } catch (error) {
        // A connection that was kept is closed for its long silence while its next request is on the way.
        const { code } = ((error as Error).cause ?? {}) as { code?: string };
        if (code !== 'UND_ERR_SOCKET' && code !== 'ECONNRESET' && code !== 'EPIPE') throw error;
        this.#count('closed');
      }
    }
  }

  async #ask(): Promise<void> {
    await rpcCall(this.target.plain, 'get_chain_id', []);
  }

  /** Too much at once, or less than was promised. */
  async overRawHttp(): Promise<void> {
    const head = (lengthHeader: string): string => `POST / HTTP/1.1\r\nHost: localhost\r\n${lengthHeader}\r\n\r\n`;
    const beginnings: readonly (readonly [what: string, bytes: string | Buffer, mayWait?: true])[] = [
      ['a body that is announced too large', head('Content-Length: 33000000')],
      ['a length that is none', head('Content-Length: -5')],
      ['two lengths', head('Content-Length: 5\r\nContent-Length: 6'), true],
      ['headers without end', `GET / HTTP/1.1\r\n${'X-A: b\r\n'.repeat(20_000)}`],
      ['no HTTP', Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 197) & 255))],
      ['a body that never comes', head('Content-Length: 1000'), true],
      ['a chunk that is none', `${head('Transfer-Encoding: chunked')}zz\r\n`],
    ];
    for (let i = 0; this.#goOn('raw HTTP', i, beginnings.length); i++) {
      const [what, bytes, mayWait] = beginnings[i % beginnings.length] as (typeof beginnings)[number];
      const wire = await new Wire(this.target.port).opened();
      wire.socket.write(bytes);
      // Whoever may wait for more has got it by the time that somebody who comes later is answered.
      if (mayWait === true) await this.#ask();
      else await wire.until(what, () => wire.hasHead);
      if (wire.text !== '' && !/^HTTP\/1\.1 (4|5)\d\d /.test(wire.text)) this.wrong.push(`${what}: ${wire.text}`);
      this.#count(wire.isClosed ? 'closed' : wire.text === '' ? 'left waiting' : 'refused');
      wire.socket.destroy();
    }
  }

  async overWebSocket(): Promise<void> {
    const frames: readonly (readonly [string, Buffer])[] = [
      ['a frame without a mask', Buffer.from([0x81, 0x02, 0x7b, 0x7d])],
      ['an unknown opcode', frame('x', 7)],
      ['a frame that is announced too large', Buffer.from([0x81, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])],
      ['bytes that are no UTF-8', frame(Buffer.from([0xff, 0xfe, 0xfd]))],
      ['a ping that is too long', frame('x'.repeat(200), 9)],
      ['the rest of nothing', frame('x', 0)],
    ];
    for (let i = 0; this.#goOn('WebSocket', i, frames.length); i++) {
      const wire = await webSocket(this.target.port);
      for (const [, body] of BODIES.slice(0, 6)) wire.socket.write(frame(body()));
      const [what, bytes] = frames[i % frames.length] as (typeof frames)[number];
      wire.socket.write(bytes);
      // The fast server takes what comes next for the mask, and waits for it.
      if (what === 'a frame without a mask') await this.#ask();
      else await wire.until(what, () => false);
      this.#count(wire.isClosed ? 'closed' : 'left waiting');
      wire.socket.destroy();
    }
  }
}

/** What stands open meanwhile: listeners, people who say nothing, and people who speak very slowly. */
class Crowd {
  readonly listeners: Wire[] = [];
  readonly silent: Wire[] = [];
  readonly slow: Wire[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor() {
    this.#timer = setInterval(() => {
      for (const wire of this.slow) if (!wire.isClosed) wire.socket.write('x');
    }, 500);
  }

  get size(): number {
    return this.listeners.length + this.silent.length + this.slow.length;
  }

  /** As many as the system allows. */
  async grow(port: number, count: number): Promise<void> {
    const AT_ONCE = 100;
    while (this.size < count) {
      const wires = Array.from({ length: Math.min(AT_ONCE, count - this.size) }, () => new Wire(port));
      const open = await Promise.all(wires.map((wire) => wire.opened().catch(() => undefined)));
      if (open.includes(undefined)) return;
      wires.forEach((wire, i) => {
        if (i % 10 < 8) {
          wire.socket.write(UPGRADE);
          // The fast server drops what comes together with the upgrade.
          wire.socket.once('data', () => wire.socket.write(frame(call('set_block_applied_callback', [7]))));
          this.listeners.push(wire);
        } else if (i % 10 === 8) this.silent.push(wire);
        else {
          wire.socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
          this.slow.push(wire);
        }
      });
    }
  }

  close(): void {
    clearInterval(this.#timer);
    for (const wire of [...this.listeners, ...this.silent, ...this.slow]) wire.socket.destroy();
  }
}

interface Header {
  readonly timestamp: string;
}

async function withstands(t: Test, transport: string, connections: number, seconds: number): Promise<void> {
  const target = new Target(t.testdir(), transport);
  t.teardown(() => target.process.kill('SIGKILL'));
  await target.open();
  const flood = new Flood(target);
  const crowd = new Crowd();
  t.teardown(() => crowd.close());

  // Once around, so that everything has been compiled when it is measured.
  const warm = new Flood(target);
  const warming = Promise.all([warm.overHttp(), warm.overRawHttp(), warm.overWebSocket()]);
  await Promise.race([warming, eventually('every kind once around', () => warm.isFlood)]);
  warm.isOver = true;
  await warming;
  const before = await target.held();
  await crowd.grow(target.port, connections);
  const open = crowd.size;
  t.ok(open >= Math.min(connections, CONNECTIONS_FLOOR), `${open} connections stand open`);
  const { head_block_number: first } = await rpcCall<{ head_block_number: number }>(
    target.plain,
    'get_dynamic_global_properties',
    [],
  );
  const work = Promise.all([
    ...[1, 2, 3].map(() => flood.overHttp()),
    ...[1, 2].map(() => flood.overRawHttp()),
    ...[1, 2].map(() => flood.overWebSocket()),
  ]);
  await sleep(seconds * 1000);
  await Promise.race([work, eventually('a flood', () => flood.isFlood)]);
  await target.process.until(new RegExp(`chain +block +num=${first + 2} `));
  flood.isOver = true;
  await work;
  t.same(flood.wrong.slice(0, 5), [], 'every answer is coded, every other connection closed');
  t.comment(JSON.stringify(flood.counted));

  // One more block, so that every listener has had something to hear.
  const { head_block_number: reached } = await rpcCall<{ head_block_number: number }>(
    target.plain,
    'get_dynamic_global_properties',
    [],
  );
  await target.process.until(new RegExp(`chain +block +num=${reached} `));
  const isDeaf = (wire: Wire): boolean => !wire.text.includes('"method":"notice","params":[7,[');
  await eventually(
    `all of ${crowd.listeners.length} listeners hear of a block`,
    () => !crowd.listeners.some(isDeaf),
    50,
  );
  t.equal(crowd.listeners.filter(({ isClosed }) => isClosed).length, 0, 'and nobody who behaved was dropped');
  const headers: Header[] = [];
  for (let number = 1; number <= reached; number++) {
    headers.push(await rpcCall<Header>(target.plain, 'get_block_header', [number]));
  }
  const gaps = headers.slice(1).map(({ timestamp }, i) => {
    return (Date.parse(timestamp) - Date.parse(headers[i]?.timestamp ?? '')) / 1000;
  });
  t.same(
    [...new Set(gaps.slice(1))].filter((gap) => gap !== BLOCK_SEC),
    [],
    `${gaps.length} blocks without a gap`,
  );
  t.notMatch(target.process.stderr, /not producing|error of its own| error /);

  if (seconds > 20) {
    const staying = [...crowd.silent, ...crowd.slow].filter(({ isClosed }) => !isClosed);
    t.equal(staying.length, 0, 'who never finishes a request is put out');
  }
  crowd.close();
  await eventually(
    'every place is free again',
    async () => (await metricOf(target.monitor, 'trustnode_rpc_connections')) === 0,
    50,
  );
  const grown = (await target.held()) - before;
  t.ok(grown < HEAP_GROWTH_MAX, `the memory held has grown by ${(grown / MEGABYTE).toFixed(1)} MB`);
  target.process.kill('SIGTERM');
  t.equal((await target.process.finished).code, 0);
}

if (uwsTransport() === undefined) t.comment('the native server does not load here: its flood is left out');
else t.test('a flood on the fast server', (t) => withstands(t, 'uws', CONNECTIONS, SECONDS));
t.test('a flood on the server that runs everywhere', (t) =>
  withstands(t, 'node-http', Math.ceil(CONNECTIONS / 5), SECONDS > 20 ? SECONDS : Math.ceil(SECONDS / 3)),
);
