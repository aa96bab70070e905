// What `npm ci` and `npm start` do in a clone: build the program, where the compiler is installed. An installation
// without development dependencies has none; it runs what was built before, or says how to build. Builds of the native
// server for other machines go; with --without-native-server all of it goes, and nothing else is done.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(fileURLToPath(import.meta.url));
const HOW = 'npm ci && npm run build && npm prune --omit=dev';

function hasCompiler() {
  try {
    createRequire(import.meta.url).resolve('typescript/package.json');
    return true;
  } catch {
    return false;
  }
}

/**
 * The package of the native server brings builds for every system, 94 MB; one of them is of use here. The one in this
 * folder: what lies further up belongs to others, who may run another Node.
 */
function trimNativeServer(keepsNone) {
  const folder = join(ROOT, 'node_modules', 'uWebSockets.js');
  if (!existsSync(folder)) return;
  if (keepsNone) {
    rmSync(folder, { recursive: true });
    return;
  }
  const fitting = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
  for (const name of readdirSync(folder)) {
    if (name.startsWith('uws_') && name.endsWith('.node') && name !== fitting) rmSync(join(folder, name));
  }
}

const withoutServer = process.argv.includes('--without-native-server');
try {
  trimNativeServer(withoutServer);
} catch (error) {
  // More on the disk than is needed harms nobody.
  console.error(`trustnode: the native server was not trimmed: ${error.message}`);
  if (withoutServer) process.exit(1);
}
if (withoutServer) process.exit();
// npm runs this in an installed package as well, where another one links to it by its path: all of it is built there.
if (!existsSync(join(ROOT, 'tsconfig.json'))) process.exit();

const mustRun = process.argv.includes('--to-run');
if (hasCompiler()) {
  // Whoever waits for a node to start is told what it is that takes so long.
  if (mustRun) console.error('trustnode: building the program, some 10 seconds, before it starts');
  const isWindows = process.platform === 'win32';
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit', shell: isWindows });
  process.exitCode = status ?? 1;
} else if (existsSync(join(ROOT, 'dist/src/bin/trustnode.js'))) {
  console.error('trustnode: no compiler is installed; what was built before stays as it is');
} else {
  console.error(`trustnode: not built, because no compiler is installed. To run it from a clone without one: ${HOW}`);
  if (mustRun) process.exitCode = 1;
}
