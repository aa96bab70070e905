// Makes the block explorer that a node serves: one script for everything but what opens memos, which is a script of its
// own since few ever need it. See docs/decisions/explorer.md.
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { browserPlatform } from '../page/stand-ins.mjs';

const SOURCE = dirname(fileURLToPath(import.meta.url));
const TARGET = join(SOURCE, '..', '..', 'dist', 'src', 'explorer', 'site');

// Parts have the hash of their contents in their names: old ones would stay.
rmSync(TARGET, { recursive: true, force: true });
mkdirSync(TARGET, { recursive: true });
for (const name of ['index.html', 'style.css', 'icon.svg']) copyFileSync(join(SOURCE, name), join(TARGET, name));
await build({
  entryPoints: [join(SOURCE, 'app.ts')],
  outdir: TARGET,
  splitting: true,
  ...browserPlatform,
});
