import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { eventually } from '../../support/eventually.js';
import { NodeBuyer, type ProductInfo, PythonBuyer, postJson, type Result } from '../support/buyers.js';
import { DesWorld, PRICE, sell } from '../support/des-world.js';
import { seal } from '../support/packets.js';
import { honest, memoFits, SourceServer } from '../support/source-server.js';

/** Purchases by buyers as the public ones are, against a real node: who gets what, who pays what, and how often. */

/** Slow machines need longer than the public clients are willing to wait. */
const PATIENCE_MS = 60_000;
const PATIENT = { 'source-timeout': '30', 'connect-timeout': '20', 'clock-skew': '60000' };

const world = await DesWorld.start(t);
const sources = await world.sources(t, ['seller-one', 'seller-two', 'seller-three']);
const [one, two, three] = sources as [SourceServer, SourceServer, SourceServer];
const exchange = await world.exchange(t, PATIENT);
const { db, url } = exchange;
const buyer = new NodeBuyer(url, world.alice);
await sell(db, { id: 1, members: [one] });
await sell(db, { id: 2, members: sources });
await sell(db, { id: 3, members: [one, { id: world.alice.id, url: 'http://127.0.0.1:9' }] });
await sell(db, { id: 4, members: [two], units: 5 });

const online = async (): Promise<void> => {
  for (const source of sources) {
    await world.isThere(exchange, source, [1, 2, 3, 4]);
    source.behaviour = honest;
    source.questions.length = 0;
  }
};
t.beforeEach(online);

async function bought(product: number, params: object): Promise<Result> {
  const { body } = await buyer.create(product, buyer.elements(await buyer.product(product), params));
  return buyer.result((body as { request_id: string }).request_id, PATIENCE_MS);
}

async function blockWith(txid: string): Promise<boolean> {
  const { head_block_number: head } = await world.client.database.get_dynamic_global_properties();
  for (let number = Math.max(1, head - 20); number <= head; number++) {
    const block = await world.client.database.get_block({ block_num: number });
    if (block?.transaction_ids.includes(txid)) return true;
  }
  return false;
}

t.test('E6: one source, the JavaScript client', async (t) => {
  const before = await world.balance(world.alice.id);
  const result = await bought(1, { name: 'alice' });
  t.match(result, {
    status: 'FINISHED',
    total: 1,
    datasources: [{ status: 'SUCCESS', comment: '', datasource: one.id }],
  });
  const [leg] = result.datasources as [Result['datasources'][number]];
  t.same(buyer.decrypt(leg), { echo: { name: 'alice' } });
  t.ok(await eventually('a block has it', () => blockWith(leg.txid ?? ''), 200));
  t.equal(one.questions.length, 1);
  t.ok(memoFits(one.questions[0] as (typeof one.questions)[number]), 'the memo is the MD5 of what was encrypted');
  t.match(one.questions[0]?.headers, { 'x-des-account': world.bob.id, 'x-des-signature': /^[0-9a-f]{130}$/ });
  t.equal(before - (await world.balance(world.alice.id)), BigInt(PRICE));
});

t.test('a sample of more digits than a double holds', async (t) => {
  await sell(db, { id: 5, members: [] });
  const input = '{"ids":{"type":"json","required":true,"sample":{"id":12345678901234567890}}}';
  await db.updateTable('product').set({ input }).where('product_id', '=', 5).execute();
  const response = await fetch(`${url}/api/product/5`);
  t.equal(response.status, 200);
  t.match(await response.json(), { product: { input: { ids: { sample: '{"id":12345678901234567890}' } } } });
});

t.test('E7: the Python client, 63 bits and other letters', async (t) => {
  const python = new PythonBuyer(url, world.alice);
  const text = python.plaintext({ name: 'Ærøskøbing 東京' });
  const element = python.element(await buyer.product(1), 0, text);
  const id = (await python.create(1, [element])) ?? '';
  t.same(await python.result(id, PATIENCE_MS), [JSON.stringify({ echo: { name: 'Ærøskøbing 東京' } })]);
  t.equal(one.questions[0]?.nonce, String(element.nonce), 'no digit is lost');
  t.equal(one.questions[0]?.plain, text);
});

t.test('E8: no padding where whole blocks come out', async (t) => {
  const python = new PythonBuyer(url, world.alice);
  let text = '';
  for (let length = 1; (text.length + 4) % 16 !== 0; length++) text = python.plaintext({ name: 'x'.repeat(length) });
  const element = python.element(await buyer.product(1), 0, text);
  t.equal(element.params.length, 2 * (text.length + 4), 'it is left out');
  const id = (await python.create(1, [element])) ?? '';
  t.match(await python.result(id, PATIENCE_MS), [/^\{"echo"/]);
});

t.test('E9: the names of the specification, and a time as text', async (t) => {
  const [element] = buyer.elements(await buyer.product(1), { name: 'x' });
  const { proxyAccount, amount, expiration, ...rest } = element?.requestParams as Record<string, never>;
  const given = {
    ...element,
    nonce: Number(element?.nonce),
    requestParams: {
      ...(rest as object),
      proxy_account: proxyAccount,
      amount: { amount: PRICE, asset_id: '1.3.1' },
      expiration: new Date(Number(expiration) * 1000).toISOString().slice(0, 19),
    },
  };
  const { status, body } = await postJson(`${url}/api/request/create/1`, JSON.stringify([given]));
  t.equal(status, 200, JSON.stringify(body));
  t.match((await buyer.result((body as { request_id: string }).request_id, PATIENCE_MS)).datasources, [
    { status: 'SUCCESS', nonce: Number(element?.nonce) },
  ]);
});

t.test('E10, E26: data, nothing and silence, within eight seconds; very many looks', async (t) => {
  // Its own limits of time.
  const usual = await world.exchange(t, { 'clock-skew': '60000' });
  await sell(usual.db, { id: 2, members: sources });
  for (const source of sources) await world.isThere(usual, source, [2]);
  two.behaviour = (_, answer) => {
    answer.statusCode = 404;
    answer.end();
  };
  three.behaviour = () => undefined;
  // A machine that is busy may need several tries for what another one does each time.
  const paid = await eventually('all of it within eight seconds', async () => {
    const other = new NodeBuyer(usual.url, world.alice);
    const elements = other.elements(await other.product(2), { name: 'x' });
    const before = await world.balance(world.alice.id);
    const startMs = performance.now();
    const { body } = await other.create(2, elements);
    const result = await other.result((body as { request_id: string }).request_id, PATIENCE_MS);
    const tookMs = performance.now() - startMs;
    const states = result.datasources.map(({ status }) => status).sort();
    t.comment(`${tookMs.toFixed(0)} ms: ${states.join(', ')}; ${other.polls} looks, none of them refused`);
    const isSo = result.status === 'FINISHED' && states.join() === 'NONE,SUCCESS,TIMEOUT' && other.polls > 20;
    return isSo && tookMs < 8000 && before - (await world.balance(world.alice.id));
  });
  t.equal(paid, BigInt(PRICE), 'one of them is paid');
});

t.test('E11: sources that fail', async (t) => {
  const before = await world.balance(world.alice.id);
  for (const [status, body, comment] of [
    [200, '{"success":false,"data":"ab"}', 'QUERY_FAIL'],
    [500, '{}', 'DATASOURCE_FAIL'],
    [302, '{}', 'DATASOURCE_FAIL'],
    [200, '{"data":', 'DATASOURCE_FAIL'],
    [200, '{"data":"aGVsbG8="}', 'DATASOURCE_FAIL'],
    [200, '{"data":"abc"}', 'DATASOURCE_FAIL'],
    [200, '{"data":"ab","nonce":-1}', 'DATASOURCE_FAIL'],
  ] as const) {
    one.behaviour = (_, answer) => {
      answer.writeHead(status, { Location: `${one.url}/elsewhere` });
      answer.end(body);
    };
    t.match(
      await bought(1, { name: 'x' }),
      { datasources: [{ status: 'FAIL', comment, data: null, txid: null }] },
      body,
    );
  }
  one.behaviour = (_, answer) => void answer.end('{"success":true}');
  t.match(await bought(1, { name: 'x' }), { datasources: [{ status: 'NONE', comment: '' }] });
  t.equal(await world.balance(world.alice.id), before, 'nothing is paid');
  t.equal(one.questions.length, 8, 'nobody follows a redirect');
});

t.test('E12: a source with a nonce of its own', async (t) => {
  one.behaviour = ({ publicKey }, answer) => {
    answer.end(JSON.stringify({ data: seal(one.wif, publicKey, '77', '{"own":1}'), nonce: 77 }));
  };
  const { datasources } = await bought(1, { name: 'x' });
  t.match(datasources, [{ status: 'SUCCESS', nonce: '77' }]);
  t.same(buyer.decrypt(datasources[0] as (typeof datasources)[number]), { own: 1 });
});

t.test('E13: a buyer who sells as well', async (t) => {
  const own = Object.assign(Object.create(one) as SourceServer, { id: world.alice.id, wif: world.alice.wif });
  await world.isThere(exchange, own, [3]);
  const result = await bought(3, { name: 'x' });
  t.match(result.total, 2);
  t.match(
    result.datasources.find(({ datasource }) => datasource === world.alice.id),
    { status: 'FAIL', comment: 'SELF_TRADE' },
  );
  t.match(
    result.datasources.find(({ datasource }) => datasource === one.id),
    { status: 'SUCCESS' },
  );
});

t.test('a source that is gone fails once, and is offered again when it is reached again', async (t) => {
  const gone = await SourceServer.start(await world.account('seller-gone'));
  const { port, host } = new URL(gone.url);
  const member = { id: gone.id, url: gone.url };
  await gone.close();
  await sell(db, { id: 6, members: [member, two] });
  for (const source of [gone, two]) await world.isThere(exchange, source, [6]);
  const before = await world.balance(world.alice.id);
  const first = await bought(6, { name: 'x' });
  t.match(
    first.datasources.map(({ datasource, status, comment }) => [datasource, status, comment]),
    [
      [two.id, 'SUCCESS', ''],
      [gone.id, 'FAIL', 'DATASOURCE_FAIL'],
    ],
  );
  const warnings = exchange.log.entries.filter(({ level, values }) => level === 'warn' && values.source === gone.id);
  t.match(
    warnings,
    [{ values: { url: `http://${host}/data/request` } }],
    'the operator is told where it was looked for',
  );
  const offered = async () => (await buyer.product(6)).onlineDatasources.map(({ account_id }) => account_id);
  t.same(await offered(), [two.id]);
  const stale = await buyer.create(6, buyer.elements(offerOf(first, await buyer.product(6)), { name: 'x' }));
  t.match((await buyer.result((stale.body as { request_id: string }).request_id, PATIENCE_MS)).datasources, [
    { datasource: two.id, status: 'SUCCESS' },
    { datasource: gone.id, status: 'FAIL', comment: 'DATASOURCE_OFFLINE' },
  ]);
  t.equal(before - (await world.balance(world.alice.id)), 2n * BigInt(PRICE), 'nothing is paid to who is gone');
  t.match(await gone.heartbeat(url, [6]), { status: 200, body: { unreached: `http://${host}/data/request` } });
  t.same(await offered(), [two.id], 'a heartbeat alone is not enough');
  const back = await SourceServer.start(gone, Number(port));
  t.teardown(() => back.close());
  const { body } = await back.heartbeat(url, [6]);
  t.equal(Object.hasOwn(body as object, 'unreached'), false);
  t.same(await offered(), [two.id, gone.id]);
});

/** The offer as it was when these were asked. */
const offerOf = ({ datasources }: Result, now: ProductInfo): ProductInfo => ({
  ...now,
  onlineDatasources: datasources.map(({ datasource, datasourcePublicKey: publicKey }) => ({
    account_id: datasource,
    accountId: datasource,
    publicKey,
  })),
});

t.test('E17: what each of them has before and after', async (t) => {
  const feeOf = async (): Promise<bigint> => 100n;
  for (const [percent, product, units, share] of [
    [0, 1, 1000n, 0n],
    [1000, 1, 1000n, 100n],
    [10_000, 1, 1000n, 1000n],
    [1000, 4, 5n, 0n],
  ] as const) {
    const other = await world.exchange(t, { ...PATIENT, percent: String(percent) });
    await sell(other.db, { id: product, members: [two], units: Number(units) });
    await world.isThere(other, two, [product]);
    const accounts = [world.alice.id, two.id, world.bob.id];
    const before = await Promise.all(accounts.map((id) => world.balance(id)));
    const client = new NodeBuyer(other.url, world.alice);
    const { body } = await client.create(product, client.elements(await client.product(product), { name: 'x' }));
    t.match(await client.result((body as { request_id: string }).request_id, PATIENCE_MS), {
      datasources: [{ status: 'SUCCESS' }],
    });
    const after = await Promise.all(accounts.map((id) => world.balance(id)));
    t.same(
      after.map((value, i) => value - (before[i] ?? 0n)),
      [-units, units - share, share - (await feeOf())],
      `${percent} of 10000 from ${units}`,
    );
  }
});

t.test('an answer that somebody has consented to after minutes, on a disk that is full for a moment', async (t) => {
  const shop = await world.exchange(t, { ...PATIENT, 'consent-timeout': '3600', lease: '3600' });
  await sell(shop.db, { id: 1, members: [one], privacy: 1 });
  await world.isThere(shop, one, [1]);
  const blocks = join(shop.dataDir, 'blocks');
  const away = join(shop.dataDir, 'away');
  one.behaviour = async (...given) => {
    shop.clock.move(180_000);
    renameSync(blocks, away);
    // A file where the folder has to be.
    writeFileSync(blocks, '');
    await honest(...given);
  };
  const client = new NodeBuyer(shop.url, world.alice);
  const { body } = await client.create(1, client.elements(await client.product(1), { name: 'x' }));
  await eventually('it is not stored', () => shop.log.texts('error').includes('an answer could not be stored'));
  rmSync(blocks);
  renameSync(away, blocks);
  t.match(await client.result((body as { request_id: string }).request_id, PATIENCE_MS), {
    datasources: [{ status: 'SUCCESS' }],
  });
});
