import type { SeededRandom } from '../sim/random.js';

/** Raw HTTP: heads, bodies and pieces that are not what a client of good faith sends. */

export interface RawHttp {
  readonly kind: string;
  /** Sent one after the other, with pauses. */
  readonly pieces: readonly Buffer[];
}

const METHODS = ['POST', 'GET', 'OPTIONS', 'HEAD', 'PUT', 'BREW', 'post', '', 'CONNECT', 'POST\t'];
const PATHS = [
  '/',
  '/rpc',
  '/metrics',
  '*',
  '',
  '/%00',
  '/../../etc/passwd',
  `/${'a'.repeat(5000)}`,
  'http://x/',
  '/?',
];
const VERSIONS = ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9', 'http/1.1', ''];
const LINES = [
  'Host: 127.0.0.1',
  'Host: 127.0.0.1',
  'Host: a\r\nHost: b',
  'Host:',
  'Host: elsewhere.example',
  'Origin: http://elsewhere.example',
  'Sec-Fetch-Site: cross-site',
  'X-Forwarded-For: 192.0.2.1, ::1',
  'Forwarded: for="[2001:db8::1]:80";by=',
  'Connection: close',
  'Connection: keep-alive, upgrade',
  'Upgrade: websocket',
  'Upgrade: h2c',
  'Sec-WebSocket-Key: !',
  'Sec-WebSocket-Version: 99',
  'Content-Length: 10',
  'Content-Length: -1',
  'Content-Length: 0x10',
  'Content-Length: 99999999999999999999',
  'Content-Length: 5\r\nContent-Length: 6',
  'Content-Length: 5, 5',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: gzip',
  'Content-Encoding: gzip',
  'Content-Type: application/json',
  'Content-Type: \u0000',
  'Expect: 100-continue',
  'Authorization: Basic !!!',
  'Authorization: Basic YTpi',
  'Origin: null',
  ': empty',
  ' folded: line',
  'X-\u00ff: \u0001',
  `X-Long: ${'x'.repeat(9000)}`,
  'no colon',
  'X: a\nY: b',
  'X: a\rY: b',
];

function head(random: SeededRandom): string {
  const lines = Array.from({ length: random.below(6) }, () => random.pick(LINES));
  const end = random.pick(['\r\n', '\r\n', '\r\n', '\n', '\r']);
  const first = [random.pick(METHODS), random.pick(PATHS), random.pick(VERSIONS)].join(
    random.chance(0.95) ? ' ' : '  ',
  );
  return [first, ...lines, '', ''].join(end);
}

const good = (body: Buffer, more = ''): Buffer =>
  Buffer.concat([
    Buffer.from(`POST /rpc HTTP/1.1\r\nHost: 127.0.0.1\r\n${more}Content-Length: ${body.length}\r\n\r\n`),
    body,
  ]);

const CHUNK_SIZES = ['0', 'zz', '-1', 'ffffffffffffffff', '5;a=b', '', '00000000000000000005', '5 '];

function chunked(body: Buffer, random: SeededRandom): Buffer[] {
  const pieces: Buffer[] = [Buffer.from('POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n')];
  for (let at = 0; at < body.length; ) {
    const part = body.subarray(at, at + random.between(1, Math.max(1, body.length >> 2)));
    at += part.length;
    const size = random.chance(0.1) ? random.pick(CHUNK_SIZES) : part.length.toString(16);
    pieces.push(Buffer.concat([Buffer.from(`${size}\r\n`), part, Buffer.from(random.chance(0.95) ? '\r\n' : 'xx')]));
  }
  if (random.chance(0.8)) pieces.push(Buffer.from(random.pick(['0\r\n\r\n', '0\r\nX: y\r\n\r\n', '0\r\n', '0\n\n'])));
  // A piece each, or all at once.
  return random.chance(0.5) && pieces.length < 8 ? pieces : [Buffer.concat(pieces)];
}

function slow(body: Buffer, random: SeededRandom): Buffer[] {
  const bytes = good(body);
  const cuts = Array.from({ length: 4 }, () => random.below(bytes.length)).sort((a, b) => a - b);
  const pieces = [0, ...cuts].map((from, i) => bytes.subarray(from, cuts[i] ?? bytes.length));
  return random.chance(0.6) ? pieces : pieces.slice(0, -1);
}

/** `body` is a document of the other generator. */
export function rawHttp(body: Buffer, random: SeededRandom): RawHttp {
  switch (random.below(7)) {
    case 0:
    case 1:
      return { kind: 'http head', pieces: [Buffer.concat([Buffer.from(head(random), 'latin1'), body])] };
    case 2:
      return { kind: 'http chunked', pieces: chunked(body, random) };
    case 3: {
      const requests = Array.from({ length: random.between(2, 20) }, () => good(body.subarray(0, 2000)));
      if (random.chance(0.5)) requests.splice(random.below(requests.length), 0, Buffer.from(head(random), 'latin1'));
      return { kind: 'http pipelined', pieces: [Buffer.concat(requests)] };
    }
    case 4:
      return { kind: 'http slow', pieces: slow(body, random) };
    case 5: {
      // The length is that of less or more than comes.
      const text = good(body).toString('latin1');
      const wrong = text.replace(/Content-Length: \d+/, `Content-Length: ${body.length + random.between(-9, 9)}`);
      return { kind: 'http wrong length', pieces: [Buffer.from(wrong, 'latin1')] };
    }
    default: {
      const bytes = Buffer.from(good(body));
      for (let i = random.between(1, 5); i > 0; i--)
        bytes[random.below(Math.min(60, bytes.length))] = random.below(256);
      return { kind: 'http damaged', pieces: [bytes] };
    }
  }
}
