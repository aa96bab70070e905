import { defineErrors, FAMILY } from '../base/errors.js';

/**
 * What the wallet refuses. Texts are those of the chain's own wallet where it has the check, since programs that drive
 * it compare them; what only ours checks has a text of its own.
 */

export const KEYSTORE_ERRORS = defineErrors({
  wallet_locked: { text: '!is_locked(): ', hint: 'the wallet is locked; unlock it first' },
  wallet_locked_self: { text: '!self.is_locked(): ', hint: 'the wallet is locked; unlock it first' },
  wallet_password_locked: { text: '!is_locked(): The wallet must be unlocked before the password can be set' },
  wallet_password_empty: { text: 'password.size() > 0: ', hint: 'the password must not be empty' },
  /** One refusal, whether the padding, the form or the stored hash gives it away. */
  wallet_password_wrong: {
    ...FAMILY.aes,
    text: 'error during aes 256 cbc decrypt final',
    hint: 'the password is wrong, or the keys in the wallet file are damaged',
  },
  wallet_new: { text: 'the wallet has no password yet; set one first' },
  key_missing: { text: 'it != _keys.end(): ', hint: 'the wallet does not hold the private key of ${key}' },
  key_text_invalid: { ...FAMILY.unspecified, text: 'Invalid private key' },
  export_file_missing: { text: 'fc::exists( filename ): ', hint: 'there is no file ${file}' },
  export_password_wrong: {
    text: 'fc::sha512::hash( password_hash ) == imported_keys.password_checksum: ',
    hint: 'the password is not that of the exported keys',
  },
  export_key_damaged: {
    ...FAMILY.aes,
    text: 'error during aes 256 cbc decrypt final',
    hint: 'key ${index} of account ${account} in the exported file is damaged',
  },
});

export const WALLET_FILE_ERRORS = defineErrors({
  wallet_file_form: { ...FAMILY.parse, text: 'wallet file ${file}: ${what}' },
  wallet_file_missing: { ...FAMILY.invalidArgument, text: 'there is no wallet file ${file}' },
  wallet_file_chain: {
    ...FAMILY.unspecified,
    text: 'Wallet chain ID does not match',
    hint: 'the wallet file belongs to chain ${actual}, this wallet to ${expected}',
  },
  wallet_file_changed: {
    kind: 'environment',
    ...FAMILY.invalidArgument,
    text: 'another program has changed ${file} since it was read',
    hint: 'nothing was written: save_wallet_file with another name keeps what is here, load_wallet_file "" takes up the file',
  },
  wallet_file_read: { kind: 'environment', ...FAMILY.invalidArgument, text: 'cannot read ${file}: ${reason}' },
  wallet_file_write: { kind: 'environment', ...FAMILY.invalidArgument, text: 'cannot write ${file}: ${reason}' },
});

/** Texts of what the node or the way to it says. */
export const NODE_ERRORS = defineErrors({
  node_refused: { ...FAMILY.unspecified, text: '${error}' },
  node_gone: {
    kind: 'environment',
    ...FAMILY.unspecified,
    text: 'the node does not answer: ${reason}',
    hint: 'what was asked may or may not have had its effect',
  },
  node_answer: { kind: 'environment', ...FAMILY.unspecified, text: 'the node answers ${method} with something else' },
  node_login: { ...FAMILY.unspecified, text: 'Failed to log in to API server' },
  node_chain: {
    ...FAMILY.unspecified,
    text: 'Remote server gave us an unexpected chain_id',
    hint: 'the node is on chain ${actual}, this wallet on ${expected}',
  },
});

export const LOOKUP_ERRORS = defineErrors({
  account_name_empty: { text: 'account_name_or_id.size() > 0: ', hint: 'the name of the account is missing' },
  wallet_account_name_unknown: {
    text: 'rec && rec->name == account_name_or_id: ',
    hint: 'there is no account ${account}',
  },
  account_id_unknown: { text: 'rec: ', hint: 'there is no account ${account}' },
  asset_name_empty: { text: 'asset_symbol_or_id.size() > 0: ', hint: 'the symbol of the asset is missing' },
  asset_unknown: { text: 'a: ', hint: 'there is no asset ${asset}' },
  asset_option_unknown: { text: 'opt: ', hint: 'there is no asset ${asset}' },
  asset_pool_unknown: { ...FAMILY.unspecified, text: 'No asset with that symbol exists!' },
  asset_update_unknown: { text: 'asset_to_update: No asset with that symbol exists!' },
  witness_unknown: { ...FAMILY.unspecified, text: 'No account or witness named ${account}' },
  witness_id_unknown: { ...FAMILY.unspecified, text: 'No witness is registered for id ${id}' },
  committee_member_unknown: { ...FAMILY.unspecified, text: 'No account or committee_member named ${account}' },
  committee_member_id_unknown: { ...FAMILY.unspecified, text: 'No committee_member is registered for id ${id}' },
  object_null: {
    ...FAMILY.badCast,
    text: "Invalid cast from type '${type}' to Object",
    hint: 'there is no object ${id}',
  },
  category_unknown: { ...FAMILY.unspecified, text: 'No data_market_category is registered for id ${id}' },
  free_product_unknown: { ...FAMILY.unspecified, text: 'No free_data_product is registered for id ${id}' },
  league_product_unknown: { ...FAMILY.unspecified, text: 'No league_data_product is registered for id ${id}' },
  league_unknown: { ...FAMILY.unspecified, text: 'No league is registered for id ${id}' },
});

export const BUILDER_ERRORS = defineErrors({
  builder_handle_to_add: {
    text: '_builder_transactions.count(transaction_handle): ',
    hint: 'there is no builder transaction ${handle}',
  },
  builder_handle: { text: '_builder_transactions.count(handle): ', hint: 'there is no builder transaction ${handle}' },
  builder_index: {
    text: 'operation_index < trx.operations.size(): ',
    hint: 'builder transaction ${handle} has no operation ${index}',
  },
  builder_fee_pool: { text: 'Cannot use ${asset} to pay a fee of ${fee}: its fee pool holds ${pool}' },
});

export const COMMAND_ERRORS = defineErrors({
  command_unknown: { text: "itr != _by_name.end(): no method with name '${name}'", hint: '${nearest}' },
  command_arguments: { text: 'a0 != e: too few arguments passed to method', hint: '${command} takes ${usage}' },
  command_help_unknown: {
    code: 6,
    name: 'key_not_found_exception',
    title: 'Key Not Found',
    text: 'No entry for method ${name}',
  },
  command_not_allowed: { text: 'this wallet does not answer ${command}' },
  command_call_shape: {
    text: 'args.size() == 3 && args[2].is_array(): ',
    hint: 'call takes [0, command, [arguments]]',
  },
  command_api: { text: '_local_apis.size() > api_id: ', hint: 'a wallet has one API, number 0' },
});

/** What commands check before they ask the node to take a transaction. */
export const CHECK_ERRORS = defineErrors({
  market_text: {
    text: 'only texts that begin with market-v1|${account}| or ${account}|, without control characters, are signed here',
  },
  referrer_percent: { text: 'referrer_percent <= 100: ', hint: 'the part of the referrer is a percentage' },
  registrar_no_member: {
    text: 'registrar_account_object.is_lifetime_member(): ',
    hint: '${account} is no lifetime member and cannot register accounts',
  },
  already_lifetime_member: {
    text: '!account_obj.is_lifetime_member(): ',
    hint: '${account} is a lifetime member already',
  },
  already_merchant_member: { text: '!account_obj.is_merchant_member(): ', hint: '${account} is a merchant already' },
  no_merchant_yet: { text: 'account_obj.is_merchant_member(): ', hint: '${account} is no merchant' },
  already_datasource_member: {
    text: '!account_obj.is_datasource_member(): ',
    hint: '${account} is a data source already',
  },
  wallet_already_data_transaction_member: {
    text: '!account_obj.is_data_transaction_member(): ',
    hint: '${account} is a data-transaction member already',
  },
  proposer_no_member: {
    text: 'propose_account_obj.is_lifetime_member(): ',
    hint: '${account} is no lifetime member',
  },
  deprecate_no_datasource: {
    text: 'account_datasource_obj.is_datasource_member(): ',
    hint: '${account} is no data source',
  },
  deprecate_no_merchant: { text: 'account_merchant_obj.is_merchant_member(): ', hint: '${account} is no merchant' },
  deprecate_merchant_no_datasource: {
    text: 'account_merchant_obj.is_datasource_member(): ',
    hint: '${account} is no data source',
  },
  listing_unknown: { ...FAMILY.badCast, text: "invalid name '${key}' in enum '${enum}'" },
  multisig_kind: {
    text: 'OWNER == type || ACTIVE == type || ALL == type: ',
    hint: '${type} is none of owner, active, all',
  },
  multisig_sizes: {
    text: 'account_auths.size() == account_weights.size(): ',
    hint: 'there must be one weight for each account',
  },
  multisig_key_sizes: {
    text: 'key_auths.size() == key_weights.size(): ',
    hint: 'there must be one weight for each key',
  },
  proxy_already_self: { ...FAMILY.unspecified, text: 'Account ${account} is already voting for itself' },
  proxy_already_set: { ...FAMILY.unspecified, text: 'Voting proxy for ${account} is already set to ${voter}' },
  counts_already_set: {
    ...FAMILY.unspecified,
    text: 'Account ${account} is already voting for ${witnesses} witnesses and ${committee_members} committee_members',
  },
  asset_exists: { text: '!find_asset(symbol).valid(): Asset with that symbol already exists!' },
  witness_exists: { ...FAMILY.unspecified, text: 'Account ${owner_account} is already a witness' },
  witness_active_keys: { text: 'the active authority of ${account} must be exactly one key' },
  committee_member_exists: { ...FAMILY.unspecified, text: 'Account ${owner_account} is already a committee_member' },
  vote_no_witness: { ...FAMILY.unspecified, text: 'Account ${witness} is not registered as a witness' },
  vote_witness_given: { ...FAMILY.unspecified, text: 'Account ${account} was already voting for witness ${witness}' },
  vote_witness_missing: {
    ...FAMILY.unspecified,
    text: 'Account ${account} is already not voting for witness ${witness}',
  },
  vote_no_committee_member: {
    ...FAMILY.unspecified,
    text: 'Account ${committee_member} is not registered as a committee_member',
  },
  vote_committee_member_given: {
    ...FAMILY.unspecified,
    text: 'Account ${account} was already voting for committee_member ${committee_member}',
  },
  vote_committee_member_missing: {
    ...FAMILY.unspecified,
    text: 'Account ${account} is already not voting for committee_member ${committee_member}',
  },
  trust_node_no_witness: { text: 'witness_obj.valid(): ${a} not a witness' },
  trust_node_no_committee_member: { text: 'committee_member_obj.valid(): ${a} not a committee_member' },
  parameter_current_fees: {
    text: '!changed_values.contains("current_fees"): ',
    hint: 'fees are changed with propose_fee_change',
  },
  parameter_unknown: { text: 'there is no chain parameter ${name}' },
  gpo_no_extensions: {
    text: 'changed_extensions.contains("extensions"): ',
    hint: 'what changes stands in a member called extensions',
  },
  fee_operation_unknown: { text: 'it != n2w.end(): unknown operation' },
  fee_operation_number: { text: 'w < count(): ', hint: 'there is no operation ${number}' },
  prototype_unknown: { ...FAMILY.unspecified, text: 'Unsupported operation: "${operation_name}"' },
  contract_no_abi: { text: 'abi_exist: no abi file exist', hint: '${file} is not there' },
  contract_no_code: { text: 'wast_exist || wasm_exist: no wast or wasm file exist', hint: '${file} is not there' },
  contract_not_wasm: { text: '${file} does not begin as a WebAssembly module does' },
  contract_no_text: { ...FAMILY.endOfInput, text: 'stringstream', hint: 'the arguments are missing: {} for none' },
  table_bounds_wrong: {
    text: 'params.lower_bound >= 0 && params.limit > 0: lower_bound must >=0 and limit must > 0',
  },
  table_start_wrong: { text: 'start>=0 && limit > 0: start must >=0 and limit must > 0' },
  table_unknown: { text: 'false: No table found for ${contract}' },
  table_unknown_by_number: {
    code: 3010009,
    name: 'table_not_found_exception',
    title: 'No table found',
    text: 'No table found for ${contract}',
  },
  brain_key_count: { text: 'number_of_desired_keys >= 1: ', hint: 'at least one key must be asked for' },
  public_key_short: { text: 'base58str.size() > prefix_len: ', hint: 'a key begins with ${prefix} and is longer' },
  signing_key_malformed: { text: 'privkey.valid(): Malformed private key in _keys', hint: 'this is no private key' },
  import_key_invalid: { text: 'key.valid(): Invalid private key' },
  import_balance_fee: {
    text: 'fee == asset(): ',
    hint: 'balances of the genesis block can no longer be claimed on this chain',
  },
  import_not_mine: { text: 'is_my_account: ', hint: '${account} is no account of this wallet' },
  import_not_found: { text: 'found_account: ', hint: 'the file has no account ${account}' },
  category_type: {
    text: 'data_market_type==1 || data_market_type==2: data_market_type must 1 or 2',
  },
  category_status: { text: '(0==new_status || 1==new_status ): new_status cannot out of {0,1}' },
  product_status: {
    text: '(0 == new_status || 1 == new_status || 2 == new_status): new_status cannot out of {0,1,2}',
  },
  league_sizes: { text: 'data_products.size() == prices.size(): data_products size must equal to prices size' },
  request_status: {
    text: '((data_transaction_status_confirmed == new_status) || (data_transaction_status_user_rejected == new_status)): new_status cannot out of {1,99}',
  },
  blind_label_taken: { text: '!"Key with label already exists": ', hint: 'another key has the label ${label}' },
  wait_until: { text: 'a transaction is waited for until block or irreversible, not until ${until}' },
  wait_seconds: { text: 'a transaction is waited for at most ${most} seconds, not ${seconds}' },
  history_removed: {
    kind: 'environment',
    text: 'the node has removed the first ${removed} operations of ${account} from its history',
    hint: 'ask a node that keeps more of them (max-ops-per-account), or from position ${first} on',
  },
  wallet_history_limit: { text: 'limit <= 100: ', hint: 'at most 100 entries are answered at once' },
});

export const LINE_ERRORS = defineErrors({
  line_character: {
    ...FAMILY.parse,
    text: 'Unexpected char \'${c}\' in "${s}"',
    hint: 'put texts with the character ${character} into quotes',
  },
  line_open: { ...FAMILY.parse, text: 'a quote or bracket is not closed: ${part}' },
});

export const STEALTH_ERRORS = defineErrors({
  blind_key_missing: {
    text: 'other.my->_key != empty_pub: ',
    hint: '${key} is neither a key nor the label of one',
  },
  blind_nothing: { text: 'there is nobody to send to' },
  blind_amount: { text: 'amount.amount > 0: ', hint: 'every amount must be more than 0' },
  blind_balance: {
    text: 'total_amount >= amount+blind_tr.fee: Insufficent Balance',
    hint: 'there is not enough for ${shown}',
  },
  receipt_no_receiver: { text: 'conf.to: ', hint: 'the receipt names no receiver' },
  receipt_no_key: {
    text: 'to_priv_key_itr != my->_keys.end(): No private key for receiver',
    hint: 'the receipt is for another key than those of this wallet',
  },
  receipt_commitment: {
    text: 'fc::ecc::verify_sum( {commtiment_test}, {memo.commitment}, 0 ): ',
    hint: 'the receipt is damaged: its commitment is not one to its amount',
  },
  receipt_damaged: {
    text: 'the receipt is damaged, or not for this key: its check number is ${actual}, not ${expected}',
  },
});

export const SERVER_ERRORS = defineErrors({
  wallet_page: { ...FAMILY.unspecified, text: 'pages in a browser are not answered unless their origin is allowed' },
  wallet_credentials: { ...FAMILY.unspecified, text: 'this wallet asks for a user and a password' },
  wallet_document: { ...FAMILY.parse, text: 'the request is no JSON object with a method' },
});

export const SENDING_ERRORS = defineErrors({
  broadcast_declined: { ...FAMILY.unspecified, text: 'nothing was sent' },
  sending_expired: {
    text: 'transaction ${id} can no longer be taken by any block: it expired at ${expiration}',
    hint: 'nothing of it was done; it can be made anew',
  },
});

export const SIGNING_ERRORS = defineErrors({
  signing_expired: { text: 'the transaction expired at ${expiration}; prepare it anew' },
});
