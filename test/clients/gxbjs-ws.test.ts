import { createRequire } from 'node:module';
import t from 'tap';
import { connect } from '../../src/client/client.js';
import { eventually } from '../support/eventually.js';
import { startDevProcess } from './support/dev-process.js';

/** The public WebSocket library and the object cache of wallets, unmodified, against the program as people run it. */

interface Api {
  exec(method: string, args: readonly unknown[]): Promise<unknown>;
}
interface Connection {
  readonly init_promise: Promise<unknown>;
  readonly chain_id: string;
  db_api(): Api;
  network_api(): Api;
  history_api(): Api;
}
/** An immutable map. */
interface Entry {
  get(name: string): unknown;
  getIn(path: readonly string[]): unknown;
}
interface Store {
  init(): Promise<void>;
  subscribe(listener: () => void): void;
  getObject(id: unknown): Entry | null | undefined;
  getAccount(name: string): Entry | null | undefined;
  getAsset(symbol: string): Entry | null | undefined;
}
interface Builder {
  add_type_operation(name: string, fields: object): void;
  set_required_fees(): Promise<void>;
  add_signer(key: unknown, publicKey: string): void;
  broadcast(sent?: () => void): Promise<[{ id: string; block_num: number }]>;
}
const require = createRequire(import.meta.url);
const { Apis } = require('gxbjs-ws') as {
  Apis: { instance(url?: string, connect?: boolean): Connection; close(): Promise<void> };
};
const { ChainStore, TransactionBuilder, PrivateKey } = require('gxbjs') as {
  ChainStore: Store;
  TransactionBuilder: new () => Builder;
  PrivateKey: { fromWif(wif: string): unknown };
};

t.capture(console, 'log');
// The public client's test uses the other server.
const node = await startDevProcess(t.testdir(), '--rpc-transport', 'node-http', '--max-ops-per-account', '0');
t.teardown(() => node.stop());
const { alice, bob } = node;

async function transfer(amount: number, sent?: () => void): Promise<{ id: string; block_num: number }> {
  const builder = new TransactionBuilder();
  builder.add_type_operation('transfer', {
    fee: { amount: 0, asset_id: '1.3.1' },
    from: alice.id,
    to: bob.id,
    amount: { amount, asset_id: '1.3.1' },
    extensions: [],
  });
  await builder.set_required_fees();
  builder.add_signer(PrivateKey.fromWif(alice.wif), alice.public_key);
  const [confirmed] = await builder.broadcast(sent);
  return confirmed;
}

await Apis.instance(`ws://${node.endpoint}`, true).init_promise;
t.teardown(() => Apis.close());
const database = Apis.instance().db_api();

t.test('the library finds the APIs that it asks for', async (t) => {
  t.equal(Apis.instance().chain_id, node.chainId);
  t.equal(await database.exec('get_chain_id', []), node.chainId);
  t.match(await database.exec('get_objects', [['2.1.0', alice.id]]), [{ id: '2.1.0' }, { name: 'alice' }]);
  const history = Apis.instance().history_api();
  t.same(await history.exec('get_account_history', [alice.id, '1.11.0', 10, '1.11.0']), [], 'no plugin keeps any');
  const tooMany = history.exec('get_account_history', [alice.id, '1.11.0', 101, '1.11.0']);
  await t.rejects(tooMany, { message: /limit <= 100/ });
  const info = Apis.instance().network_api();
  await t.rejects(info.exec('broadcast_transaction', [{ operations: [] }]), 'a refusal rejects');
});

t.test('objects, pending transactions and blocks are told of', async (t) => {
  const updates: { id?: string }[][] = [];
  const pending: { operations: unknown[] }[] = [];
  await database.exec('set_subscribe_callback', [(told: [{ id?: string }[]]) => updates.push(...told), false]);
  await database.exec('set_pending_transaction_callback', [(told: typeof pending) => pending.push(...told)]);
  await database.exec('get_objects', [['2.1.0']]);
  await database.exec('get_full_accounts', [['alice'], true]);

  // The library has no way to ask for this notice; ours has.
  const own = await connect(`ws://${node.endpoint}`);
  const blocks: unknown[] = [];
  await own.database.set_block_applied_callback({ cb: own.connection.subscribe((id) => blocks.push(id)) });

  const { block_num } = await transfer(77);
  // On a busy machine blocks come before the transfer does.
  const heads = () => updates.flat().filter((one) => one.id === '2.1.0') as { head_block_number: number }[];
  await eventually('its block as head is told of', () => heads().some((one) => one.head_block_number === block_num));
  const balance = await eventually(
    'the balance is told of',
    () => updates.flat().find((one) => one.id?.startsWith('2.5.')) as { owner: string; balance: unknown },
  );
  t.equal(balance.owner, alice.id);
  t.match(pending, [{ operations: [[0, { from: alice.id, to: bob.id, amount: { amount: 77 } }]] }]);
  const block = (await database.exec('get_block', [block_num])) as { block_id: string };
  await eventually('its block is told of', () => blocks.includes(block.block_id));
  own.connection.close();
  await database.exec('cancel_all_subscriptions', []);
});

t.test('the object cache follows the chain', async (t) => {
  await ChainStore.init();
  let changes = 0;
  ChainStore.subscribe(() => changes++);
  const account = await eventually('the account', () => ChainStore.getAccount('alice'));
  t.equal(account.get('id'), alice.id);
  t.equal((await eventually('the asset', () => ChainStore.getAsset('GXC'))).get('id'), '1.3.1');
  const balanceId = account.getIn(['balances', '1.3.1']);
  const amount = (): number => Number(ChainStore.getObject(balanceId)?.get('balance'));
  const head = (): number => Number(ChainStore.getObject('2.1.0')?.get('head_block_number'));
  await eventually('the head', () => head() > 0);
  const before = amount();
  t.ok(before > 0);
  let sent = false;
  const { block_num } = await transfer(1_00000, () => {
    sent = true;
  });
  t.ok(sent);
  await eventually('the transfer is seen', () => amount() !== before && head() >= block_num);
  t.equal(amount(), before - 1_00000 - 1000, 'the amount and the fee are gone');
  const height = head();
  await eventually('the next block', () => head() > height);
  t.ok(changes >= 2);
  t.equal(ChainStore.getAccount('nobody-here') ?? null, null);
});
