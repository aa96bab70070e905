import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { WebSocket } from 'ws';
import { DEV_ACCOUNTS } from '../../src/node/dev/dev-network.js';
import { type DevNode, startDevNode } from '../support/dev-node.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { rpcCall } from '../support/rpc-call.js';
import { type Outcome, runTrustnode } from '../support/run-trustnode.js';
import { askWallet, startWallet } from './support/daemon.js';

/** The program itself against a real node: commands on the line, from a script, over HTTP and over a WebSocket. */

const folder = t.testdir();
const dev: DevNode = await startDevNode(folder);
dev.clock.advance(9_000);
const node = `ws://${dev.node.endpoints.plain}`;
const file = join(folder, 'wallet.json');
const [alice] = DEV_ACCOUNTS;

const wallet = (args: readonly string[], input = ''): Promise<Outcome> =>
  runTrustnode(['wallet', '-w', file, '-s', node, ...args], input);
const exec = (...lines: readonly string[]): Promise<Outcome> => wallet(lines.flatMap((line) => ['--exec', line]));

t.teardown(() => dev.node.stop());

t.test('from a new wallet to a payment, by commands on the line', async (t) => {
  const made = await exec('is_new', 'set_password secret', 'unlock secret', `import_key alice ${alice?.key.toWif()}`);
  t.same(made, { code: 0, stdout: 'true\nnull\nnull\ntrue\n', stderr: '' });
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.notMatch(readFileSync(file, 'utf8'), alice?.key.toWif() ?? '', 'no key in clear');

  const paid = await exec('unlock secret', 'transfer2 alice bob 1.5 GXC "for the data"');
  t.equal(paid.code, 0, paid.stderr);
  const [id] = JSON.parse(paid.stdout.slice('null\n'.length)) as [string];
  dev.clock.advance(3_000);
  const { head_block_number } = await rpcCall<{ head_block_number: number }>(
    dev.node.endpoints.plain,
    'get_dynamic_global_properties',
    [],
  );
  const block = await rpcCall<{ transaction_ids: string[] }>(dev.node.endpoints.plain, 'get_block', [
    head_block_number,
  ]);
  t.ok(block.transaction_ids.includes(id), 'it stands in the next block');

  const refused = await exec('transfer alice bob 1 GXC "" true');
  t.equal(refused.code, 1, 'a refusal is an exit code');
  t.match(refused.stdout, /^10 assert_exception: Assert Exception\n!self\.is_locked\(\): \n/);
  const wrong = await exec('unlock wrong');
  t.match(wrong.stdout, /^18 aes_exception: AES error\n/);
  const unknown = await exec('tranfer alice');
  t.match(unknown.stdout, /did you mean transfer/);
});

t.test('lines of a script all run', async (t) => {
  const { code, stdout } = await wallet([], 'is_new\n\nget_account_id alice\nlist_account_balances bob\n');
  t.equal(code, 0);
  t.match(stdout, /^false\n"1\.2\.\d+"\n(?:[\d.]+ \S+\n)+\n$/);
});

t.test('a node on another chain, a file of another chain, a chain id that is none', async (t) => {
  const other = await runTrustnode(['wallet', '-w', join(folder, 'x.json'), '-s', node, '--chain-id', 'ab'.repeat(32)]);
  t.equal(other.code, 1);
  t.match(other.stderr, /unexpected chain_id/);
  t.match((await wallet(['--chain-id', 'ab'.repeat(32)])).stderr, /does not match specified chain ID/);
  t.match((await wallet(['--chain-id', 'zz'])).stderr, /64 hex digits/);
  const nobody = await runTrustnode(['wallet', '-w', file, '-s', 'ws://127.0.0.1:1', '--exec', 'info']);
  t.match(nobody.stderr, /does not answer/);
  t.equal(nobody.code, 1);
});

t.test('another password, and what a file holds', async (t) => {
  const changed = await runTrustnode(['wallet', 'change-password', '-w', file], 'secret\nother\n');
  t.equal(changed.code, 0, changed.stderr);
  t.match((await exec('unlock secret')).stdout, /^18 aes_exception/);
  t.equal((await exec('unlock other')).stdout, 'null\n');
  const wrong = await runTrustnode(['wallet', 'change-password', '-w', file], 'secret\nx\n');
  t.equal(wrong.code, 1);
  const looked = JSON.parse((await runTrustnode(['wallet', 'check', '-w', file], 'other\n')).stdout) as object;
  t.match(looked, { accounts: ['alice'], private_keys: 1, has_password: true, plain_secrets: [] });
  t.notOk('private_keys' in (JSON.parse((await runTrustnode(['wallet', 'check', '-w', file])).stdout) as object));
  t.match((await runTrustnode(['wallet', 'check', '-w', join(folder, 'none.json')])).stderr, /there is no wallet file/);

  t.comment('on a network that writes keys in its own way');
  const own = join(folder, 'own-prefix.json');
  writeFileSync(own, readFileSync(file, 'utf8').replace(/"GXC([1-9A-Za-z]{49,51})"/g, '"TST$1"'));
  const there = await runTrustnode(['wallet', 'change-password', '-w', own], 'other\nthird\n');
  t.equal(there.code, 0, there.stderr);
  t.match(readFileSync(own, 'utf8'), /"TST\w{50}"/);
  t.match(JSON.parse((await runTrustnode(['wallet', 'check', '-w', own], 'third\n')).stdout), { private_keys: 1 });
  const started = await runTrustnode(['wallet', '-w', own, '-s', 'ws://127.0.0.1:1', '--exec', 'info']);
  t.match(started.stderr, /does not answer/, 'its node is asked before its keys are read');
});

t.test('a daemon answers over HTTP in two forms and over a WebSocket, to its user alone', async (t) => {
  const [plain, http] = [await freePort(), await freePort()];
  const daemon = await startWallet([
    '-w',
    file,
    '-s',
    node,
    '-r',
    `127.0.0.1:${plain}`,
    '-H',
    `127.0.0.1:${http}`,
    '--http-user',
    'u',
    '--http-password',
    'p:q',
    '--allow',
    'info',
    '--allow',
    'unlock',
    '--allow',
    'get_account',
  ]);
  t.teardown(() => daemon.stop());
  const auth = { authorization: `Basic ${Buffer.from('u:p:q').toString('base64')}` };
  const ask = async (port: number, body: string, headers: Record<string, string> = auth) => {
    const answer = await fetch(`http://127.0.0.1:${port}/rpc`, { method: 'POST', body, headers });
    const text = await answer.text();
    return { status: answer.status, json: (text === '' ? undefined : JSON.parse(text)) as Record<string, unknown> };
  };
  const good = await ask(http, '{"jsonrpc":"2.0","method":"get_account","params":["alice"],"id":1}');
  t.equal(good.status, 200);
  t.same(Object.keys(good.json), ['id', 'result'], 'the form of the family: no jsonrpc member');
  t.match(good.json.result, { name: 'alice' });
  const refused = await ask(http, '{"method":"get_account","params":["nobody"],"id":2}');
  t.equal(refused.status, 500);
  t.match(refused.json, {
    id: 2,
    error: {
      code: 1,
      message: /^10 assert_exception: Assert Exception\nrec && rec->name == account_name_or_id: \n/,
      data: { code: 10, name: 'assert_exception', message: 'Assert Exception' },
    },
  });
  t.equal((await ask(http, '{"id":1}')).status, 400);
  t.equal((await ask(http, 'no json')).status, 500);
  t.equal((await ask(http, '{}', {})).status, 401, 'without the password nobody is answered');
  for (const given of ['u:p', 'u', ':', '']) {
    const other = { authorization: `Basic ${Buffer.from(given).toString('base64')}` };
    t.equal((await ask(http, '{}', other)).status, 401, `nor with ${given}`);
  }
  t.equal((await ask(http, '{}', { ...auth, origin: 'http://evil.example' })).status, 403, 'nor is a page');
  t.match((await ask(http, '{"method":"dump_private_keys","params":[],"id":3}')).json, {
    error: { data: { key: 'command_not_allowed' } },
  });
  const wallets = await ask(plain, '{"method":"call","params":[0,"get_account",["bob"]],"id":4}');
  t.match(wallets.json, { id: 4, jsonrpc: '2.0', result: { name: 'bob' } });

  const socket = new WebSocket(`ws://127.0.0.1:${plain}`, { headers: auth });
  await new Promise((done) => socket.once('open', done));
  const answer = new Promise<string>((done) => socket.once('message', (data) => done(String(data))));
  socket.send('{"id":5,"method":"unlock","params":["other"]}');
  t.same(JSON.parse(await answer), { id: 5, jsonrpc: '2.0', result: null });
  socket.close();
});

t.test('an idle wallet locks itself', async (t) => {
  const http = await freePort();
  const daemon = await startWallet(['-w', file, '-s', node, '-H', `127.0.0.1:${http}`, '--lock-after', '1']);
  t.teardown(() => daemon.stop());
  const ask = async (method: string, ...params: string[]): Promise<unknown> =>
    (await askWallet(`http://127.0.0.1:${http}`, method, params)).json.result;
  t.equal(await ask('unlock', 'other'), null);
  // Each question is a use of the wallet: it is left alone for longer than that in between.
  t.ok(await eventually('it is locked', () => ask('is_locked'), 2_000));
});
