import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { readOptions } from '../../src/commands/wallet/options.js';
import { readPrivateKey } from '../../src/wallet/keys/derived.js';
import { commandLine } from '../support/command-line.js';
import { projectPath } from '../support/paths.js';
import { recordedFiles, walletVector } from '../support/wallet-vectors.js';
import { recordedHistory } from './support/frozen.js';

/** Starts of the reference's wallet as they were recorded, and what ours does with the same words. */

interface Start {
  readonly name: string;
  readonly args: readonly string[];
  readonly stdin: string | null;
  readonly exit: number;
  readonly stdout: string;
}
const starts = readFileSync(walletVector('startup.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Start);
const startOf = (name: string): Start => {
  const found = starts.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no start ${name} was recorded`);
  return found;
};

const history = await recordedHistory();
const url = await history.serve();
const folder = mkdtempSync(join(tmpdir(), 'wallet-start-'));
const here = process.cwd();
t.teardown(async () => {
  process.chdir(here);
  rmSync(folder, { recursive: true, force: true });
  await history.close();
});

const RECORDED_NODE = 'ws://127.0.0.1:23090';
const recordedFile = (path: string): void => copyFileSync(walletVector('files', '10-frozen-start.json'), path);

interface Expected {
  /** 0: all was done; 1: refused; 2: a mistake on the line. */
  readonly code: number;
  readonly stdout?: RegExp;
  readonly stderr?: RegExp;
  /** Before the start, in its folder. */
  readonly before?: () => void;
  /** Why ours says no to what theirs passes over in silence. */
  readonly ours?: string;
  /** A file that it leaves. */
  readonly leaves?: string;
}

const NEW = /^true\n$/;
const USED_PORT = { code: 1, stderr: /http_listen: / };
const FORM = /wallet_file_form: wallet file .*w\.json: /;

/** The lines of the recorded standard input are given as commands: what a pipe does has tests of its own. */
const EXPECTED: Readonly<Record<string, Expected>> = {
  version: { code: 0, stdout: /^\d+\.\d+\.\d+\n$/ },
  'version-long': { code: 0, stdout: /^\d+\.\d+\.\d+\n$/ },
  abbrev: { code: 0, stdout: /^\d+\.\d+\.\d+\n$/ },
  'unknown-option': { code: 2, stderr: /^Unknown argument: foo\n/ },
  'missing-arg': { code: 2, stderr: /^Not enough arguments following: chain-id\n/ },
  'wrong-chain-id': {
    code: 1,
    stderr:
      /node_chain: Remote server gave us an unexpected chain_id\n {2}the node is on chain [0-9a-f]{64}, this wallet on [0-9a-f]{64}\n$/,
  },
  'short-chain-id': { code: 1, stderr: /is not 64 hex digits\n$/ },
  'bad-chain-id': { code: 1, stderr: /is not 64 hex digits\n$/ },
  'no-chain-id': { code: 0, stdout: /"chain_id": "88bf4636/ },
  unreachable: { code: 1, stderr: /node_gone: the node does not answer: ws:\/\/127\.0\.0\.1:1 / },
  'no-scheme': { code: 1, stderr: /node_gone: the node does not answer: / },
  'bad-host': { code: 1, stderr: /node_gone: the node does not answer: ws:\/\/no\.such\.host\.invalid/ },
  'wss-on-plain': { code: 1, stderr: /node_gone: the node does not answer: wss:/ },
  's-attached': { code: 0, stdout: NEW, leaves: 'wallet.json' },
  's-long-space': { code: 0, stdout: NEW, leaves: 'wallet.json' },
  's-long-eq': { code: 0, stdout: NEW, leaves: 'wallet.json' },
  piped: {
    code: 1,
    stdout: /"head_block_num": 474.*null\nnull\nfalse\n.*no method with name 'foo'.*"previous": "0{40}"/s,
    leaves: 'wallet.json',
    ours: 'a command that was refused is an exit code',
  },
  'piped-noeol': { code: 0, stdout: NEW, leaves: 'wallet.json' },
  'r-bad': { code: 1, stderr: /option rpc-endpoint: .* is not an address/ },
  'r-port': { code: 1, stderr: /is not an address of the form host:port\n$/ },
  'r-noport': { code: 1, stderr: /is not an address of the form host:port\n$/ },
  'r-inuse': USED_PORT,
  'H-inuse': USED_PORT,
  wbad: { code: 1, stderr: FORM, before: () => writeFileSync('w.json', '{bad'), leaves: 'w.json' },
  wempty: { code: 1, stderr: FORM, before: () => writeFileSync('w.json', ''), leaves: 'w.json' },
  wobj: { code: 1, stderr: FORM, before: () => writeFileSync('w.json', '{}'), leaves: 'w.json' },
  wdir: { code: 1, stderr: /wallet_file_read: cannot read .*w\.json: EISDIR/, before: () => mkdirSync('w.json') },
  'w-missing-dir': {
    code: 1,
    stdout: /cannot write .*no\/such\/w\.json: ENOENT/,
    stderr: /wallet_file_write: cannot write /,
    ours: 'what is not saved is said',
  },
  'w-flag-only': { code: 0, stdout: /^null\nnull\n$/, leaves: 'wallet.json' },
  wchain: {
    code: 1,
    stderr:
      /Chain ID in wallet file does not match specified chain ID\n {2}the wallet file belongs to chain [0-9a-f]{64}, this wallet to 0{64}\n$/,
    before: () => recordedFile('w.json'),
    leaves: 'w.json',
  },
  'wfile-nochain': {
    code: 0,
    stdout: /^false\ntrue\nnull\n\[\[/,
    before: () => recordedFile('w.json'),
    leaves: 'w.json',
  },
  'tls-nocert': {
    code: 1,
    stderr: /wallet_tls_missing: cannot read the certificate server\.pem\n$/,
    ours: 'without a certificate nothing is served',
  },
  'tls-badcert': {
    code: 1,
    stderr: /wallet_tls_form: .*package\.json holds no certificate with its key\n$/,
    ours: 'without a certificate nothing is served',
  },
  'rpc-log': {
    code: 0,
    stdout: NEW,
    stderr: /^Logging RPC to file: .*dd\/logs\/rpc\/rpc\.log\n$/,
    leaves: 'dd/logs/rpc/rpc.log',
  },
};

/** What is shown elsewhere, or needs another world than this one. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  help: 'below',
  'help-short': 'below',
  suggest: 'below',
  suggest2: 'below',
  'extra-word': 'below: a word that means nothing is a mistake',
  ambiguous: 'below',
  's-flag-only': 'below: the node of this machine is asked, whoever that is',
  'unreachable-default': 'below',
  'http-scheme': 'below: ours takes the same node over HTTP',
  'H-name': 'below: ours takes names of hosts',
  'piped-empty': 'nothing is asked, nothing is answered',
  'piped-slow': 'daemon.test.ts: all lines of a pipe run',
  'login-ok': 'login.test.ts',
  'login-wrong': 'login.test.ts',
  'login-nopw': 'login.test.ts',
  'wfile-server-from-file': 'servers.test.ts: the file says where the node was',
  'daemon-sigint': 'servers.test.ts',
  'daemon-sigterm': 'servers.test.ts',
  'daemon-no-endpoint': 'servers.test.ts: a daemon ends with a signal',
  'daemon-tls': 'servers.test.ts',
  'interactive-sigint': 'prompt.test.ts',
};

function wordsOf({ args, stdin }: Start): string[] {
  const words = args.map((word) =>
    word
      .replaceAll(RECORDED_NODE, url)
      .replaceAll('127.0.0.1:23090', url.slice('ws://'.length))
      .replace('<dir>/not-a-pem', projectPath('package.json')),
  );
  const lines = (stdin ?? '').split('\n').filter((line) => line.trim() !== '');
  // Something to do, where the recorded one was left without.
  const wanted = lines.length === 0 ? ['is_new'] : lines;
  return ['wallet', ...words.filter((word) => word !== '-d'), ...wanted.flatMap((line) => ['--exec', line])];
}

let starting = 0;
/** In an empty folder of its own, as they were recorded. */
async function inFolder(before?: () => void): Promise<void> {
  const own = join(folder, String(starting++));
  mkdirSync(own);
  process.chdir(own);
  before?.();
}

t.test('every recorded start is tried', async (t) => {
  const tried = new Set([...Object.keys(EXPECTED), ...Object.keys(ELSEWHERE)]);
  t.same(
    starts.map(({ name }) => name).filter((name) => !tried.has(name)),
    [],
  );
});

for (const [name, { code, stdout, stderr, before, ours, leaves }] of Object.entries(EXPECTED)) {
  t.test(name, async (t) => {
    const start = startOf(name);
    await inFolder(before);
    const read = (): string =>
      existsSync('w.json') && statSync('w.json').isFile() ? readFileSync('w.json', 'utf8') : '';
    const file = read();
    const found = await commandLine(wordsOf(start));
    t.equal(found.code, code, found.stdout + found.stderr);
    if (stdout !== undefined) t.match(found.stdout, stdout);
    t.match(found.stderr, stderr ?? /^$/);
    if (code !== 0) t.notMatch(found.stderr, /\n {4}at /, 'a line, and not where in the program it was');
    if (leaves !== undefined) t.ok(existsSync(leaves), `${leaves} is there`);
    if (code === 1) t.equal(read(), file, 'a file that was there is as it was');
    if (start.exit === 0 && ours === undefined) t.equal(found.code, 0, 'what worked works');
  });
}

t.test('the keys of a recorded file', async (t) => {
  const recorded = recordedFiles().find(({ file }) => file === '03-many-keys.json');
  if (recorded === undefined) throw new Error('the file was not recorded');
  await inFolder(() => copyFileSync(walletVector('files', recorded.file), 'w.json'));
  const lines = [`unlock ${recorded.password}`, 'dump_private_keys'].flatMap((line) => ['--exec', line]);
  const { stdout } = await commandLine(['wallet', '-s', url, '-w', 'w.json', ...lines]);
  t.same(JSON.parse(stdout.slice('null\n'.length)), recorded.dump_private_keys);
});

t.test('the options of the family with their letters and what they stand for alone', async (t) => {
  const { stdout } = await commandLine(['wallet', '-h']);
  t.equal(stdout, (await commandLine(['wallet', '--help'])).stdout);
  const theirs = [
    ...startOf('help').stdout.matchAll(/^ {2}(?:-(\w) \[ )?--([\w-]+)(?: \])?(?: \[=arg\(=(.*?)\)\])?/gm),
  ];
  t.equal(theirs.length, 15);
  for (const [, letter, name = '', alone] of theirs) {
    const words = letter === undefined ? `--${name} ` : `-${letter}, --${name} `;
    t.ok(stdout.replace(/\n +/g, ' ').includes(words), words);
    if (alone === undefined) continue;
    const { [name as 'wallet-file']: value } = readOptions({ [name]: '' });
    const shown = typeof value === 'object' ? Object.values(value as object).join(':') : value;
    t.equal(shown, alone, `${name} alone`);
  }
});

t.test('words for new keys', async (t) => {
  const lines = (text: string): string[] => text.split('\n').map((line) => line.replace(/": ".*"/, ''));
  const { code, stdout, stderr } = await commandLine(['wallet', '--suggest-brain-key']);
  t.same([code, stderr], [0, '']);
  t.same(lines(stdout), lines(startOf('suggest').stdout), 'the same members, printed alike');
  for (const text of [stdout, startOf('suggest').stdout, startOf('suggest2').stdout]) {
    const { brain_priv_key, wif_priv_key } = JSON.parse(text) as Record<string, string>;
    t.match(brain_priv_key, /^(?:[A-Z]+ ){15}[A-Z]+$/);
    t.ok(readPrivateKey(wif_priv_key ?? ''));
  }
});

t.test('what ours takes and theirs does not, and the other way round', async (t) => {
  await inFolder();
  const http = await commandLine(['wallet', '-s', url.replace('ws:', 'http:'), '--exec', 'get_account_id nathan']);
  t.same(http, { code: 0, stdout: '"1.2.19"\n', stderr: '' }, 'a node over HTTP');
  const named = await commandLine(['wallet', '-s', url, '-H', 'localhost:0', '--exec', 'is_new']);
  t.equal(named.code, 0, 'the name of a host');
  const several = await commandLine(['wallet', '--server-rpc', url, '--exec', 'is_new']);
  t.match(several, { code: 2, stderr: /Unknown argument/ }, 'the beginning of several options');
  const stray = await commandLine(['wallet', 'word', '-s', url, '--exec', 'is_new']);
  t.match(stray, { code: 2, stdout: '' }, 'a word that means nothing');
});
