import { channel } from 'node:diagnostics_channel';
import dns from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo, Socket } from 'node:net';
import t, { type Test } from 'tap';
import { askSource, isReached } from '../../../src/services/des/ask.js';
import { eventually } from '../../support/eventually.js';
import { NodeBuyer, postJson } from '../support/buyers.js';
import { DesWorld, type Exchange, sell } from '../support/des-world.js';
import { type SourceServer, signWithLibrary } from '../support/source-server.js';

/**
 * Names that mean a public address when they are judged and this machine a moment later: what was judged is what is
 * dialled, and nobody asks twice.
 */

/** Public and far away: nothing answers there in time, and nothing has to. */
const PUBLIC = '1.1.1.1';
const INSIDE = '127.0.0.1';

/** What each name means, one answer after another; the last one stays. */
const meanings = new Map<string, string[][]>();
const asked: string[] = [];
/** Names that get no answer before a test says so. */
const held = new Map<string, Promise<void>>();
const resolveName = dns.lookup;
dns.lookup = Object.assign(
  (host: string, options: dns.LookupAllOptions, done: (error: Error | null, found: dns.LookupAddress[]) => void) => {
    const answers = meanings.get(host);
    if (answers === undefined) return resolveName(host, options, done as never);
    asked.push(host);
    const [now = []] = answers.length > 1 ? answers.splice(0, 1) : answers;
    if (now[0] === 'unknown') return setImmediate(() => done(new Error(`getaddrinfo ENOTFOUND ${host}`), []));
    const found = now.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    void (held.get(host) ?? Promise.resolve()).then(() => setImmediate(() => done(null, found)));
  },
  { __promisify__: resolveName.__promisify__ },
) as typeof dns.lookup;
syncBuiltinESMExports();

/** Every address that this process has tried to reach. */
const dialled: string[] = [];
channel('net.client.socket').subscribe((message) => {
  const { socket } = message as { readonly socket: Socket };
  socket.on('connectionAttempt', (address: string) => void dialled.push(address));
});

let reached = 0;
const server = createServer((_, answer) => {
  reached++;
  answer.end('{"data":"ab"}');
});
server.listen(0, INSIDE);
await once(server, 'listening');
t.teardown(() => {
  server.closeAllConnections();
  server.close();
});
const { port } = server.address() as AddressInfo;

const world = await DesWorld.start(t);
const [one] = (await world.sources(t, ['seller-one'])) as [SourceServer];

t.beforeEach(() => {
  asked.length = 0;
  dialled.length = 0;
  reached = 0;
});

const { signal } = new AbortController();
const limits = { connectMs: 500, bytesMax: 1000 };

const ask = (url: string, allowPrivate: boolean) =>
  askSource(url, '{}', {}, 60_000, { ...limits, allowPrivate }, signal);

const look = (url: string, allowPrivate: boolean) => isReached(url, 60_000, { ...limits, allowPrivate }, signal);

t.test('a name that changes its meaning', async (t) => {
  meanings.set('rebind.example', [[PUBLIC], [INSIDE]]);
  t.match(await ask(`http://rebind.example:${port}/`, false), { kind: 'fail', comment: 'DATASOURCE_FAIL' });
  t.same(asked, ['rebind.example'], 'it was asked for once');
  t.ok(
    dialled.every((address) => address === PUBLIC),
    `dialled: ${dialled}`,
  );
  t.ok(dialled.length > 0, 'and what it meant then was dialled');
  t.equal(reached, 0);
  t.match(await ask(`http://rebind.example:${port}/`, false), { kind: 'fail', why: /is an address of this machine/ });
  t.equal(reached, 0, 'what it means now is judged anew');
});

t.test('names that mean the inside, alone or beside a public address', async (t) => {
  for (const [i, addresses] of [
    [INSIDE],
    [PUBLIC, INSIDE],
    [INSIDE, PUBLIC],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['10.0.0.1'],
    ['169.254.169.254'],
    ['fd00::1'],
    ['64:ff9b::7f00:1'],
    ['0.0.0.0'],
    [],
  ].entries()) {
    const name = `inside-${i}.example`;
    meanings.set(name, [addresses]);
    t.match(await ask(`http://${name}:${port}/`, false), { kind: 'fail', why: /is an address of/ }, `${addresses}`);
    t.equal(await look(`http://${name}:${port}/`, false), false, `nor is it tried whether ${addresses} is there`);
  }
  t.equal(await look(`http://${INSIDE}:${port}/`, false), false);
  t.same(dialled, [], 'nothing was dialled');
  t.equal(reached, 0);
});

t.test('a name that nobody knows', async (t) => {
  meanings.set('unknown.example', [['unknown']]);
  for (const allowPrivate of [false, true]) {
    t.match(await ask(`http://unknown.example:${port}/`, allowPrivate), { kind: 'fail', why: /ENOTFOUND/ });
  }
});

t.test('where the inside is wanted, the first meaning is dialled too', async (t) => {
  meanings.set('wanted.example', [[INSIDE], [PUBLIC]]);
  t.match(await ask(`http://wanted.example:${port}/`, true), { kind: 'data', data: 'ab' });
  t.same([asked, dialled], [['wanted.example'], [INSIDE]]);
});

t.test('a name may mean several addresses: where the first is dead the next one is dialled', async (t) => {
  meanings.set('several.example', [['::1', INSIDE]]);
  t.match(await ask(`http://several.example:${port}/`, true), { kind: 'data', data: 'ab' });
  t.equal(dialled.at(-1), INSIDE);
});

t.test('nobody is sent elsewhere', async (t) => {
  for (const status of [301, 302, 303, 307, 308]) {
    const outer = createServer((_, answer) => {
      answer.writeHead(status, { Location: `http://${INSIDE}:${port}/` });
      answer.end('{"data":"cd"}');
    });
    outer.listen(0, INSIDE);
    await once(outer, 'listening');
    t.teardown(() => outer.close());
    const url = `http://${INSIDE}:${(outer.address() as AddressInfo).port}/`;
    t.match(await ask(url, true), { kind: 'fail', why: `it answers with status ${status}` });
  }
  t.equal(reached, 0);
});

async function bought(t: Test, { url, db }: Exchange): Promise<void> {
  const buyer = new NodeBuyer(url, world.alice);
  const before = await world.balance(world.alice.id);
  const { body } = await buyer.create(1, buyer.elements(await buyer.product(1), { name: 'x' }));
  const result = await buyer.result((body as { request_id: string }).request_id, 120_000);
  t.match(result, { status: 'FINISHED', datasources: [{ status: 'FAIL', comment: 'DATASOURCE_FAIL', data: null }] });
  t.equal(await world.balance(world.alice.id), before, 'nothing is paid');
  t.equal(reached, 0, 'nothing on this machine was asked');
  // The next one is to ask there again.
  await db.updateTable('des_presence').set({ unreached_url: null }).execute();
}

t.test('through the whole exchange: the bound address, and the one of a heartbeat', async (t) => {
  const exchange = await world.exchange(t, { 'private-sources': 'false', 'clock-skew': '60000' });
  const { url, db } = exchange;
  const name = (part: string): string => {
    meanings.set(`${part}.example`, [[PUBLIC], [INSIDE]]);
    return `http://${part}.example:${port}`;
  };
  await sell(db, { id: 1, members: [{ id: one.id, url: name('service') }] });
  await world.isThere(exchange, one, [1]);
  await bought(t, exchange);
  t.same(asked, ['service.example']);
  await bought(t, exchange);
  const queryUrl = `${name('query')}/x`;
  const timestamp = Date.now();
  const signature = signWithLibrary(`${one.id}|[1]|${queryUrl}|${timestamp}`, one.wif);
  const beat = JSON.stringify({ account: one.id, products: [1], timestamp, signature, queryUrl });
  t.match(await postJson(`${url}/api/datasource/heartbeat`, beat), { status: 200 });
  await db
    .updateTable('des_presence')
    .set({ expire_ms: Date.now() + 3_600_000 })
    .execute();
  asked.length = 0;
  await bought(t, exchange);
  t.same(asked, ['query.example']);
  await bought(t, exchange);
  t.equal(one.questions.length, 0);
});

t.test('who is slow to connect is offered again all the same, after his heartbeat was answered', async (t) => {
  const exchange = await world.exchange(t, { 'connect-timeout': '60', 'source-timeout': '60' });
  const { url, db } = exchange;
  const at = `http://slow.example:${new URL(one.url).port}/data/request`;
  await sell(db, { id: 1, members: [{ id: one.id, url: at }] });
  await world.isThere(exchange, one, [1]);
  await db.updateTable('des_presence').set({ unreached_url: at }).execute();
  const buyer = new NodeBuyer(url, world.alice);
  const offered = async () => (await buyer.product(1)).onlineDatasources.map(({ account_id }) => account_id);
  meanings.set('slow.example', [[INSIDE]]);
  let answer = (): void => undefined;
  held.set('slow.example', new Promise((resolve) => (answer = resolve)));
  asked.length = 0;
  for (let i = 0; i < 2; i++) t.match(await one.heartbeat(url, [1]), { status: 200, body: { unreached: at } });
  t.same(await offered(), []);
  t.same(asked, ['slow.example'], 'it is tried once at a time');
  answer();
  await eventually('it is offered again', async () => (await offered()).length === 1);
});
