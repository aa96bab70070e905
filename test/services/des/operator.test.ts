import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { eventually } from '../../support/eventually.js';
import { NodeBuyer, postJson } from '../support/buyers.js';
import { DesWorld, PRICE, sell } from '../support/des-world.js';
import { signText } from '../support/market-client.js';
import { startSmtp } from '../support/smtp.js';
import type { SourceServer } from '../support/source-server.js';

/** What an operator sets, and what an operator is told: roles on the chain, limits, and an account that cannot pay fees. */

const PATIENCE_MS = 120_000;
const PATIENT = { 'source-timeout': '60', 'connect-timeout': '30', 'clock-skew': '60000' };
const world = await DesWorld.start(t);
const [one] = (await world.sources(t, ['seller-one'])) as [SourceServer];
const FORBIDDEN = { status: 403, body: { code: 'FORBIDDEN', message: /is not registered on the chain/ } };

t.test('merchants and data sources of the chain alone, where that is wanted', async (t) => {
  const strict = async () => {
    const exchange = await world.exchange(t, { ...PATIENT, 'require-chain-roles': 'true' });
    await sell(exchange.db, { id: 1, members: [one] });
    return exchange;
  };
  const before = await strict();
  t.match(await one.heartbeat(before.url, [1]), FORBIDDEN, 'no data source');
  // In this order: only merchants become data sources.
  await world.register(one.id, 'merchant');
  await world.register(one.id, 'datasource');
  const between = await strict();
  await world.isThere(between, one, [1]);
  const buyer = new NodeBuyer(between.url, world.alice);
  const offer = await buyer.product(1);
  t.match(await buyer.create(1, buyer.elements(offer, { name: 'x' })), FORBIDDEN, 'no merchant');
  t.equal(one.questions.length, 0);
  await world.register(world.alice.id, 'merchant');
  const after = await strict();
  await world.isThere(after, one, [1]);
  const registered = new NodeBuyer(after.url, world.alice);
  const { body } = await registered.create(1, registered.elements(offer, { name: 'x' }));
  const result = await registered.result((body as { request_id: string }).request_id, PATIENCE_MS);
  t.match(result, { status: 'FINISHED', datasources: [{ status: 'SUCCESS' }] });
});

/** How many of them are turned away, each in the same words. */
async function turnedAway(t: Test, calls: readonly Promise<Response>[]): Promise<number> {
  const refused = (await Promise.all(calls)).filter(({ status }) => status === 429);
  for (const answer of refused) {
    t.equal(answer.headers.get('retry-after'), '1');
    t.match(answer.headers.get('x-request-id'), /^[0-9a-f]{16}$/);
    t.match(await answer.json(), { code: 'RATE_LIMITED', message: String });
  }
  return refused.length;
}

t.test('too much at once', async (t) => {
  const exchange = await world.exchange(t, {
    ...PATIENT,
    'creates-per-second': '1',
    'heartbeats-per-second': '1',
    'looks-per-second': '1',
    'products-per-second': '1',
    'trusted-proxy': '127.0.0.1',
  });
  const { url, db } = exchange;
  await sell(db, { id: 1, members: [one] });
  await world.isThere(exchange, one, [1]);
  const json = { 'Content-Type': 'application/json' };
  const post = (path: string, body: string) => fetch(`${url}${path}`, { method: 'POST', headers: json, body });
  const many = <T>(make: (i: number) => T): T[] => Array.from({ length: 20 }, (_, i) => make(i));
  const buyer = new NodeBuyer(url, world.alice);
  const offer = await buyer.product(1);
  // Turned away as well, since nobody sells it at the moment: nothing of it is bought.
  await sell(db, { id: 2, members: [] });
  const bodiesOf = (who: NodeBuyer) => many(() => JSON.stringify(who.elements(offer, { name: 'x' })));
  const forger = new NodeBuyer(url, { ...world.alice, wif: world.bob.wif });
  const forged = await Promise.all(bodiesOf(forger).map((body) => post('/api/request/create/2', body)));
  t.same([...new Set(forged.map(({ status }) => status))], [401], 'what somebody else has signed');
  const creates = await turnedAway(
    t,
    bodiesOf(buyer).map((body) => post('/api/request/create/2', body)),
  );
  t.ok(creates > 0 && creates <= 15, `${creates} of 20 requests of one buyer`);
  const other = new NodeBuyer(url, world.bob);
  t.not((await other.create(2, other.elements(offer, {}))).status, 429, 'another buyer is not meant');
  const beats = many((i) => {
    const timestamp = Date.now() + i;
    const signature = signText(`${one.id}|${timestamp}`, one.wif);
    return JSON.stringify({ account: one.id, products: [1], timestamp, signature });
  });
  const beaten = await turnedAway(
    t,
    beats.map((body) => post('/api/datasource/heartbeat', body)),
  );
  t.ok(beaten > 0 && beaten <= 15, `${beaten} of 20 heartbeats of one source`);
  const looks = await turnedAway(
    t,
    many(() => fetch(`${url}/api/request/${'0'.repeat(64)}`)),
  );
  t.ok(looks > 0 && looks <= 15, `${looks} of 20 looks at one request`);
  t.equal((await fetch(`${url}/api/request/${'1'.repeat(64)}`)).status, 404, 'another one is not meant');
  const from = (address: string) => fetch(`${url}/api/product/1`, { headers: { 'X-Forwarded-For': address } });
  const products = await turnedAway(
    t,
    many(() => from('198.51.100.7')),
  );
  t.ok(products > 0 && products <= 15, `${products} of 20 looks at a product by one address`);
  t.equal((await from('198.51.100.8')).status, 200, 'another address is not meant');
});

t.test('an account that cannot pay the fees: log, metric and e-mail, and then it can', async (t) => {
  const { received, port } = await startSmtp(t);
  const folder = t.testdir();
  const file = join(folder, 'smtp');
  writeFileSync(file, `smtp://market:top%20secret@127.0.0.1:${port}`);
  const keeper = await world.account('poor-keeper', 150);
  const mail = { 'mail-from': 'des@exchange.example', 'smtp-file': file, 'alarm-to': 'keeper@exchange.example' };
  const exchange = await world.exchange(
    t,
    { ...PATIENT, ...mail, 'data-dir': join(folder, 'exchange'), percent: '0' },
    keeper,
  );
  const { url, db, log, clock } = exchange;
  const subjects = (): string[] => received.map(({ text }) => /^Subject: (.*)$/m.exec(text)?.[1] ?? '');
  const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
  await eventually('the first letter', () => received.length === 1);
  t.match(subjects(), ['poor-keeper: the account can pay the fees of 1 more payments']);
  t.match(log.texts('error'), [/will soon be unable to pay fees/]);
  t.match(await metrics(), /^trustnode_fee_payments_left 1$/m);
  await sell(db, { id: 1, members: [one] });
  await world.isThere(exchange, one, [1]);
  const buyer = new NodeBuyer(url, world.alice);
  const ask = async (): Promise<string> => {
    const { body } = await buyer.create(1, buyer.elements(await buyer.product(1), { name: 'x' }));
    return (body as { request_id: string }).request_id;
  };
  t.match((await buyer.result(await ask(), PATIENCE_MS)).datasources, [{ status: 'SUCCESS' }], 'the last one');
  const before = await world.balance(one.id);
  const id = await ask();
  await eventually('the second letter', () => received.length === 2);
  t.match(subjects()[1], 'poor-keeper: the account cannot pay the fee of a payment');
  t.ok(log.texts('error').includes('the account of this service cannot pay the fee of a payment'));
  t.match(await metrics(), /^trustnode_payment_refusals_total\{reason="fee"\} [1-9]/m);
  t.match(await (await fetch(`${url}/readyz`)).text(), /cannot pay the fee/);
  t.match(await buyer.result(id, 1), { status: 'IN_PROGRESS', datasources: [] }, 'nothing is handed out');
  t.equal(await world.balance(one.id), before, 'and nothing was paid');
  await world.pay(keeper.id, 1_000_000);
  const result = await buyer.result(id, PATIENCE_MS);
  t.match(result, { status: 'FINISHED', datasources: [{ status: 'SUCCESS' }] }, 'the same authorization is good still');
  t.equal((await world.balance(one.id)) - before, BigInt(PRICE));
  clock.move(120_000);
  await eventually('the end of both troubles', () => received.length === 4, 500);
  t.match(subjects().slice(2), [/can be paid again/, /there is enough/]);
  t.match(await postJson(`${url}/api/request/create/1`, '[]'), { status: 400 }, 'it serves on');
});

t.test('letters need somebody who writes and somebody who reads', async (t) => {
  const why = { message: /needs alarm-to as well as mail-from/ };
  await t.rejects(world.exchange(t, { 'alarm-to': 'keeper@exchange.example' }), why);
  await t.rejects(world.exchange(t, { 'mail-from': 'a@b.example', 'mail-folder': t.testdir() }), why);
});
