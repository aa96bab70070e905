import t, { type Test } from 'tap';
import { publicKeyToText } from '../../src/crypto/public-key.js';
import { DEV_ACCOUNTS } from '../../src/node/dev/dev-network.js';
import { startDevNode } from '../support/dev-node.js';
import { rpcCall } from '../support/rpc-call.js';

/** Wallets look for their accounts by their keys, also when a change of these keys came to nothing. */

const [alice, bob] = DEV_ACCOUNTS.map(({ key }) => publicKeyToText(key.publicKey, 'GXC'));

interface Account {
  readonly id: string;
  readonly options: object;
}

/** A node on which alice is about to have bob's keys, and which nobody has asked for a key yet but who is named. */
async function changing(t: Test, askedBefore?: string) {
  const { node, clock } = await startDevNode(t.testdir());
  t.teardown(() => node.stop());
  clock.advance(6000);
  const url = node.endpoints.plain;
  const dev = (method: string, ...params: unknown[]) => rpcCall<number>(url, 'call', ['dev', `dev_${method}`, params]);
  await dev('setProducing', false);
  await dev('mine');
  const snapshot = await dev('snapshot');
  await dev('impersonate', 'alice');
  const account = await rpcCall<Account>(url, 'get_account_by_name', ['alice']);
  const head = await rpcCall<{ time: string; head_block_number: number; head_block_id: string }>(
    url,
    'get_dynamic_global_properties',
    [],
  );
  const authority = { weight_threshold: 1, account_auths: [], key_auths: [[bob, 1]], address_auths: [] };
  const update = {
    fee: { amount: 1_000_000, asset_id: '1.3.1' },
    account: account.id,
    owner: authority,
    active: authority,
    new_options: { ...account.options, memo_key: bob },
    extensions: {},
  };
  const transaction = {
    ref_block_num: head.head_block_number & 0xffff,
    ref_block_prefix: Buffer.from(head.head_block_id, 'hex').readUInt32LE(4),
    expiration: new Date(Date.parse(`${head.time}Z`) + 60_000).toISOString().slice(0, 19),
    operations: [[6, update]],
    extensions: [],
    signatures: [],
  };
  const holdersOf = async (key: string | undefined): Promise<string[]> =>
    [...new Set((await rpcCall<string[][]>(url, 'get_key_references', [[key]]))[0])].sort();
  if (askedBefore !== undefined) await holdersOf(askedBefore);
  await rpcCall(url, 'call', [2, 'broadcast_transaction', [transaction]]);
  return { dev, snapshot, holdersOf, id: account.id };
}

t.test('the change was waiting when the first key was asked for, and was forgotten', async (t) => {
  const { dev, holdersOf, id } = await changing(t);
  t.ok((await holdersOf(bob)).includes(id), 'what waits counts');
  await dev('dropPending');
  t.same(await holdersOf(alice), [id]);
  t.notOk((await holdersOf(bob)).includes(id));
});

t.test('the change was in a block when the first key was asked for, and was taken back with it', async (t) => {
  const { dev, snapshot, holdersOf, id } = await changing(t);
  await dev('mine');
  t.same(await holdersOf(alice), []);
  await dev('revert', snapshot);
  t.same(await holdersOf(alice), [id]);
});

t.test('the change waits, and keys were asked for before it came', async (t) => {
  const { holdersOf, id } = await changing(t, alice);
  t.ok((await holdersOf(bob)).includes(id));
  t.same(await holdersOf(alice), []);
});
