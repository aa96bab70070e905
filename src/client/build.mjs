// Makes the client for browsers: one script, with what a browser has in the place of Node's modules.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { browserPlatform } from '../page/stand-ins.mjs';

const SOURCE = dirname(fileURLToPath(import.meta.url));

await build({
  entryPoints: [join(SOURCE, 'library.ts')],
  outfile: join(SOURCE, '..', '..', 'dist', 'src', 'client', 'browser.js'),
  ...browserPlatform,
});
