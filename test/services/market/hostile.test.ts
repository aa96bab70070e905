import { deflateSync, gzipSync } from 'node:zlib';
import t from 'tap';
import { RawClient } from '../../http/support/ask.js';
import { bindBody, callMarket, MarketClient, product, signedHeaders } from '../support/market-client.js';
import {
  boundMerchants,
  MarketChain,
  publish,
  startMarketInProcess,
  startMarketProcess,
} from '../support/market-service.js';

/** What people try with a market: each of it against a real one, with a real node. */

const chain = await MarketChain.start(t.testdir());
t.teardown(() => chain.stop());
const accounts = await chain.accounts(2, 'target');
const market = await startMarketInProcess(t, chain, {
  origin: 'https://shop.example',
  'trusted-proxy': '127.0.0.1',
  'writes-per-second': '0',
});
const { merchants } = await boundMerchants(market, chain, accounts);
const [one, two] = merchants as [MarketClient, MarketClient];
await publish(one);
const port = Number(new URL(market.url).port);
/** Of the curve. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

t.test('signatures that are used again, bent, or of others', async (t) => {
  const target = '/market/product/1/members/leave';
  const body = '{"n":1}';
  const headers = signedHeaders(one.account, 'POST', target, body, one.timestamp());
  const send = (signature: string, more: Record<string, string> = {}) =>
    callMarket(market.url, 'POST', target, { body, headers: { ...headers, 'X-Market-Signature': signature, ...more } });
  const good = headers['X-Market-Signature'] as string;
  const s = BigInt(`0x${good.slice(66)}`);
  const header = Number.parseInt(good.slice(0, 2), 16) - 31;
  // Another signature of the same text by the same key, which anybody can make of the first.
  const bent = `${(31 + (header ^ 1)).toString(16)}${good.slice(2, 66)}${(ORDER - s).toString(16).padStart(64, '0')}`;
  const plain = `${(27 + header).toString(16)}${good.slice(2)}`;
  t.match(await send(bent), { code: 1 }, 'it is one of this key');
  for (const signature of [bent, good, plain, good.toUpperCase()]) {
    t.match(await send(signature), { status: 409, code: 1014 }, 'once is enough, however it is written');
  }
  for (const signature of ['', '0'.repeat(130), `00${good.slice(2)}`, `1f${'f'.repeat(128)}`, `${good}\u00e9`]) {
    t.match(await send(encodeURI(signature)), { status: 401, code: 1002 });
  }
  for (const account of [
    '1.2.0',
    '1.2.-1',
    '01.2.9',
    `${one.account.id} `.trim().concat('.0'),
    "1.2.9' or 1=1--",
    '1.3.9',
  ]) {
    t.match(await send(good, { 'X-Market-Account': account }), { status: 401, code: 1002 }, account);
  }
  const vote = signedHeaders(two.account, 'POST', '/market/product/vote', '{}', two.timestamp());
  const crossed = await callMarket(market.url, 'POST', '/market/merchant/delete', { body: '{}', headers: vote });
  t.match(crossed, { code: 1002 }, 'a signature for one call is none for another');
  t.match(await one.post('/market/product/create', product()), { code: 1 });
});

t.test('addresses that lead inside', async (t) => {
  const now = () => Date.now();
  for (const serviceUrl of [
    ...['http://127.0.0.1:8090/', 'http://localhost/', 'http://a.localhost/', 'http://0.0.0.0/', 'http://2130706433/'],
    ...['http://0x7f000001/', 'http://0177.0.0.1/', 'http://127.1/', 'http://[::1]/', 'http://[::ffff:127.0.0.1]/'],
    ...[
      'http://[::ffff:a9fe:a9fe]/',
      'http://169.254.169.254/latest/meta-data',
      'http://10.0.0.1/',
      'http://192.168.1.1/',
    ],
    ...['http://172.16.0.1/', 'http://100.64.0.1/', 'http://[fc00::1]/', 'http://[fe80::1]/', 'http://[fec0::1]/'],
    ...['http://[64:ff9b::7f00:1]/', 'http://[2002:7f00:1::]/', 'http://224.0.0.1/', 'http://255.255.255.255/'],
    ...[
      'http://metadata.google.internal/',
      'http://printer.local/',
      'http://router/',
      'http://127.0.0.1./',
      'http://localhost./',
    ],
    ...['http://user:pass@data.example/', 'http://data.example@127.0.0.1/', 'http://data.example\\@127.0.0.1/'],
    ...[
      'file:///etc/passwd',
      'gopher://data.example/',
      'javascript:alert(1)',
      '//data.example/',
      'http://',
      'http://data.example/#x',
    ],
    ...['http://data.example/\r\nHost: evil', 'http://data.example/|1.2.9', 'http://①②⑦.⓪.⓪.①/'],
  ]) {
    const body = bindBody(one.account, { merchantId: 1, serviceUrl, timestamp: now() });
    const answer = await callMarket(market.url, 'POST', '/market/account/bind', { body });
    t.match(answer, { status: 400, code: 1001, msg: /^INVALID_PARAMS: serviceUrl/ }, serviceUrl);
  }
  for (const serviceUrl of [
    'https://data.example:8443/source?x=1',
    'http://93.184.216.34/',
    'http://[2606:2800:220:1::1]/',
  ]) {
    t.match(await one.bind(serviceUrl), { code: 1 }, serviceUrl);
  }
});

const crc = (bytes: Buffer): number => {
  let value = ~0;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (0xedb88320 & -(value & 1));
  }
  return ~value >>> 0;
};

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const out = Buffer.alloc(8);
  out.writeUInt32BE(data.length, 0);
  out.writeUInt32BE(crc(body), 4);
  return Buffer.concat([out.subarray(0, 4), body, out.subarray(4)]);
}

/** Grey, with the size in its head and what unpacks to `bytes` in its data. */
function png(width: number, height: number, bytes = (width + 1) * height, more: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  const data = deflateSync(Buffer.alloc(bytes));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    more,
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A proper picture of so many bytes. */
function pngOf(bytes: number): Buffer {
  const rest = png(10, 10).length + 12;
  return png(10, 10, 110, chunk('tEXt', Buffer.alloc(bytes - rest, 'x')));
}

const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const WEBP = Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64');
const JPEG = Buffer.from(
  'ffd8ffe000104a46494600010100000100010000ffdb004300' +
    '01'.repeat(64) +
    'ffc0000b080001000101011100ffc40014000100000000000000000000000000000009ffc40014100100000000000000000000000000000000ffda0008010100003f0054dfffd9',
  'hex',
);

t.test('logos', async (t) => {
  const size = 204_800;
  const tryLogo = (logo: string) => one.post('/market/product/create', product({ logoImgBase64: logo }));
  const huge = Buffer.from(GIF);
  huge.writeUInt16LE(60_000, 6);
  huge.writeUInt16LE(60_000, 8);
  const many = Buffer.concat([GIF.subarray(0, 19 + 8), ...Array(5000).fill(GIF.subarray(27, -1)), GIF.subarray(-1)]);
  const wide = Buffer.from(JPEG);
  wide.writeUInt16BE(65_000, wide.indexOf('ffc0', 0, 'hex') + 5);
  wide.writeUInt16BE(65_000, wide.indexOf('ffc0', 0, 'hex') + 7);
  for (const [why, bytes] of [
    ['one byte too many', pngOf(size + 1)],
    ['a drawing with a script', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['an archive', gzipSync(Buffer.alloc(1000))],
    ['a page', Buffer.from('<html>GIF89a')],
    ['a PNG of ten thousand million pixels', png(100_000, 100_000, 100)],
    ['a PNG that unpacks to a thousand times its size', png(10, 10, 50_000_000)],
    ['a PNG with a packed profile', png(10, 10, 110, chunk('iCCP', deflateSync(Buffer.alloc(10_000_000))))],
    ['a PNG with packed texts', png(10, 10, 110, chunk('zTXt', deflateSync(Buffer.alloc(10_000_000))))],
    ['a PNG and an archive', Buffer.concat([png(10, 10), Buffer.from('PK\x03\x04')])],
    ['half a PNG', png(10, 10).subarray(0, 50)],
    ['a GIF of 60000 x 60000', huge],
    [
      'a GIF of very many frames on a large picture',
      Buffer.concat([many.subarray(0, 6), Buffer.from([0, 16, 0, 16]), many.subarray(10)]),
    ],
    ['a GIF and a page', Buffer.concat([GIF, Buffer.from('<script>')])],
    ['a JPEG of 65000 x 65000', wide],
    ['a JPEG and an archive', Buffer.concat([JPEG, Buffer.from('PK\x03\x04')])],
    ['half a JPEG', JPEG.subarray(0, 40)],
    ['a WebP that names another size', Buffer.concat([WEBP, Buffer.from('more')])],
  ] as const) {
    const answer = await tryLogo(bytes.toString('base64'));
    t.match(answer, { status: 413, code: 1011, msg: 'LOGO_INVALID' }, why);
  }
  const deep = png(4096, 1024, 50_000_000);
  deep[24] = 255;
  t.match(await tryLogo(deep.toString('base64')), { status: 413, code: 1011 }, 'a PNG of 255 bits for each sample');
  const unsigned = await fetch(`${market.url}/market/product/create`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(product({ logoImgBase64: 'no base64!' })),
  });
  t.match(await unsigned.json(), { code: 1002 }, 'nobody’s picture is looked at');
  for (const text of ['no base64!', 'AAAA AAAA', 'data:image/png;base64,', `${'A'.repeat(900_000)}`]) {
    t.match(await tryLogo(text), { status: 413, code: 1011 }, text.slice(0, 30));
  }
  for (const [type, bytes] of [
    ['image/png', pngOf(size)],
    ['image/gif', GIF],
    ['image/webp', WEBP],
    ['image/jpeg', JPEG],
  ] as const) {
    const answer = await tryLogo(`data:${type};base64,${bytes.toString('base64')}`);
    t.match(answer, { code: 1 }, `${type}: ${answer.msg}`);
    const { data } = await one.get<{ logoUrl: string }[]>('/market/product/list/0/1?limit=1');
    const found = await fetch(data[0]?.logoUrl ?? '');
    t.match(Object.fromEntries(found.headers), {
      'content-type': type,
      'x-content-type-options': 'nosniff',
      'cache-control': /immutable/,
    });
    t.equal(Buffer.compare(Buffer.from(await found.arrayBuffer()), bytes), 0);
  }
});

t.test('paths, queries and texts that want to be something else', async (t) => {
  for (const path of [
    '/market/static/logo/..%2f..%2fexchange.db',
    '/market/static/logo/%2e%2e/exchange.db',
    '/market/static/logo/../../exchange.db',
    `/market/static/logo/${'0'.repeat(64)}.png%00`,
    `/market/static/logo/${'a'.repeat(5000)}`,
    '/exchange.db',
    '/page/..%2f..%2fpackage.json',
  ]) {
    const answer = await fetch(`${market.url}${path}`);
    t.equal(answer.status, 404, path);
    t.notMatch(await answer.text(), /SQLite|trustnode/);
  }
  const evil = `x'); drop table product; --`;
  await one.post('/market/product/create', product({ productName: evil, brieDesc: '" or ""="' }));
  t.match((await one.get<object[]>('/market/product/list/0/1?limit=1')).data[0], { productName: evil });
  for (const target of [
    '/market/product/1%20or%201=1',
    '/market/product/list/0%27/1',
    "/market/dataexchange/log?productId=1'--",
    "/market/dataexchange/detail?requestId=a'%20or%20'1'='1",
    '/market/dataexchange/detail?txid=%27%20or%201=1',
    "/market/bill/month?date=2020-01'",
    '/market/product/all%27/votes/0',
    '/market/product/__proto__',
  ]) {
    t.match(await one.get(target), { status: 400, code: 1001 }, target);
  }
  const odd = product({ output: JSON.parse('{"__proto__": {"type": "string"}}') });
  t.match(await one.post('/market/product/create', odd), { code: 1001 });
  t.match(await one.post('/market/product/create', '{'), { code: 1001 });
  const named = { 'Idempotency-Key': 'a b' };
  t.match(await one.post('/market/product/create', product(), named), { code: 1001 });
  t.equal((await one.get('/market/category/list')).total, 1, 'all tables are there');
});

t.test('bodies that are too large, packed, slow, or of another type', async (t) => {
  const large = JSON.stringify(product({ more: 'x'.repeat(1_100_000) }));
  const headers = signedHeaders(one.account, 'POST', '/market/product/create', large, one.timestamp());
  const answer = await callMarket(market.url, 'POST', '/market/product/create', { body: large, headers }).catch(
    () => undefined,
  );
  t.ok(answer === undefined || (answer.status === 413 && answer.code === 1011), 'refused by its length');
  const packed = await fetch(`${market.url}/market/product/create`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
    body: gzipSync(Buffer.alloc(100_000, ' ')),
  });
  t.equal(packed.status, 400, 'nothing is unpacked');
  const deep = await callMarket(market.url, 'POST', '/market/product/create', { body: '['.repeat(100_000) });
  t.match(deep, { status: 400, code: 1001 });
  const slow = await RawClient.open(port);
  slow.write(
    'POST /market/product/vote HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
  );
  t.match(await one.get('/market/category/list'), { code: 1 }, 'nobody waits for somebody slow');
  slow.socket.destroy();
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    const sent = await callMarket(market.url, 'POST', '/market/product/vote', {
      body: '{}',
      headers: { 'Content-Type': type },
    });
    t.match(sent, { code: 1001 }, type);
  }
});

t.test('pages of others', async (t) => {
  for (const [origin, allowed] of [
    ['https://shop.example', 'https://shop.example'],
    ['https://evil.example', null],
    ['null', null],
  ] as const) {
    const asked = await fetch(`${market.url}/market/product/vote`, {
      method: 'OPTIONS',
      headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
    });
    t.equal(asked.headers.get('access-control-allow-origin'), allowed, origin);
    const answer = await fetch(`${market.url}/market/category/list`, { headers: { Origin: origin } });
    t.equal(answer.headers.get('access-control-allow-origin'), allowed);
    t.equal(answer.headers.get('access-control-allow-credentials'), null);
  }
  const rebound = await RawClient.open(port);
  rebound.write('GET /market/category/list HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n');
  await rebound.closed;
  t.match(rebound.text, /^HTTP\/1\.1 403/, 'a page that gives its own name this address');
});

t.test('too much at once', async (t) => {
  const held = await startMarketInProcess(t, chain, {
    'trusted-proxy': '127.0.0.1',
    'writes-per-second': '1',
    'reads-per-second': '1',
  });
  const far = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
  // All at once: how fast the machine is does not matter.
  const many = <V>(ask: () => Promise<V>) => Promise.all(Array.from({ length: 60 }, ask));
  const answers = await many(() => callMarket(held.url, 'GET', '/market/category/list', far('203.0.113.7')));
  const refused = answers.find(({ code }) => code === 1012);
  t.match([refused?.status, refused?.headers.get('retry-after')], [429, '1'], 'reads of one address');
  t.match(
    await callMarket(held.url, 'GET', '/market/category/list', far('203.0.113.8')),
    { code: 1 },
    'and of no other',
  );
  const client = new MarketClient(held.url, one.account, 1);
  await client.bind();
  const writes = await many(() => client.post('/market/notification/read', { ids: [1] }));
  t.ok(
    writes.some(({ code, status }) => code === 1012 && status === 429),
    'writes of one account',
  );
});

t.test('nothing secret in the log', async (t) => {
  const folder = t.testdir();
  const running = await startMarketProcess({ chain, dataDir: folder }, '--log-level', 'debug');
  const client = new MarketClient(running.url, one.account, 1);
  await client.bind('https://data.example/source?token=do-not-tell');
  await client.post('/market/product/create', product({ brieDesc: 'a private remark', categoryId: 5 }));
  const target = '/market/product/vote';
  const headers = signedHeaders(one.account, 'POST', target, '{"voteId":"secret text"}', client.timestamp());
  await callMarket(running.url, 'POST', target, { body: '{"voteId":"secret text"}', headers });
  t.equal(await running.stop(), 0);
  t.match(running.process.stderr, /a request was refused/, 'refusals are there');
  for (const secret of [
    'do-not-tell',
    'a private remark',
    'secret text',
    headers['X-Market-Signature'] as string,
    one.account.wif,
  ]) {
    t.notOk(running.process.stderr.includes(secret), secret.slice(0, 20));
  }
});
