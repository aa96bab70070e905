// npm run dev: builds and tests at once, and again after each change of a source or a test. Ctrl-C ends it.
import { spawnSync } from 'node:child_process';
import { watch } from 'node:fs';

const run = (script) => spawnSync('npm', ['run', '--silent', script], { stdio: 'inherit' }).status === 0;

function round() {
  const isBuilt = run('build');
  const isGood = isBuilt && run('check');
  const verdict = isGood ? 'all tests pass' : isBuilt ? 'a test fails' : 'it does not compile';
  process.stdout.write(`-- ${verdict}; waiting for a change\n`);
}

let soon;
const onChange = (_, name) => {
  if (!/\.(ts|mjs)$/.test(name ?? '')) return;
  // An editor writes more than once.
  clearTimeout(soon);
  soon = setTimeout(round, 50);
};
for (const folder of ['.', 'kit']) watch(folder, onChange);
round();
