import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import t from 'tap';
import { projectPath } from '../support/paths.js';
import { startDevProcess } from './support/dev-process.js';

/** The documents say what works: programs that they show are files that are run, and commands of first steps are run. */

const run = promisify(execFile);
const blocksOf = (page: string, language: string): string[] => {
  const text = readFileSync(projectPath('docs', page), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, body = '']) => body);
};
const PROGRAM = /\.mjs$/;
const pages = readdirSync(projectPath('docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.md$/.test(name),
);

/** What each example says when it works. The transfer comes first: the deposit is that one. */
const EXAMPLES: Readonly<Record<string, RegExp>> = {
  'first-transfer.mjs': /transaction [0-9a-f]{40} is in block \d+\nbob now has .*'1000001500000', asset_id: '1\.3\.1'/s,
  'client.mjs':
    /carol is 1\.2\.11 and has 2 assets\n1\.5 GXC for a fee of 0\.\d+ GXC: included\nrefused: client_unsigned\n(block \d+\n){2}/,
  'credit-deposits.mjs': /15 GXC for hello bob: [0-9a-f]{40}\/0/,
  'witnesses.mjs': /(1\.6\.\d init\d: \d+ missed, last block \d+ ago, \d+ votes\n){3}/,
  'plugin-method.mjs':
    /the plugin account_history knows of (\d) operation\(s\) of 1\.2\.9\n(1\.11\.\d+ in block \d+\n)*$/,
  'explorer-links.mjs':
    /the receipt: http:\S+\/#\/tx\/[0-9a-f]{40}\n.*\/#\/account\/alice\n.*\/#\/search\/ali\nalice: http:\S+\/#\/account\/alice\n/,
  'refusals.mjs':
    /90000000000 GXC: transfer_balance, 10 assert_exception: .*insufficient_balance.*\n0\.25 GXC: (included|irreversible)\n/s,
  'register.mjs': /newcomer-\d+ is 1\.2\.\d+; keep its key: 51 characters\nit is ours: true/,
  'transfers-of-a-day.mjs': /[1-9]\d* transfers\n[\d.]+ GXC/,
  'network-health.mjs':
    /block \d+ of \d+ s ago, \d+ not irreversible yet, [\d.]+ % of slots filled\n(no network|\d+ peers)/,
  'contract-with-client.mjs':
    /block \d+\nthe call cost [\d.]+ GXC and \d+ µs\nrows \[\{"owner":9,"balances":\[\{"amount":1000000,"asset_id":1\}\]\}\]/,
  'typed-client.mjs': /the fee is \{ amount: \d+n, asset_id: 1 \}\n3 GXC from carol to bob are in block \d+/,
  'wallet-parts.mjs':
    /the transaction is [0-9a-f]{40}\n(?:it is waiting\n)?it is included\n2\.5 GXC from carol to bob: included in block \d+/,
  'deposits.mjs': /15 GXC in block \d+, transaction [0-9a-f]{40}, memo: hello bob/,
  'contract.mjs':
    /the call cost \{ amount: 100, .*\nrows \[\{"owner":9,"balances":\[\{"amount":1000000,"asset_id":1\}\]\}\]/,
  'watch-blocks.mjs': /(block [0-9a-f]{40}: number \d+, irreversible up to \d+\n){3}/,
  'dev-chain.mjs':
    /1 waits\ntwo days later, at [-\dT:]+ bob has [\d.]+ GXC\nnow bob has 1 GXC\nas if nothing had been: true/,
  'watch-objects.mjs': /(block \d+: alice has 9999\d{3}\.\d+ GXC\n){3}/,
};

/** One looks at irreversible blocks, which the others wait for, and one moves the clock and takes blocks back. */
const LAST = ['transfers-of-a-day.mjs', 'dev-chain.mjs'];

const folder = t.testdir();
const node = await startDevProcess(folder);
t.teardown(() => node.stop());

t.test('the pages show the files, and nothing that is none', async (t) => {
  const files = readdirSync(projectPath('docs/examples')).filter((name) => PROGRAM.test(name));
  t.same(files.sort(), Object.keys(EXAMPLES).sort(), 'and each has a test');
  const shown = pages.flatMap((page) => blocksOf(page, 'js'));
  for (const name of files) t.ok(shown.includes(readFileSync(projectPath('docs/examples', name), 'utf8')), name);
  const named = shown.flatMap((block) => /node docs\/examples\/([^\s/]+\.mjs)/.exec(block)?.[1] ?? []);
  t.same(named.sort(), files.sort(), 'each once');
});

t.test('the commands', async (t) => {
  const lines = blocksOf('rpc-first-steps.md', 'sh').flatMap((block) => block.trimEnd().split('\n'));
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
  await Promise.all(others.filter((name) => !LAST.includes(name)).map(check));
  for (const name of LAST) await check(name);
});
