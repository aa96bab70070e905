import type { Json } from '../../src/codec/json.js';
import { FEE_NESTING_ERRORS } from '../../src/operations/required-fee.js';
import { OBJECT_TYPE_ERRORS } from '../../src/protocol/objects/index.js';
import { BLOCK_LIST_ERRORS } from '../../src/rpc/apis/block.js';
import { AUTHORITY_API_ERRORS } from '../../src/rpc/apis/database/authority.js';
import { BALANCE_API_ERRORS } from '../../src/rpc/apis/database/balances.js';
import { BLOCK_API_ERRORS } from '../../src/rpc/apis/database/blocks.js';
import { TABLE_API_ERRORS } from '../../src/rpc/apis/database/contract-tables.js';
import { DATA_MARKET_API_ERRORS } from '../../src/rpc/apis/database/data-market.js';
import { GLOBAL_API_ERRORS } from '../../src/rpc/apis/database/globals.js';
import { WITNESS_API_ERRORS } from '../../src/rpc/apis/database/witnesses.js';
import { DEBUG_API_ERRORS } from '../../src/rpc/apis/debug.js';
import { DEV_API_ERRORS } from '../../src/rpc/apis/dev.js';
import { NETWORK_API_ERRORS } from '../../src/rpc/apis/network-node.js';
import { HISTORY_LIMIT_ERRORS, LIST_ERRORS } from '../../src/rpc/limits.js';
import { SUBSCRIPTION_ERRORS } from '../../src/rpc/notices/object-watch.js';
import { askable, goldenPorts } from '../rpc/support/golden-rpc.js';
import { assertion, type Refusal } from './define.js';

/** Refusals of single methods. The contracts, accounts and blocks are those of the recorded chain. */

const { ask } = askable(goldenPorts());

const asked =
  (method: string, ...params: Json[]) =>
  () =>
    ask('ws', JSON.stringify({ id: 1, method, params }));
const askedApi = (api: string, method: string, ...params: Json[]) => asked('call', api, method, params);
const many = (count: number, one: Json): Json[] => Array.from({ length: count }, () => one);

/** With the sentence for people beside an expression. */
const hinted = (row: Refusal['row'], text: string, hint: string, raise: () => unknown): Refusal => ({
  ...assertion(row, text, raise),
  hint,
});

const call: Json = [
  75,
  {
    fee: { amount: 0, asset_id: '1.3.1' },
    account: '1.2.42',
    contract_id: '1.2.54',
    method_name: 'hi',
    data: '',
    extensions: [],
  },
];
const proposal = (levels: number): Json => [
  22,
  {
    fee: { amount: 0, asset_id: '1.3.1' },
    fee_paying_account: '1.2.42',
    expiration_time: '2021-01-01T00:00:00',
    proposed_ops: [{ op: levels === 1 ? call : proposal(levels - 1) }],
    extensions: [],
  },
];

export const refusals: readonly Refusal[] = [
  hinted(LIST_ERRORS.limit_1000, 'limit <= 1000: ', 'limit may be 1000 at most', asked('lookup_accounts', 'a', 1001)),
  hinted(LIST_ERRORS.limit_100, 'limit <= 100: ', 'limit may be 100 at most', asked('list_assets', 'A', 101)),
  hinted(LIST_ERRORS.limit_30, 'limit<30: ', 'limit must be below 30', asked('list_home_leagues', 30)),
  assertion(
    LIST_ERRORS.list_too_long,
    'at most 10000 elements in one request, not 10001',
    asked('get_accounts', many(10_001, '1.2.0')),
  ),
  assertion(
    WITNESS_API_ERRORS.votes_too_many,
    'votes.size() < 1000: Only 1000 votes can be queried at a time',
    asked('lookup_vote_ids', many(1000, '1:0')),
  ),
  assertion(
    TABLE_API_ERRORS.action_arguments_large,
    'the arguments of an action hold more than 20000 values',
    asked('serialize_contract_params', 'bank-c1', 'deposit', many(20010, 0)),
  ),
  assertion(
    TABLE_API_ERRORS.table_bounds,
    'params.lower_bound < params.upper_bound: lower_bound must < upper_bound',
    asked('get_table_rows_ex', 'bank-c1', 'account', { lower_bound: 5, upper_bound: 5 }),
  ),
  assertion(
    TABLE_API_ERRORS.table_index_position,
    'false: Invalid index_position: last',
    asked('get_table_rows_ex', 'bank-c1', 'account', { index_position: 'last' }),
  ),
  assertion(
    TABLE_API_ERRORS.table_name_unsupported,
    'index == table: Unsupported table name: abcdefghijklj',
    asked('get_table_rows_ex', 'bank-c1', 'abcdefghijklj', {}),
  ),
  assertion(
    DATA_MARKET_API_ERRORS.market_type_unknown,
    'data_market_type == 1 || data_market_type ==2: the data_market_type does not support',
    asked('list_data_market_categories', 3),
  ),
  hinted(
    BALANCE_API_ERRORS.account_name_unknown,
    'itr != accounts_by_name.end(): ',
    'there is no account nobody-here',
    asked('get_named_account_balances', 'nobody-here', []),
  ),
  assertion(
    AUTHORITY_API_ERRORS.authority_account_unknown,
    'account: no such account',
    asked('verify_account_authority', 'nobody-here', []),
  ),
  assertion(
    AUTHORITY_API_ERRORS.fee_question_calls,
    'at most 100 contract calls in one question for fees, not 101',
    asked('get_required_fees', many(101, call), '1.3.1'),
  ),
  hinted(
    FEE_NESTING_ERRORS.fee_quote_nesting,
    'current_recursion < max_recursion: ',
    'proposals are nested more than 4 levels deep',
    asked('get_required_fees', [proposal(5)], '1.3.1'),
  ),
  hinted(
    BLOCK_API_ERRORS.transaction_block_missing,
    'opt_block: ',
    'this node has no block 5000',
    asked('get_transaction', 5000, 0),
  ),
  hinted(
    BLOCK_API_ERRORS.transaction_position,
    'opt_block->transactions.size() > trx_num: ',
    'block 1 has 7 transactions; there is none at 7',
    asked('get_transaction', 1, 7),
  ),
  hinted(
    OBJECT_TYPE_ERRORS.object_type_unknown,
    'tmp: ',
    'there are no objects 1.99.x',
    asked('get_objects', ['1.99.0']),
  ),
  hinted(
    OBJECT_TYPE_ERRORS.object_space_small,
    '_index[space_id].size() > type_id: ',
    'there are no objects 3.1.x',
    asked('get_objects', ['3.1.0']),
  ),
  hinted(
    OBJECT_TYPE_ERRORS.object_space_unknown,
    '_index.size() > space_id: ',
    'there are no objects 255.1.x',
    asked('get_objects', ['255.1.0']),
  ),
  hinted(
    SUBSCRIPTION_ERRORS.subscribed_accounts,
    'subscribed_accounts.size() <= 100: ',
    'a subscription follows at most 101 accounts, and this one follows 101; set_subscribe_callback begins anew',
    async () => {
      await asked('set_subscribe_callback', 1, false)();
      const accounts = Array.from({ length: 101 }, (_, i) => `1.2.${i}`);
      for (const account of accounts) await asked('get_full_accounts', [account], true)();
      return asked('get_full_accounts', ['1.2.110'], true)();
    },
  ),
  assertion(
    GLOBAL_API_ERRORS.snapshots_off,
    'this node was started without --state-snapshots-dir',
    asked('create_snapshot'),
  ),
  hinted(
    HISTORY_LIMIT_ERRORS.history_limit,
    'limit <= 100: ',
    'limit may be 100 at most',
    askedApi('history', 'get_relative_account_history', '1.2.31', 0, 101, 0),
  ),
  hinted(
    HISTORY_LIMIT_ERRORS.history_limit_range,
    'limit <= 100 && limit > 0: ',
    'limit may be from 1 to 100',
    askedApi('history', 'get_account_history_by_operations', '1.2.31', [], 1, 0),
  ),
  hinted(
    BLOCK_LIST_ERRORS.blocks_order,
    'block_num_to >= block_num_from: ',
    'the range ends at block 1, before it begins at 2',
    askedApi('block', 'get_blocks', 2, 1),
  ),
  assertion(
    BLOCK_LIST_ERRORS.blocks_too_many,
    'at most 1000 blocks in one request, not 1001',
    askedApi('block', 'get_blocks', 0, 1000),
  ),
  hinted(
    DEBUG_API_ERRORS.debug_off,
    '_debug_api: ',
    'this node was started without the debug API',
    askedApi('debug', 'debug_stream_json_objects_flush'),
  ),
  hinted(
    DEV_API_ERRORS.dev_only,
    'this method is there on a development chain alone',
    'start the node with --dev, on a chain of your own',
    askedApi('dev', 'dev_mine', 1, 0),
  ),
  assertion(
    DEBUG_API_ERRORS.debug_blocks_too_many,
    'at most 100000 blocks in one request, not 100001',
    askedApi('debug', 'debug_generate_blocks', '', 100_001),
  ),
  assertion(
    NETWORK_API_ERRORS.network_off,
    'this node runs without a peer-to-peer network',
    askedApi('network_node', 'add_node', '127.0.0.1:1'),
  ),
  assertion(
    NETWORK_API_ERRORS.network_endpoint,
    'nowhere is not an address of the form host:port with a port from 1 to 65535',
    askedApi('network_node', 'add_node', 'nowhere'),
  ),
  assertion(
    NETWORK_API_ERRORS.network_endpoint,
    '192.0.2.1:65536 is not an address of the form host:port with a port from 1 to 65535',
    askedApi('network_node', 'add_node', '192.0.2.1:65536'),
  ),
  assertion(
    NETWORK_API_ERRORS.network_endpoint,
    '192.0.2.1:0 is not an address of the form host:port with a port from 1 to 65535',
    askedApi('network_node', 'add_node', '192.0.2.1:0'),
  ),
];
