import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The web page that browsers get on the RPC port. A handful of small files, read once at start. */

export interface PageFile {
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Nothing from elsewhere, and nobody may put the page into a frame. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' ws: wss:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PREFIX = '/page/';

export class Page {
  readonly #files = new Map<string, PageFile>();

  constructor(folder: string) {
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

  /** API clients never ask for HTML, so any path that does is a browser's. */
  find(path: string, accept: string): PageFile | undefined {
    if (path.startsWith(PREFIX)) return this.#files.get(path.slice(PREFIX.length));
    return accept.includes('text/html') ? this.#files.get('index.html') : undefined;
  }
}

/** The page stands beside the sources: it is sent as it is, not compiled. */
export function pageFolder(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return join(folder, 'src', 'rpc', 'page');
    if (dirname(folder) === folder) throw new Error('the package has no package.json above its code');
  }
}
