import t from 'tap';
import type { Json } from '../../src/codec/json.js';
import type { AnyType } from '../../src/codec/type.js';
import { addressToText } from '../../src/crypto/address.js';
import { packObjectId } from '../../src/protocol/ids.js';
import { nameFromText } from '../../src/protocol/name.js';
import { makeVoteId, VOTE_TYPE, voteId } from '../../src/protocol/vote.js';
import { databaseApi } from '../../src/rpc/apis/database/index.js';
import { APIS } from '../../src/rpc/apis/index.js';
import { type CompiledMethod, compileMethod } from '../../src/rpc/dispatch/compiled.js';
import { NETWORK } from '../support/network.js';
import { FullNode, type Looked } from './support/full-node.js';
import {
  ADDRESS,
  CONTRACT,
  commitmentOf,
  DANGLING_TABLE,
  FILLINGS,
  FIRST_ACCOUNT,
  KEY,
  OWNER,
  TABLE,
  transactionIdOf,
} from './support/full-tables.js';
import { keyText } from './support/key-texts.js';
import { plainValue } from './support/worst-arguments.js';

/**
 * What a method costs does not depend on how many objects there are, or it is done in slices that look at few rows each.
 * Every method of every API has an entry here; the tables are full of rows that belong to who is asked about.
 */

const SMALL = 10_000;
const LARGE = 100_000;
/** Rows between two places where others have their turn. The largest answer without one is that of `lookup_accounts`. */
const SLICE_ROWS_MAX = 1024;
/** Rows of those that look at no table of many objects: chain parameters, an account. */
const FEW = 12;

interface Ask {
  /** Undefined: some that are of the right types. */
  readonly args?: readonly Json[];
  /**
   * `few`: looks at no table, whether it answers or refuses. `same`: at as many rows in a small table as in a large one.
   * `slices`: at all that belong to the answer, a little at a time.
   */
  readonly looks: 'few' | 'same' | 'slices';
}

const same = (...args: Json[]): Ask => ({ args, looks: 'same' });
const slices = (...args: Json[]): Ask => ({ args, looks: 'slices' });
const few = (...args: Json[]): Ask => ({ args, looks: 'few' });
const plain: Ask = { looks: 'few' };
const all = (api: string, ...names: string[]): Record<string, Ask> =>
  Object.fromEntries(names.map((name) => [`${api}.${name}`, plain]));

const COUNT = 1000;
const indexes = Array.from({ length: COUNT }, (_, i) => i);
const ids = (kind: string, first = 0): Json => indexes.map((i) => `${kind}.${first + i}`);
const owner = `1.2.${OWNER.id}`;
const PERIOD: Json[] = ['2000-01-01T00:00:00', '2100-01-01T00:00:00'];
const lastPage: Json[] = ['1.16.0', SMALL - 1, 100, '', 'a ', true];
const contractCall: Json[] = [CONTRACT.name, TABLE];
const RANGE: Json[] = [0, nameFromText(TABLE).toString(), 0, 1_000_000, COUNT];
const trx: Json = {
  ref_block_num: 0,
  ref_block_prefix: 0,
  expiration: '2023-11-14T22:13:20',
  operations: [
    [0, { fee: { amount: 0, asset_id: '1.3.1' }, from: owner, to: '1.2.3', amount: { amount: 1, asset_id: '1.3.1' } }],
  ],
  extensions: [],
  signatures: [],
};

const ASKS: Readonly<Record<string, Ask>> = {
  'database.get_objects': same(ids('1.2', FIRST_ACCOUNT)),
  'database.get_table_objects': same(packObjectId(1, 2, CONTRACT.id).toString(), ...RANGE),
  'database.get_table_rows_ex': same(...contractCall, { limit: 300, index_position: 2 }),
  'database.get_table_rows': same(...contractCall, 5, COUNT),
  ...all('database', 'serialize_contract_call_args', 'serialize_contract_params', 'serialize_transaction'),
  ...all('database', 'set_subscribe_callback', 'set_data_transaction_subscribe_callback'),
  ...all('database', 'set_data_transaction_products_subscribe_callback', 'set_pending_transaction_callback'),
  ...all('database', 'set_block_applied_callback', 'cancel_all_subscriptions'),
  ...all('database', 'unsubscribe_data_transaction_callback'),
  ...all('database', 'get_block_header', 'get_block', 'get_block_by_id', 'get_transaction', 'get_transaction_rows'),
  ...all('database', 'get_transaction_by_txid', 'get_account_relative_ops', 'get_account_relative_blocks'),
  ...all('database', 'get_transaction_confirmation'),
  'database.get_recent_transaction_by_id': same(transactionIdOf(9)),
  ...all('database', 'get_chain_properties', 'get_global_properties', 'get_commission_percent', 'get_config'),
  ...all('database', 'get_chain_id', 'get_dynamic_global_properties', 'get_witness_participation_rate', 'get_test'),
  'database.get_key_references': slices([KEY]),
  'database.is_public_key_registered': slices(KEY),
  'database.get_accounts': same(ids('1.2', FIRST_ACCOUNT)),
  'database.get_full_accounts': slices([OWNER.name], false),
  'database.get_account_by_name': same('account-77'),
  'database.get_account_references': slices(owner),
  'database.lookup_account_names': same(indexes.map((i) => `account-${i}`)),
  'database.lookup_accounts': same('account-2', COUNT),
  ...all('database', 'get_transaction_count', 'get_account_count', 'get_asset_count', 'get_witness_count'),
  ...all('database', 'get_committee_member_count', 'list_total_second_hand_transaction_counts_by_datasource'),
  'database.is_account_registered': same('account-77'),
  ...all('database', 'create_snapshot', 'copy_state'),
  ...all('database', 'get_data_transaction_product_costs', 'get_data_transaction_total_count'),
  ...all('database', 'get_merchants_total_count', 'get_data_transaction_commission', 'get_data_transaction_pay_fee'),
  ...all('database', 'get_data_transaction_product_costs_by_requester'),
  ...all('database', 'get_data_transaction_total_count_by_requester', 'get_data_transaction_pay_fees_by_requester'),
  ...all('database', 'get_data_transaction_product_costs_by_product_id'),
  ...all('database', 'get_data_transaction_total_count_by_product_id'),
  'database.list_data_transaction_complain_requesters': slices(...PERIOD, 10),
  'database.list_data_transaction_complain_datasources': slices(...PERIOD, 10),
  'database.get_account_balances': slices(owner, []),
  'database.get_account_lock_balances': slices(owner, []),
  'database.get_named_account_balances': slices(OWNER.name, []),
  'database.get_balance_objects': slices([addressToText(ADDRESS, NETWORK.keyPrefix)]),
  'database.get_vested_balances': same(ids('1.15')),
  'database.get_vesting_balances': slices(owner),
  'database.get_staking_objects': slices(owner),
  'database.get_assets': same(ids('1.3')),
  'database.list_assets': same('ASSET2', 100),
  'database.lookup_asset_symbols': same(indexes.map((i) => `ASSET${i}`)),
  'database.get_pocs_object': same('1.19.0', `1.2.${FIRST_ACCOUNT + 5}`, '1.17.0'),
  'database.get_witnesses': same(ids('1.6')),
  'database.get_witness_by_account': same(`1.2.${FIRST_ACCOUNT + 5}`),
  'database.lookup_witness_accounts': slices('', COUNT),
  'database.get_trust_nodes': slices(),
  'database.get_staking_objects_by_witness': same('1.6.0', '1.27.50', 100),
  'database.get_committee_members': same(ids('1.5')),
  'database.get_committee_member_by_account': same(`1.2.${FIRST_ACCOUNT + 5}`),
  'database.lookup_committee_member_accounts': slices('', COUNT),
  'database.get_workers_by_account': same(owner),
  'database.lookup_vote_ids': same(indexes.slice(1).map((i) => voteId.toJson(makeVoteId(VOTE_TYPE.witness, i)))),
  ...all('database', 'get_transaction_hex', 'get_unsigned_transaction_hex'),
  'database.get_required_signatures': same(trx, [KEY]),
  'database.get_potential_signatures': same(trx),
  'database.get_potential_address_signatures': same(trx),
  'database.verify_authority': same(trx),
  'database.verify_account_authority': same(OWNER.name, [KEY]),
  'database.validate_transaction': few(trx),
  'database.get_required_fees': same((trx as { operations: Json[] }).operations, '1.3.1'),
  'database.get_proposed_transactions': slices(owner),
  'database.get_blinded_balances': same(indexes.map(commitmentOf)),
  'database.list_home_free_data_products': same(29),
  'database.list_home_leagues': same(29),
  'database.list_data_market_categories': slices(1),
  'database.list_free_data_products': slices(...lastPage),
  'database.list_league_data_products': slices(...lastPage),
  'database.list_leagues': slices(...lastPage),
  'database.get_data_market_categories': same(ids('1.16')),
  'database.get_free_data_products': same(ids('1.17')),
  'database.get_league_data_products': same(ids('1.18')),
  'database.get_leagues': same(ids('1.19')),
  'database.get_data_transaction_by_request_id': same('request 77'),
  ...all('database', 'list_data_transactions_by_requester'),
  'database.list_second_hand_datasources': slices(...PERIOD, 10),
  'database.get_contract_tables': same(CONTRACT.name),
  ...all('database', 'get_network_status'),
  ...all('login', 'login', 'block', 'network_broadcast', 'database', 'history', 'network_node', 'crypto', 'asset'),
  ...all('login', 'debug', 'dev'),
  'network_broadcast.broadcast_transaction': few(trx),
  'network_broadcast.broadcast_transaction_with_callback': few(1, trx),
  'network_broadcast.broadcast_transaction_synchronous': few(trx),
  ...all('network_broadcast', 'broadcast_block'),
  ...all('history', 'get_account_history', 'get_account_history_by_operations', 'get_account_history_operations'),
  ...all('history', 'get_relative_account_history'),
  ...all('block', 'get_blocks'),
  'asset.get_asset_holders': slices('1.3.1'),
  ...all('asset', 'get_asset_holders_count'),
  'asset.get_all_asset_holders': slices(),
  ...all('crypto', 'blind', 'blind_sum', 'verify_sum', 'verify_range', 'range_proof_sign', 'verify_range_proof_rewind'),
  ...all('crypto', 'range_get_info'),
  ...all('network_node', 'get_info', 'add_node', 'get_connected_peers', 'get_potential_peers', 'get_banned_addresses'),
  ...all('network_node', 'get_advanced_node_parameters', 'set_advanced_node_parameters'),
  ...all('debug', 'debug_push_blocks', 'debug_generate_blocks', 'debug_update_object', 'debug_stream_json_objects'),
  ...all('debug', 'debug_stream_json_objects_flush'),
  // A development chain has no clients who take turns.
  ...all('dev', ...APIS.filter(({ name }) => name === 'dev').flatMap(({ methods }) => Object.keys(methods))),
};

const argumentsOf = ({ args }: Ask, { definition }: CompiledMethod): readonly Json[] =>
  args ?? Object.values(definition.params).map((type) => plainValue(type as AnyType, 1, keyText));

t.test('every method has an entry, and every entry a method', async (t) => {
  const methods = APIS.flatMap(({ name, methods }) => Object.keys(methods).map((method) => `${name}.${method}`));
  t.same(Object.keys(ASKS).sort(), methods.sort());
});

async function askAll(count: number): Promise<Map<string, Looked>> {
  const node = new FullNode(count);
  const found = new Map<string, Looked>();
  for (const { name, methods } of APIS) {
    for (const [method, definition] of Object.entries(methods)) {
      const ask = ASKS[`${name}.${method}`];
      const compiled = compileMethod(method, definition);
      if (ask !== undefined) found.set(`${name}.${method}`, await node.ask(compiled, argumentsOf(ask, compiled)));
    }
  }
  node.close();
  return found;
}

t.test('what a method looks at does not grow with the tables, or it comes in slices', async (t) => {
  const small = await askAll(SMALL);
  const large = await askAll(LARGE);
  for (const [name, { looks }] of Object.entries(ASKS)) {
    const [before, after] = [small.get(name), large.get(name)];
    if (before === undefined || after === undefined) continue;
    const told = `${name}: ${before.rows} and ${after.rows} rows, at most ${after.most} at once`;
    t.ok(Math.max(before.most, after.most) <= SLICE_ROWS_MAX, told);
    if (looks === 'slices') t.ok(before.rows >= SMALL && after.rows >= LARGE, `${told}: in slices`);
    else t.equal(after.rows, before.rows, told);
    if (looks === 'few') t.ok(after.rows <= FEW, told);
    else t.same([before.refusal, after.refusal, after.rows > 0], [undefined, undefined, true], told);
  }
});

t.test('entries of an index whose rows are gone are looked at only so long', async (t) => {
  const node = new FullNode(
    LARGE,
    FILLINGS.filter(({ definition }) => definition.name === 'index64'),
  );
  const method = compileMethod('get_table_rows_ex', databaseApi.methods.get_table_rows_ex);
  const { rows } = await node.ask(method, [CONTRACT.name, DANGLING_TABLE, { limit: 10, index_position: 2 }]);
  node.close();
  t.ok(rows > 0 && rows < LARGE, `${rows} of ${LARGE}`);
});
