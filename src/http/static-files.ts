import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Header, HttpAnswer, HttpRequest, Intake, PartialHandler } from './handler.js';

/** A handful of small files for browsers, read and compressed once at start. */

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Nothing from elsewhere, and nobody may put the page into a frame. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' ws: wss:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Below it, the frame of the packed form eats up what is saved. */
const PACKED_BYTES_MIN = 1024;

interface StaticFile {
  readonly tag: string;
  readonly headers: readonly Header[];
  readonly body: Uint8Array;
  readonly packed: Uint8Array | undefined;
}

/** What the operator says to the page's scripts, in its head. */
export type PageMeta = Readonly<Record<string, string>>;

const attribute = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

function withMeta(html: Buffer, meta: PageMeta): Buffer {
  const lines = Object.entries(meta).map(
    ([name, content]) => `<meta name="${name}" content="${attribute(content)}" />`,
  );
  return Buffer.from(html.toString('utf8').replace('</head>', () => `${lines.join('')}</head>`));
}

function readStaticFile(path: string, type: string, policy: string, meta: PageMeta): StaticFile {
  const file = readFileSync(path);
  const body = extname(path) === '.html' ? withMeta(file, meta) : file;
  const tag = `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`;
  return {
    tag,
    headers: [
      ['Content-Type', type],
      ['Content-Security-Policy', policy],
      ['X-Content-Type-Options', 'nosniff'],
      ['Referrer-Policy', 'no-referrer'],
      ['Cache-Control', 'no-cache'],
      ['ETag', tag],
    ],
    body,
    packed: body.length < PACKED_BYTES_MIN ? undefined : gzipSync(body),
  };
}

export class StaticFiles implements PartialHandler {
  readonly #files = new Map<string, StaticFile>();
  readonly #prefix: string;

  /** `prefix` is the path of the folder, with a slash at both ends; `policy` what its pages may do. */
  constructor(folder: string, prefix: string, policy: string = POLICY, meta: PageMeta = {}) {
    this.#prefix = prefix;
    for (const name of readdirSync(folder)) {
      const type = TYPES[extname(name)];
      if (type !== undefined) this.#files.set(name, readStaticFile(join(folder, name), type, policy, meta));
    }
  }

  receive(request: HttpRequest): Intake | undefined {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    const file = this.#find(request.path, request.header('accept'));
    return file === undefined ? undefined : { body: 'none', answer: () => answerOf(file, request) };
  }

  /** API clients never ask for HTML, so any path that does is a browser's. */
  #find(path: string, accept: string): StaticFile | undefined {
    if (path.startsWith(this.#prefix)) return this.#files.get(path.slice(this.#prefix.length));
    return accept.includes('text/html') ? this.#files.get('index.html') : undefined;
  }
}

function answerOf({ tag, headers, body, packed }: StaticFile, request: HttpRequest): HttpAnswer {
  if (request.header('if-none-match') === tag) return { status: 304, headers, body: '' };
  const isPacked = packed !== undefined && /\bgzip\b/.test(request.header('accept-encoding'));
  const encoding: Header[] = isPacked ? [['Content-Encoding', 'gzip']] : [];
  return {
    status: 200,
    headers: [...headers, ...encoding, ['Vary', 'Accept-Encoding']],
    body: isPacked ? packed : body,
  };
}
