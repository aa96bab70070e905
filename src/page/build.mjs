// Makes the page that the market serves: one script of the page's own modules and those of the package that it stands
// on, with what a browser has in the place of Node's modules. Why one file: docs/decisions/market-page.md.
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const SOURCE = dirname(fileURLToPath(import.meta.url));
const TARGET = join(SOURCE, '..', '..', 'dist', 'src', 'page');
const platform = (name) => join(SOURCE, 'platform', name);

/** Modules of the package that a page cannot have as they are, and who takes their place. */
const STANDINS = {
  // Pages may not make code of texts.
  'field-functions': join(SOURCE, '..', 'codec', 'field-loops.ts'),
  'native-secp256k1': platform('native-secp256k1.ts'),
  'system-secp256k1': platform('system-secp256k1.ts'),
};
const standIns = {
  name: 'stand-ins',
  setup: ({ onResolve }) => {
    const filter = new RegExp(`/(?:${Object.keys(STANDINS).join('|')})\\.js$`);
    onResolve({ filter }, ({ path }) => ({ path: STANDINS[path.slice(path.lastIndexOf('/') + 1, -3)] }));
  },
};

mkdirSync(TARGET, { recursive: true });
for (const name of ['index.html', 'style.css', 'icon.svg']) copyFileSync(join(SOURCE, name), join(TARGET, name));
await build({
  entryPoints: [join(SOURCE, 'app.ts')],
  outfile: join(TARGET, 'app.js'),
  bundle: true,
  format: 'esm',
  target: ['es2022'],
  minify: true,
  legalComments: 'inline',
  logLevel: 'warning',
  plugins: [standIns],
  inject: [platform('buffer.ts')],
  alias: { 'node:crypto': platform('crypto.ts') },
});
