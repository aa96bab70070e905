import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import t from 'tap';
import type { PrivateKey } from '../../src/crypto/private-key.js';
import { DEV_ACCOUNTS, DEV_SIGNING_KEYS } from '../../src/node/dev/dev-network.js';
import { type SignedTransaction, signedTransaction } from '../../src/protocol/transaction.js';
import { stateHash } from '../../src/state/state-hash.js';
import { type DevNode, startDevNode } from '../support/dev-node.js';
import { NETWORK } from '../support/network.js';
import { rpcCall, signedBy } from '../support/rpc-call.js';

/** The whole way of a client: over a socket into the chain and back. */

const call = <T>({ node }: DevNode, method: string, params: unknown[]): Promise<T> =>
  rpcCall<T>(node.endpoints.plain, method, params);

interface Properties {
  head_block_number: number;
  head_block_id: string;
  last_irreversible_block_num: number;
  time: string;
}

async function transferFrom(dev: DevNode, name: string, key: PrivateKey | undefined): Promise<SignedTransaction> {
  const { id: from } = await call<{ id: string }>(dev, 'get_account_by_name', [name]);
  const { id: to } = await call<{ id: string }>(dev, 'get_account_by_name', ['bob']);
  const transfer = { from, to, amount: { amount: 5, asset_id: '1.3.1' }, extensions: [] };
  return signedBy(dev.node.endpoints.plain, key, [[0, transfer]]);
}

const asJson = (tx: SignedTransaction): unknown => signedTransaction.toJson(tx, NETWORK);

t.test('a client asks, pays, and finds its transaction again, also after a restart', async (t) => {
  const folder = t.testdir();
  const dev = await startDevNode(folder);
  dev.clock.advance(3_000);
  await new Promise((resolve) => setImmediate(resolve));
  dev.clock.advance(6_000);
  t.equal(await call(dev, 'get_chain_id', []), dev.node.chainId);
  const accounts = DEV_ACCOUNTS.map(({ name }) => name);
  const found = await call<(object | null)[]>(dev, 'lookup_account_names', [accounts]);
  t.ok(found.every((one) => one !== null));

  const [alice] = DEV_ACCOUNTS;
  await t.rejects(
    call(dev, 'call', [2, 'broadcast_transaction', [asJson(await transferFrom(dev, 'alice', undefined))]]),
    /Missing Active Authority/,
  );
  const tx = await transferFrom(dev, 'alice', alice?.key);
  const id = await call<string>(dev, 'call', [2, 'broadcast_transaction', [asJson(tx)]]);
  t.match(id, /^[0-9a-f]{40}$/);
  dev.clock.advance(3_000);
  const { head_block_number } = await call<Properties>(dev, 'get_dynamic_global_properties', []);
  const block = await call<{ transactions: object[]; transaction_ids: string[] }>(dev, 'get_block', [
    head_block_number,
  ]);
  t.equal(block.transactions.length, 1);
  t.match(
    await call(dev, 'get_transaction_by_txid', [id]),
    { block_number: 0 },
    'not before its block is irreversible',
  );
  dev.clock.advance(60_000);
  const again = await call<object>(dev, 'get_transaction_by_txid', [id]);
  t.match(again, {
    block_number: head_block_number,
    transaction: { operations: [[0, { amount: { amount: 5, asset_id: '1.3.1' } }]] },
  });
  await dev.node.stop();
  await t.rejects(fetch(`http://${dev.node.endpoints.plain}/rpc`), 'nobody listens any more');

  const second = await startDevNode(folder, {}, dev.clock);
  t.teardown(() => second.node.stop());
  t.same(await call(second, 'get_transaction_by_txid', [id]), again);
});

t.test('a taken port is refused, and nothing stays open', async (t) => {
  const dev = await startDevNode(t.testdir({ one: {}, two: {} }));
  t.teardown(() => dev.node.stop());
  const folder = join(t.testdirName, 'two');
  await t.rejects(startDevNode(folder, { 'rpc-endpoint': dev.node.endpoints.plain as string }), /127\.0\.0\.1/);
  const later = await startDevNode(folder);
  t.equal(await later.node.stop(), true, 'the first attempt has closed its files');
});

t.test('health and metrics have an endpoint of their own', async (t) => {
  const dev = await startDevNode(t.testdir(), { 'monitor-endpoint': '127.0.0.1:0' });
  t.teardown(() => dev.node.stop());
  const get = (path: string) => fetch(`http://${dev.node.endpoints.monitor}${path}`);
  t.equal((await get('/healthz')).status, 200);
  t.equal((await get('/readyz')).status, 503, 'the head is years old before the first block');
  dev.clock.advance(9_000);
  t.equal((await get('/readyz')).status, 200);
  const text = await (await get('/metrics')).text();
  const blocks = dev.node.chain.queries.head.number;
  t.ok(text.includes(`\ntrustnode_chain_head_block ${blocks}\n`));
  t.ok(text.includes(`\ntrustnode_chain_block_duration_seconds_count ${blocks}\n`));
  t.ok(text.includes(`\ntrustnode_witness_answers_total{answer="produced"} ${blocks}\n`));
  t.ok(text.includes('\ntrustnode_witness_answers_total{answer="no_private_key"} 0\n'));
});

t.test('the debug API makes blocks at once, and only where it was asked for', async (t) => {
  const plain = await startDevNode(t.testdir());
  const [signing] = DEV_SIGNING_KEYS;
  const wif = signing?.toWif();
  await t.rejects(call(plain, 'call', ['debug', 'debug_generate_blocks', [wif, 1]]));
  await plain.node.stop();

  const folder = t.testdir();
  const dev = await startDevNode(folder, { 'enable-debug-api': 'true', plugins: 'none' });
  await call(dev, 'call', ['debug', 'debug_generate_blocks', [wif, 120]]);
  t.equal(dev.node.chain.queries.head.number, 120);
  await dev.node.stop();
  const again = await startDevNode(folder, { plugins: 'none' }, dev.clock);
  t.same(again.node.chain.queries.head, dev.node.chain.queries.head, 'such blocks are replayed like others');
  t.equal(readFileSync(join(folder, 'data', 'config.ini'), 'utf8').includes('enable-debug-api'), true);
  await again.node.stop();
});

t.test('old snapshots go when there are new ones, and nothing else does', async (t) => {
  const folder = t.testdir({ snapshots: { 'object_database-of-mine': { keep: 'this' }, notes: 'and this' } });
  const snapshots = join(folder, 'snapshots');
  const dev = await startDevNode(folder, { 'state-snapshots-dir': snapshots, 'state-snapshot-keep': '2' });
  t.teardown(() => dev.node.stop());
  const made: string[] = [];
  for (let i = 0; i < 4; i++) {
    dev.clock.advance(30_000);
    made.push(basename((await call<{ snapshot_dir: string }>(dev, 'create_snapshot', [])).snapshot_dir));
    // Their age decides, and file systems count it in milliseconds.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  t.equal(new Set(made).size, 4);
  t.same(readdirSync(snapshots).sort(), [...made.slice(2), 'folder.lock', 'notes', 'object_database-of-mine'].sort());
});

t.test('a snapshot of a running node can be put in place of the state', async (t) => {
  const folder = t.testdir();
  const options = { 'state-snapshots-dir': relative(process.cwd(), join(folder, 'snapshots')) };
  const off = await startDevNode(join(folder, 'off'));
  t.match(await call(off, 'create_snapshot', []), {
    head_block_num: 0,
    head_block_id: '0'.repeat(40),
    snapshot_dir: '',
  });
  await off.node.stop();

  const dev = await startDevNode(folder, options);
  dev.clock.advance(60_000);
  const [one, two] = await Promise.all([
    call<{ snapshot_dir: string }>(dev, 'create_snapshot', []),
    call<{ snapshot_dir: string }>(dev, 'create_snapshot', []),
  ]);
  const { queries } = dev.node.chain;
  const number = queries.head.irreversible;
  const head = { number, id: queries.blockIdOf(number) };
  const snapshot_dir = `${options['state-snapshots-dir']}/object_database-${head.id}`;
  t.same(one, { head_block_num: head.number, head_block_id: head.id, snapshot_dir }, 'named as in the option');
  t.same(two, one);
  dev.clock.advance(60_000);
  await call(dev, 'create_snapshot', []);
  const end = dev.node.chain.queries.head;
  const hash = dev.node.chain.snapshots.withHeadState(stateHash);
  await dev.node.stop();

  const objects = join(folder, 'data', 'blockchain', 'object_database');
  rmSync(objects, { recursive: true });
  renameSync(snapshot_dir, objects);
  const restored = await startDevNode(folder, options, dev.clock);
  t.teardown(() => restored.node.stop());
  const loaded = restored.log.entries.find((entry) => entry.text === 'state loaded');
  t.equal(loaded?.values.block, head.number);
  t.same(restored.node.chain.queries.head, end);
  t.equal(restored.node.chain.snapshots.withHeadState(stateHash), hash);
});
