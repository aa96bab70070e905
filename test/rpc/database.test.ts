import t from 'tap';
import { toHex } from '../../src/base/bytes.js';
import { readObjectUpdate } from '../../src/chain/debug-updates.js';
import type { Json, JsonObject } from '../../src/codec/json.js';
import { addressOfKey, addressToText } from '../../src/crypto/address.js';
import { blind } from '../../src/crypto/blind.js';
import { keyAuthority } from '../../src/protocol/authority.js';
import { publicKey } from '../../src/protocol/keys.js';
import { objectOf } from '../../src/protocol/objects/declare.js';
import { signedTransaction } from '../../src/protocol/transaction.js';
import { accountObject } from '../../src/state/objects/account.js';
import { transactionObject } from '../../src/state/objects/transaction.js';
import { NETWORK } from '../support/network.js';
import { core, TestWorld } from '../support/world.js';
import { accountKey } from '../support/world-genesis.js';
import { loadedChain } from './support/golden-node.js';
import { askable, goldenPorts } from './support/golden-rpc.js';

/** Answers of the database API that no recorded pair shows. */

interface Answer {
  readonly result: Json;
  readonly error?: { readonly message: string; readonly data: { readonly key: string } };
}

/** A node with the recorded chain, whose objects a test may change. */
function node(more: { readonly mockContractFee?: boolean } = {}) {
  const chain = loadedChain();
  const ports = { ...goldenPorts(chain), ...more };
  const { ask } = askable(ports);
  const answer = async (method: string, params: Json): Promise<Answer> =>
    JSON.parse((await ask('http', JSON.stringify({ id: 1, method, params }))) ?? '');
  return {
    state: chain.queries.state,
    blockByNumber: (number: number) => chain.queries.blockByNumber(number),
    change: (update: JsonObject) => chain.debug.amendHead(readObjectUpdate({ _action: 'update', ...update })),
    answer,
    result: async (method: string, params: Json): Promise<Json> => (await answer(method, params)).result,
  };
}

t.test('pages of the data market end at the number of matches', async (t) => {
  const { result } = node();
  const lists = [
    ['list_free_data_products', '1.16.0'],
    ['list_league_data_products', '1.16.1'],
    ['list_leagues', '1.16.1'],
  ] as const;
  for (const [method, category] of lists) {
    const page = async (offset: number): Promise<Json[]> =>
      ((await result(method, [category, offset, 100, '', '', true])) as { data: Json[] }).data;
    const all = await page(0);
    t.ok(all.length > 0, method);
    t.equal((await page(all.length - 1)).length, 1);
    t.same(await page(all.length), [], 'a client that turns pages stops here');
    t.same(await page(all.length + 1), all, 'quirk: behind the end everything comes');
  }
});

const CALL: Json = [
  75,
  {
    fee: { amount: 0, asset_id: '1.3.1' },
    account: '1.2.42',
    contract_id: '1.2.9999',
    method_name: 'hi',
    data: '',
    extensions: [],
  },
];
const proposed = (...operations: Json[]): Json => [
  22,
  {
    fee: { amount: 0, asset_id: '1.3.1' },
    fee_paying_account: '1.2.42',
    expiration_time: '2021-01-01T00:00:00',
    proposed_ops: operations.map((op) => ({ op })),
    extensions: [],
  },
];

t.test('a contract call that is only proposed goes by the schedule', async (t) => {
  const { answer, result } = node();
  t.ok((await answer('get_required_fees', [[CALL], '1.3.1'])).error, 'it cannot run: there is no such contract');
  const [[own, inner]] = (await result('get_required_fees', [[proposed(CALL)], '1.3.1'])) as [
    [JsonObject, JsonObject[]],
  ];
  t.equal(own.asset_id, '1.3.1');
  t.match(inner, [{ asset_id: '1.3.1' }]);
  t.notOk((await answer('get_required_fees', [[nested(4)], '1.3.1'])).error);
  const { error } = await answer('get_required_fees', [[nested(5)], '1.3.1']);
  t.equal(error?.message, 'Assert Exception: current_recursion < max_recursion: ');
});

const nested = (levels: number): Json => (levels === 0 ? CALL : proposed(nested(levels - 1)));

t.test(
  'with mock fees a call costs nothing in the asset asked for, and an update what the schedule says',
  async (t) => {
    const mock = node({ mockContractFee: true });
    for (const asset_id of ['1.3.0', '1.3.1', '1.3.5']) {
      t.same(await mock.result('get_required_fees', [[CALL], asset_id]), [{ amount: 0, asset_id }]);
    }
    const contract = [...mock.state.all(accountObject)].find(({ code }) => code.length > 0)?.id;
    const update: Json = [
      76,
      {
        fee: { amount: 0, asset_id: '1.3.1' },
        owner: '1.2.42',
        contract: `1.2.${contract}`,
        code: 'ff'.repeat(200_000),
        abi: { version: '', types: [], structs: [], actions: [], tables: [], error_messages: [], abi_extensions: [] },
        extensions: [],
      },
    ];
    const fee = async (one: { result: typeof mock.result }, op: Json): Promise<Json> =>
      ((await one.result('get_required_fees', [[op], '1.3.1'])) as [JsonObject])[0].amount as Json;
    const byGrowth = await fee(node(), update);
    const inProposal = (
      (await node().result('get_required_fees', [[proposed(update)], '1.3.1'])) as [[Json, [JsonObject]]]
    )[0][1];
    t.not(await fee(mock, update), byGrowth);
    t.same(await fee(mock, update), inProposal[0].amount, 'as when it is proposed');
  },
);

t.test('a signature twice is refused as such', async (t) => {
  const { answer, blockByNumber } = node();
  const transaction = blockByNumber(791)?.transactions[0];
  if (transaction === undefined) throw new Error('the recorded block has transactions');
  const trx = signedTransaction.toJson(transaction, NETWORK) as JsonObject;
  const twice = { ...trx, signatures: [...(trx.signatures as Json[]), ...(trx.signatures as Json[])] };
  const refused = async (method: string, ...more: Json[]): Promise<void> => {
    const { error } = await answer(method, [twice, ...more]);
    t.equal(error?.message, 'duplicate signature included: Duplicate Signature detected', method);
  };
  await refused('verify_authority');
  await refused('get_required_signatures', []);
  await refused('get_potential_signatures');
  await refused('get_potential_address_signatures');
});

t.test('an account’s proposals are those that need it; who has only approved is found elsewhere', async (t) => {
  const { change, result } = node();
  change({ id: '1.10.59', available_active_approvals: ['1.2.45'] });
  const proposals = async (account: string): Promise<Json[]> => {
    const [[, full]] = (await result('get_full_accounts', [[account], false])) as [[string, { proposals: Json[] }]];
    return full.proposals;
  };
  t.match(await proposals('1.2.32'), [{ id: '1.10.59' }]);
  t.same(await proposals('1.2.45'), []);
  t.match(await result('get_proposed_transactions', ['1.2.45']), [{ id: '1.10.59' }]);
});

t.test('a memo key counts as an address too', async (t) => {
  const { state, change, result } = node();
  const { memo_key } = state.get(accountObject, 31).options;
  const key = publicKey.toJson(memo_key, NETWORK);
  t.same(await result('get_key_references', [[key]]), [['1.2.31', '1.2.31']]);
  const { active } = objectOf(accountObject).toJson(state.get(accountObject, 50), NETWORK) as { active: JsonObject };
  change({ id: '1.2.50', active: { ...active, address_auths: [[addressToText(addressOfKey(memo_key), 'GXC'), 1]] } });
  t.same(await result('get_key_references', [[key]]), [['1.2.31', '1.2.50', '1.2.31']]);
  t.equal(await result('is_public_key_registered', [key]), true);
});

t.test('a key that no account names any more is not registered', async (t) => {
  const { state, change, result } = node();
  const { options, owner, active } = objectOf(accountObject).toJson(state.get(accountObject, 31), NETWORK) as {
    options: JsonObject;
    owner: JsonObject;
    active: JsonObject;
  };
  const key = options.memo_key as string;
  t.equal(await result('is_public_key_registered', [key]), true);
  const none = { weight_threshold: 1, account_auths: [['1.2.32', 1]], key_auths: [], address_auths: [] };
  t.notSame([owner, active], [none, none]);
  const other = publicKey.toJson(state.get(accountObject, 32).options.memo_key, NETWORK);
  change({ id: '1.2.31', owner: none, active: none, options: { ...options, memo_key: other } });
  t.equal(await result('is_public_key_registered', [key]), false);
});

t.test('the old symbol of the core asset is its alias, whoever else has it', async (t) => {
  const { change, result } = node();
  const idOf = async (symbol: string): Promise<Json> =>
    ((await result('lookup_asset_symbols', [[symbol]])) as [JsonObject | null])[0]?.id ?? null;
  t.equal(await idOf('GXS'), '1.3.1');
  change({ id: '1.3.1', symbol: 'COREX' });
  t.equal(await idOf('GXS'), '1.3.1');
  change({ id: '1.3.5', symbol: 'GXS' });
  t.equal(await idOf('GXS'), '1.3.1');
  t.equal(await idOf('COREX'), '1.3.1');
});

t.test('unclaimed balances of an address come by asset', async (t) => {
  const owner = addressToText(addressOfKey(accountKey('somebody').publicKey), NETWORK.keyPrefix);
  const asset = (symbol: string) => ({ symbol, issuer_name: 'init0', description: '', max_supply: '1000000' });
  const balance = (asset_symbol: string) => ({ owner, asset_symbol, amount: 5 });
  const world = new TestWorld({
    genesis: {
      initial_assets: [asset('CORE'), asset('ODD'), asset('SECOND')],
      initial_balances: [balance('SECOND'), balance('CORE'), balance('ODD')],
    },
  });
  const { ask } = askable(goldenPorts(world.chain));
  const request = { id: 1, method: 'get_balance_objects', params: [[owner]] };
  const found = JSON.parse((await ask('http', JSON.stringify(request))) ?? '').result as JsonObject[];
  t.same(
    found.map(({ id }) => id),
    ['1.15.1', '1.15.2', '1.15.0'],
  );
});

t.test('arguments for an unknown contract are not even read', async (t) => {
  const { answer, result } = node();
  t.equal(await result('serialize_contract_call_args', ['nobody', 'hi', '{broken']), '');
  t.equal(
    (await answer('serialize_contract_call_args', ['bank-c1', 'deposit', '{broken'])).error?.data.key,
    'json_syntax',
  );
});

t.test('parameters of the network that are unknown are passed over', async (t) => {
  const set: unknown[] = [];
  const chain = loadedChain();
  const network = { setParameters: (parameters: unknown) => set.push(parameters) };
  const { ask } = askable({ ...goldenPorts(chain), network: network as never });
  const params = { desired_number_of_connections: 5, maximum_number_of_chairs: 9, toString: 1 };
  const request = { id: 1, method: 'call', params: ['network_node', 'set_advanced_node_parameters', [params]] };
  t.equal(JSON.parse((await ask('ws', JSON.stringify(request))) ?? '').result, null);
  t.same(set, [{ desired_number_of_connections: 5 }]);
});

t.test('how many peers there are is no question about each of them', async (t) => {
  const network = {
    ...{ listeningOn: () => '', nodePublicKey: () => '', nodeId: () => '', firewalled: () => 'unknown' },
    connectionCount: () => 3,
    bans: () => [],
    progress: () => ({ blocksBehind: 0, blocksPerSec: 0, transactionsPerSec: 0, leftSec: 0 }),
  };
  const { ask } = askable({ ...goldenPorts(loadedChain()), network: network as never });
  const call = (api: string, method: string) => JSON.stringify({ id: 1, method: 'call', params: [api, method, []] });
  for (const request of [call('database', 'get_network_status'), call('network_node', 'get_info')])
    t.equal(JSON.parse((await ask('ws', request)) ?? '').result?.connection_count, 3, request);
});

t.test('remembered transactions are shown with their bodies, wherever these are', async (t) => {
  const w = new TestWorld({ accounts: { alice: 1_000_000n, bob: 0n }, witnesses: 3 });
  const { ask } = askable(goldenPorts(w.chain));
  const result = async (method: string, params: Json): Promise<Json> =>
    (JSON.parse((await ask('http', JSON.stringify({ id: 1, method, params }))) ?? '') as Answer).result;
  const sent = Array.from({ length: 12 }, (_, i) => {
    const operations = [w.operation('transfer', { from: 'alice', to: 'bob', amount: core(i + 1) })];
    const transaction = w.signChanged(operations, { expiration: w.now + 3000 });
    w.chain.pending.push({ transaction });
    const id = w.chain.pending.ids.at(-1) as string;
    if (i < 11) w.block();
    return { id, shown: signedTransaction.toJson(transaction, NETWORK) };
  });
  t.ok(w.chain.blocks.head.irreversible > 6, 'some are in blocks that stay, some in others, one waits');
  for (const { id, shown } of sent) {
    t.same(await result('get_recent_transaction_by_id', [id]), shown);
    const { id: instance } = w.state.findBy(transactionObject.by.trxId, id) as { id: number };
    t.same(await result('get_objects', [[`2.7.${instance}`]]), [{ id: `2.7.${instance}`, trx: shown, trx_id: id }]);
  }
  t.equal(await result('get_recent_transaction_by_id', ['00'.repeat(20)]), null);
  w.chain.pending.clear();
});

t.test('holders of as much are in the order of their ids, also those that no account can have', async (t) => {
  const w = new TestWorld({ accounts: { alice: 1_000_000n, bob: 480n } });
  const { ask } = askable(goldenPorts(w.chain));
  const blinding = new Uint8Array(32).fill(9);
  const owner = keyAuthority(w.addKey(accountKey('hidden owner')).publicKey);
  // Whoever takes amounts out of hiding may name any receiver.
  const receivers = [2n ** 63n, 2n ** 53n, 2 ** 48];
  for (const to of receivers) {
    const hidden = { commitment: blind(blinding, 500n), owner };
    const blinding_factor = toHex(blinding);
    const outputs = [{ ...hidden, range_proof: new Uint8Array() }];
    w.push('transfer_to_blind', { fee: core(10), amount: core(500), from: 'alice', blinding_factor, outputs });
    w.push('transfer_from_blind', { fee: core(20), amount: core(480), to, blinding_factor, inputs: [hidden] });
    w.block();
  }
  const request = JSON.stringify({ id: 1, method: 'call', params: ['asset', 'get_asset_holders', ['1.3.1']] });
  const { result } = JSON.parse((await ask('http', request)) ?? '') as {
    result: { account_id: string; amount: number }[];
  };
  const ids = result.filter(({ amount }) => amount === 480).map(({ account_id }) => account_id);
  t.same(
    ids,
    [w.id('bob'), ...receivers.reverse()].map((id) => `1.2.${id}`),
  );
  w.close(t);
});
