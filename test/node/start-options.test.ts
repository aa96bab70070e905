import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type Json, parseJson } from '../../src/codec/json.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { publicKeyToText } from '../../src/crypto/public-key.js';
import { GENESIS_CHANGES, NODE_GENESIS_ERRORS } from '../../src/node/chain/genesis.js';
import { DEV_ACCOUNTS } from '../../src/node/dev/dev-network.js';
import { abiDef } from '../../src/protocol/abi.js';
import { signedTransaction } from '../../src/protocol/transaction.js';
import { stateHash } from '../../src/state/state-hash.js';
import { AbiCodec } from '../../src/vm/abi/abi-codec.js';
import { PUBLIC_TEST_KEY } from '../../src/witness/options.js';
import { STACK_SIZE } from '../runner/stack-size.js';
import { type DevNode, startDevNode } from '../support/dev-node.js';
import { exampleContract } from '../support/example-contracts.js';
import { FakeClock } from '../support/fake-clock.js';
import { NETWORK } from '../support/network.js';
import { projectPath } from '../support/paths.js';
import { refusedLater } from '../support/refused.js';
import { rpcCall, signedBy } from '../support/rpc-call.js';
import { runTrustnode, TRUSTNODE } from '../support/run-trustnode.js';

/** Options that the family's nodes have and that this node had to learn. */

const devGenesis = readFileSync(projectPath('genesis', 'dev.json'));
const changedId = createHash('sha256').update(devGenesis).update('BOGUS').digest('hex');

const hashOf = ({ node }: DevNode): string => node.chain.snapshots.withHeadState(stateHash);

t.test('genesis-timestamp begins the chain now, and keeps to that', async (t) => {
  const folder = t.testdir();
  const nowMs = Date.UTC(2026, 0, 1, 0, 0, 7);
  const first = await startDevNode(folder, { 'genesis-timestamp': '30' }, new FakeClock(nowMs));
  t.equal(first.node.chainId, changedId, 'the id of the file and five letters more');
  // 7 + 3 + 30 seconds, rounded down to what three seconds and five divide.
  t.equal(first.node.chain.queries.head.time, Date.UTC(2026, 0, 1, 0, 0, 30) / 1000);
  first.clock.advance(60_000);
  t.ok(first.node.chain.queries.head.number > 5, 'blocks are made from then on');
  const hash = hashOf(first);
  await first.node.stop();

  const second = await startDevNode(folder, { plugins: 'none' }, first.clock);
  t.equal(second.node.chainId, changedId, 'a later start needs no option');
  t.equal(hashOf(second), hash);
  await second.node.stop();
  first.clock.jump(3_600_000);
  const third = await startDevNode(
    folder,
    { plugins: 'none', 'genesis-timestamp': '30', 'replay-blockchain': 'true' },
    first.clock,
  );
  t.equal(hashOf(third), hash, 'a replay begins at the same time again');
  await third.node.stop();
  const fourth = await startDevNode(folder, { plugins: 'none', 'resync-blockchain': 'true' }, first.clock);
  t.not(fourth.node.chainId, changedId, 'a chain that begins anew without the option is that of the file');
  t.notOk(existsSync(join(folder, 'data', GENESIS_CHANGES)));
  await fourth.node.stop();
  await refusedLater(
    t,
    NODE_GENESIS_ERRORS.genesis_change_late,
    startDevNode(folder, { 'genesis-timestamp': '1' }, first.clock),
  );
});

t.test('dbg-init-key signs for the first witnesses', async (t) => {
  const folder = t.testdir();
  const key = PrivateKey.fromSeed('somebody');
  const asText = publicKeyToText(key.publicKey, 'GXC');
  const wif = key.toWif();
  const first = await startDevNode(folder, { 'dbg-init-key': asText, 'private-key': wif });
  t.equal(first.node.chainId, changedId);
  first.clock.advance(9_000);
  t.ok(first.node.chain.queries.head.number >= 2, 'with that key blocks are made');
  const hash = hashOf(first);
  await first.node.stop();

  const again = await startDevNode(folder, { 'dbg-init-key': wif, plugins: 'none' }, first.clock);
  t.equal(hashOf(again), hash, 'the private key says the same, and later starts may repeat it');
  await again.node.stop();
  const other = startDevNode(folder, { 'dbg-init-key': PrivateKey.fromSeed('else').toWif() }, first.clock);
  await refusedLater(t, NODE_GENESIS_ERRORS.genesis_change_late, other);
  // The tools find the same chain.
  const tool = await runTrustnode(['state-hash', '--json', '--data-dir', join(folder, 'data')]);
  t.equal(JSON.parse(tool.stdout || '{}').state_hash, hash, tool.stderr);
});

t.test('truncate cuts the log, and the state follows at the next start', async (t) => {
  const folder = t.testdir();
  const data = join(folder, 'data');
  const first = await startDevNode(folder);
  // More than a store waits for, so that the stored state lies above the cut.
  first.clock.advance(90_000);
  const { number } = first.node.chain.queries.head;
  const idOfTen = first.node.chain.queries.blockIdOf(10);
  await first.node.stop();

  const cut = await runTrustnode(['start', '--dev', '--data-dir', data, '--truncate', '11']);
  t.equal(cut.code, 0, cut.stderr);
  t.match(cut.stdout, new RegExp(`ended at block ${number} and ends at block 10 now; the state is dropped`));
  const twice = await runTrustnode(['start', '--dev', '--data-dir', data, '-x', '11']);
  t.match(twice.stdout, /ends at block 10: nothing to cut/);
  const second = await startDevNode(folder, { plugins: 'none' }, first.clock);
  t.match(second.node.chain.queries.head, { number: 10, id: idOfTen });
  const busy = await runTrustnode(['start', '--dev', '--data-dir', data, '-x', '5']);
  t.equal(busy.code, 1);
  t.match(busy.stderr, /storage_in_use/, 'never under a running node');
  t.equal(second.node.chain.queries.head.number, 10);
  await second.node.stop();
});

/** As a person types it. */
function answered(args: readonly string[], input: string): Promise<{ code: number | null; out: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [STACK_SIZE, TRUSTNODE, ...args], { stdio: 'pipe' });
    let out = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        out += text;
      });
    }
    child.on('close', (code) => resolve({ code, out }));
    child.stdin.end(input);
  });
}

t.test('create-genesis-json makes, completes and replaces a genesis file', async (t) => {
  const folder = t.testdir();
  const path = join(folder, 'genesis.json');
  const made = await answered(['start', '--create-genesis-json', path], '');
  t.equal(made.code, 0, made.out);
  const example = JSON.parse(readFileSync(path, 'utf8')) as Record<string, Json>;
  const [witness] = example.initial_witness_candidates as { block_signing_key: string }[];
  t.equal(
    witness?.block_signing_key,
    publicKeyToText(PUBLIC_TEST_KEY.publicKey, NETWORK.keyPrefix),
    'the default of private-key signs',
  );
  t.equal((await runTrustnode(['genesis', 'check', path])).code, 0, 'a chain can be begun with it');

  const { initial_committee_candidates: _, immutable_parameters: __, ...shorter } = example;
  const [first, ...others] = shorter.initial_accounts as Record<string, Json>[];
  const { is_lifetime_member: ___, ...account } = first as Record<string, Json>;
  const mine = { ...shorter, comment: 'mine', initial_accounts: [{ ...account, note: 'also mine' }, ...others] };
  const long = JSON.stringify(mine).replace('"mine"', '"mine", "a_number": 12345678901234567890');
  writeFileSync(path, long);
  const completed = await answered(['start', '--create-genesis-json', path], '');
  t.equal(completed.code, 0, completed.out);
  const whole = JSON.parse(readFileSync(path, 'utf8')) as Record<string, Json>;
  t.same(whole.initial_committee_candidates, []);
  t.match(whole.immutable_parameters, { min_witness_count: 11 });
  const [, ...sameOthers] = whole.initial_accounts as Json[];
  t.same(sameOthers, others);
  t.match((whole.initial_accounts as Json[])[0], { ...account, is_lifetime_member: false, note: 'also mine' });
  t.equal(whole.comment, 'mine', 'nothing is taken away');
  const text = readFileSync(path, 'utf8');
  t.match(text, /"a_number": 12345678901234567890,/, 'nor rounded');
  t.equal(readFileSync(`${path}.bak`, 'utf8'), long, 'the old file is kept');
  for (const file of [text, long]) t.match(completed.out, new RegExp(createHash('sha256').update(file).digest('hex')));

  writeFileSync(path, JSON.stringify(parseJson(text.replace('12345678901234567890', '1'))));
  const complete = readFileSync(path, 'utf8');
  const again = await answered(['start', '--create-genesis-json', path], '');
  t.equal(again.code, 0, again.out);
  t.match(again.out, /nothing was written/);
  t.equal(readFileSync(path, 'utf8'), complete, 'the bytes of a whole file are its chain and stay');
  t.notOk(existsSync(`${path}.bak2`));

  writeFileSync(path, '{"initial_timestamp": ');
  for (const input of ['', 'n\n']) {
    const kept = await answered(['start', '--create-genesis-json', path], input);
    t.equal(kept.code, 1);
    t.match(kept.out, /\[y\/N\].*genesis_file_malformed/s);
    t.equal(readFileSync(path, 'utf8'), '{"initial_timestamp": ');
  }
  const replaced = await answered(['start', '--create-genesis-json', path], 'y\n');
  t.equal(replaced.code, 0, replaced.out);
  t.same(JSON.parse(readFileSync(path, 'utf8')), example);
  t.equal(readFileSync(`${path}.bak2`, 'utf8'), '{"initial_timestamp": ');
});

t.test('contracts-console: what contracts print is in the log, and cannot do anything there', async (t) => {
  const dev = await startDevNode(t.testdir(), { 'contracts-console': 'true' });
  t.teardown(() => dev.node.stop());
  dev.clock.advance(3_000);
  await new Promise((resolve) => setImmediate(resolve));
  dev.clock.advance(6_000);
  const { plain } = dev.node.endpoints;
  const [alice] = DEV_ACCOUNTS;
  const account = await rpcCall<{ id: string }>(plain, 'get_account_by_name', ['alice']);
  const { code, abi } = exampleContract('hello');
  const send = async (tag: number, body: object): Promise<void> => {
    const tx = await signedBy(plain, alice?.key as PrivateKey, [[tag, body]]);
    await rpcCall(plain, 'call', [2, 'broadcast_transaction', [signedTransaction.toJson(tx, NETWORK)]]);
  };
  const hex = Buffer.from(code).toString('hex');
  const deployed = { name: 'hello-one', account: account.id, vm_type: '0', vm_version: '0' };
  await send(74, { ...deployed, code: hex, abi: abiDef.toJson(abi), extensions: [] });
  dev.clock.advance(3_000);
  const contract = await rpcCall<{ id: string }>(plain, 'get_account_by_name', ['hello-one']);
  const data = new AbiCodec(abi, NETWORK).packAction('hi', parseJson(String.raw`{"user":"you\u001b[2J\nme"}`));
  const call = { account: account.id, contract_id: contract.id, method_name: 'hi' };
  await send(75, { ...call, data: Buffer.from(data).toString('hex'), extensions: [] });
  const lines = () => dev.log.entries.filter(({ text }) => text === 'contract prints').map(({ values }) => values);
  const printed = [
    { contract: contract.id, line: 'hi, you\\u001b[2J' },
    { contract: contract.id, line: 'me, from alice' },
  ];
  // The fee question has run it too.
  t.same(lines(), [...printed, ...printed]);
  t.ok(dev.log.entries.some(({ module, text }) => module === 'contract' && text === 'contract prints'));
});

t.test(
  'what has no effect is accepted; the debug API is there with its plugin, and open when somebody says so',
  async (t) => {
    const folder = t.testdir();
    const dev = await startDevNode(folder, {
      'fast-replay': 'true',
      'force-validate': 'true',
      'enable-history-api': 'true',
      plugins: 'witness debug_witness',
    });
    dev.clock.advance(3_000);
    t.ok(dev.node.chain.queries.head.number > 0, 'it produces');
    const flush = ({ node }: DevNode) =>
      rpcCall(node.endpoints.plain, 'call', ['debug', 'debug_stream_json_objects_flush', []]);
    const isSaid = ({ log }: DevNode) =>
      log.entries.some(({ level, text }) => level === 'warn' && text.startsWith('the debug API is open'));
    await t.rejects(flush(dev), /_debug_api: /, 'the plugin alone opens it to nobody');
    t.notOk(isSaid(dev));
    await dev.node.stop();

    const access = join(folder, 'access.json');
    const allow = (...allowed_apis: string[]) => {
      const entry = { password_hash_b64: '*', password_salt_b64: '*', allowed_apis };
      writeFileSync(access, JSON.stringify({ permission_map: [['*', entry]] }));
    };
    const plugin = { plugins: 'debug_witness', 'api-access': access };
    allow('database_api', 'debug_api');
    const byFile = await startDevNode(folder, plugin, dev.clock);
    t.equal(await flush(byFile), null, 'an access file does');
    t.ok(isSaid(byFile));
    await byFile.node.stop();
    allow('database_api');
    const closed = await startDevNode(folder, { ...plugin, 'enable-debug-api': 'true' }, dev.clock);
    await t.rejects(flush(closed), /_debug_api: /, 'and it has the last word');
    t.notOk(isSaid(closed));
    await closed.node.stop();
    const byOption = await startDevNode(folder, { 'enable-debug-api': 'true', plugins: 'none' }, dev.clock);
    t.equal(await flush(byOption), null);
    t.ok(isSaid(byOption));
    await byOption.node.stop();
  },
);
