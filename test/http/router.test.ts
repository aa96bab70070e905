import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import { type ChainError, fail } from '../../src/base/errors.js';
import { optional } from '../../src/codec/containers.js';
import { parseJson } from '../../src/codec/json.js';
import { u32, u64 } from '../../src/codec/scalars.js';
import { struct } from '../../src/codec/struct.js';
import { contentAnswer, jsonAnswer } from '../../src/http/answers.js';
import { HTTP_ERRORS } from '../../src/http/errors.js';
import { Gate } from '../../src/http/gate.js';
import type { HttpAnswer } from '../../src/http/handler.js';
import { Router } from '../../src/http/router.js';
import { jsonBody, route, streamBody } from '../../src/http/routes.js';
import { eventually } from '../support/eventually.js';
import { FakeClock } from '../support/fake-clock.js';
import { ask, RawClient } from './support/ask.js';
import { fileContent } from './support/file-content.js';
import { serveHandler } from './support/serve-handler.js';
import { transports } from './support/servers.js';

/** A service of the kind that stands beside a node, held on every server. */

const folder = mkdtempSync(join(tmpdir(), 'trustnode-router-'));
t.teardown(() => rmSync(folder, { recursive: true }));

const FILE_BYTES = 8_000_000;
const file = Buffer.alloc(FILE_BYTES);
for (let at = 0; at < FILE_BYTES; at += 4) file.writeUInt32LE(at, at);
writeFileSync(join(folder, 'large'), file);
writeFileSync(join(folder, 'empty'), '');

const voteOf = struct('vote', { agree: u32, voteId: u64 });
const pageOf = struct('page', { page: optional(u32), limit: optional(u32) });
const productOf = struct('product', { productId: u32 });

const say = (body: string, status = 200): HttpAnswer => ({ status, headers: [['Content-Type', 'text/plain']], body });

interface Seen {
  aborted: number;
}

function routes(seen: Seen) {
  return [
    route({
      method: 'GET',
      pattern: '/market/product/:productId',
      path: productOf,
      run: ({ path, request }) => jsonAnswer(request, JSON.stringify({ productId: path.productId })),
    }),
    route({
      method: 'GET',
      pattern: '/market/product/list',
      query: pageOf,
      run: ({ query, request }) => jsonAnswer(request, JSON.stringify([query.page ?? 1, query.limit ?? 20])),
    }),
    route({
      method: 'POST',
      pattern: '/market/product/vote',
      body: jsonBody(voteOf, 1000),
      run({ body, raw, target, request }) {
        const hash = createHash('sha256').update(raw).digest('hex');
        return jsonAnswer(request, JSON.stringify([body.agree, String(body.voteId), target, hash]), 201);
      },
    }),
    route({
      method: 'GET',
      pattern: '/data/:cid',
      async run({ path, request }) {
        const content = await fileContent(join(folder, path.cid as string), 'application/octet-stream');
        if (content === undefined) fail(HTTP_ERRORS.http_path, { path: request.path });
        const name = `attachment; filename="${path.cid}.baas"`;
        return contentAnswer(request, content, [['Content-Disposition', name]]);
      },
    }),
    route({ method: 'GET', pattern: '/files/*rest', run: ({ path }) => say(path.rest as string) }),
    route({ method: 'GET', pattern: '/long', run: ({ request }) => jsonAnswer(request, `"${'x'.repeat(10_000)}"`) }),
    route({
      method: 'POST',
      pattern: '/store',
      body: streamBody(FILE_BYTES, 'application/octet-stream'),
      async run({ body }) {
        const hash = createHash('sha256');
        for await (const piece of body) hash.update(piece);
        return say(hash.digest('hex'));
      },
    }),
    route({
      method: 'PUT',
      pattern: '/store',
      body: streamBody(100, 'image/png', 'image/jpeg'),
      async run({ body }) {
        let length = 0;
        for await (const piece of body) length += piece.length;
        return say(String(length));
      },
    }),
    route({
      method: 'GET',
      pattern: '/slow',
      run: ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            seen.aborted++;
            resolve(say('too late'));
          });
        }),
    }),
    route({
      method: 'GET',
      pattern: '/fails',
      run() {
        throw new Error('a bug');
      },
    }),
    route({
      method: 'GET',
      pattern: '/private',
      run({ request }) {
        return request.header('authorization') === 'Bearer me' ? say('secret') : say('who are you', 401);
      },
    }),
  ];
}

function routerOf(seen: Seen, gate?: Gate): Router {
  return new Router(routes(seen), {
    parseJson,
    refusal: (_request, status, error: ChainError) => ({
      status,
      headers: [['Content-Type', 'application/json']],
      body: JSON.stringify({ code: error.key, at: error.path }),
    }),
    cors: { origin: '*', headers: ['Content-Type', 'X-Market-Signature'], exposed: ['X-Request-Id'] },
    ...(gate === undefined ? {} : { gate }),
  });
}

for (const transport of transports) {
  t.test(transport.name, async (t) => {
    const seen = { aborted: 0 };
    const { port, log, memory } = await serveHandler(transport, t, routerOf(seen));
    const get = (path: string, headers: Record<string, string> = {}) => ask(port, { method: 'GET', path, headers });

    t.test('paths, queries and their types', async (t) => {
      const product = await get('/market/product/17');
      t.equal(product.text, '{"productId":17}');
      t.equal(product.headers['content-type'], 'application/json');
      t.equal(product.headers['access-control-allow-origin'], '*');
      t.equal(product.headers['access-control-expose-headers'], 'X-Request-Id');
      t.equal((await get('/market/product/list')).text, '[1,20]', 'a word that is spelled out goes first');
      t.equal((await get('/market/product/list?page=3&limit=5&other=x')).text, '[3,5]');
      t.equal((await get('/files/a/b%20c/%C3%A9')).text, 'a/b c/é');
      const statuses: [string, number, string][] = [
        ['/market/product/x', 400, 'json_integer'],
        ['/market/product/', 404, 'http_path'],
        ['/market/product/1/', 404, 'http_path'],
        ['/market//product/1', 404, 'http_path'],
        ['/market/product/%ff', 400, 'http_path_encoding'],
        ['/market/product/list?page=%zz', 400, 'http_path_encoding'],
        ['/market/product/list?page=1&page=2', 400, 'http_query_twice'],
        ['/market/product/list?page=x', 400, 'json_integer'],
        ['/market/product/list?__proto__=1&toString=2', 200, ''],
        ['/', 404, 'http_path'],
        ['/market', 404, 'http_path'],
      ];
      for (const [path, status, code] of statuses) {
        const answer = await get(path);
        t.equal(answer.status, status, path);
        if (status !== 200) t.equal(JSON.parse(answer.text).code, code, path);
        t.equal(answer.headers['access-control-allow-origin'], '*', 'pages can read refusals');
      }
      t.equal(JSON.parse((await get('/market/product/list?page=x')).text).at, 'page');
    });

    t.test('methods', async (t) => {
      const wrong = await ask(port, { method: 'DELETE', path: '/store' });
      t.equal(wrong.status, 405);
      t.equal(wrong.headers.allow, 'POST, PUT, OPTIONS');
      t.equal((await ask(port, { method: 'POST', path: '/market/product/17' })).headers.allow, 'GET, HEAD, OPTIONS');
      const head = await ask(port, { method: 'HEAD', path: '/market/product/17' });
      t.match([head.status, head.headers['content-length'], head.text], [200, '16', '']);
      const preflight = await ask(port, {
        method: 'OPTIONS',
        path: '/store',
        headers: { Origin: 'https://x.example' },
      });
      t.equal(preflight.status, 204);
      t.equal(preflight.headers['access-control-allow-methods'], 'POST, PUT, OPTIONS');
      t.equal(preflight.headers['access-control-allow-headers'], 'Content-Type, X-Market-Signature');
      t.equal((await ask(port, { method: 'OPTIONS', path: '/nowhere' })).status, 404);
    });

    t.test('bodies of JSON', async (t) => {
      const path = '/market/product/vote?x=%20';
      const body = '{"agree":1,"voteId":5247992605059325062}';
      const vote = await ask(port, { path, body, headers: { 'Content-Type': 'Application/JSON; charset=utf-8' } });
      t.equal(vote.status, 201);
      const hash = createHash('sha256').update(body).digest('hex');
      t.same(JSON.parse(vote.text), [1, '5247992605059325062', path, hash], 'no digit is lost');
      t.equal((await ask(port, { path, body })).status, 201, 'who names no type is taken at the route’s word');
      const refusals: [string | Buffer, Record<string, string>, number, string][] = [
        ['{"agree":', {}, 400, 'json_syntax'],
        ['', {}, 400, 'json_syntax'],
        ['{"agree":"x"}', {}, 400, 'json_integer'],
        ['[]', {}, 400, 'json_kind'],
        [body, { 'Content-Type': 'text/plain' }, 415, 'http_media_type'],
        [Buffer.from([0x22, 0xff, 0x22]), {}, 415, 'http_media_type'],
        [`{"agree":${' '.repeat(1000)}1}`, {}, 413, 'http_request_size'],
      ];
      for (const [given, headers, status, code] of refusals) {
        const answer = await ask(port, { path, body: given, headers });
        t.equal(answer.status, status, `${given}`);
        if (code !== 'json_kind') t.equal(JSON.parse(answer.text).code, code, `${given}`);
        t.equal(answer.headers['access-control-allow-origin'], '*');
      }
    });

    t.test('uploads', async (t) => {
      const hash = createHash('sha256').update(file).digest('hex');
      const headers = { 'Content-Type': 'application/octet-stream' };
      t.equal((await ask(port, { path: '/store', body: file, headers })).text, hash);
      t.equal((await ask(port, { path: '/store', body: [file.subarray(0, 9), file.subarray(9)] })).text, hash);
      t.equal((await ask(port, { path: '/store', body: [file, 'x'] }).catch(() => ({ status: 413 }))).status, 413);
      t.equal((await ask(port, { path: '/store', headers: { 'Content-Type': 'a/b' } })).status, 415);
      const png = { 'Content-Type': 'image/png' };
      t.equal((await ask(port, { method: 'PUT', path: '/store', body: 'abc', headers: png })).text, '3');
      await eventually('nothing is held', () => memory.bytes === 0);
    });

    t.test('downloads and their parts', async (t) => {
      const whole = await get('/data/large');
      t.ok(whole.body.equals(file));
      t.match(whole.headers, {
        'content-length': String(FILE_BYTES),
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment; filename="large.baas"',
        'accept-ranges': 'bytes',
      });
      const tag = whole.headers.etag as string;
      const last = FILE_BYTES - 1;
      const parts: [string, number, number][] = [
        ['bytes=0-0', 0, 1],
        ['bytes=5-1000004', 5, 1_000_005],
        [`bytes=${last}-`, last, FILE_BYTES],
        ['bytes=-10', FILE_BYTES - 10, FILE_BYTES],
        [`bytes=10-${FILE_BYTES + 5}`, 10, FILE_BYTES],
        [`bytes=-${FILE_BYTES * 2}`, 0, FILE_BYTES],
      ];
      for (const [range, from, to] of parts) {
        const part = await get('/data/large', { Range: range });
        t.equal(part.status, 206, range);
        t.ok(part.body.equals(file.subarray(from, to)), range);
        t.equal(part.headers['content-range'], `bytes ${from}-${to - 1}/${FILE_BYTES}`);
      }
      for (const range of ['bytes=5-4', 'bytes=1-2,4-5', 'items=1-2', 'bytes=-', 'bytes=x-1']) {
        t.equal((await get('/data/large', { Range: range })).body.length, FILE_BYTES, `${range} is passed over`);
      }
      for (const range of [`bytes=${FILE_BYTES}-`, 'bytes=-0']) {
        const none = await get('/data/large', { Range: range });
        t.equal(none.status, 416, range);
        t.equal(JSON.parse(none.text).code, 'http_range');
      }
      t.equal((await get('/data/large', { Range: 'bytes=0-4', 'If-Range': tag })).body.length, 5);
      t.equal((await get('/data/large', { Range: 'bytes=0-4', 'If-Range': '"old"' })).body.length, FILE_BYTES);
      const same = await get('/data/large', { 'If-None-Match': `"x", W/${tag}` });
      t.match([same.status, same.text, same.headers.etag], [304, '', tag]);
      t.equal((await get('/data/empty')).text, '');
      t.equal((await get('/data/empty', { Range: 'bytes=0-0' })).status, 416);
      const head = await ask(port, { method: 'HEAD', path: '/data/large' });
      t.equal(head.headers['content-length'], String(FILE_BYTES));
      t.equal((await get('/data/none')).status, 404);
      t.equal((await get('/data/..')).status, 404, 'a folder is no file');
    });

    t.test('a file that shrinks while it is sent', async (t) => {
      const path = join(folder, 'shrinks');
      writeFileSync(path, Buffer.alloc(50_000_000));
      const client = new RawClient(port);
      client.socket.pause();
      client.write('GET /data/shrinks HTTP/1.1\r\nHost: localhost\r\n\r\n');
      // A connection on which nothing happens counts for less.
      await eventually('it is under way', () => memory.bytes > 60_000);
      truncateSync(path, 1000);
      client.socket.resume();
      await client.closed;
      t.ok(client.received.length < 50_000_000, 'the client sees that it is not whole');
      t.ok(log.texts('error').includes('an answer broke off'));
    });

    t.test('compression, authorization, bugs, clients that go away', async (t) => {
      const packed = await get('/long', { 'Accept-Encoding': 'gzip' });
      t.equal(gunzipSync(packed.body).length, 10_002);
      t.equal((await get('/private')).status, 401);
      t.equal((await get('/private', { Authorization: 'Bearer me' })).text, 'secret');
      const bug = await get('/fails');
      t.equal(bug.status, 500);
      t.equal(JSON.parse(bug.text).code, 'http_bug');
      t.equal(bug.headers['access-control-allow-origin'], '*');
      const client = await RawClient.open(port);
      client.write('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await new Promise((resolve) => setTimeout(resolve, 20));
      client.socket.destroy();
      await eventually('the route is told', () => seen.aborted === 1);
    });

    t.test('a rate per address', async (t) => {
      const limits = { connections_max: 1, connections_per_address_max: 0, requests_per_second: 1, requests_burst: 2 };
      const limited = await serveHandler(transport, t, routerOf(seen, new Gate(limits, new FakeClock())));
      const statuses: number[] = [];
      for (let n = 0; n < 3; n++) {
        const headers = { 'X-Forwarded-For': '9.9.9.9' };
        statuses.push((await ask(limited.port, { method: 'GET', path: '/long', headers })).status);
      }
      t.same(statuses, [200, 200, 429]);
    });
  });
}

t.test('patterns that cannot be meant', async (t) => {
  const run = () => say('');
  const options = { parseJson, refusal: () => say('') };
  const one = route({ method: 'GET', pattern: '/a/:b', run });
  t.throws(() => new Router([one, route({ method: 'GET', pattern: '/a/:c', run })], options), /is there once/);
  t.throws(() => new Router([route({ method: 'GET', pattern: '/*a/b', run })], options), /last segment/);
  t.throws(() => route({ method: 'GET', pattern: 'a', run }), /begins with a slash/);
});
