import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import t from 'tap';
import { projectPath } from '../support/paths.js';
import { startDevProcess } from './support/dev-process.js';

/** docs/rpc-first-steps.md says what works: its commands are run, and its programs are the files that are run. */

const run = promisify(execFile);
const text = readFileSync(projectPath('docs/rpc-first-steps.md'), 'utf8');
const blocksOf = (language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, body = '']) => body);

/** What each example says when it works. The transfer comes first: the deposit is that one. */
const EXAMPLES: Readonly<Record<string, RegExp>> = {
  'first-transfer.mjs': /transaction [0-9a-f]{40} is in block \d+\nbob now has .*'1000001500000', asset_id: '1\.3\.1'/s,
  'typed-client.mjs': /the fee is \{ amount: \d+n, asset_id: 1 \}\n3 GXC from carol to bob are in block \d+/,
  'wallet-parts.mjs':
    /the transaction is [0-9a-f]{40}\nit is waiting\nit is included\n2\.5 GXC from carol to bob: included in block \d+/,
  'deposits.mjs': /15 GXC in block \d+, transaction [0-9a-f]{40}, memo: hello bob/,
  'contract.mjs':
    /the call cost \{ amount: 100, .*\nrows \[\{"owner":9,"balances":\[\{"amount":1000000,"asset_id":1\}\]\}\]/,
  'watch-blocks.mjs': /(block [0-9a-f]{40}: number \d+, irreversible up to \d+\n){3}/,
  'watch-objects.mjs': /(block \d+: alice has 9999\d{3}\.\d+ GXC\n){3}/,
};

const folder = t.testdir();
const node = await startDevProcess(folder);
t.teardown(() => node.stop());

t.test('the text shows the files', async (t) => {
  const files = readdirSync(projectPath('docs/examples')).filter((name) => name.endsWith('.mjs'));
  t.same(files.sort(), Object.keys(EXAMPLES).sort(), 'and each has a test');
  const shown = blocksOf('js');
  for (const name of files) t.ok(shown.includes(readFileSync(projectPath('docs/examples', name), 'utf8')), name);
});

t.test('the commands', async (t) => {
  const lines = blocksOf('sh').flatMap((block) => block.trimEnd().split('\n'));
  t.ok(lines.length >= 5);
  for (const line of lines) {
    const [, body = ''] = /^curl -s http:\/\/127\.0\.0\.1:8090\/ -d '(.*)'$/.exec(line) ?? [];
    t.ok(body, line);
    const response = await fetch(`http://${node.endpoint}/`, { method: 'POST', body });
    const answer = (await response.json()) as object | object[];
    for (const one of [answer].flat()) {
      t.ok('result' in one, JSON.stringify(one).slice(0, 200));
    }
  }
});

t.test('the programs', async (t) => {
  const check = async (name: string): Promise<void> => {
    const args = [projectPath('docs/examples', name), node.dataDir, `http://${node.endpoint}`];
    const { stdout } = await run(process.execPath, args);
    t.match(stdout, EXAMPLES[name], name);
  };
  const [transfer = '', ...others] = Object.keys(EXAMPLES);
  await check(transfer);
  await Promise.all(others.map(check));
});
