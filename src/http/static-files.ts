import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Header, HttpRequest, Intake, PartialHandler } from './handler.js';

/** A handful of small files for browsers, read once at start and sent as they are. */

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Nothing from elsewhere, and nobody may put the page into a frame. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' ws: wss:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

interface StaticFile {
  readonly headers: readonly Header[];
  readonly body: Uint8Array;
}

export class StaticFiles implements PartialHandler {
  readonly #files = new Map<string, StaticFile>();
  readonly #prefix: string;

  /** `prefix` is the path of the folder, with a slash at both ends. */
  constructor(folder: string, prefix: string) {
    this.#prefix = prefix;
    for (const name of readdirSync(folder)) {
      const type = TYPES[extname(name)];
      if (type === undefined) continue;
      this.#files.set(name, {
        headers: [
          ['Content-Type', type],
          ['Content-Security-Policy', POLICY],
          ['X-Content-Type-Options', 'nosniff'],
          ['Cache-Control', 'no-cache'],
        ],
        body: readFileSync(join(folder, name)),
      });
    }
  }

  receive(request: HttpRequest): Intake | undefined {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    const file = this.#find(request.path, request.header('accept'));
    return file === undefined ? undefined : { body: 'none', answer: () => ({ status: 200, ...file }) };
  }

  /** API clients never ask for HTML, so any path that does is a browser's. */
  #find(path: string, accept: string): StaticFile | undefined {
    if (path.startsWith(this.#prefix)) return this.#files.get(path.slice(this.#prefix.length));
    return accept.includes('text/html') ? this.#files.get('index.html') : undefined;
  }
}
