// The host functions of the chain, as they are imported. The rest of the kit wraps those that contracts use most;
// all can be called directly. Pointers are offsets in the contract's memory. See ../reference.md for their rules.
// The functions that only compilers of other languages call (128-bit and quadruple numbers) are left out.

// action
@external("env", "action_data_size") export declare function action_data_size(): i32;
@external("env", "read_action_data") export declare function read_action_data(to: usize, length: usize): i32;
@external("env", "current_receiver") export declare function current_receiver(): u64;
@external("env", "get_action_asset_id") export declare function get_action_asset_id(): u64;
@external("env", "get_action_asset_amount") export declare function get_action_asset_amount(): i64;
@external("env", "send_inline") export declare function send_inline(action: usize, length: usize): void;

// transaction
@external("env", "transaction_size") export declare function transaction_size(): i32;
@external("env", "read_transaction") export declare function read_transaction(to: usize, length: usize): i32;
@external("env", "expiration") export declare function expiration(): i64;
@external("env", "tapos_block_num") export declare function tapos_block_num(): i32;
@external("env", "tapos_block_prefix") export declare function tapos_block_prefix(): i64;

// chain, accounts, assets
@external("env", "get_head_block_num") export declare function get_head_block_num(): i64;
@external("env", "get_head_block_id") export declare function get_head_block_id(to: usize): void;
@external("env", "get_head_block_time") export declare function get_head_block_time(): i64;
@external("env", "get_block_id_for_num") export declare function get_block_id_for_num(to: usize, num: u32): void;
@external("env", "get_trx_sender") export declare function get_trx_sender(): u64;
@external("env", "get_trx_origin") export declare function get_trx_origin(): u64;
@external("env", "get_account_id") export declare function get_account_id(name: usize, length: usize): i64;
@external("env", "get_account_name_by_id")
export declare function get_account_name_by_id(to: usize, length: usize, account: i64): i64;
@external("env", "get_asset_id") export declare function get_asset_id(symbol: usize, length: usize): i64;
@external("env", "get_asset_precision") export declare function get_asset_precision(symbol: usize, length: usize): i64;
@external("env", "get_balance") export declare function get_balance(account: i64, asset: i64): i64;
@external("env", "withdraw_asset")
export declare function withdraw_asset(from: i64, to: i64, asset: i64, amount: i64): void;
@external("env", "inline_transfer")
export declare function inline_transfer(
  from: i64, to: i64, asset: i64, amount: i64, memo: usize, length: usize
): void;

// crypto
@external("env", "sha1") export declare function sha1(data: usize, length: usize, to: usize): void;
@external("env", "ripemd160") export declare function ripemd160(data: usize, length: usize, to: usize): void;
@external("env", "sha256") export declare function sha256(data: usize, length: usize, to: usize): void;
@external("env", "sha512") export declare function sha512(data: usize, length: usize, to: usize): void;
@external("env", "assert_sha1") export declare function assert_sha1(data: usize, length: usize, hash: usize): void;
@external("env", "assert_ripemd160")
export declare function assert_ripemd160(data: usize, length: usize, hash: usize): void;
@external("env", "assert_sha256") export declare function assert_sha256(data: usize, length: usize, hash: usize): void;
@external("env", "assert_sha512") export declare function assert_sha512(data: usize, length: usize, hash: usize): void;
@external("env", "assert_recover_key")
export declare function assert_recover_key(digest: usize, signature: usize, key: usize, length: usize): void;
@external("env", "verify_signature")
export declare function verify_signature(
  data: usize, length: usize, signature: usize, key: usize, keyLength: usize
): i32;

// system
@external("env", "abort") export declare function host_abort(): void;
@external("env", "graphene_assert") export declare function graphene_assert(condition: i32, text: usize): void;
@external("env", "graphene_assert_message")
export declare function graphene_assert_message(condition: i32, text: usize, length: usize): void;
@external("env", "graphene_assert_code") export declare function graphene_assert_code(condition: i32, code: u64): void;
@external("env", "graphene_exit") export declare function graphene_exit(code: i32): void;

// memory
@external("env", "memcpy") export declare function memcpy(to: usize, from: usize, length: usize): usize;
@external("env", "memmove") export declare function memmove(to: usize, from: usize, length: usize): usize;
@external("env", "memset") export declare function memset(to: usize, value: i32, length: usize): usize;
@external("env", "memcmp") export declare function memcmp(a: usize, b: usize, length: usize): i32;

// console
@external("env", "prints") export declare function prints(text: usize): void;
@external("env", "prints_l") export declare function prints_l(text: usize, length: usize): void;
@external("env", "printi") export declare function printi(value: i64): void;
@external("env", "printui") export declare function printui(value: u64): void;
@external("env", "printi128") export declare function printi128(value: usize): void;
@external("env", "printui128") export declare function printui128(value: usize): void;
@external("env", "printsf") export declare function printsf(value: f32): void;
@external("env", "printdf") export declare function printdf(value: f64): void;
@external("env", "printqf") export declare function printqf(value: usize): void;
@external("env", "printn") export declare function printn(name: u64): void;
@external("env", "printhex") export declare function printhex(data: usize, length: usize): void;

// tables by primary key
@external("env", "db_store_i64")
export declare function db_store_i64(
  scope: u64, table: u64, payer: u64, id: u64, data: usize, length: usize
): i32;
@external("env", "db_update_i64")
export declare function db_update_i64(iterator: i32, payer: u64, data: usize, length: usize): void;
@external("env", "db_remove_i64") export declare function db_remove_i64(iterator: i32): void;
@external("env", "db_get_i64") export declare function db_get_i64(iterator: i32, to: usize, length: usize): i32;
@external("env", "db_next_i64") export declare function db_next_i64(iterator: i32, id: usize): i32;
@external("env", "db_previous_i64") export declare function db_previous_i64(iterator: i32, id: usize): i32;
@external("env", "db_find_i64") export declare function db_find_i64(code: u64, scope: u64, table: u64, id: u64): i32;
@external("env", "db_lowerbound_i64")
export declare function db_lowerbound_i64(code: u64, scope: u64, table: u64, id: u64): i32;
@external("env", "db_upperbound_i64")
export declare function db_upperbound_i64(code: u64, scope: u64, table: u64, id: u64): i32;
@external("env", "db_end_i64") export declare function db_end_i64(code: u64, scope: u64, table: u64): i32;

// tables by secondary key
@external("env", "db_idx64_store")
export declare function db_idx64_store(scope: u64, table: u64, payer: u64, id: u64, key: usize): i32;
@external("env", "db_idx64_update") export declare function db_idx64_update(iterator: i32, payer: u64, key: usize): void;
@external("env", "db_idx64_remove") export declare function db_idx64_remove(iterator: i32): void;
@external("env", "db_idx64_find_secondary")
export declare function db_idx64_find_secondary(code: u64, scope: u64, table: u64, key: usize, id: usize): i32;
@external("env", "db_idx64_find_primary")
export declare function db_idx64_find_primary(code: u64, scope: u64, table: u64, key: usize, id: u64): i32;
@external("env", "db_idx64_lowerbound")
export declare function db_idx64_lowerbound(code: u64, scope: u64, table: u64, key: usize, id: usize): i32;
@external("env", "db_idx64_upperbound")
export declare function db_idx64_upperbound(code: u64, scope: u64, table: u64, key: usize, id: usize): i32;
@external("env", "db_idx64_end") export declare function db_idx64_end(code: u64, scope: u64, table: u64): i32;
@external("env", "db_idx64_next") export declare function db_idx64_next(iterator: i32, id: usize): i32;
@external("env", "db_idx64_previous") export declare function db_idx64_previous(iterator: i32, id: usize): i32;
