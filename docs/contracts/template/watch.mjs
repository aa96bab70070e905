// npm run dev [-- URL [ACCOUNT]]: builds, deploys to the development chain if one runs there, and tests; again after each change
// of a source or a test. Ctrl-C ends it.
import { spawnSync } from 'node:child_process';
import { watch } from 'node:fs';

const codeOf = (command, ...words) => spawnSync(command, words, { stdio: 'inherit' }).status;
const run = (script) => codeOf('npm', 'run', '--silent', script) === 0;

const DEPLOYED = new Map([
  [0, 'deployed'],
  [2, 'no chain to deploy to'],
]);

function round() {
  if (!run('build')) return 'it does not compile';
  const code = codeOf(process.execPath, 'deploy.mjs', ...process.argv.slice(2));
  const tested = run('check') ? 'all tests pass' : 'a test fails';
  return `${tested}, ${DEPLOYED.get(code) ?? 'deploying failed'}`;
}

const say = () => process.stdout.write(`-- ${round()}; waiting for a change\n`);

let soon;
const onChange = (_, name) => {
  if (!/\.(ts|mjs)$/.test(name ?? '')) return;
  // An editor writes more than once.
  clearTimeout(soon);
  soon = setTimeout(say, 50);
};
for (const folder of ['.', 'kit']) watch(folder, onChange);
say();
