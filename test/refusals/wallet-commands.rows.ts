import { SCALAR_ERRORS } from '../../src/codec/scalars.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { CHECK_ERRORS, STEALTH_ERRORS } from '../../src/wallet/errors.js';
import { assertion, type Refusal } from './define.js';
import {
  contractFolder,
  damagedReceipt,
  folder,
  KEY,
  open,
  receiptWith,
  recordedFile,
  TX,
  withShortHistory,
} from './support/wallet-world.js';

/** What commands of the wallet check before they ask the node to take anything. */

export const refusals: readonly Refusal[] = [
  assertion(CHECK_ERRORS.referrer_percent, 'referrer_percent <= 100: ', () =>
    open('register_account', 'a-new-one', KEY, KEY, 'nathan', 'nathan', 101, false),
  ),
  assertion(CHECK_ERRORS.registrar_no_member, 'registrar_account_object.is_lifetime_member(): ', () =>
    open('register_account', 'a-new-one', KEY, KEY, 'erin', 'nathan', 0, false),
  ),
  assertion(CHECK_ERRORS.already_lifetime_member, '!account_obj.is_lifetime_member(): ', () =>
    open('upgrade_account', 'nathan', 'GXS', false),
  ),
  assertion(CHECK_ERRORS.no_merchant_yet, 'account_obj.is_merchant_member(): ', () =>
    open('upgrade_account_datasource', 'erin', 'nathan', false),
  ),
  assertion(CHECK_ERRORS.proposer_no_member, 'propose_account_obj.is_lifetime_member(): ', () =>
    open('propose_deprecate_merchant', 'erin', 'bob', false),
  ),
  assertion(CHECK_ERRORS.deprecate_no_datasource, 'account_datasource_obj.is_datasource_member(): ', () =>
    open('propose_deprecate_datasource', 'nathan', 'erin', false),
  ),
  assertion(CHECK_ERRORS.deprecate_no_merchant, 'account_merchant_obj.is_merchant_member(): ', () =>
    open('propose_deprecate_merchant', 'nathan', 'erin', false),
  ),
  {
    row: CHECK_ERRORS.listing_unknown,
    code: 7,
    name: 'bad_cast_exception',
    message:
      "Bad Cast: invalid name 'grey_listed' in enum 'graphene::chain::account_whitelist_operation::account_listing'",
    raise: () => open('whitelist_account', 'nathan', 'alice', 'grey_listed', false),
  },
  {
    row: SCALAR_ERRORS.json_scalar,
    code: 7,
    name: 'bad_cast_exception',
    message: 'Bad Cast: Invalid cast from object_type to string',
    raise: () => open('whitelist_account', 'nathan', 'alice', {}, false),
  },
  assertion(CHECK_ERRORS.multisig_kind, 'OWNER == type || ACTIVE == type || ALL == type: ', () =>
    open('update_account_multisig', 'bob', 'memo', 1, ['alice'], [1], 'GXS', false),
  ),
  assertion(CHECK_ERRORS.multisig_sizes, 'account_auths.size() == account_weights.size(): ', () =>
    open('update_account_multisig', 'bob', 'active', 1, ['alice'], [1, 1], 'GXS', false),
  ),
  assertion(CHECK_ERRORS.multisig_key_sizes, 'key_auths.size() == key_weights.size(): ', () =>
    open('update_account_multisig_keys', 'bob', 'active', 1, [KEY], [1, 1], 'GXS', false),
  ),
  {
    row: CHECK_ERRORS.proxy_already_self,
    code: 0,
    name: 'exception',
    message: 'unspecified: Account erin is already voting for itself',
    raise: () => open('set_voting_proxy', 'erin', null, false),
  },
  {
    row: CHECK_ERRORS.counts_already_set,
    code: 0,
    name: 'exception',
    message: 'unspecified: Account erin is already voting for 0 witnesses and 0 committee_members',
    raise: () => open('set_desired_witness_and_committee_member_count', 'erin', 0, 0, false),
  },
  assertion(CHECK_ERRORS.asset_exists, '!find_asset(symbol).valid(): Asset with that symbol already exists!', () =>
    open('create_asset', 'alice', 'MYTOK', 4, {}, 'GXS', false),
  ),
  {
    row: CHECK_ERRORS.witness_exists,
    code: 0,
    name: 'exception',
    message: 'unspecified: Account init0 is already a witness',
    raise: () => open('create_witness', 'init0', '', 'GXS', false),
  },
  assertion(CHECK_ERRORS.witness_active_keys, 'the active authority of multi must be exactly one key', () =>
    open('create_witness', 'multi', '', 'GXS', false),
  ),
  {
    row: CHECK_ERRORS.committee_member_exists,
    code: 0,
    name: 'exception',
    message: 'unspecified: Account init0 is already a committee_member',
    raise: () => open('create_committee_member', 'init0', '', false),
  },
  {
    row: CHECK_ERRORS.vote_no_witness,
    code: 0,
    name: 'exception',
    message: 'unspecified: Account erin is not registered as a witness',
    raise: () => open('vote_for_witness', 'bob', 'erin', true, false),
  },
  {
    row: CHECK_ERRORS.vote_witness_missing,
    code: 0,
    name: 'exception',
    message: 'unspecified: Account erin is already not voting for witness init3',
    raise: () => open('vote_for_witness', 'erin', 'init3', false, false),
  },
  {
    row: CHECK_ERRORS.vote_no_committee_member,
    code: 0,
    name: 'exception',
    message: 'unspecified: Account erin is not registered as a committee_member',
    raise: () => open('vote_for_committee_member', 'bob', 'erin', true, false),
  },
  {
    row: CHECK_ERRORS.vote_committee_member_missing,
    code: 0,
    name: 'exception',
    message: 'unspecified: Account erin is already not voting for committee_member init3',
    raise: () => open('vote_for_committee_member', 'erin', 'init3', false, false),
  },
  assertion(CHECK_ERRORS.trust_node_no_witness, 'witness_obj.valid(): erin not a witness', () =>
    open('vote_for_trust_nodes', 'bob', ['erin'], false),
  ),
  assertion(CHECK_ERRORS.parameter_current_fees, '!changed_values.contains("current_fees"): ', () =>
    open('propose_parameter_change', 'nathan', '2027-01-01T00:00:00', { current_fees: {} }, false),
  ),
  assertion(CHECK_ERRORS.parameter_unknown, 'there is no chain parameter no_such', () =>
    open('propose_parameter_change', 'nathan', '2027-01-01T00:00:00', { no_such: 1 }, false),
  ),
  assertion(CHECK_ERRORS.gpo_no_extensions, 'changed_extensions.contains("extensions"): ', () =>
    open('propose_gpo_extensions_change', 'nathan', '2027-01-01T00:00:00', {}, false),
  ),
  assertion(CHECK_ERRORS.fee_operation_unknown, 'it != n2w.end(): unknown operation', () =>
    open('propose_fee_change', 'nathan', '2027-01-01T00:00:00', { no_such: {} }, false),
  ),
  assertion(CHECK_ERRORS.fee_operation_number, 'w < count(): ', () =>
    open('propose_fee_change', 'nathan', '2027-01-01T00:00:00', { 99: {} }, false),
  ),
  {
    row: CHECK_ERRORS.prototype_unknown,
    code: 0,
    name: 'exception',
    message: 'unspecified: Unsupported operation: "nothing"',
    raise: () => open('get_prototype_operation', 'nothing'),
  },
  assertion(CHECK_ERRORS.contract_no_abi, 'abi_exist: no abi file exist', () =>
    open('deploy_contract', 'c-new', 'alice', '0', '0', '/none', 'GXS', false),
  ),
  assertion(CHECK_ERRORS.contract_no_code, 'wast_exist || wasm_exist: no wast or wasm file exist', () =>
    open('deploy_contract', 'c-new', 'alice', '0', '0', contractFolder('nocode', { abi: '{}' }), 'GXS', false),
  ),
  assertion(
    CHECK_ERRORS.contract_not_wasm,
    `${folder}/nowasm/nowasm.wasm does not begin as a WebAssembly module does`,
    () =>
      open(
        'deploy_contract',
        'c-new',
        'alice',
        '0',
        '0',
        contractFolder('nowasm', { abi: '{}', wasm: 'text' }),
        'GXS',
        false,
      ),
  ),
  {
    row: CHECK_ERRORS.contract_no_text,
    code: 11,
    name: 'eof_exception',
    message: 'End Of File: stringstream',
    raise: () => open('call_contract', 'bob', 'bank-c1', null, 'deposit', '', 'GXS', false),
  },
  assertion(
    CHECK_ERRORS.table_bounds_wrong,
    'params.lower_bound >= 0 && params.limit > 0: lower_bound must >=0 and limit must > 0',
    () => open('get_table_rows_ex', 'bank-c1', 'account', { limit: 0 }),
  ),
  assertion(CHECK_ERRORS.table_start_wrong, 'start>=0 && limit > 0: start must >=0 and limit must > 0', () =>
    open('get_table_rows', 'bank-c1', 'account', 0, 0),
  ),
  assertion(CHECK_ERRORS.table_unknown, 'false: No table found for bank-c1', () =>
    open('get_table_rows_ex', 'bank-c1', 'nothing', {}),
  ),
  {
    row: CHECK_ERRORS.table_unknown_by_number,
    code: 3010009,
    name: 'table_not_found_exception',
    message: 'No table found: No table found for bank-c1',
    raise: () => open('get_table_rows', 'bank-c1', 'nothing', 0, 10),
  },
  assertion(CHECK_ERRORS.brain_key_count, 'number_of_desired_keys >= 1: ', () =>
    open('derive_owner_keys_from_brain_key', 'a b', 0),
  ),
  assertion(CHECK_ERRORS.public_key_short, 'base58str.size() > prefix_len: ', () =>
    open('get_orginal_public_key', 'GXC'),
  ),
  assertion(CHECK_ERRORS.signing_key_malformed, 'privkey.valid(): Malformed private key in _keys', () =>
    open('sign_string', '5K', 'x', false),
  ),
  assertion(CHECK_ERRORS.import_key_invalid, 'key.valid(): Invalid private key', () =>
    open('import_balance', 'nathan', ['5K'], false),
  ),
  assertion(CHECK_ERRORS.import_balance_fee, 'fee == asset(): ', () => open('import_balance', 'nathan', ['*'], false)),
  assertion(CHECK_ERRORS.import_not_mine, 'is_my_account: ', () =>
    open('import_account_keys', recordedFile('export-keys.json'), 'exportpw', 'x', 'erin'),
  ),
  assertion(CHECK_ERRORS.import_not_found, 'found_account: ', () =>
    open('import_account_keys', recordedFile('export-keys.json'), 'exportpw', 'nobody-here', 'nathan'),
  ),
  assertion(
    CHECK_ERRORS.category_type,
    'data_market_type==1 || data_market_type==2: data_market_type must 1 or 2',
    () => open('create_data_market_category', 'c', 3, 1, 'nathan', false),
  ),
  assertion(CHECK_ERRORS.category_status, '(0==new_status || 1==new_status ): new_status cannot out of {0,1}', () =>
    open('propose_data_market_category_update', 'nathan', '1.16.0', 'c', 1, 2, false),
  ),
  assertion(CHECK_ERRORS.blind_label_taken, '!"Key with label already exists": ', () =>
    open('create_blind_account', 'bb1', 'some other words'),
  ),
  assertion(
    CHECK_ERRORS.history_removed,
    'the node has removed the first 5 operations of 1.2.22 from its history',
    () => withShortHistory('get_irreversible_account_history', 'alice', [], 5, 10),
  ),
  assertion(CHECK_ERRORS.wallet_history_limit, 'limit <= 100: ', () =>
    open('get_account_history_by_operations', 'alice', [], 0, 101),
  ),
  assertion(
    CHECK_ERRORS.wait_until,
    'a transaction is waited for until block or irreversible, not until tomorrow',
    () => open('wait_for_transaction', TX, 'tomorrow', 1),
  ),
  assertion(CHECK_ERRORS.wait_seconds, 'a transaction is waited for at most 3600 seconds, not 9999', () =>
    open('wait_for_transaction', TX, 'block', 9999),
  ),
  assertion(STEALTH_ERRORS.blind_key_missing, 'other.my->_key != empty_pub: ', () =>
    open('transfer_to_blind', 'nathan', 'GXS', [['no-such-label', '1']], false),
  ),
  assertion(STEALTH_ERRORS.blind_nothing, 'there is nobody to send to', () =>
    open('transfer_to_blind', 'nathan', 'GXS', [], false),
  ),
  assertion(STEALTH_ERRORS.blind_amount, 'amount.amount > 0: ', () =>
    open('transfer_to_blind', 'nathan', 'GXS', [['bb1', '0']], false),
  ),
  assertion(STEALTH_ERRORS.blind_balance, 'total_amount >= amount+blind_tr.fee: Insufficent Balance', () =>
    open('blind_transfer', 'bb1', 'bb1', '1000000', 'GXS', false),
  ),
  assertion(
    CHECK_ERRORS.trust_node_no_committee_member,
    'committee_member_obj.valid(): init11 not a committee_member',
    () => open('vote_for_trust_nodes', 'bob', ['init11'], false),
  ),
  assertion(CHECK_ERRORS.already_merchant_member, '!account_obj.is_merchant_member(): ', () =>
    open('upgrade_account_merchant', 'bob', 'nathan', false),
  ),
  assertion(CHECK_ERRORS.already_datasource_member, '!account_obj.is_datasource_member(): ', () =>
    open('upgrade_account_datasource', 'dsource', 'nathan', false),
  ),
  assertion(CHECK_ERRORS.wallet_already_data_transaction_member, '!account_obj.is_data_transaction_member(): ', () =>
    open('upgrade_data_transaction_member', 'bob', 'nathan', false),
  ),
  assertion(CHECK_ERRORS.deprecate_merchant_no_datasource, 'account_merchant_obj.is_datasource_member(): ', () =>
    open('propose_deprecate_merchant', 'nathan', 'bob', false),
  ),
  {
    row: CHECK_ERRORS.proxy_already_set,
    code: 0,
    name: 'exception',
    message: 'unspecified: Voting proxy for erin is already set to proxy-to-self',
    raise: () => open('set_voting_proxy', 'erin', 'proxy-to-self', false),
  },
  {
    row: CHECK_ERRORS.vote_witness_given,
    code: 0,
    name: 'exception',
    message: 'unspecified: Account bob was already voting for witness init0',
    raise: () => open('vote_for_witness', 'bob', 'init0', true, false),
  },
  {
    row: CHECK_ERRORS.vote_committee_member_given,
    code: 0,
    name: 'exception',
    message: 'unspecified: Account bob was already voting for committee_member init0',
    raise: () => open('vote_for_committee_member', 'bob', 'init0', true, false),
  },
  assertion(
    CHECK_ERRORS.product_status,
    '(0 == new_status || 1 == new_status || 2 == new_status): new_status cannot out of {0,1,2}',
    () => open('propose_league_data_product_update', 'nathan', '1.18.0', 'p', 'b', '1.16.0', 1, 'i', [], 3, 0, false),
  ),
  assertion(
    CHECK_ERRORS.league_sizes,
    'data_products.size() == prices.size(): data_products size must equal to prices size',
    () => open('create_league', 'l', 'b', [], ['1.18.0'], [], '1.16.0', 'i', 'nathan', [], [], [], false, false),
  ),
  assertion(
    CHECK_ERRORS.request_status,
    '((data_transaction_status_confirmed == new_status) || (data_transaction_status_user_rejected == new_status)): new_status cannot out of {1,99}',
    () => open('data_transaction_update', 'x', 2, 'nathan', null, false),
  ),
  assertion(STEALTH_ERRORS.receipt_no_receiver, 'conf.to: ', () =>
    open('receive_blind_transfer', receiptWith({ to: undefined }), '', ''),
  ),
  assertion(STEALTH_ERRORS.receipt_no_key, 'to_priv_key_itr != my->_keys.end(): No private key for receiver', () =>
    open('receive_blind_transfer', receiptWith({ to: PrivateKey.fromSeed('nobody here').publicKey }), '', ''),
  ),
  assertion(STEALTH_ERRORS.receipt_commitment, 'fc::ecc::verify_sum( {commtiment_test}, {memo.commitment}, 0 ): ', () =>
    open('receive_blind_transfer', damagedReceipt('commitment'), '', ''),
  ),
  assertion(
    STEALTH_ERRORS.receipt_damaged,
    'the receipt is damaged, or not for this key: its check number is 1773040061, not 1773040060',
    () => open('receive_blind_transfer', damagedReceipt('check'), '', ''),
  ),
];
