import t from 'tap';
import { countedAs, isInside, isLoopback } from '../../src/http/addresses.js';
import { anyCaller, type CallerFacts, CallerRules } from '../../src/http/caller.js';
import { Gate } from '../../src/http/gate.js';
import type { HttpAnswer, HttpRequest } from '../../src/http/handler.js';
import { Rpc } from '../../src/rpc/rpc.js';
import { RpcHandler } from '../../src/rpc/serving/rpc-handler.js';
import { ApiAccess } from '../../src/rpc/sessions/access.js';
import { FakeClock } from '../support/fake-clock.js';
import { goldenPorts } from './support/golden-rpc.js';

/** A connection from there, and the first lines of what comes over it. */
const facts = (remote: string, headers: Readonly<Record<string, string>> = {}): CallerFacts => ({
  remote,
  header: (name) => headers[name] ?? '',
});

/** As it comes over a connection of its own. */
const caller = (remote: string) => new CallerRules().callerOf(facts(remote));

const LIMITS = { connections_max: 5, connections_per_address_max: 2, requests_per_second: 10, requests_burst: 3 };

t.test('connections are counted per address and over all', async (t) => {
  const gate = new Gate(LIMITS, new FakeClock());
  t.ok(gate.enter(caller('10.0.0.1')));
  t.ok(gate.enter(caller('10.0.0.1')));
  t.notOk(gate.enter(caller('10.0.0.1')), 'a third of one address');
  t.ok(gate.enter(caller('10.0.0.2')));
  for (let i = 0; i < 2; i++) t.ok(gate.enter(caller('127.0.0.1')));
  t.notOk(gate.enter(caller('127.0.0.1')), 'the limit over all holds for this machine too');
  gate.leave(caller('10.0.0.1'));
  t.ok(gate.enter(caller('10.0.0.1')), 'a place that was given back');
  t.equal(gate.connections, 5);
});

t.test('connections of this machine are as many as they like, unless they come through a proxy', async (t) => {
  const gate = new Gate({ ...LIMITS, connections_max: 100 }, new FakeClock());
  for (let i = 0; i < 3; i++) t.ok(gate.enter(caller('127.0.0.1')));
  const other = new Gate({ ...LIMITS, connections_max: 100 }, new FakeClock());
  const proxied = new CallerRules().callerOf(facts('127.0.0.1', { via: '1.1 proxy' }));
  t.same(
    [1, 2, 3].map(() => other.enter(proxied)),
    [true, true, false],
  );
});

t.test('whose address counts behind a proxy', async (t) => {
  const rules = new CallerRules({ trustedProxies: ['10.0.0.0/8'] });
  const from = (remote: string, headers: Record<string, string>) => rules.callerOf(facts(remote, headers)).address;
  t.equal(from('10.0.0.1', { 'x-forwarded-for': '9.9.9.9' }), '9.9.9.9');
  t.equal(from('10.0.0.1', { 'x-forwarded-for': '8.8.8.8, 9.9.9.9, 10.0.0.2' }), '9.9.9.9', 'behind two of them');
  t.equal(from('10.0.0.1', { forwarded: 'for=8.8.8.8, for=9.9.9.9;proto=https' }), '9.9.9.9');
  const both = { 'x-forwarded-for': '8.8.8.8', forwarded: 'for=9.9.9.9' };
  t.equal(from('10.0.0.1', both), '10.0.0.1', 'one of the two headers is the client’s, and nobody knows which');
  t.equal(from('203.0.113.1', { 'x-forwarded-for': '9.9.9.9' }), '203.0.113.1', 'a proxy that nobody trusts');
});

t.test('who is taken for a program or a page of this machine', async (t) => {
  const page = { origin: 'http://localhost:8090', host: 'localhost:8090' };
  t.match(new CallerRules().callerOf(facts('127.0.0.1', page)), { isLocal: true, isPage: true, isOwnPage: true });
  for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via']) {
    const through = new CallerRules().callerOf(facts('127.0.0.1', { ...page, [name]: '127.0.0.1' }));
    t.match(through, { isLocal: false, isOwnPage: false }, `somebody in between says so by ${name}`);
  }
  const rebound = { origin: 'http://attacker.example:8090', host: 'attacker.example:8090' };
  t.notOk(new CallerRules().callerOf(facts('127.0.0.1', rebound)).isOwnPage, 'a name that was given this address');
  t.notOk(new CallerRules().callerOf(facts('192.168.0.7', page)).isOwnPage, 'a browser elsewhere');
  t.notOk(new CallerRules().callerOf(facts('127.0.0.1', { 'sec-fetch-site': 'none' })).isPage, 'typed by the user');
  t.ok(new CallerRules().callerOf(facts('127.0.0.1', { 'sec-fetch-site': 'same-origin' })).isPage);
});

t.test('which names a request may call the server by', async (t) => {
  const [client, here, wide] = ['198.51.100.7', '127.0.0.1', '203.0.113.9'];
  const status = (rules: CallerRules, remote: string, host: string, listensOn: string): number | undefined =>
    rules.refusalOfHost(facts(remote, { host }), listensOn)?.[0];
  const unnamed = new CallerRules();
  t.equal(status(unnamed, client, 'node.example', wide), undefined, 'a public one by any, as long as none is set');
  t.equal(status(unnamed, client, 'node.example', '192.168.0.7'), 403, 'one of a private network');
  t.equal(status(unnamed, here, 'node.example', wide), 403, 'clients on its own machine');
  const named = new CallerRules({ hostNames: ['node.example'] });
  t.equal(status(named, client, 'node.example:8090', wide), undefined);
  t.equal(status(named, client, 'other.example', wide), 403, 'all others once one is set');
  const proxied = new CallerRules({ trustedProxies: [here] });
  t.equal(
    status(proxied, here, 'node.example', wide),
    undefined,
    'what a known proxy passes on is not of this machine',
  );
});

t.test('an IPv6 network of one customer counts as one address', async (t) => {
  for (const [address, counted] of [
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['0000:0000:0000:0000:0000:ffff:0a00:0001', '10.0.0.1'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0DB8:0000:0000:ffff:0000:0000:0002', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001::5:6:7:8:9', '2001:0:0:5::/64'],
    ['64:ff9b::1.2.3.4', '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ] as const) {
    t.equal(countedAs(address), counted, address);
  }
  const gate = new Gate(LIMITS, new FakeClock());
  t.ok(gate.enter(caller('2001:db8::1')));
  t.ok(gate.enter(caller('2001:db8::2')));
  t.notOk(gate.enter(caller('2001:db8::3')));
  t.ok(gate.enter(caller('2001:db8:0:1::3')), 'another customer');
  gate.leave(caller('2001:db8::1'));
  t.ok(gate.enter(caller('2001:db8::3')));
  t.equal(Array.from({ length: 10 }, (_, i) => gate.mayAsk(caller(`2001:db8::${i}`))).filter(Boolean).length, 3);
});

t.test('requests: a burst, then the rate; this machine is never held back', async (t) => {
  const clock = new FakeClock();
  const gate = new Gate(LIMITS, clock);
  const ask = (address: string, times: number): number =>
    Array.from({ length: times }, () => gate.mayAsk(caller(address))).filter(Boolean).length;
  t.equal(ask('10.0.0.1', 10), 3);
  clock.advance(100);
  t.equal(ask('10.0.0.1', 10), 1, 'ten per second are one per tenth');
  clock.advance(10_000);
  t.equal(ask('10.0.0.1', 10), 3, 'no more than the burst is saved up');
  t.equal(ask('10.0.0.2', 1), 1, 'addresses do not share');
  t.equal(ask('127.0.0.1', 100), 100);
  t.equal(ask('::1', 100), 100);
});

t.test('a batch counts as many requests as it holds', async (t) => {
  const clock = new FakeClock();
  const gate = new Gate(LIMITS, clock);
  const metrics = { connections: () => undefined, refused: (reason: string) => refused.push(reason) };
  const refused: string[] = [];
  const rpc = new Rpc(goldenPorts(), { access: ApiAccess.open() });
  const batch = `[${[1, 2, 3, 4, 5].map((id) => `{"id":${id},"method":"get_test","params":[]}`).join()}]`;
  const keys = (text: string) =>
    (JSON.parse(text) as { error?: { data: { key: string } } }[]).map(({ error }) => error?.data.key);
  const expected = [undefined, undefined, undefined, 'http_rate', 'http_rate'];

  const limits = { request_bytes_max: 10_000, waiting_per_connection_max: 5, held_chars_max: 10_000 };
  const handler = new RpcHandler({ rpc, gate, page: undefined, corsOrigin: '', limits, metrics });
  const from = (address: string): HttpRequest => ({
    method: 'POST',
    path: '/',
    query: '',
    connection: undefined,
    caller: anyCaller(address),
    header: () => '',
  });
  const ask = (): Promise<HttpAnswer> | HttpAnswer => {
    const intake = handler.receive(from('10.0.0.1'));
    if (intake.body !== 'document') throw new Error('a request has a document');
    return intake.answer(batch, { onGone: () => undefined });
  };
  t.same(keys(String((await ask()).body)), expected, 'HTTP');
  t.equal((await ask()).status, 429, 'then nothing is left');

  const sent: string[] = [];
  const socket = { send: (text: string) => sent.push(text) > 0, together: (work: () => void) => work() };
  handler.greet(from('10.0.0.2'))(socket).message(batch);
  t.same(keys(sent[0] ?? ''), expected, 'WebSocket');
  t.same(refused, ['rate', 'rate', 'rate', 'rate', 'rate']);
  rpc.close();
});

t.test('a flood from many addresses does not grow the memory without end', async (t) => {
  const clock = new FakeClock();
  const gate = new Gate(LIMITS, clock);
  for (let i = 0; i < 200_000; i++) gate.mayAsk(caller(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`));
  t.ok(gate.addresses <= 50_000);
});

t.test('which addresses are this machine', async (t) => {
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', 'localhost'])
    t.ok(isLoopback(address), address);
  t.ok(isLoopback('0000:0000:0000:0000:0000:0000:0000:0001'));
  t.ok(isLoopback('0000:0000:0000:0000:0000:ffff:7f00:0001'));
  for (const address of ['10.0.0.1', '128.0.0.1', '::2', '::ffff:10.0.0.1', '1127.0.0.1'])
    t.notOk(isLoopback(address), address);
  for (const address of [
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.0.1',
    '::ffff:192.168.0.1',
    'fd00::1',
    'fe80::1',
  ])
    t.ok(isInside(address), address);
  for (const address of ['0.0.0.0', '::', '8.8.8.8', '172.32.0.1', '2001:db8::1', 'example.com'])
    t.notOk(isInside(address), address);
});
