import { sql } from 'kysely';
import t, { type Test } from 'tap';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { openExchangeDatabase } from '../../../src/services/des/des.js';
import { eventually } from '../../support/eventually.js';
import {
  type Element,
  expirationFrom,
  NodeBuyer,
  PythonBuyer,
  postJson,
  pythonJson,
  signTerms,
} from '../support/buyers.js';
import { Wire } from '../support/cut-off.js';
import { lockOut, placeOf } from '../support/databases.js';
import { DesWorld, PRICE, sell } from '../support/des-world.js';
import { type SourceServer, signWithLibrary } from '../support/source-server.js';

/** What the exchange refuses, and that nothing is asked or paid for then. */

const world = await DesWorld.start(t);
const [one] = (await world.sources(t, ['seller-one'])) as [SourceServer];
const poor = await world.account('poor-buyer');
const two = await world.account('two-keys', 0, [PrivateKey.fromSeed('a'), PrivateKey.fromSeed('b')]);
const exchange = await world.exchange(t, {
  'source-timeout': '30',
  'connect-timeout': '20',
  'clock-skew': '60000',
});
const { db, url } = exchange;
const buyer = new NodeBuyer(url, world.alice);
await sell(db, { id: 1, members: [one] });
await sell(db, { id: 2, members: [] });
await sell(db, { id: 3, members: [one] });
await db.updateTable('product').set({ on_sale: 0 }).where('product_id', '=', 3).execute();
t.beforeEach(async () => {
  await world.isThere(exchange, one, [1, 3]);
  one.questions.length = 0;
});
await world.isThere(exchange, one, [1, 3]);
const offer = await buyer.product(1);

interface Changed {
  readonly from?: string;
  readonly wif?: string;
  readonly percent?: number;
  readonly proxy?: string;
  readonly amount?: number;
  readonly asset?: string;
  readonly memo?: string;
  readonly expiration?: number;
  readonly signatures?: readonly string[];
}

/** One that is right but for what is changed. */
async function elementWith(changed: Changed): Promise<Element> {
  const [element] = buyer.elements(offer, { name: 'x' }) as [Element];
  const given = element.requestParams as { memo: string };
  const terms = {
    from: world.alice.id,
    to: one.id,
    proxy: world.bob.id,
    percent: 1000,
    amount: PRICE,
    asset: '1.3.1',
    memo: given.memo,
    expiration: expirationFrom(await world.headTime()),
    ...changed,
  };
  return {
    ...element,
    requestParams: {
      from: terms.from,
      to: terms.to,
      proxyAccount: terms.proxy,
      percent: terms.percent,
      amount: { amount: terms.amount, assetId: terms.asset },
      expiration: terms.expiration,
      memo: terms.memo,
      signatures: changed.signatures ?? [signTerms(terms, changed.wif ?? world.alice.wif)],
    },
  };
}

async function refused(
  t: Test,
  product: number,
  elements: readonly unknown[],
  status: number,
  code: string,
  what: string,
) {
  const answer = await postJson(`${url}/api/request/create/${product}`, pythonJson(elements));
  t.match(answer, { status, body: { code, message: String } }, `${what}: ${JSON.stringify(answer.body)}`);
}

t.test('E14: nobody online', async (t) => {
  const elements = buyer.elements(await buyer.product(2), { name: 'x' });
  t.same(elements, [], 'the JavaScript client has nothing to send, and sends it');
  t.match(await buyer.create(2, elements), { status: 400, body: { code: 'DATASOURCE_OFFLINE', message: String } });
});

t.test('what administrators have banned', async (t) => {
  const ban = async (kind: 'account' | 'product', id: number): Promise<void> => {
    await db.deleteFrom('ban').execute();
    const row = { kind, id, reason: 'sold nothing', by_account: 1, since_ms: 1 };
    await db.insertInto('ban').values(row).execute();
  };
  t.teardown(() => db.deleteFrom('ban').execute());
  const element = await elementWith({});
  await ban('account', Number(world.alice.id.slice(4)));
  await refused(t, 1, [element], 403, 'FORBIDDEN', 'a buyer');
  const forged = await elementWith({ wif: one.wif });
  await refused(t, 1, [forged], 401, 'SIGNATURE_VERIFY_FAIL', 'somebody else learns nothing of it');
  await ban('product', 1);
  await refused(t, 1, [element], 403, 'FORBIDDEN', 'a product');
  await ban('account', Number(one.id.slice(4)));
  await refused(t, 1, [element], 400, 'DATASOURCE_OFFLINE', 'a source');
  t.same(one.questions, []);
});

t.test('E16: each by its name', async (t) => {
  const head = await world.headTime();
  const before = await world.balance(world.alice.id);
  const params: readonly [Changed, string][] = [
    [{ percent: 999 }, 'percent'],
    [{ proxy: one.id }, 'proxy'],
    [{ amount: PRICE - 1 }, 'price'],
    [{ asset: '1.3.0' }, 'asset'],
    [{ expiration: head + 20 }, 'soon over'],
    [{ expiration: head + 90_000 }, 'more than a day'],
    [{ memo: 'no md5' }, 'memo'],
  ];
  for (const [changed, what] of params) await refused(t, 1, [await elementWith(changed)], 400, 'INVALID_PARAMS', what);
  const good = await elementWith({});
  const [signature] = good.requestParams.signatures as [string];
  for (const [signatures, what] of [
    [[], 'none'],
    [[signature, signature], 'two'],
    [[signature.slice(2)], '64 bytes'],
    [[`${signature.slice(0, 2)}ff${signature.slice(4)}`], 'not canonical'],
    [[`${signature.slice(0, -2)}00`], 'damaged'],
  ] as const) {
    const given = { ...good, requestParams: { ...good.requestParams, signatures } };
    await refused(t, 1, [given], 401, 'SIGNATURE_VERIFY_FAIL', what);
  }
  await refused(t, 1, [await elementWith({ wif: poor.wif })], 401, 'SIGNATURE_VERIFY_FAIL', 'another key');
  await refused(t, 1, [await elementWith({ from: two.id, wif: two.wif })], 401, 'SIGNATURE_VERIFY_FAIL', 'two keys');
  await refused(t, 1, [await elementWith({ from: '1.2.999' })], 400, 'ACCOUNT_NOT_EXIST', 'no such buyer');
  await refused(t, 1, [await elementWith({ from: poor.id, wif: poor.wif })], 400, 'BALANCE_NOT_ENOUGH', 'no money');
  await refused(t, 3, [await elementWith({})], 403, 'FORBIDDEN', 'off sale');
  await refused(t, 9, [await elementWith({})], 404, 'NOT_FOUND', 'no such product');
  await refused(t, 2, [await elementWith({})], 400, 'DATASOURCE_OFFLINE', 'nobody is there');
  await refused(t, 1, [{}], 400, 'INVALID_PARAMS', 'no element');
  await refused(t, 1, [good, good], 400, 'INVALID_PARAMS', 'the same twice');
  await refused(t, 1, [{ ...good, params: 'base64==' }], 400, 'INVALID_PARAMS', 'not hex');
  await refused(t, 1, [{ ...good, nonce: -1 }], 400, 'INVALID_PARAMS', 'nonce');
  const versioned = await postJson(`${url}/api/request/create/1/2`, JSON.stringify([good]));
  t.match(versioned, { status: 400, body: { code: 'INVALID_PARAMS' } }, 'another version');
  t.match(await postJson(`${url}/api/request/create/1`, '{"'), { status: 400, body: { code: 'INVALID_PARAMS' } });
  t.equal((await fetch(`${url}/api/request/${'0'.repeat(64)}`)).status, 404);
  t.equal((await fetch(`${url}/api/product/77`)).status, 404);
  const python = new PythonBuyer(url, poor);
  const none = await python.create(1, [await elementWith({ percent: 1 })]);
  t.equal(none, undefined, 'the Python client has nothing then, and goes on');
  t.equal(one.questions.length, 0);
  t.equal(await world.balance(world.alice.id), before);
});

t.test('E25: every code, by both clients', async (t) => {
  const before = await world.balance(world.alice.id);
  const good = await elementWith({});
  const python = new PythonBuyer(url, world.alice);
  const both = async (product: number, element: Element, status: number, code: string): Promise<void> => {
    // The JavaScript client rejects with the body that it has read, the Python one has nothing and goes on.
    t.match(await buyer.create(product, [element]), { status, body: { code, message: String } }, code);
    t.equal(await python.create(product, [element]), undefined, code);
  };
  await both(1, await elementWith({ percent: 1 }), 400, 'INVALID_PARAMS');
  await both(1, await elementWith({ from: '1.2.999' }), 400, 'ACCOUNT_NOT_EXIST');
  await both(3, good, 403, 'FORBIDDEN');
  await both(1, await elementWith({ from: poor.id, wif: poor.wif }), 400, 'BALANCE_NOT_ENOUGH');
  await both(1, await elementWith({ wif: poor.wif }), 401, 'SIGNATURE_VERIFY_FAIL');
  await both(2, good, 400, 'DATASOURCE_OFFLINE');
  await both(9, good, 404, 'NOT_FOUND');
  const other = await openExchangeDatabase(await placeOf(exchange.dataDir));
  t.teardown(() => other.destroy());
  await other.connection().execute(async (held) => {
    await lockOut(held);
    await both(1, good, 500, 'UNKNOWN_ERROR');
    await sql`ROLLBACK`.execute(held);
  });
  t.equal(one.questions.length, 0);
  t.equal(await world.balance(world.alice.id), before);
  const large = `[${JSON.stringify(good)},"${'x'.repeat(2_097_152)}"]`;
  const tooMuch = await postJson(`${url}/api/request/create/1`, large);
  t.match(tooMuch, { status: 413, body: { code: 'INVALID_PARAMS' } }, 'more than two megabytes');
});

t.test('E4: heartbeats', async (t) => {
  const beat = async (text: (time: number) => string, more: object = {}, time = Date.now()) => {
    const body = {
      account: one.id,
      products: [1, 3],
      timestamp: time,
      signature: signWithLibrary(text(time), one.wif),
    };
    return postJson(`${url}/api/datasource/heartbeat`, JSON.stringify({ ...body, ...more }));
  };
  const queryUrl = `${one.url}/elsewhere`;
  const urlNow = async () =>
    (await db.selectFrom('des_presence').select('query_url').executeTakeFirstOrThrow()).query_url;
  const ok = { status: 200, body: { account: one.id, products: [1, 3], expireAt: Number } };
  t.match(await beat((time) => `${one.id}|${time}`, { queryUrl }), ok, 'H1');
  t.equal(await urlNow(), null, 'it does not cover the address');
  t.match(await beat((time) => `${one.id}|[1,3]|${time}`, { queryUrl }), ok, 'H2');
  t.match(await beat((time) => `${one.id}|[1,3]|${queryUrl}|${time}`, { queryUrl }), ok, 'H3');
  t.equal(await urlNow(), queryUrl);
  t.match(await beat((time) => `${one.id}|[1, 3]|${queryUrl}|${time}`, { queryUrl }), ok, 'H4');
  t.match(await beat((time) => `${one.id}|[1, 3]|${time}`), ok, 'H4 without an address');
  t.equal(await urlNow(), null, 'the last one counts');
  t.match(await beat((time) => `${one.id}|${time}`, {}, Math.floor(Date.now() / 1000)), ok, 'seconds');
  t.match(await beat((time) => `${one.id}|${time}`, {}, Date.now() + 3000), ok, 'the end of its life');
  const no = { status: 401, body: { code: 'SIGNATURE_VERIFY_FAIL' } };
  const strict = await world.exchange(t);
  await sell(strict.db, { id: 1, members: [one] });
  const old = Date.now() - 5000;
  const signature = signWithLibrary(`${one.id}|${old}`, one.wif);
  const late = JSON.stringify({ account: one.id, products: [1], timestamp: old, signature });
  t.match(await postJson(`${strict.url}/api/datasource/heartbeat`, late), no, '5 s old');
  t.match(await postJson(`${url}/api/datasource/heartbeat`, late), { status: 200 }, 'where clocks may be off so far');
  t.match(await beat((time) => `${one.id}|${time}|x`), no, 'another text');
  t.match(await beat((time) => `${one.id}|${time}`, { signature: 'ab' }), no, 'no signature');
  const stranger = { account: poor.id, signature: '' };
  const time = Date.now();
  stranger.signature = signWithLibrary(`${poor.id}|${time}`, poor.wif);
  t.match(
    await beat((at) => `${at}`, stranger, time),
    { status: 400, body: { code: 'ACCOUNT_NOT_EXIST' } },
    'not bound',
  );
  t.match(await beat((at) => `${at}`, { products: ['1'] }), { status: 400, body: { code: 'INVALID_PARAMS' } });
});

t.test('E15: a balance for one of two', async (t) => {
  const short = await world.account('one-unit-short', PRICE - 1);
  const given = await elementWith({ from: short.id, wif: short.wif });
  await refused(t, 1, [given], 400, 'BALANCE_NOT_ENOUGH', 'one unit short');
  await world.pay(short.id, 1);
  const enough = await postJson(`${url}/api/request/create/1`, pythonJson([given]));
  t.equal(enough.status, 200, `and not any more: ${JSON.stringify(enough.body)}`);
  const buyerOf = await world.account('small-buyer', PRICE + PRICE / 2);
  const two = await Promise.all([1, 2].map(() => elementWith({ from: buyerOf.id, wif: buyerOf.wif })));
  const answers = await Promise.all(
    two.map((element) => postJson(`${url}/api/request/create/1`, pythonJson([element]))),
  );
  t.same(answers.map(({ status }) => status).sort(), [200, 400]);
  t.match(
    answers.find(({ status }) => status === 400),
    { body: { code: 'BALANCE_NOT_ENOUGH' } },
  );
});

t.test('E18: the same again, and at the same time', async (t) => {
  const before = await world.balance(world.alice.id);
  const body = pythonJson([await elementWith({})]);
  const create = () => postJson(`${url}/api/request/create/1`, body);
  const answers = [...(await Promise.all([create(), create(), create()])), await create()];
  const ids = new Set(answers.map(({ body }) => (body as { request_id: string }).request_id));
  t.equal(ids.size, 1, 'one request');
  const result = await buyer.result([...ids][0] as string, 60_000);
  t.match(result, { status: 'FINISHED', datasources: [{ status: 'SUCCESS' }] });
  t.equal(((await create()).body as { request_id: string }).request_id, [...ids][0], 'and later');
  t.equal(one.questions.length, 1, 'one question');
  t.equal(before - (await world.balance(world.alice.id)), BigInt(PRICE), 'one payment');
  // The header says in two ways who has signed, and the chain takes each of them once.
  const [, header = ''] = /"signatures":\s*\["(..)/.exec(body) ?? [];
  const otherHeader = (Number.parseInt(header, 16) - 4).toString(16);
  const again = await postJson(
    `${url}/api/request/create/1`,
    body.replace(/("signatures":\s*\[")../, `$1${otherHeader}`),
  );
  const { request_id } = again.body as { request_id: string };
  t.match(await buyer.result(request_id, 60_000), { datasources: [{ status: 'SUCCESS' }] });
  t.equal(before - (await world.balance(world.alice.id)), BigInt(PRICE), 'one payment, however it is written');
  t.equal(request_id, [...ids][0]);
  const mixed = pythonJson([JSON.parse(body)[0], await elementWith({})]);
  t.match(await postJson(`${url}/api/request/create/1`, mixed), { status: 400, body: { code: 'INVALID_PARAMS' } });
});

t.test('E19: a balance that is gone before the payment', async (t) => {
  const spender = await world.account('spender', PRICE + 1000);
  one.behaviour = async ({ publicKey, nonce }, answer) => {
    await world.drain(spender);
    const { seal } = await import('../support/packets.js');
    answer.end(JSON.stringify({ data: seal(one.wif, publicKey, nonce, '{}') }));
  };
  const { body } = await postJson(
    `${url}/api/request/create/1`,
    pythonJson([await elementWith({ from: spender.id, wif: spender.wif })]),
  );
  const result = await buyer.result((body as { request_id: string }).request_id, 60_000);
  t.match(result.datasources, [{ status: 'FAIL', comment: 'BALANCE_NOT_ENOUGH', data: null, txid: null }]);
});

t.test('a node that does not answer, and starts that cannot be', async (t) => {
  const wire = await Wire.to(world.node.endpoint);
  t.teardown(() => wire.close());
  const other = await world.exchange(t, { node: `http://${wire.endpoint}`, 'clock-skew': '60000' });
  await sell(other.db, { id: 1, members: [one] });
  await world.isThere(other, one, [1]);
  wire.loses = () => 'request';
  const answer = await postJson(`${other.url}/api/request/create/1`, pythonJson([await elementWith({})]));
  t.match(answer, { status: 504, body: { code: 'TIME_OUT' } });
  t.ok(await eventually('it says so', async () => (await fetch(`${other.url}/readyz`)).status === 503, 100));
  wire.loses = () => undefined;
  await t.rejects(world.exchange(t, { account: '' }), { message: /the option account is needed/ });
  await t.rejects(world.exchange(t, { account: 'alice' }), { message: /the key is not the active key of/ });
});
