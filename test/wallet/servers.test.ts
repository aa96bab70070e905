import { readFileSync, statSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import t from 'tap';
import { WebSocket } from 'ws';
import { DEV_ACCOUNTS } from '../../src/node/dev/dev-network.js';
import { startDevNode } from '../support/dev-node.js';
import { freePort } from '../support/free-port.js';
import { projectPath } from '../support/paths.js';
import { runTrustnode } from '../support/run-trustnode.js';
import { askWallet, startWallet } from './support/daemon.js';

/** The servers of a wallet as programs meet them, and a node that goes away. */

const folder = t.testdir();
const nodePort = await freePort();
const startNode = () => startDevNode(folder, { 'rpc-endpoint': `127.0.0.1:${nodePort}` });
let dev = await startNode();
dev.clock.advance(9_000);
t.teardown(() => dev.node.stop());
const [alice] = DEV_ACCOUNTS;
const file = join(folder, 'wallet.json');
const base = ['-w', file, '-s', `ws://127.0.0.1:${nodePort}`];
const wif = alice?.key.toWif() ?? '';
const made = await runTrustnode([
  'wallet',
  ...base,
  ...['set_password secret', 'unlock secret', `import_key alice ${wif}`].flatMap((line) => ['--exec', line]),
]);
if (made.code !== 0) throw new Error(made.stdout + made.stderr);

const pem = projectPath('test', 'rpc', 'support', 'server.pem');

t.test('over TLS the same is answered, by HTTP and by WebSocket', async (t) => {
  const port = await freePort();
  const wallet = await startWallet([...base, '-t', `127.0.0.1:${port}`, '-c', pem]);
  t.teardown(() => wallet.stop());
  const answer = await new Promise<string>((done, failed) => {
    const options = { host: '127.0.0.1', port, method: 'POST', rejectUnauthorized: false };
    const asked = httpsRequest(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more: string) => {
        text += more;
      });
      response.on('end', () => done(text));
    });
    asked.on('error', failed).end('{"id":1,"method":"get_account_id","params":["alice"]}');
  });
  t.match(JSON.parse(answer), { id: 1, jsonrpc: '2.0', result: /^1\.2\.\d+$/ });
  const socket = new WebSocket(`wss://127.0.0.1:${port}`, { rejectUnauthorized: false });
  await new Promise((done) => socket.once('open', done));
  const message = new Promise<string>((done) => socket.once('message', (data) => done(String(data))));
  socket.send('{"id":7,"method":"call","params":[0,"is_locked",[]]}');
  t.same(JSON.parse(await message), { id: 7, jsonrpc: '2.0', result: true });
  socket.close();
});

t.test('without the certificate nothing is served', async (t) => {
  const { code, stderr } = await runTrustnode(['wallet', ...base, '-d', '-t', '127.0.0.1:1', '-c', 'none.pem']);
  t.equal(code, 1);
  t.match(stderr, /cannot read the certificate none\.pem/);
});

function statusFor(port: number, headers: Record<string, string>): Promise<number> {
  return new Promise((done, failed) => {
    const asked = httpRequest({ host: '127.0.0.1', port, method: 'POST', headers }, (response) => {
      response.resume();
      done(response.statusCode ?? 0);
    });
    asked.on('error', failed).end('{"id":1,"method":"is_locked","params":[]}');
  });
}

t.test(
  'names of hosts and pages that are not named are refused; what is asked is logged without secrets',
  async (t) => {
    const port = await freePort();
    const args = ['-H', `127.0.0.1:${port}`, '--origin', 'https://wallet.example', '--host-name', 'wallet.example'];
    const wallet = await startWallet([...base, ...args, '--enable-rpc-log', '-D', join(folder, 'logs')]);
    t.teardown(() => wallet.stop());
    t.equal(await statusFor(port, { host: 'evil.example' }), 403, 'a name that a page may have given this address');
    t.equal(await statusFor(port, { host: 'wallet.example' }), 200);
    t.equal(await statusFor(port, { host: `127.0.0.1:${port}` }), 200);
    t.equal(await statusFor(port, { origin: 'https://evil.example' }), 403);
    t.equal(await statusFor(port, { 'sec-fetch-site': 'cross-site' }), 403);
    t.equal(await statusFor(port, { origin: 'https://wallet.example' }), 200);

    const url = `http://127.0.0.1:${port}`;
    await askWallet(url, 'unlock', ['wrong password']);
    await askWallet(url, 'unlock', ['secret']);
    await askWallet(url, 'import_keys', ['alice', [wif]]);
    await askWallet(url, 'no_such_command', ['secret']);
    await askWallet(url, 'get_account_id', ['bob']);
    const log = join(folder, 'logs', 'logs', 'rpc', 'rpc.log');
    t.match(wallet.said(), /Logging RPC to file: .*rpc\.log\n/);
    t.equal(statSync(log).mode & 0o777, 0o600);
    const text = readFileSync(log, 'utf8');
    t.notMatch(text, /secret|wrong password|5K|5J/);
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .slice(-5);
    t.match(lines, [
      { method: 'unlock', params: ['***'], outcome: 'wallet_password_wrong' },
      { method: 'unlock', params: ['***'], outcome: 'done' },
      { method: 'import_keys', params: ['alice', '***'], outcome: 'done' },
      { method: 'no_such_command', params: '***', outcome: 'command_unknown' },
      { method: 'get_account_id', params: ['bob'], outcome: 'done' },
    ]);
  },
);

t.test('two wallets on one file do not take from each other', async (t) => {
  const port = await freePort();
  const wallet = await startWallet([...base, '-H', `127.0.0.1:${port}`]);
  t.teardown(() => wallet.stop());
  const other = await runTrustnode([
    'wallet',
    ...base,
    '--exec',
    'set_key_label GXC6MRyAjQq8ud7hVNYcfnVPJqcVpscN5So8BhtHuGYqET5GDW5CV mine',
  ]);
  t.equal(other.code, 0, other.stdout);
  const url = `http://127.0.0.1:${port}`;
  const before = readFileSync(file, 'utf8');
  await askWallet(url, 'unlock', ['secret']);
  const refused = await askWallet(url, 'import_key', ['bob', DEV_ACCOUNTS[1]?.key.toWif()]);
  t.match(refused.json.error?.data, { key: 'wallet_file_changed' });
  t.equal(readFileSync(file, 'utf8'), before, 'nothing was lost');
});

t.test('a node that goes away in the middle: a coded error, nothing lost, and connected again', async (t) => {
  const port = await freePort();
  const wallet = await startWallet([...base, '-H', `127.0.0.1:${port}`]);
  t.teardown(() => wallet.stop());
  const url = `http://127.0.0.1:${port}`;
  await askWallet(url, 'unlock', ['secret']);
  const built = await askWallet(url, 'transfer3', ['alice', 'bob', '1', 'GXC', '', 'GXC', false]);
  const [id, tx] = built.json.result as [string, unknown];
  await dev.node.stop();
  const gone = await askWallet(url, 'broadcast_transaction', [tx]);
  t.match(gone.json.error?.data, { key: 'node_gone', kind: 'environment' });
  t.match((await askWallet(url, 'info')).json.error?.data, { key: 'node_gone' });
  t.same((await askWallet(url, 'is_locked')).json, { id: 1, result: false }, 'the wallet itself goes on');

  const { clock } = dev;
  dev = await startDevNode(folder, { 'rpc-endpoint': `127.0.0.1:${nodePort}` }, clock);
  const status = await askWallet(url, 'get_transaction_status', [tx]);
  t.match(status.json.result, { id, state: 'waiting' });
  t.match(wallet.said(), /the node is gone; connecting again[\s\S]*connected again/);
  t.match((await askWallet(url, 'resend_transaction', [tx])).json.result, { id, state: 'waiting' });
  t.match((await askWallet(url, 'resend_transaction', [tx])).json.result, { id, state: 'waiting' }, 'twice is once');
  clock.advance(3_000);
  t.match((await askWallet(url, 'get_transaction_status', [tx])).json.result, { state: 'included' });
  t.match((await askWallet(url, 'resend_transaction', [tx])).json.result, { state: 'included' });
  const waited = askWallet(url, 'wait_for_transaction', [tx, 'irreversible', 60]);
  for (let n = 0; n < 15; n++) clock.advance(3_000);
  t.match((await waited).json.result, { id, state: 'irreversible' });

  const late = await askWallet(url, 'transfer3', ['alice', 'bob', '1', 'GXC', '', 'GXC', false]);
  const [, lateTx] = late.json.result as [string, unknown];
  for (let n = 0; n < 30; n++) clock.advance(3_000);
  t.match((await askWallet(url, 'get_transaction_status', [lateTx])).json.result, { state: 'expired' });
  t.match((await askWallet(url, 'resend_transaction', [lateTx])).json.error?.data, { key: 'sending_expired' });
});

t.test('Ctrl-C ends a daemon, and the file says where its node was', async (t) => {
  const port = await freePort();
  const wallet = await startWallet([...base, '-H', `127.0.0.1:${port}`]);
  wallet.child.kill('SIGINT');
  t.equal(await wallet.stop(), 0);
  t.match(wallet.said(), /Entering Daemon Mode, \^C to exit\n/);
  const stored = JSON.parse(readFileSync(file, 'utf8')) as { ws_server: string };
  t.equal(stored.ws_server, `ws://127.0.0.1:${nodePort}`);
  const again = await runTrustnode(['wallet', '-w', file, '--exec', 'get_account_id alice']);
  t.equal(again.code, 0, again.stderr);
});
