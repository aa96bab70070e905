// What a browser has in the place of modules of the package and of Node, for the pages that are built of them.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = dirname(fileURLToPath(import.meta.url));
const platform = (name) => join(SOURCE, 'platform', name);

/** Modules of the package that a page cannot have as they are, and who takes their place. */
const STANDINS = {
  // Pages may not make code of texts.
  'field-functions': join(SOURCE, '..', 'codec', 'field-loops.ts'),
  // Browsers have WebSockets of their own.
  'client-socket': platform('client-socket.ts'),
  'native-secp256k1': platform('native-secp256k1.ts'),
  'system-secp256k1': platform('system-secp256k1.ts'),
};

/** For esbuild: how every page is made. */
export const browserPlatform = {
  bundle: true,
  format: 'esm',
  target: ['es2022'],
  minify: true,
  legalComments: 'inline',
  logLevel: 'warning',
  plugins: [
    {
      name: 'stand-ins',
      setup: ({ onResolve }) => {
        const filter = new RegExp(`/(?:${Object.keys(STANDINS).join('|')})\\.js$`);
        onResolve({ filter }, ({ path }) => ({ path: STANDINS[path.slice(path.lastIndexOf('/') + 1, -3)] }));
      },
    },
  ],
  inject: [platform('buffer.ts')],
  alias: { 'node:crypto': platform('crypto.ts') },
};
