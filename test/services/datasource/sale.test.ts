import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { accountId } from '../../../src/protocol/ids.js';
import { questionText, signText } from '../../../src/trade/authorization.js';
import { Buyer } from '../../../src/trade/buyer.js';
import { sealPacket } from '../../../src/trade/packets.js';
import { commandLine } from '../../support/command-line.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { NodeProcess } from '../../support/node-process.js';
import { projectPath } from '../../support/paths.js';
import { runTrustnode } from '../../support/run-trustnode.js';
import { startService } from '../support/des-process.js';
import { DesWorld, PRICE, sell } from '../support/des-world.js';

/** The worked example: a seller's module behind `trustnode datasource`, bought by the library and by `trustnode buy`. */

const world = await DesWorld.start(t);
const seller = await world.account('element-seller');
const exchange = await world.exchange(t, { 'source-timeout': '60', 'connect-timeout': '30', 'clock-skew': '60000' });
const { db, url } = exchange;
const node = `http://${world.node.endpoint}`;
await sell(db, { id: 1, members: [{ id: seller.id, url: 'http://127.0.0.1:9' }] });
const input = JSON.stringify({ symbol: { type: 'string', desc: 'of the element', required: true, sample: 'Fe' } });
await db.updateTable('product').set({ input, name: 'Elements\u202e\u001b' }).execute();
const module = projectPath('docs', 'examples', 'data-source', 'elements.mjs');
const source = await startService(
  { service: 'datasource', variable: 'TRUSTNODE_DATASOURCE_KEY', node, account: seller.name, wif: seller.wif },
  ...['--exchange', url, '--product', '1', '--product', '7', '--module', module, '--ask-timeout', '60'],
);
t.teardown(() => source.stop());
// Where it listens is known now: what it had bound at the market.
await db.updateTable('merchant').set({ service_url: source.url }).execute();
const forEver = { expire_ms: Date.now() + 3_600_000 };
await eventually('it is there', async () => {
  const { numUpdatedRows } = await db.updateTable('des_presence').set(forEver).executeTakeFirst();
  return numUpdatedRows === 1n;
});
t.test('a product that the seller is no member of', async (t) => {
  await source.process.until(/warn +datasource +nobody can buy the products 7 of this source/);
  t.match(await (await fetch(`${source.url}/readyz`)).text(), /nobody can buy the products 7 of this source/);
});

const buyer = new Buyer({
  exchange: url,
  account: accountId.fromJson(world.alice.id),
  key: PrivateKey.fromWif(world.alice.wif),
});

t.test('by the library', async (t) => {
  const before = await world.balance(world.alice.id);
  const purchase = await buyer.buy(1, { symbol: 'Fe' }, { patienceMs: 120_000, unitsMax: BigInt(PRICE) });
  t.match(purchase, { isFinished: true, deliveries: [{ status: 'SUCCESS', txid: /^[0-9a-f]{40}$/ }] });
  t.same(purchase.deliveries[0]?.data, { name: 'Iron', number: 26, mass: 55.845 });
  t.match(await buyer.buy(1, { symbol: 'Xx' }, { patienceMs: 120_000 }), { deliveries: [{ status: 'NONE' }] });
  t.match(await buyer.buy(1, { symbol: 5 }, { patienceMs: 120_000 }), { deliveries: [{ status: 'FAIL' }] });
  t.equal(before - (await world.balance(world.alice.id)), BigInt(PRICE), 'what was delivered is paid');
});

t.test('what the library does not do', async (t) => {
  await t.rejects(buyer.buy(1, {}, { unitsMax: 1n }), { message: /at most 1 may be spent/ });
  await t.rejects(buyer.product(77), { message: /NOT_FOUND/ });
  const options = { exchange: url, account: accountId.fromJson(world.alice.id) };
  const key = PrivateKey.fromWif(world.alice.wif);
  const wary = new Buyer({ ...options, key, keyOf: async () => key.publicKey });
  await t.rejects(wary.buy(1, {}), { message: /has another key on the chain/ });
  const away = new Buyer({ ...options, key, exchange: 'http://127.0.0.1:1' });
  await t.rejects(away.product(1), { message: /does not answer/ });
  const other = new Buyer({ ...options, key, exchange: source.url });
  await t.rejects(other.product(1), { message: /refuses/ });
  const offline = { ...(await buyer.product(1)), online: [] };
  await t.rejects(buyer.ask(offline, {}), { message: /nobody who sells/ });
});

t.test('only the exchange may ask the source', async (t) => {
  const body = JSON.stringify({ params: 'ab', publicKey: world.node.alice.public_key, productId: 1, nonce: 1 });
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${source.url}/data/request`, { method: 'POST', headers, body });
  t.equal(response.status, 401);
});

t.test('a question that was answered is answered again, however old its signature', async (t) => {
  const own = PrivateKey.fromWif(world.alice.wif);
  const askedMs = Date.now();
  const ask = async (nonce: number, timestamp: number): Promise<Response> => {
    const plain = JSON.stringify({ params: { symbol: 'Cu' }, timestamp: askedMs });
    const params = sealPacket(own, PrivateKey.fromWif(seller.wif).publicKey, String(nonce), plain);
    const asked = { params, publicKey: world.node.alice.public_key, productId: 1, nonce, requestId: 'again' };
    const body = JSON.stringify(asked);
    const signed = questionText(world.bob.id, 'again', String(timestamp), Buffer.from(body));
    const headers = {
      'Content-Type': 'application/json',
      'X-Des-Account': world.bob.id,
      'X-Des-Timestamp': String(timestamp),
      'X-Des-Signature': signText(signed, PrivateKey.fromWif(world.bob.wif)),
    };
    return fetch(`${source.url}/data/request`, { method: 'POST', headers, body });
  };
  const HOUR_MS = 3_600_000;
  t.equal((await ask(7, Date.now() - HOUR_MS)).status, 401, 'a new one is not');
  const first = await ask(7, Date.now());
  t.equal(first.status, 200);
  const again = await ask(7, Date.now() - HOUR_MS);
  t.equal(again.status, 200);
  t.same(await again.json(), await first.json());
});

t.test('an exchange that takes a heartbeat and never answers gets the next one', async (t) => {
  let beats = 0;
  const silent = createServer((request) => {
    if (request.url === '/api/datasource/heartbeat') beats++;
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const { port } = silent.address() as AddressInfo;
  const lonely = await startService(
    { service: 'datasource', variable: 'TRUSTNODE_DATASOURCE_KEY', node, account: seller.name, wif: seller.wif },
    ...['--exchange', `http://127.0.0.1:${port}`, '--exchange-timeout', '1', '--product', '1', '--module', module],
  );
  t.ok(await eventually('the second one', () => beats >= 2, 100));
  const told = await (await fetch(`${lonely.url}/readyz`)).text();
  t.equal(told, 'the exchange did not take the last heartbeat: the log says why\n');
  const body = JSON.stringify({ params: 'ab', publicKey: world.node.alice.public_key, productId: 1, nonce: 1 });
  const headers = { 'Content-Type': 'application/json', 'X-Des-Timestamp': String(Date.now()) };
  const asked = await fetch(`${lonely.url}/data/request`, { method: 'POST', headers, body });
  const message = 'the exchange does not answer this source; try again later';
  t.same(await asked.json(), { success: false, message }, 'whoever asks is not told where it is');
  t.equal(await lonely.stop(), 0);
});

t.test('an exchange that does not reach the source', async (t) => {
  const exchange = createServer((_, answer) => {
    answer.end('{"products":[1],"expireAt":1,"unreached":"http://192.0.2.1/data/request"}');
  });
  await new Promise<void>((resolve) => exchange.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    exchange.closeAllConnections();
    exchange.close();
  });
  const { port } = exchange.address() as AddressInfo;
  const hidden = await startService(
    { service: 'datasource', variable: 'TRUSTNODE_DATASOURCE_KEY', node, account: seller.name, wif: seller.wif },
    ...['--exchange', `http://127.0.0.1:${port}`, '--product', '1', '--module', module],
  );
  t.teardown(() => hidden.stop());
  await hidden.process.until(/nobody can buy of this source: the exchange cannot connect .*192\.0\.2\.1/);
  t.match(await (await fetch(`${hidden.url}/readyz`)).text(), /^ready\nwarning: nobody can buy of this source: [^/]*$/);
});

t.test('by the command', async (t) => {
  const keyFile = join(t.testdir({ key: world.alice.wif }), 'key');
  const orders = ['--orders', join(t.testdirName, 'orders')];
  const own = [
    '--exchange',
    url,
    '--node',
    node,
    '--account',
    'alice',
    '--key-file',
    keyFile,
    '--wait',
    '120',
    ...orders,
  ];
  const { code, stdout, stderr } = await runTrustnode(['buy', '1', 'symbol=Au', '--max', '5000', ...own]);
  t.equal(code, 0, stderr);
  const unlike = { warnings: ['echo is missing'] };
  t.match(JSON.parse(stdout), { status: 'SUCCESS', data: { name: 'Gold', number: 79 }, ...unlike });
  t.match(stderr, /^warning: 1\.2\.\d+ has delivered something else than the product describes: echo is missing$/m);
  t.match(stderr, /^Elements\\u202e\\u001b: /, 'what steers terminals is shown');
  const before = await world.balance(world.alice.id);
  const none = await commandLine(['buy', '1', 'symbol=Xx', ...own]);
  t.match(none, { code: 1, stderr: /^1\.2\.\d+ has delivered nothing: it has no such data$/m });
  const request = /^request ([0-9a-f]{64})$/m.exec(stderr)?.[1] ?? '';
  const later = await runTrustnode(['buy', '1', '--request', request, ...own]);
  t.match(later, { code: 0, stdout, stderr: /^warning: .*\n$/ }, 'by its id it is shown later');
  t.equal(await world.balance(world.alice.id), before, 'and nothing is paid');
  const away = ['--node', `http://127.0.0.1:${await freePort()}`, '--account', 'alice', '--key-file', keyFile];
  const lost = await runTrustnode(['buy', '1', '--exchange', url, ...away]);
  t.equal(lost.code, 1);
  const nobody = ['--node', node, '--account', '1.2.abc', '--key-file', keyFile];
  const unknown = await runTrustnode(['buy', '1', '--exchange', url, ...nobody]);
  t.match(unknown, { code: 1, stderr: 'assert_exception (10) buy_unknown: there is no account 1.2.abc\n' });
  const strange = createServer((_, response) =>
    response.end('{"id":1,"error":{"code":1,"message":"not served here"}}'),
  ).listen(0, '127.0.0.1');
  t.teardown(() => strange.close());
  await once(strange, 'listening');
  const other = ['--node', `http://127.0.0.1:${(strange.address() as AddressInfo).port}`];
  const refused = await runTrustnode([
    'buy',
    '1',
    '--exchange',
    url,
    ...other,
    '--account',
    'alice',
    '--key-file',
    keyFile,
  ]);
  t.match(refused, { code: 1, stderr: /^\S+ \(10\) buy_node: not served here\n/ });
  t.match(lost.stderr, /^\S+ \(10\) buy_node: http:\S+ does not answer\n {2}the option node names a node.*\n$/);
});

t.test('what is mistyped is told before anybody is asked', async (t) => {
  const folder = t.testdir({ key: world.alice.wif });
  const own = ['--exchange', url, '--node', node, '--account', 'alice', '--key-file', join(folder, 'key')];
  const count = async (): Promise<number> => (await db.selectFrom('des_request').select('request_id').execute()).length;
  const before = await count();
  for (const [words, why] of [
    [[], /symbol is missing, which the product needs\n$/],
    [['symbl=Fe'], /the product asks for no symbl, but for symbol\n$/],
    [['symbol=Fe', 'symbol=Au'], /symbol is given twice\n$/],
    [['symbol=Fe', '--sources', '0'], /sources is how many are asked at most: 1 at least\n$/],
  ] as const) {
    const { code, stderr } = await commandLine(['buy', '1', ...words, ...own, '--orders', join(folder, 'orders')]);
    t.equal(code, 1, words.join(' '));
    t.match(stderr, why);
  }
  t.equal(await count(), before);
});

const HELD = 2;

/** Passes on what is asked; the first requests of a buyer are held, and nobody hears of an answer. */
async function holdingExchange(
  t: Test,
): Promise<{ readonly url: string; readonly isHeld: (times: number) => boolean; readonly bodies: string[] }> {
  const bodies: string[] = [];
  let held = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { method = '', headers } = request;
    const sent = method === 'POST' ? { body, headers: { 'Content-Type': headers['content-type'] ?? '' } } : {};
    const passed = await fetch(`${url}${request.url}`, { method, ...sent });
    const answer = await passed.text();
    if (method === 'POST' && bodies.push(body) <= HELD) {
      held++;
      return;
    }
    response.writeHead(passed.status, { 'Content-Type': 'application/json' }).end(answer);
  }).listen(0, '127.0.0.1');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isHeld: (times) => held === times,
    bodies,
  };
}

t.test('a command that was ended before it had an answer, and is given again', async (t) => {
  const folder = t.testdir({ key: world.alice.wif });
  const holding = await holdingExchange(t);
  const words = ['buy', '1', 'symbol=Ag', '--exchange', holding.url, '--node', node, '--account', 'alice'];
  const line = [...words, '--key-file', join(folder, 'key'), '--orders', join(folder, 'orders'), '--wait', '120'];
  const before = await world.balance(world.alice.id);
  const killed = new NodeProcess(line, []);
  t.teardown(() => killed.kill('SIGKILL'));
  await eventually('the first is held', () => holding.isHeld(1));
  killed.kill('SIGKILL');
  await killed.finished;
  const ended = new NodeProcess(line, []);
  t.teardown(() => ended.kill('SIGKILL'));
  await ended.until(/the same request is sent once more/);
  await eventually('the second is held', () => holding.isHeld(HELD));
  ended.kill('SIGINT');
  const told = /^the exchange may have the request, and it may be paid: the same command asks for it, from .*orders$/m;
  t.match(await ended.finished, { signal: 'SIGINT', stderr: told });
  const again = await commandLine(line);
  t.match(again, {
    code: 0,
    stderr: /^this was asked for before, and not answered: the same request is sent once more$/m,
  });
  t.match(JSON.parse(again.stdout), { status: 'SUCCESS', data: { name: 'Silver' } });
  t.equal(new Set(holding.bodies).size, 1, 'the same authorizations');
  t.equal(before - (await world.balance(world.alice.id)), BigInt(PRICE), 'paid once');
  t.notOk(existsSync(join(folder, 'orders')), 'what is answered is not kept, and its folder neither');
});
