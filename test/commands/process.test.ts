import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { COMMANDS } from '../../src/commands/index.js';
import { VERSION } from '../../src/node/runtime/project.js';
import { STACK_SIZE } from '../runner/stack-size.js';
import { NodeProcess } from '../support/node-process.js';
import { projectPath } from '../support/paths.js';
import { type Outcome, runTrustnode } from '../support/run-trustnode.js';

/**
 * Every command once as a process: results on the standard output, words on the standard error output, exit codes, the
 * standard input, a larger stack. What commands do is tested without processes. `start` has test/node/process.test.ts.
 */

const golden = (name: string): string => projectPath('test', 'vectors', 'golden', 'main', name);
const tried = new Set(['start']);

function run(args: readonly string[], input = ''): Promise<Outcome> {
  tried.add(args[0] ?? '');
  return runTrustnode(args, input);
}

t.test('help, version, and nothing', async (t) => {
  const help = await runTrustnode(['--help']);
  t.match(help, { code: 0, stderr: '' });
  for (const { command } of COMMANDS) t.match(help.stdout, `trustnode ${command} `);
  t.same(await runTrustnode(['--version']), { code: 0, stdout: `${VERSION}\n`, stderr: '' });
  t.match(await runTrustnode([]), { code: 2, stdout: '', stderr: /^Name a command.*\nTry: trustnode --help\n$/ });
});

t.test('keys', async (t) => {
  const made = await run(['keys', 'new', '--json']);
  t.match(made, { code: 0, stdout: /^\{"wif":"5/, stderr: '' });
  const { wif, public_key } = JSON.parse(made.stdout) as Record<string, string>;
  const shown = await run(['keys', 'show', '-', '--json'], `${wif}\n`);
  t.match(JSON.parse(shown.stdout), { public_key }, 'from the standard input');
  t.match(await run(['keys', 'show', 'not-a-key']), { code: 1, stdout: '', stderr: /base58_/ });
});

t.test('genesis', async (t) => {
  const good = await run(['genesis', 'check', golden('genesis.json'), '--json']);
  t.match(good, { code: 0, stdout: /"chain_id":"e378479b/, stderr: '' });
  t.match(await run(['genesis', 'check', 'no-such-file']), { code: 1, stdout: '', stderr: /storage_missing/ });
});

t.test('contract', async (t) => {
  const hello = projectPath('test/fixtures/contracts/hello.wasm');
  t.match(await run(['contract', 'inspect', hello]), { code: 0, stdout: /the chain takes it\n$/, stderr: '' });
  const refused = await run(['contract', 'inspect', golden('genesis.json')]);
  t.match(refused, { code: 1, stdout: /refused: wasm_serialization_error/, stderr: '' }, 'the answer is no');
});

t.test('wallet', async (t) => {
  const file = projectPath('test', 'vectors', 'wallet', 'files', '02-four-keys.json');
  const checked = await run(['wallet', 'check', '--wallet-file', file]);
  t.match(checked, { code: 0, stderr: '' });
  t.match(await run(['wallet', 'check', '--wallet-file', 'no-such-file']), { code: 1, stdout: '' });
  t.end();
});

t.test('paid storage', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-storage-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const verified = await run(['storage', 'verify', '--data-dir', join(folder, 'data')]);
  t.match(verified, { code: 0, stdout: '', stderr: /^0 contents with 0 blocks; 0 are not as they were stored/ });
  t.match(await run(['storage']), { code: 1, stdout: '', stderr: /storage_account_needed/ });
  t.match(await run(['storage', '--account', 'bob']), { code: 1, stderr: /storage_key_needed/ });
  const config = join(folder, 'storage.ini');
  writeFileSync(config, 'acount = bob\n');
  t.match(await run(['storage', '--config', config]), { code: 1, stderr: /option_unknown.*acount/ });
  t.match(await run(['storage', '--config', join(folder, 'none')]), { code: 1, stderr: /service_config/ });
});

t.test('the data market', async (t) => {
  const config = join(t.testdir({ 'market.ini': 'nod = http://127.0.0.1:1\n' }), 'market.ini');
  t.match(await run(['market', '--config', config]), { code: 1, stdout: '', stderr: /option_unknown.*nod/ });
  t.match(await run(['market', '--config', 'no-such-file']), { code: 1, stderr: /service_config/ });
});

t.test('the exchange', async (t) => {
  for (const command of ['des', 'datasource', 'gateway']) {
    t.match(await run([command]), { code: 1, stdout: '', stderr: new RegExp(`${command}_account_needed`) });
    t.match(await run([command, '--config', 'no-such-file']), { code: 1, stderr: /service_config/ });
  }
});

t.test('a purchase', async (t) => {
  t.match(await run(['buy', '1']), { code: 1, stdout: '', stderr: /buy_account/ });
  t.match(await run(['buy', '1', '--account', 'alice']), { code: 1, stdout: '', stderr: /buy_key/ });
  t.match(await run(['buy', '1', '--account', 'alice', '--sources', '0']), { code: 1, stderr: /buy_sources/ });
});

t.test('what a start would go by, and how a node is doing', async (t) => {
  const folder = t.testdir();
  const checked = await run(['check-config', '-d', join(folder, 'data'), '--network', 'mainnet']);
  t.match(checked, { code: 0, stdout: /0 mistakes, 0 warnings: a start would go by this\n$/, stderr: '' });
  t.match(await run(['status', '-d', folder]), { code: 1, stdout: '', stderr: /node_not_there/ });
});

t.test('snapshots and the search database', async (t) => {
  t.match(await run(['snapshot', 'list', 'no-such-folder']), { code: 1, stdout: '', stderr: /storage_missing/ });
  const home = mkdtempSync(join(tmpdir(), 'trustnode-search-'));
  t.teardown(() => rmSync(home, { recursive: true, force: true }));
  const compared = await run(['search', 'verify', '-d', join(home, 'data')]);
  t.match(compared, { code: 1, stdout: '', stderr: /genesis_missing/ });
});

t.test('the commands on a data directory', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'trustnode-commands-'));
  t.teardown(() => rmSync(home, { recursive: true, force: true }));
  const at = ['-d', join(home, 'data')];
  const given = ['--genesis-json', golden('genesis.json'), '--stop-at', '60'];
  // No number of threads: one for each core of this machine, which only a process of its own tries.
  const imported = await run(['import-blocks', golden('blocks.jsonl.gz'), ...at, ...given]);
  t.match(imported, { code: 0, stdout: '', stderr: /60 blocks with .* head is block 60\n$/ });
  const hash = await run(['state-hash', ...at]);
  t.match(hash, { code: 0, stdout: /^[0-9a-f]{64} block 60 / });
  const [state, blocks] = [join(home, 'state.jsonl'), join(home, 'blocks.jsonl')];
  t.match(await run(['export-state', state, ...at, '--with-ids', '1.2.0']), {
    code: 0,
    stdout: '',
    stderr: /1 objects/,
  });
  t.match(JSON.parse(readFileSync(state, 'utf8')), { id: '1.2.0' });
  t.match(await run(['export-blocks', blocks, ...at, '--from', '60']), { code: 0, stdout: '', stderr: /1 blocks/ });
  const out = await run(['export-blocks', '-', ...at, '--from', '60']);
  t.match(out, { code: 0, stdout: readFileSync(blocks, 'utf8'), stderr: /1 blocks written\n$/ });
  const few = await run(['export-state', '-', ...at, '--with-ids', '1.2.0']);
  t.match(few, { code: 0, stdout: readFileSync(state, 'utf8'), stderr: /1 objects as of block 60 written\n$/ });
  t.match(await run(['export-blocks', blocks, ...at, '--to', '61']), { code: 1, stderr: /export_range/ });
  t.match(await run(['verify-blocks', ...at.slice(0, 2)]), { code: 0, stdout: /^blocks 1 to 60 are intact/ });
});

t.test('an import that may write no more says so, and goes on where it may', async (t) => {
  const place = ['-d', t.testdir(), '--genesis-json', golden('genesis.json')];
  const line = ['import-blocks', golden('blocks.jsonl.gz'), ...place];
  // 200 times 512 bytes, of the 700,000 that the log takes.
  const { finished } = new NodeProcess(line, [STACK_SIZE], ['sh', '-c', 'ulimit -f 200; exec "$@"', 'sh']);
  t.match(await finished, { code: 1, stderr: /assert_exception \(10\) storage_file_limit: [^\n]+\n {2}[^\n]+\n$/ });
  t.match(await runTrustnode(line), { code: 0, stderr: /head is block 792\n$/ });
});

/** A file of which nothing ever comes, and which holds nothing: no file of the disk is like that. */
const SILENT_FILE = `data:text/javascript,
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  import { Readable } from 'node:stream';
  fs.createReadStream = () => new Readable({ read() {} });
  syncBuiltinESMExports();`;

t.test('a command that waits for what cannot come any more says so', async (t) => {
  const line = [
    'import-blocks',
    golden('blocks.jsonl.gz'),
    '-d',
    t.testdir(),
    '--genesis-json',
    golden('genesis.json'),
  ];
  const { finished } = new NodeProcess(line, [STACK_SIZE, '--import', SILENT_FILE]);
  t.match(await finished, {
    code: 1,
    stdout: '',
    stderr: /^assert_exception \(10\) work_lost: .*trustnode import-blocks.*\n$/,
  });
});

t.test('none is forgotten', async (t) => {
  t.same([...tried].sort(), COMMANDS.map(({ command }) => command.split(' ')[0] ?? '').sort());
});
