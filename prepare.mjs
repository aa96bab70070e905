// What `npm ci` and `npm start` do in a clone: build the program, where the compiler is installed. An installation
// without development dependencies has none; it runs what was built before, or says how to build.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
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

const mustRun = process.argv.includes('--to-run');
if (hasCompiler()) {
  const isWindows = process.platform === 'win32';
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit', shell: isWindows });
  process.exitCode = status ?? 1;
} else if (existsSync(join(ROOT, 'dist/src/bin/trustnode.js'))) {
  console.error('trustnode: no compiler is installed; what was built before stays as it is');
} else {
  console.error(`trustnode: not built, because no compiler is installed. To run it from a clone without one: ${HOW}`);
  if (mustRun) process.exitCode = 1;
}
