import t from 'tap';
import { transports } from '../../http/support/servers.js';
import { eventually } from '../../support/eventually.js';
import { Wire } from '../support/cut-off.js';
import {
  bindBody,
  callMarket,
  MarketClient,
  product,
  signedHeaders,
  signText,
  signTextWithLibrary,
} from '../support/market-client.js';
import { boundMerchants, MarketChain, publish, startMarketInProcess } from '../support/market-service.js';

/** The market against a real node: bindings, categories, products, and who is believed. */

const chain = await MarketChain.start(t.testdir());
t.teardown(() => chain.stop());
const accounts = await chain.accounts(3);
/** SHA-256 of nothing. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

t.test('bindings', async (t) => {
  const market = await startMarketInProcess(t, chain);
  const [one, other] = accounts.map((account, i) => new MarketClient(market.url, account, i + 14)) as [
    MarketClient,
    MarketClient,
  ];
  const good = await one.bind();
  t.match(good, { status: 200, code: 1, msg: 'success', data: null, total: null });
  t.match(good.headers.get('content-type'), /^application\/json/);
  const where = { merchantId: 14, serviceUrl: 'https://data.example/', timestamp: Date.now() };
  const forged = bindBody({ id: one.account.id, wif: other.account.wif }, where);
  t.match(await callMarket(market.url, 'POST', '/market/account/bind', { body: forged }), {
    status: 401,
    code: 1002,
    msg: 'SIGNATURE_VERIFY_FAIL',
  });
  t.match(await one.bind('https://data.example/', Date.now() - 360_000), {
    status: 401,
    code: 1003,
    msg: 'TIMESTAMP_EXPIRED',
  });
  const second = new MarketClient(market.url, one.account, 99);
  t.match(await second.bind(), { status: 409, code: 1007, msg: 'DUPLICATE' }, 'a second merchant for the account');
  t.match(await new MarketClient(market.url, other.account, 14).bind(), { code: 1007 }, 'another account');
  const again = Date.now();
  t.match(await one.bind('https://elsewhere.example/', again), { code: 1 }, 'the same pair with another address');
  t.match(await one.bind('https://elsewhere.example/', again), { code: 1 }, 'and the very same once more');
  t.match(await one.bind('https://data.example/', again - 1000), { code: 1014 }, 'an older one does not come back');
  for (const [field, value] of [
    ['serviceUrl', 'ftp://data.example/'],
    ['serviceUrl', 'data.example'],
    ['merchantId', 0],
    ['merchantId', '14'],
    ['accountId', '1.3.1'],
    ['signature', 'ab'],
    ['timestamp', 1.5],
  ] as const) {
    const body = JSON.stringify({ ...JSON.parse(bindBody(one.account, where)), [field]: value });
    const answer = await callMarket(market.url, 'POST', '/market/account/bind', { body });
    t.match(answer, { status: 400, code: 1001, msg: new RegExp(`^INVALID_PARAMS: ${field}`) }, `${field} ${value}`);
  }
  t.match(await second.bind(), { headers: { get: Function } });
  t.match((await second.bind()).headers.get('x-request-id'), /^[0-9a-f]{16}$/);
});

for (const transport of transports) {
  t.test(`categories and products (${transport.name})`, async (t) => {
    const market = await startMarketInProcess(t, chain, {}, transport);
    const { admin, merchants } = await boundMerchants(market, chain, accounts);
    const [one, two] = merchants as [MarketClient, MarketClient];
    t.match(await admin.post('/market/category/create', { categoryName: 'People' }), {
      data: { categoryId: 2, categoryName: 'People' },
    });
    t.match(await admin.post('/market/category/create', { categoryName: 'People' }), { code: 1007 });
    t.match(await one.post('/market/category/create', { categoryName: 'Mine' }), { status: 403, code: 1004 });
    t.same((await one.get('/market/category/list')).data, [
      { categoryId: 1, categoryName: 'Weather' },
      { categoryId: 2, categoryName: 'People' },
    ]);
    t.match(await one.post('/market/product/create', product()), { code: 1, msg: 'success', data: null });
    for (let i = 0; i < 3; i++) await publish(two, { productName: `No ${i}`, categoryId: 2, privacy: true });
    const list = await callMarket<object[]>(market.url, 'GET', '/market/product/list/0/1');
    t.equal(list.total, 4);
    t.same(list.data.at(-1), {
      productId: 1,
      productName: 'Weather of yesterday',
      logoUrl: '',
      briefDesc: 'What it was like',
      privacy: false,
      price: { amount: '1000', assetId: '1.3.1' },
    });
    const page = await callMarket<{ productId: number }[]>(
      market.url,
      'GET',
      '/market/product/list/2/1?page=2&limit=2',
    );
    t.same([page.total, page.data.map(({ productId }) => productId)], [3, [2]]);
    t.match(await callMarket(market.url, 'GET', '/market/product/list/0/0'), { data: [], total: 0 });
    t.match(await callMarket(market.url, 'GET', '/market/product/1'), {
      code: 1,
      msg: '',
      total: null,
      data: {
        productName: 'Weather of yesterday',
        logoUrl: '',
        briefDesc: 'What it was like',
        privacy: false,
        price: { amount: '1000', assetId: '1.3.1' },
        categoryId: '1',
        input: { city: { type: 'string', desc: 'where', required: true, sample: 'Hangzhou' } },
        output: { degrees: { type: 'number', desc: 'how warm', sample: 21.5 } },
      },
    });
    t.notOk('productId' in ((await callMarket(market.url, 'GET', '/market/product/1')).data as object));
    t.match(await callMarket(market.url, 'GET', '/market/product/9'), { status: 404, code: 1006, msg: 'NOT_FOUND' });
    for (const query of ['page=0', 'page=x', 'limit=101', 'limit=-1', 'page=1&page=2']) {
      const answer = await callMarket(market.url, 'GET', `/market/product/list/0/1?${query}`);
      t.match(answer, { status: 400, code: 1001 }, query);
    }
  });
}

t.test('what a product may be', async (t) => {
  const market = await startMarketInProcess(t, chain);
  const { merchants } = await boundMerchants(market, chain, accounts);
  const [one] = merchants as [MarketClient];
  const publishWith = (more: object) => one.post('/market/product/create', product(more));
  for (const [more, field] of [
    [{ voteThrehold: 0 }, 'voteThrehold'],
    [{ voteThrehold: 1.01 }, 'voteThrehold'],
    [{ voteThrehold: 0.00001 }, 'voteThrehold'],
    [{ voteThrehold: undefined }, 'voteThrehold'],
    [{ price: { amount: -1, assetId: '1.3.1' } }, 'price.amount'],
    [{ price: { amount: 1.5, assetId: '1.3.1' } }, 'price.amount'],
    [{ price: { amount: 1, assetId: '1.3.0' } }, 'price.assetId'],
    [{ productName: '' }, 'productName'],
    [{ productName: 'a\r\nBcc: all' }, 'productName'],
    [{ input: [] }, 'input'],
    [{ input: { 'a b': {} } }, 'input'],
    [{ input: { a: { type: 'string' } } }, 'input|required'],
    [{ output: { a: { desc: 'x' } } }, 'output|type'],
  ] as const) {
    const answer = await publishWith(more);
    t.match(answer, { status: 400, code: 1001, msg: new RegExp(field) }, answer.msg);
  }
  t.match(await publishWith({ categoryId: 77 }), { status: 404, code: 1006 });
  t.match(await publishWith({ voteThrehold: undefined, voteThreshold: 1, brieDesc: undefined, briefDesc: 'x' }), {
    code: 1,
  });
  t.match(await publishWith({ price: { amount: 0, assetId: '1.3.1' }, privacy: 1 }), { code: 1 });
  const answer = await fetch(`${market.url}/market/product/2`);
  t.match(await answer.json(), { data: { price: { amount: '0' }, privacy: true } });
  const nested = { list: { type: 'array', required: true, columns: { n: { type: 'integer', required: true } } } };
  t.match(await publishWith({ input: nested }), { code: 1 });
  t.match(await one.get('/market/product/3'), { data: { input: nested } }, 'kept as it was given');
});

t.test('who is believed', async (t) => {
  const market = await startMarketInProcess(t, chain);
  const { merchants } = await boundMerchants(market, chain, accounts);
  const [one, two, stranger] = merchants as [MarketClient, MarketClient, MarketClient];
  await publish(one);
  const target = '/market/product/1/members/add';
  const body = '{"members":[2]}';
  const send = (headers: Record<string, string>, at = target, sent = body) =>
    callMarket(market.url, 'POST', at, { body: sent, headers });
  const good = () => signedHeaders(one.account, 'POST', target, body, one.timestamp());
  t.match(await send({}), { status: 401, code: 1002 }, 'nobody');
  for (const name of ['X-Market-Account', 'X-Market-Timestamp', 'X-Market-Signature']) {
    const { [name]: _, ...rest } = good();
    t.match(await send(rest), { status: 401, code: 1002 }, `without ${name}`);
  }
  t.match(await send({ ...good(), 'X-Market-Account': two.account.id }), { code: 1002 }, 'in the name of another');
  t.match(await send({ ...good(), 'X-Market-Account': '1.2.999999' }), { code: 1002 }, 'of nobody');
  t.match(await send(good(), `${target}?x=1`), { code: 1002 }, 'another target');
  t.match(await send(good(), target, '{"members":[3]}'), { code: 1002 }, 'another body');
  const get = signedHeaders(one.account, 'GET', target, body, one.timestamp());
  t.match(await send(get), { code: 1002 }, 'another method');
  for (const ms of [-31_000, 31_000]) {
    const stale = signedHeaders(one.account, 'POST', target, body, Date.now() + ms);
    t.match(await send(stale), { status: 401, code: 1003 }, `${ms}`);
  }
  const once = good();
  const began = await send(once);
  t.match(began, { code: 1, data: { voteId: Number, expireAt: Number } });
  t.match(await send(once), { status: 409, code: 1014, msg: 'REPLAYED' }, 'the same once more');
  const read = signedHeaders(one.account, 'GET', '/market/product/all/votes/1', '', Date.now());
  for (let i = 0; i < 2; i++) {
    const answer = await callMarket(market.url, 'GET', '/market/product/all/votes/1', { headers: read });
    t.match(answer, { code: 1, total: 1 }, 'reads may be repeated');
  }
  const unbound = new MarketClient(market.url, chain.node.carol, 0);
  t.match(await unbound.post('/market/product/create', product()), { status: 403, code: 1005 });
  t.match(
    await unbound.get('/market/dataexchange/log'),
    { code: 1, data: [], total: 0 },
    'own ones, of which there are none',
  );
  t.match(await stranger.get('/market/product/votes/1'), { status: 403, code: 1004 }, 'a vote of others');
});

t.test('what the public library signs', async (t) => {
  const market = await startMarketInProcess(t, chain);
  const [{ id, wif }] = accounts as [{ id: string; wif: string }];
  const timestamp = Date.now();
  const text = `${id}|14|https://data.example/ö|${timestamp}`;
  // Of every second text both try again for a signature of the one form, each in its own way; not of this one.
  const known = '5KZf2GYCut3ETdcfe2GwXGD1DRSdHbz8c1hfzkggMZeLDkuMdm6';
  const fixed = '1.2.300|14|https://data.example/ö|1600000000002';
  t.equal(signTextWithLibrary(fixed, known), signText(fixed, known), 'the same as ours');
  const binding = { accountId: id, merchantId: 14, serviceUrl: 'https://data.example/ö', timestamp };
  const body = JSON.stringify({ ...binding, signature: signTextWithLibrary(text, wif) });
  t.match(await callMarket(market.url, 'POST', '/market/account/bind', { body }), { code: 1 });
  const target = '/market/product/all/votes/0?page=1';
  const signed = signTextWithLibrary(`market-v1|${id}|GET|${target}|${EMPTY}|${timestamp}`, wif);
  const headers = { 'X-Market-Account': id, 'X-Market-Timestamp': String(timestamp), 'X-Market-Signature': signed };
  t.match(await callMarket(market.url, 'GET', target, { headers }), { code: 1, data: [], total: 0 });
});

t.test('a call of a name is done once', async (t) => {
  const market = await startMarketInProcess(t, chain);
  const { merchants } = await boundMerchants(market, chain, accounts);
  const [one, two] = merchants as [MarketClient, MarketClient];
  const named = { 'Idempotency-Key': 'first-product' };
  const make = (client: MarketClient, more = {}) => client.post('/market/product/create', product(more), named);
  const answers = [await make(one), ...(await Promise.all([make(one), make(one)]))];
  for (const answer of answers) t.match(answer, { code: 1, msg: 'success' });
  t.match(await make(two), { code: 1 }, 'names are each account’s own');
  t.match(await make(one, { productName: 'Another' }), { status: 409, code: 1007 });
  const elsewhere = await one.post('/market/product/1/update', product(), named);
  t.match(elsewhere, { status: 409, code: 1007 }, 'the same body for another call is another call');
  t.equal((await one.get('/market/product/list/0/1')).total, 2);
  const bad = { 'Idempotency-Key': 'second' };
  t.match(await one.post('/market/product/create', product({ categoryId: 9 }), bad), { code: 1006 });
  t.match(await one.post('/market/product/create', product(), bad), { code: 1 }, 'a refusal takes no name');
});

t.test('on sale and off, and members who leave', async (t) => {
  const market = await startMarketInProcess(t, chain);
  const { merchants } = await boundMerchants(market, chain, accounts);
  const [one, two, three] = merchants as [MarketClient, MarketClient, MarketClient];
  const id = await publish(one, { voteThrehold: 0.01 });
  const sale = (client: MarketClient, onSale: boolean) => client.post(`/market/product/${id}/sale`, { onSale });
  const total = async (share: number) => (await one.get(`/market/product/list/0/${share}`)).total;
  t.match(await sale(two, false), { status: 403, code: 1004 });
  t.match(await sale(one, false), { code: 1 });
  t.equal(await total(1), 0);
  t.match(await one.get(`/market/product/${id}`), { data: { onSale: false } });
  t.match(await sale(one, true), { code: 1 });
  t.equal(await total(1), 1);
  t.match(await one.post(`/market/product/${id}/members/add`, { members: [2] }), { code: 1 });
  t.same([await total(1), await total(0)], [0, 1], 'two sell it now');
  t.match(await three.post(`/market/product/${id}/members/leave`), { status: 403, code: 1004 });
  t.match(await one.post(`/market/product/${id}/members/leave`), { code: 1 });
  t.match(await sale(one, false), { code: 1004 }, 'whoever has left decides nothing');
  t.match(await sale(two, false), { code: 1 }, 'who has been there longest follows the issuer');
  t.match(await sale(two, true), { code: 1 });
  t.match(await two.post(`/market/product/${id}/members/leave`), { code: 1 });
  t.same([await total(1), await total(0)], [0, 0], 'nobody sells it');
  t.match(await three.post(`/market/product/${id}/members/add`, {}), { code: 1004 }, 'nobody could let them in');
});

t.test('other ways of believing, for private addresses alone', async (t) => {
  const [{ id }] = accounts as [{ id: string; wif: string }];
  const headers = { 'X-Market-Account': id };
  for (const mode of ['gateway', 'open']) {
    const market = await startMarketInProcess(t, chain, { 'market-auth': mode, 'trusted-proxy': '127.0.0.1' });
    const ask = (more: Record<string, string>) =>
      callMarket(market.url, 'GET', '/market/dataexchange/log', { headers: { ...headers, ...more } });
    t.match(await ask({}), { code: 1, data: [] }, mode);
    t.match(await ask({ 'X-Market-Account': '1.2.999999' }), { code: 1002 }, 'nobody');
    const far = await ask({ 'X-Forwarded-For': '203.0.113.9' });
    t.equal(far.code, mode === 'open' ? 1 : 1002, 'who comes from far away');
    t.match(await (await fetch(`${market.url}/readyz`)).text(), mode === 'open' ? /everybody is believed/ : /ready/);
    await t.rejects(startMarketInProcess(t, chain, { 'market-auth': mode, endpoint: '0.0.0.0:0' }), {
      message: /private address/,
    });
  }
});

t.test('where its node is stands in the log, and not where anybody may look', async (t) => {
  const wire = await Wire.to(chain.node.endpoint);
  t.teardown(() => wire.close());
  const market = await startMarketInProcess(t, chain, { node: `http://${wire.endpoint}/rpc?key=hunter2` });
  wire.cut();
  const told = await eventually(
    'it is not ready',
    async () => {
      const answer = await fetch(`${market.url}/readyz`);
      return answer.status === 503 && answer.text();
    },
    100,
  );
  t.equal(told, 'the node of this service does not answer; try again later\n');
  t.ok(market.log.entries.some(({ values }) => /hunter2/.test(String(values.error))));
});

t.test('what stops a start', async (t) => {
  for (const [line, message] of [
    [{ 'mail-from': 'a@b.example' }, /smtp-file and mail-folder/],
    [{ 'mail-folder': 'x' }, /mail-from/],
    [{ 'mail-from': 'a@b.example', 'smtp-file': '/nowhere/smtp' }, /ENOENT/],
    [{ admin: 'no-such-account' }, /no account no-such-account/],
    [{ 'billing-asset': '1.3.99' }, /1\.3\.99/],
    [{ 'chain-id': '0'.repeat(64) }, /is on the chain/],
    [{ node: 'http://127.0.0.1:9/' }, /does not answer/],
  ] as const) {
    await t.rejects(startMarketInProcess(t, chain, line), { message }, JSON.stringify(line));
  }
});
