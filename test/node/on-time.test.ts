import { once } from 'node:events';
import { connect } from 'node:net';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import type { Json } from '../../src/codec/json.js';
import type { AnyType } from '../../src/codec/type.js';
import { uwsTransport } from '../../src/http/uws-server.js';
import { APIS } from '../../src/rpc/apis/index.js';
import { BLOCK_SEC, Target, type TransportName } from '../hostile/target.js';
import { keyText } from '../rpc/support/key-texts.js';
import { plainValue, type Sizes, worstValues } from '../rpc/support/worst-arguments.js';
import { rpcCall, rpcText } from '../support/rpc-call.js';

/**
 * A node that makes all blocks goes on making them in time, and serves who asks politely, while others ask for as much
 * as they can. Each runs as a process of its own.
 */

const FLOODERS = 10;

interface Flood {
  readonly method: string;
  /** Requests on each connection, sent before the first is answered. */
  readonly requests: number;
  /** The argument of one, which makes 5.7 KB of it. */
  listOf(request: number): string[];
}

const NAMES: Flood = {
  method: 'lookup_account_names',
  requests: 300,
  listOf: (request) => Array.from({ length: 400 }, (_, i) => `nobody-${1000 + ((i + request) % 1000)}`),
};
const KEYS: Flood = {
  method: 'get_key_references',
  requests: 100,
  listOf: (request) => Array.from({ length: 100 }, (_, i) => keyText(100 * request + i)),
};

/**
 * While the flood lasts. A node that serves in the order of requests answers one. How many it could be at best depends
 * on how often this process gets its turn; that turns are fair is counted in test/rpc/limits.
 */
const POLITE_MIN = 4;

const SIZES: Sizes = { elements: 10_000, tooMany: 12_000, chars: 200_000, depth: 1, alternatives: 1 };
/** These wait for what never comes, or are for an operator's disk. */
const LEFT_OUT = ['broadcast_transaction_synchronous', 'create_snapshot', 'copy_state'];
const ASKING_AT_ONCE = 4;
/** As far as they get in this time: first one of the worst for every method, then further ones. */
const SECONDS_MAX = 20;

interface Head {
  readonly head_block_number: number;
  readonly time: string;
}

/** Slots without a block since `before`. */
async function missedSince(target: Target, before: Head): Promise<number> {
  const now = await head(target);
  const seconds = (Date.parse(`${now.time}Z`) - Date.parse(`${before.time}Z`)) / 1000;
  return seconds / BLOCK_SEC - (now.head_block_number - before.head_block_number);
}

const head = (target: Target): Promise<Head> => rpcCall(target.plain, 'get_dynamic_global_properties', []);

async function withTarget(t: Test, transport: TransportName, body: (target: Target) => Promise<void>): Promise<void> {
  const target = new Target(t.testdir(), transport);
  try {
    await target.open();
    await body(target);
    t.same(target.bugs, []);
    t.equal(await target.stop(), undefined, 'it stops in order');
  } finally {
    if (target.isAlive) target.process.kill('SIGKILL');
  }
}

async function open(target: Target): Promise<WebSocket> {
  const socket = new WebSocket(`ws://${target.plain}/`);
  await once(socket, 'open');
  return socket;
}

/** Sends all at once, and ends when all are answered. */
type Send = (target: Target, texts: readonly string[]) => Promise<void>;

const overSocket: Send = async (target, texts) => {
  const socket = await open(target);
  const answers = answersOf(socket, texts.length);
  for (const text of texts) socket.send(text);
  await answers;
  socket.terminate();
};

function answersOf(socket: WebSocket, count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let answered = 0;
    socket.on('message', (answer: Buffer) => {
      if (!answer.includes('"result":')) reject(new Error(`refused: ${answer}`));
      else if (++answered === count) resolve();
    });
    socket.on('close', () => reject(new Error(`${answered} of ${count} were answered`)));
  });
}

const ANSWER = /HTTP\/1\.1 200[^{]*{"id":\d+,("jsonrpc":"2.0",)?"result":/g;

/** As one piece, which is as much at once as a client can do. */
const overHttp: Send = async (target, texts) => {
  const socket = connect(target.port, '127.0.0.1');
  const head = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ';
  socket.write(texts.map((text) => `${head}${text.length}\r\n\r\n${text}`).join(''));
  let said = '';
  for await (const piece of socket) {
    said += piece;
    const answered = said.match(ANSWER)?.length ?? 0;
    if (answered === texts.length) return;
  }
  throw new Error(`the connection has ended: ${said.slice(-500)}`);
};

async function fairness(t: Test, target: Target, { method, requests, listOf }: Flood, send: Send): Promise<void> {
  const before = await head(target);
  const polite = await open(target);
  const texts = Array.from({ length: requests }, (_, k) => JSON.stringify({ id: k, method, params: [listOf(k)] }));
  t.ok(
    texts.every(({ length }) => length > 5500),
    'requests have the size of those that once stalled a node',
  );
  let isOver = false;
  const flood = Promise.all(Array.from({ length: FLOODERS }, () => send(target, texts))).finally(() => {
    isOver = true;
  });
  let served = 0;
  while (!isOver) {
    const answer = once(polite, 'message');
    polite.send(JSON.stringify({ id: served, method: 'get_chain_id', params: [] }));
    await Promise.race([answer, flood]);
    if (!isOver) served++;
  }
  await flood;
  t.comment(`${served} polite requests answered during the flood`);
  t.ok(served >= POLITE_MIN, `${served} polite requests were answered before the flood was`);
  polite.terminate();
  t.equal(await missedSince(target, before), 0, 'no slot was missed');
}

/** For every method the costliest of each argument, one method after the other and round again. */
function* worstRequests(): Generator<string> {
  const methods = APIS.flatMap(({ name: api, methods }) =>
    Object.entries(methods)
      .filter(([method]) => !LEFT_OUT.includes(method))
      .map(([method, { params }]) => {
        const types = Object.values(params) as AnyType[];
        const asked = types.flatMap((type, place) =>
          worstValues(type, SIZES, keyText).map(({ make }) => (): string => {
            const args: Json[] = types.map((one, i) => (i === place ? make() : plainValue(one, 1, keyText)));
            return JSON.stringify({ id: 1, method: 'call', params: [api, method, args] });
          }),
        );
        return asked;
      }),
  );
  const longest = Math.max(...methods.map((asked) => asked.length));
  for (let round = 0; round < longest; round++) {
    for (const asked of methods) {
      const make = asked[round];
      if (make !== undefined) yield make();
    }
  }
}

async function worst(t: Test, target: Target): Promise<void> {
  const before = await head(target);
  const requests = worstRequests();
  const endMs = performance.now() + SECONDS_MAX * 1000;
  let asked = 0;
  const bugs: string[] = [];
  const ask = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const next = requests.next();
      if (next.done === true) return;
      const { method, params } = JSON.parse(next.value) as { method: string; params: Json[] };
      const answer = await rpcText(target.plain, method, params);
      if (answer.includes('unhandled_exception')) bugs.push(next.value.slice(0, 200));
      asked++;
    }
  };
  await Promise.all(Array.from({ length: ASKING_AT_ONCE }, ask));
  t.comment(`${asked} of the worst requests`);
  t.same(bugs, []);
  t.ok(asked > 0);
  t.equal(await missedSince(target, before), 0, 'no slot was missed');
}

for (const transport of ['uws', 'node-http'] as const) {
  const isThere = transport !== 'uws' || uwsTransport() !== undefined;
  const skip = isThere ? false : 'the native server does not load here';
  t.test(`${transport}: a polite client beside a flood, and blocks in time`, { skip, timeout: 280_000 }, (t) =>
    withTarget(t, transport, async (target) => {
      await fairness(t, target, NAMES, overSocket);
      await fairness(t, target, KEYS, overSocket);
      // The native server ends a connection that does not wait for its answers.
      if (transport === 'node-http') await fairness(t, target, KEYS, overHttp);
    }),
  );
}

t.test('blocks in time under the worst requests', { timeout: 280_000 }, (t) =>
  withTarget(t, 'node-http', (target) => worst(t, target)),
);
