import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import type { Json, JsonObject } from '../../src/codec/json.js';
import { DEV_ACCOUNTS, DEV_FAUCET, DEV_SIGNING_KEYS, DEV_WITNESS_ACCOUNTS } from '../../src/node/dev/dev-network.js';
import { NODE_ERRORS } from '../../src/wallet/errors.js';
import { startDevNode } from '../support/dev-node.js';
import { eventually } from '../support/eventually.js';
import { refusedLater } from '../support/refused.js';
import { walletOn } from './support/wallet-on.js';

/** Commands for trials on a chain of one's own: blocks on demand, changed objects, load, and how much of it there is. */

const folder = t.testdir();
const dev = await startDevNode(folder, { 'enable-debug-api': 'true' });
dev.clock.advance(9_000);
t.teardown(() => dev.node.stop());
const keys = Object.fromEntries(
  [...DEV_ACCOUNTS, ...DEV_WITNESS_ACCOUNTS, DEV_FAUCET].map(({ name, key }) => [name, key.toWif()]),
);
const { wallet, log, run, close } = await walletOn(dev, folder, 'wallet', keys);
t.teardown(() => close());
const head = async (): Promise<number> => (await wallet.chain.dynamic()).head_block_number;
const [signing] = DEV_SIGNING_KEYS;
const block = (): void => dev.clock.advance(3_000);
const transactionsOf = async (number: number): Promise<number> =>
  (await run<{ transactions: Json[] }>('get_block', number)).transactions.length;
const has = async (account: string): Promise<number> => {
  const balances = await run<{ asset_id: string; amount: number | string }[]>('list_account_balances', account);
  return Number(balances.find(({ asset_id }) => asset_id === '1.3.1')?.amount ?? 0);
};

t.test('blocks on demand', async (t) => {
  const before = await head();
  t.equal(await run('dbg_generate_blocks', signing?.toWif() ?? '', 25), null);
  t.equal(await head(), before + 25);
  await refusedLater(t, NODE_ERRORS.node_refused, run('dbg_generate_blocks', signing?.toWif() ?? '', 1_000_000_000));
});

t.test('an object is changed, and the changes are written down', async (t) => {
  const id = await run<string>('get_account_id', 'carol');
  t.equal(await run('dbg_stream_json_objects', 'changes.jsonl'), null);
  t.equal(await run('dbg_update_object', { _action: 'update', id, network_fee_percentage: 3333 }), null);
  t.equal(await run('dbg_generate_blocks', signing?.toWif() ?? '', 1), null);
  const [account] = await run<[JsonObject]>('get_object', id);
  t.equal(account.network_fee_percentage, 3333);
  t.equal(await run('dbg_stream_json_objects', ''), null);
  // In the debug folder of the node, and nowhere else.
  t.match(readFileSync(join(folder, 'data', 'debug', 'changes.jsonl'), 'utf8'), /"network_fee_percentage":3333/);
  await refusedLater(t, NODE_ERRORS.node_refused, run('dbg_stream_json_objects', '../elsewhere.jsonl'));
  await refusedLater(t, NODE_ERRORS.node_refused, run('dbg_update_object', { _action: 'nonsense', id }));
});

t.test('the clock reaches the blocks that were made ahead of it', async (t) => {
  dev.clock.advance(120_000);
  t.ok((await wallet.chain.dynamic()).time * 1000 >= dev.clock.nowMs() - 3_000);
});

t.test('blocks of another node', async (t) => {
  const from = t.testdir({ source: {}, target: {} });
  const source = await startDevNode(join(from, 'source'));
  source.clock.advance(15_000);
  const { id } = source.node.chain.queries.head;
  const log = join(from, 'source', 'data', 'blockchain', 'block_log');
  await source.node.stop();
  const line = { 'enable-debug-api': 'true', plugins: 'none' };
  const target = await startDevNode(join(from, 'target'), line, source.clock);
  const other = await walletOn(target, from, 'other', {});
  t.teardown(async () => {
    await other.close();
    await target.node.stop();
  });
  t.equal(await other.run('dbg_push_blocks', log, 100), null);
  t.equal((await other.wallet.chain.dynamic()).head_block_id, id);
  await refusedLater(t, NODE_ERRORS.node_refused, other.run('dbg_push_blocks', join(log, 'none'), 1));
});

t.test('an asset with plain options', async (t) => {
  t.equal(await run('dbg_make_uia', 'alice', 'TRIALTOK'), null);
  block();
  const asset = await run<JsonObject>('get_asset', 'TRIALTOK');
  t.match(asset, { symbol: 'TRIALTOK', precision: 2, issuer: await run<string>('get_account_id', 'alice') });
});

t.test('accounts and payments in quantity', async (t) => {
  const count = async (): Promise<number> => Number(await run('get_account_count'));
  const before = await count();
  t.equal(await run('flood_create_account', 'flood', 3), null);
  block();
  t.equal(await count(), before + 3);
  t.ok(wallet.isMine(await wallet.chain.account('flood2')) || pendingOf('flood2'), 'their keys are kept');

  const paid = await head();
  t.equal(await run('flood_transfer', 'alice', 'flood', 3, 4), null);
  block();
  t.equal(await transactionsOf(paid + 1), 12, 'each of three, four times');
  for (let n = 0; n < 3; n++) t.equal(await has(`flood${n}`), 4 * 100_000, `flood${n}`);

  t.equal(await run('flood_network', 'crowd', 10), null);
  block();
  t.equal(await transactionsOf(paid + 2), 9, 'three accounts and six payments');
  for (let n = 0; n < 3; n++) t.equal(await has(`crowd${n}`), 2 * 100_000);
});

/** Registered, and not yet claimed. */
function pendingOf(account: string): boolean {
  return wallet.data.pending_account_registrations.some(([name]) => name === account);
}

t.test('one payment many times, each with another expiry', async (t) => {
  const [alice, bob] = [await run<string>('get_account_id', 'alice'), await run<string>('get_account_id', 'bob')];
  const before = await has('bob');
  t.equal(await run('transfer_test', alice, bob, 7), null);
  block();
  t.equal(await has('bob'), before + 7 * 100_000);
  const { transactions } = await run<{ transactions: { expiration: string }[] }>('get_block', await head());
  t.equal(new Set(transactions.map(({ expiration }) => expiration)).size, 7);
});

t.test('how many there are a second is told for a minute, in the log', { timeout: 200_000 }, async (t) => {
  const told = (): Json[] =>
    log.entries.filter(({ text }) => text === 'tps').map(({ values }) => values as unknown as Json);
  const running = run('get_tps');
  let isOver = false;
  void running.then(() => {
    isOver = true;
  });
  await eventually('the first line', () => told().length >= 1);
  t.match(told()[0], { tps: 0 }, 'no block came meanwhile');
  const [alice, bob] = [await run<string>('get_account_id', 'alice'), await run<string>('get_account_id', 'bob')];
  const before = told().length;
  await run('transfer_test', bob, alice, 6);
  block();
  await eventually('a line about the block', () => told().some((line) => Number((line as JsonObject).tps) > 0));
  const line = told()
    .slice(before)
    .find((one) => Number((one as JsonObject).tps) > 0) as JsonObject;
  // Six, and those of no block before it, in the three seconds of a block.
  t.equal(line.tps, 2);
  t.match(line.at, /^\d{4}-\d\d-\d\dT/);
  while (!isOver) await pause(100);
  t.equal(await running, null);
  t.equal(told().length, 20, 'twenty times, once every three seconds');
});
