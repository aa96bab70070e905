import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t from 'tap';
import { STACK_SIZE } from '../runner/stack-size.js';
import { projectPath } from '../support/paths.js';

/** An installation where better-sqlite3 could not be compiled: node and wallet run, services say what to do. */

// Not within the project, whose packages would be found from there.
const folder = mkdtempSync(join(tmpdir(), 'trustnode-without-sqlite-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const packages = join(folder, 'node_modules');
mkdirSync(packages);
// All that is installed but for that; the program finds its packages beside itself.
for (const name of readdirSync(projectPath('node_modules'))) {
  if (!name.startsWith('better-sqlite3')) symlinkSync(projectPath('node_modules', name), join(packages, name));
}
for (const name of ['dist', 'src', 'package.json', 'genesis']) symlinkSync(projectPath(name), join(folder, name));

function run(...args: readonly string[]) {
  const flags = [STACK_SIZE, '--preserve-symlinks', '--preserve-symlinks-main'];
  const child = spawn(process.execPath, [...flags, join(folder, 'dist', 'src', 'bin', 'trustnode.js'), ...args]);
  // A test that ends in the middle must not leave a program behind.
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

async function toItsEnd(...args: readonly string[]) {
  const child = run(...args);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (piece) => (text += piece));
  child.stdin.end();
  const [code] = await once(child, 'close');
  return { code: code as number | null, text };
}

const node = run('start', '--dev', '--data-dir', join(folder, 'data'), '--rpc-endpoint', '127.0.0.1:0');
t.teardown(() => node.kill('SIGKILL'));
const endpoint = await new Promise<string>((resolve, reject) => {
  for (const stream of [node.stdout, node.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      const [, found] = /RPC +http:\/\/(127\.0\.0\.1:\d+)/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
  }
  node.on('exit', (code) => reject(new Error(`the node has ended: ${code}`)));
});

t.test('the node answers', async (t) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'call', params: [0, 'get_account_by_name', ['alice']] });
  const response = await fetch(`http://${endpoint}/`, { method: 'POST', body });
  t.match(await response.json(), { result: { name: 'alice' } });
});

t.test('the wallet works', async (t) => {
  const file = join(folder, 'wallet.json');
  const { code, text } = await toItsEnd(
    'wallet',
    '-w',
    file,
    '-s',
    `ws://${endpoint}`,
    '--exec',
    'get_account_id alice',
  );
  t.equal(code, 0, text);
  t.match(text, /1\.2\.\d+/);
});

const accounts = JSON.parse(readFileSync(join(folder, 'data', 'dev-accounts.json'), 'utf8')) as {
  name: string;
  wif: string;
}[];
const KEY_FILE = join(folder, 'key');
writeFileSync(KEY_FILE, `${accounts.find(({ name }) => name === 'bob')?.wif}\n`);
const AS_BOB = ['--account', 'bob', '--key-file', KEY_FILE];

for (const [service, ...words] of [['market'], ['des', ...AS_BOB], ['storage', ...AS_BOB]] as const) {
  t.test(`${service} says in one line what to do`, async (t) => {
    const at = ['--node', `http://${endpoint}`, '--data-dir', join(folder, service), '--endpoint', '127.0.0.1:0'];
    const { code, text } = await toItsEnd(service, ...at, ...words);
    t.not(code, 0);
    t.match(text, /better-sqlite3, which is not installed: install this program again with the Node that runs it$/m);
    t.notMatch(text, /\n +at /, 'no stack');
  });
}
