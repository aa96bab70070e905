// Makes the page that the market serves: one script of the page's own modules and those of the package that it stands
// on, with what a browser has in the place of Node's modules. Why one file: docs/decisions/market-page.md.
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { browserPlatform } from './stand-ins.mjs';

const SOURCE = dirname(fileURLToPath(import.meta.url));
const TARGET = join(SOURCE, '..', '..', 'dist', 'src', 'page', 'site');

mkdirSync(TARGET, { recursive: true });
for (const name of ['index.html', 'style.css', 'icon.svg']) copyFileSync(join(SOURCE, name), join(TARGET, name));
await build({
  entryPoints: [join(SOURCE, 'app.ts')],
  outfile: join(TARGET, 'app.js'),
  ...browserPlatform,
});
