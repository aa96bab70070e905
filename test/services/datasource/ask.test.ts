import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createRawServer } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { knownByUrl } from '../../../src/services/datasource/knows.js';
import { openSealed } from '../../../src/trade/packets.js';
import { MemoryLog } from '../../support/memory-log.js';
import { answererWith, buyer, question, seller } from '../support/answerer.js';

/** `--ask`: the seller's own program behind HTTP, as it should be, as it fails, and as somebody else has made it. */

const LIMITS = { 'ask-bytes-max': 10_000 };

async function program(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const bodyOf = (request: IncomingMessage): Promise<string> => textOf(request);

t.test('asked with what the buyer wants to know, and what it says is sealed', async (t) => {
  const asked: { readonly method: string | undefined; readonly type: string | undefined; readonly body: string }[] = [];
  const url = await program(t, (request, answer) => {
    void bodyOf(request).then((body) => {
      asked.push({ method: request.method, type: request.headers['content-type'], body });
      answer.end('{"big":9223372036854775807,"text":"Ærø"}');
    });
  });
  const answerer = answererWith(knownByUrl(url, LIMITS));
  const one = question('5', { name: 'alice' });
  const found = await answerer.answer(one);
  const bytes = openSealed(buyer, seller.publicKey, one.nonce, String(found?.data));
  t.equal(Buffer.from(bytes).toString(), '{"big":9223372036854775807,"text":"Ærø"}', 'no digit is lost');
  t.match(asked, [{ method: 'POST', type: 'application/json' }]);
  t.same(JSON.parse(asked[0]?.body ?? ''), {
    productId: 1,
    params: { name: 'alice' },
    buyer: '1.2.17',
    requestId: 'x',
  });
});

t.test('nothing to tell', async (t) => {
  for (const [status, body] of [
    [204, undefined],
    [404, 'no such thing'],
    [200, 'null'],
  ] as const) {
    const url = await program(t, (_, answer) => {
      answer.statusCode = status;
      answer.end(body);
    });
    const answerer = answererWith(knownByUrl(url, LIMITS));
    t.equal(await answerer.answer(question('1', { name: 'x' })), undefined, `${status} ${body}`);
  }
});

t.test('the largest answer', async (t) => {
  const json = JSON.stringify('x'.repeat(LIMITS['ask-bytes-max'] - 2));
  const url = await program(t, (_, answer) => void answer.end(json));
  t.ok(await answererWith(knownByUrl(url, LIMITS)).answer(question('1', { name: 'x' })));
  const shorter = { 'ask-bytes-max': LIMITS['ask-bytes-max'] - 1 };
  await t.rejects(answererWith(knownByUrl(url, shorter)).answer(question('1', { name: 'x' })));
});

let elsewhere = 0;
const inside = await program(t, (_, answer) => {
  elsewhere++;
  answer.end('"from elsewhere"');
});

const redirect =
  (status: number): RequestListener =>
  (_, answer) => {
    answer.writeHead(status, { Location: inside });
    answer.end();
  };

const FAILURES: readonly (readonly [what: string, why: RegExp, listener: RequestListener])[] = [
  ...[301, 302, 303, 307, 308].map((status) => [`${status} to elsewhere`, /fetch failed/, redirect(status)] as const),
  ['a failure', /answers with status 500/, (_, answer) => void answer.writeHead(500).end('{"secret":"hunter2"}')],
  ['another kind of success', /answers with status 201/, (_, answer) => void answer.writeHead(201).end('{}')],
  ['no JSON', /the answer is no JSON/, (_, answer) => void answer.end('<html>hunter2</html>')],
  ['nothing at all', /the answer is no JSON/, (_, answer) => void answer.end()],
  ['half of it', /the answer is no JSON/, (_, answer) => void answer.end('{"a":')],
  ['no text', /not valid/, (_, answer) => void answer.end(Buffer.from([0x22, 0xff, 0x22]))],
  [
    'an end in the middle',
    /terminated/,
    (_, answer) => {
      answer.writeHead(200, { 'Content-Length': '100' });
      answer.write('{"a":');
      setImmediate(() => answer.destroy());
    },
  ],
  ['too long', /more than 10000 bytes/, (_, answer) => void answer.end(JSON.stringify('x'.repeat(10_000)))],
  [
    'packed so that it is too long afterwards',
    /more than 10000 bytes/,
    (_, answer) => {
      answer.writeHead(200, { 'Content-Encoding': 'gzip' });
      answer.end(gzipSync(JSON.stringify('x'.repeat(10_000_000))));
    },
  ],
  [
    'without an end',
    /more than 10000 bytes/,
    (_, answer) => {
      const more = (): void => {
        if (!answer.destroyed) answer.write('x'.repeat(1000), () => setImmediate(more));
      };
      more();
    },
  ],
];

for (const [what, why, listener] of FAILURES) {
  t.test(`wrong: ${what}`, async (t) => {
    let asked = 0;
    const url = await program(t, (request, answer) => {
      asked++;
      listener(request, answer);
    });
    const log = new MemoryLog();
    const answerer = answererWith(knownByUrl(url, LIMITS), { log });
    const one = question('1', { name: 'x' });
    for (const times of [1, 2]) {
      // What the program says in its distress is the seller's alone.
      const told = { message: 'it could not be found out: the program behind this source has failed' };
      await t.rejects(answerer.answer(one), told);
      t.equal(asked, times, 'a failure is nobody’s answer for ever');
    }
    t.match(String(log.entries.find(({ level }) => level === 'warn')?.values.error), why, 'the log knows');
    t.equal(elsewhere, 0, 'nobody is sent elsewhere');
  });
}

t.test('silence, before the answer and in the middle of it', async (t) => {
  for (const isBegun of [false, true]) {
    const gone: Promise<unknown>[] = [];
    const url = await program(t, (request, answer) => {
      gone.push(once(request.socket, 'close'));
      if (isBegun) answer.write('{"a":');
    });
    const answerer = answererWith(knownByUrl(url, LIMITS), { timeoutMs: 300 });
    await t.rejects(answerer.answer(question('1', { name: 'x' })), { message: /it takes too long$/ });
    // The wire is cut: a program that hangs holds nothing of this source.
    t.equal((await Promise.all(gone)).length, 1);
  }
});

t.test('nobody, and somebody who speaks something else', async (t) => {
  const raw = createRawServer((socket) => void socket.end('SSH-2.0-OpenSSH\r\n'));
  raw.listen(0, '127.0.0.1');
  await once(raw, 'listening');
  t.teardown(() => raw.close());
  for (const port of [1, (raw.address() as AddressInfo).port]) {
    const answerer = answererWith(knownByUrl(`http://127.0.0.1:${port}/`, LIMITS));
    await t.rejects(answerer.answer(question('1', { name: 'x' })), {
      message: /program behind this source has failed$/,
    });
  }
});
