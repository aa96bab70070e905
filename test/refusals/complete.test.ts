import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { ErrorRow } from '../../src/base/errors.js';
import { everyRow } from '../../src/bin/error-reference.js';
import type { Refusal } from './define.js';

/** Rooms whose refusals clients meet. */
const ROOMS = [
  'base',
  'codec',
  'crypto',
  'protocol',
  'state',
  'operations',
  'vm',
  'chain',
  'verify',
  'importer',
  'http',
  'rpc',
  'client',
  'wallet',
  'trade',
  'services',
];

/** Rows that no input can raise, with the test that holds each or the reason for having none. */
const NOT_RAISED: Readonly<Record<string, string>> = {
  transaction_met_bug: 'by a bug alone, see chain/bugs',
  block_met_bug: 'by a bug alone, see chain/bugs',
  production_halted: 'by a bug alone, see chain/bugs',
  produce_ahead: 'by a disk that has refused a block, see chain/forks',
  rpc_starting: 'while a node starts, see node/starting',
  native_stack_too_small: 'ends a start, see vm/native-stack',
  http_slow: 'after a minute, see http/exchange',
  http_gone: 'nobody is there to be told, see http/exchange',
  http_bug: 'by a bug alone, see http/exchange',
  client_key_missing: 'over a live node, see clients/plain-client',
  client_account_unknown: 'over a live node, see clients/plain-client',
  client_asset_unknown: 'over a live node, see clients/plain-client',
  client_operation_unknown: 'over a live node, see clients/plain-client',
  client_amount: 'over a live node, see clients/plain-client',
  client_unsigned: 'over a live node, see clients/plain-client',
  client_no_notices: 'over a live node, see clients/plain-client',
  client_aborted: 'over a live node, see clients/plain-client',
  client_expired: 'by blocks that pass without it, see clients/sent',
  client_blocks_missing: 'by a node that lacks old blocks, see wallet/confirmation',
  client_other_chain: 'by a node of another chain, see clients/reconnection',
  node_login: 'by a node that wants other credentials, see wallet/servers',
  node_chain: 'by a node of another chain, see wallet/daemon',
  market_params: 'on a live chain, see services/market/market',
  market_signature: 'on a live chain, see services/market/market',
  market_timestamp: 'on a live chain, see services/market/market',
  market_forbidden: 'on a live chain, see services/market/market',
  market_not_bound: 'on a live chain, see services/market/market',
  market_not_found: 'on a live chain, see services/market/market',
  market_duplicate: 'on a live chain, see services/market/market',
  market_vote_closed: 'on a live chain, see services/market/votes',
  market_voted: 'on a live chain, see services/market/votes',
  market_banned: 'on a live chain, see services/market/votes',
  market_rate: 'on a live chain, see services/market/hostile',
  market_chain: 'on a live chain, see services/market/bills',
  market_replayed: 'on a live chain, see services/market/hostile',
  market_internal: 'by a database that fails',
  market_gateway: 'ends a start, see services/market/market',
  market_backup_file: 'on the command line, see services/market/data',
  folder_taken: 'ends a start, see services/storage/instances',
  sealed_key_form: 'on the command line, see commands/keys',
  sealed_key_password: 'on the command line, see commands/keys',
  market_text: 'by a wallet on a development chain, see wallet/data-exchange',
  content_other_database: 'ends a start, see services/content-store',
  chain_refused: 'by a node that knows a question and refuses it',
  chain_other: 'by a node of another chain, see services/storage/storage',
  chain_block_gone: 'by a node of another branch, see services/follower-branches',
  chain_no_account: 'on a live chain, see services/storage/storage',
  chain_no_single_key: 'on a live chain, see services/storage/storage',
  chain_other_key: 'on a live chain, see services/storage/storage',
  database_filled: 'by a server that has data, see services/postgres/moved',
  database_moved: 'by a server that changes what it is given, see services/postgres/moved',
  payment_balance: 'on a live chain, told as storage_balance, see services/storage/storage',
  service_transport: 'where the native server does not load',
  storage_param: 'on a live chain, see services/storage/storage',
  storage_signature: 'on a live chain, see services/storage/storage',
  storage_balance: 'on a live chain, see services/storage/storage',
  storage_expiration: 'on a live chain, see services/storage/storage',
  storage_md5: 'on a live chain, see services/storage/storage',
  storage_account: 'on a live chain, see services/storage/storage',
  storage_amount: 'on a live chain, see services/storage/storage',
  storage_processing: 'while the same request is at work, see services/storage/trouble',
  storage_rate: 'on a live chain, see services/storage/storage',
  storage_store: 'by a disk that takes nothing, see services/storage/trouble',
  storage_chain: 'by a node that goes away, see services/storage/late',
  storage_account_needed: 'ends a start, see services/storage/storage',
  storage_copy_folder: 'on the command line, see services/storage/copies',
  storage_key_needed: 'ends a start, see commands/process',
  buyer_refused: 'by an exchange, see services/datasource/sale',
  buyer_unreachable: 'by an exchange that is away, see services/datasource/sale',
  buyer_answer: 'by an exchange of another kind, see services/datasource/sale',
  buyer_price: 'by a price, see services/datasource/sale',
  buyer_former_price: 'by who allows less than before, see services/buyer',
  buyer_offline: 'where nobody sells, see services/datasource/sale',
  buyer_key: 'by an exchange that lies, see services/datasource/sale',
  buyer_clock: 'by three clocks that differ, see services/buyer',
  buyer_asking: 'by an exchange whose answers are lost, see services/buyer',
  buyer_waiting: 'by an exchange that stays away, see services/buyer',
  des_params: 'on a live chain, see services/des/refusals',
  des_account: 'on a live chain, see services/des/refusals',
  des_banned: 'on a live chain, see services/des/refusals',
  des_forbidden: 'on a live chain, see services/des/refusals',
  des_balance: 'on a live chain, see services/des/refusals',
  des_signature: 'on a live chain, see services/des/refusals',
  des_offline: 'on a live chain, see services/des/refusals',
  des_not_found: 'on a live chain, see services/des/refusals',
  des_rate: 'on a live chain, see services/des/operator',
  des_time_out: 'by a node that goes away, see services/des/refusals',
  des_unknown: 'by a database that takes nothing, see services/des/refusals',
  des_role: 'on a live chain, see services/des/operator',
  alarm_options: 'ends a start, see services/des/operator',
  des_account_needed: 'ends a start, see services/des/refusals',
  des_key_needed: 'ends a start, see commands/process',
  gateway_params: 'on a live chain, see services/gateway/gateway',
  gateway_name: 'on a live chain, see services/gateway/gateway',
  gateway_name_premium: 'on a live chain, see services/gateway/gateway',
  gateway_name_taken: 'on a live chain, see services/gateway/gateway',
  gateway_key: 'on a live chain, see services/gateway/gateway',
  gateway_referrer: 'on a live chain, see services/gateway/gateway',
  gateway_work: 'on a live chain, see services/gateway/gateway',
  gateway_invite: 'on a live chain, see services/gateway/gateway',
  gateway_rate: 'on a live chain, see services/gateway/gateway',
  gateway_address: 'on a live chain, see services/gateway/gateway',
  gateway_budget: 'on a live chain, see services/gateway/gateway',
  gateway_not_found: 'on a live chain, see services/gateway/gateway',
  gateway_dry: 'on a live chain, see services/gateway/gateway',
  gateway_chain: 'by a node that goes away, see services/gateway/gateway',
  gateway_database: 'on a live chain, see services/postgres/connection',
  gateway_account_needed: 'ends a start, see services/gateway/gateway',
  gateway_key_needed: 'ends a start, see commands/process',
  gateway_invite_count: 'on the command line, see services/gateway/gateway',
  gateway_not_lifetime: 'ends a start, see services/gateway/gateway',
  datasource_account_needed: 'ends a start, see services/datasource/sale',
  datasource_key_needed: 'ends a start, see commands/process',
  datasource_products_needed: 'ends a start, see services/datasource/sale',
  datasource_ask_needed: 'ends a start, see services/datasource/sale',
  datasource_module: 'ends a start, see services/datasource/sale',
  datasource_stranger: 'on a live chain, see services/datasource/sale',
  datasource_product: 'on a live chain, see services/datasource/sale',
  datasource_busy: 'by very many questions, see services/datasource/answerer',
  datasource_unknown: 'by a program that fails, see services/datasource/answerer',
  wallet_bug: 'by a bug alone',
  range_nonce_unfit: 'one nonce in 2^127, the next one is taken',
};

const SOURCES = join(import.meta.dirname, '..', '..', 'src');
const tabled = new Map<string, ErrorRow>();
for (const part of readdirSync(import.meta.dirname).filter((name) => name.endsWith('.rows.js'))) {
  const { refusals } = (await import(`./${part}`)) as { refusals: readonly Refusal[] };
  for (const { row } of refusals) tabled.set(row.key, row);
}

for (const room of ROOMS) {
  void t.test(`every refusal of ${room} stands in the table`, async (t) => {
    const names = readdirSync(join(SOURCES, room), { recursive: true, encoding: 'utf8' });
    // The page is for browsers, a worker begins to work when it is loaded.
    const modules = names.filter((name) => name.endsWith('.js') && !/^(page\/.*|worker\.js)$/.test(name));
    for (const name of modules) {
      for (const [exported, value] of Object.entries(await import(join(SOURCES, room, name)))) {
        if (!exported.endsWith('_ERRORS')) continue;
        for (const { key } of Object.values(value as Record<string, ErrorRow>)) {
          t.ok(tabled.has(key) !== key in NOT_RAISED, `${name}: ${key}`);
        }
      }
    }
  });
}

t.test('what is said to be held elsewhere is', async (t) => {
  for (const [key, reason] of Object.entries(NOT_RAISED)) {
    const [, file] = / see (\S+)$/.exec(reason) ?? [];
    if (file !== undefined) t.ok(existsSync(join(import.meta.dirname, '..', `${file}.test.js`)), `${key}: ${file}`);
  }
});

t.test('an expression of the reference has a sentence beside it', async (t) => {
  // Every row of the program, not only those that clients meet.
  const rows = [...(await everyRow()).keys()];
  t.ok(rows.length > 1000);
  for (const { key, text, hint } of rows) {
    // A condition of C++ with nothing behind it, or with nothing but values.
    const isBare = /: $/.test(text) || /^[^:]*[=<>!(][^:]*: (?:\$\{\w+\}| == )+$/.test(text) || text === 'stringstream';
    if (isBare) t.type(hint, 'string', key);
  }
});
