import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import { WebSocket } from 'ws';
import type { JsonObject } from '../../src/codec/json.js';
import { walletVector } from '../support/wallet-vectors.js';
import { linkTo, openRecorded, recordedChain } from './support/frozen.js';
import { errorParts } from './support/frozen-session.js';
import { serve, TLS } from './support/served.js';

/** What was sent to the three servers of the reference's wallet, byte by byte, sent to ours. */

interface Exchange {
  readonly port?: '-H' | '-r' | '-t';
  readonly name: string;
  readonly verb?: string;
  readonly path: string;
  readonly headers: readonly string[] | null;
  readonly content_length: boolean;
  readonly body: string;
  readonly response: string;
  /** What is no text frame was recorded as `(opcode, 'text')`. */
  readonly frames?: readonly { readonly sent: string; readonly got: string | null }[];
}

const exchanges = gunzipSync(readFileSync(walletVector('endpoints.jsonl.gz')))
  .toString('utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Exchange);

const { wallet, remove } = await openRecorded('10-frozen-start.json', linkTo(recordedChain()), 1_795_294_135_000);
t.teardown(remove);
const plain = await serve(wallet, 'http');
const rpc = await serve(wallet, 'rpc');
const tls = await serve(wallet, 'rpc', TLS);
t.teardown(async () => {
  for (const server of [plain, rpc, tls]) await server.close();
});

/** Where ours answers something else on purpose, over both servers or over one, and why. */
const OURS: Readonly<Record<string, string>> = {
  origin: 'pages are refused unless they are named',
  chunked: 'bodies in chunks are read',
  'unicode escape': 'texts are JSON',
  'two documents': 'what stands behind the document is not passed over',
  'no content-length': 'bytes that belong to no request end the connection',
  'nesting 210': 'documents may be deeper',
  'params null': 'null is as good as nothing',
  '-H no id': 'no id is answered with null, not with some number of the process',
  '-H null id': 'no id is answered with null, not with some number of the process',
  '-r GET without body': 'an error is a JSON document',
  '-r OPTIONS': 'an error is a JSON document',
  '-r empty body': 'an error is a JSON document',
  '-r bad JSON': 'an error is a JSON document',
  '-r array': 'an error is a JSON document',
  '-r batch': 'an error is a JSON document',
  '-r string': 'an error is a JSON document',
  '-r no method': 'an error is a JSON document',
  '-r text id': 'an error is a JSON document',
  '-r params object': 'an error is a JSON document',
};

/** The status, and the body: of errors what programs look at. */
function read(response: string): { readonly status: string; readonly type: string; readonly body: unknown } {
  const [head = '', body = ''] = response.split(/\r\n\r\n/s);
  const status = head.split(' ')[1] ?? '';
  const type = /^content-type: (.*)\r?$/im.exec(head)?.[1] ?? '';
  if (!body.startsWith('{')) return { status, type, body };
  const document = JSON.parse(body) as JsonObject;
  const { error, ...rest } = document;
  if (error === undefined) return { status, type, body };
  const { code, message } = error as JsonObject;
  const told = String(message).split('\n').slice(0, 2);
  return {
    status,
    type,
    body: { members: Object.keys(document), rest, code, told, parts: errorParts(error as JsonObject) },
  };
}

function send(port: number, { verb, path, headers, content_length, body }: Exchange): Promise<string> {
  return new Promise((done, failed) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const bytes = Buffer.byteLength(body);
    const lines = [`${verb} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...(headers ?? [])];
    if (content_length) lines.push(`Content-Length: ${bytes}`);
    // Whether the connection stays open is the server's affair; here it has to end.
    if (!lines.some((line) => line.startsWith('Connection:'))) lines.push('Connection: close');
    socket.setEncoding('utf8').on('data', (more: string) => {
      text += more.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '');
      const wanted = /content-length: (\d+)\r\n/i.exec(text)?.[1];
      const [, got = ''] = text.split(/\r\n\r\n/s);
      if (wanted !== undefined && Buffer.byteLength(got) >= Number(wanted)) socket.end();
    });
    socket.on('error', failed).on('close', () => done(text));
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  });
}

const tried = new Set<string>();

for (const exchange of exchanges) {
  const { port: option, name, verb, response } = exchange;
  if (verb === undefined || option === undefined || option === '-t') continue;
  t.test(`${option} ${name}`, async (t) => {
    const found = read(await send(option === '-H' ? plain.port : rpc.port, exchange));
    const wanted = read(response);
    const why = [name, `${option} ${name}`].find((one) => one in OURS);
    if (why === undefined) {
      t.equal(found.status, wanted.status);
      t.same(found.body, wanted.body);
      // Of the other servers the reference tells no type at all.
      if (wanted.type !== '') t.equal(found.type, wanted.type);
      return;
    }
    tried.add(why);
    t.notSame([found.status, found.body], [wanted.status, wanted.body], OURS[why] ?? '');
    if (OURS[why] === 'an error is a JSON document') {
      t.match(found, { status: '200', body: { members: ['id', 'jsonrpc', 'error'], code: 1 } });
    }
  });
}

t.test('all differences occur', async (t) => {
  t.same(
    Object.keys(OURS).filter((name) => !tried.has(name)),
    [],
  );
});

const sessions = exchanges.filter(({ frames }) => frames !== undefined);

for (const { port: option, frames = [] } of sessions) {
  t.test(`${option} WebSocket`, async (t) => {
    const url = option === '-t' ? `wss://127.0.0.1:${tls.port}` : `ws://127.0.0.1:${rpc.port}`;
    const socket = new WebSocket(url, { rejectUnauthorized: false });
    t.teardown(() => socket.terminate());
    await once(socket, 'open');
    const ask = async (document: string | Buffer): Promise<JsonObject> => {
      const answer = once(socket, 'message');
      socket.send(document);
      const [data] = (await answer) as [Buffer];
      return JSON.parse(data.toString()) as JsonObject;
    };
    for (const { sent, got } of frames) {
      const [, other, inner = ''] = /^\((\d), '(.*)'\)$/.exec(sent) ?? [];
      const [opcode, text] = other === undefined ? [1, sent] : [Number(other), inner];
      if (opcode === 9) {
        const pong = once(socket, 'pong');
        socket.ping(text);
        t.equal(String((await pong)[0]), got);
        continue;
      }
      if (got === null) {
        // A request without an id is not answered: the next answer is that to the next question. Ours says of others what is wrong.
        if (text.includes('"method"')) socket.send(text);
        else t.match(await ask(text), { id: null, error: { code: 1 } }, text);
        continue;
      }
      const found = await ask(opcode === 2 ? Buffer.from(text) : text);
      const wanted = JSON.parse(got) as JsonObject;
      if (wanted.error === undefined) t.same(found, wanted, text);
      else {
        t.equal(found.id, wanted.id);
        const message = (document: JsonObject) => (document.error as JsonObject).message;
        t.equal(message(found), message(wanted), text);
        t.same(errorParts(found.error as JsonObject), errorParts(wanted.error as JsonObject));
      }
    }
  });
}

t.test('both were recorded', async (t) => {
  t.same(
    sessions.map(({ port }) => port),
    ['-r', '-t'],
  );
});
