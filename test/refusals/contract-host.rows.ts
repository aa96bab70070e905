import { concatBytes, fromHex } from '../../src/base/bytes.js';
import type { ErrorRow } from '../../src/base/errors.js';
import { READ_ERRORS } from '../../src/codec/reader.js';
import { toBase58 } from '../../src/crypto/base58.js';
import { sha256 } from '../../src/crypto/hash.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { nameFromText } from '../../src/protocol/name.js';
import { ASSET_HOST_ERRORS as ASSET } from '../../src/vm/host/assets.js';
import { BUILTIN_ERRORS as BUILTIN } from '../../src/vm/host/builtins.js';
import { CHAIN_HOST_ERRORS as CHAIN } from '../../src/vm/host/chain.js';
import { CRYPTO_HOST_ERRORS as CRYPTO } from '../../src/vm/host/crypto.js';
import { MEMORY_HOST_ERRORS as MEMORY } from '../../src/vm/host/memory.js';
import { SYSTEM_ERRORS as SYSTEM } from '../../src/vm/host/system.js';
import { TRANSACTION_HOST_ERRORS as TRANSACTION } from '../../src/vm/host/transaction.js';
import { INLINE_ERRORS as INLINE } from '../../src/vm/inline-call.js';
import { INSTANCE_ERRORS as INSTANCE } from '../../src/vm/instance.js';
import { KEY_TEXT_ERRORS as KEY } from '../../src/vm/key-text.js';
import { contractKeys } from '../../src/vm/keys.js';
import { TABLE_ERRORS as TABLE } from '../../src/vm/tables/access.js';
import { ContractWorld, methods } from '../support/contract-world.js';
import { PROBE, type ProbeCall, type ProbeOptions, probe } from '../support/host-probe.js';
import { NETWORK } from '../support/network.js';
import { testKey } from '../support/vm-keys.js';
import { assertion, type Refusal } from './define.js';

const SELF = BigInt(PROBE);
const TABLE_NAME = 16n;
const OTHER = 1999;

const host =
  (call: ProbeCall, options: ProbeOptions = {}) =>
  () =>
    probe([call], options);
const afterwards =
  (...calls: readonly ProbeCall[]) =>
  () =>
    probe(calls);
const under = (change: Partial<ContractWorld['rules']>) => {
  const world = new ContractWorld();
  world.rules = { ...world.rules, ...change };
  return { world };
};
const rich = () => {
  const world = new ContractWorld();
  world.assets.set(1, { symbol: 'GXC', precision: 5 });
  world.setBalance(SELF, 1n, 1000n);
  return { world };
};

const ascii = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const digest = sha256(ascii('message'));
const signer = testKey('contract signer');
const signature = signatureBackend().sign(digest, signer.secret);
const recover = (key: Uint8Array, sig: Uint8Array = signature) =>
  host(['assert_recover_key', 64, 128, 256, key.length], { place: { 64: digest, 128: sig, 256: key } });
const broken = (at: number, value: number) => {
  const copy = signature.slice();
  copy[at] = value;
  return copy;
};
const key = fromHex(signer.publicKey);
// Half of all numbers are the x coordinate of no point.
const noPoint = signature.slice().fill(0x21, 1, 33);
const keys = contractKeys(NETWORK);
while (keys.recover(digest, noPoint) !== undefined) noPoint[1] = (noPoint[1] as number) + 1;

const inlineBytes = (given: Partial<Record<'sender' | 'contract' | 'amount' | 'asset' | 'method', bigint>> = {}) => {
  const view = new DataView(new ArrayBuffer(41));
  const { sender = SELF, contract = BigInt(OTHER), amount = 0n, asset = 1n, method = nameFromText('go') } = given;
  [sender, contract, amount, asset, method].forEach((value, i) => {
    view.setBigUint64(8 * i, BigInt.asUintN(64, value), true);
  });
  return new Uint8Array(view.buffer);
};
const send = (bytes: Uint8Array, change: (world: ContractWorld) => void = () => undefined) => {
  const world = new ContractWorld();
  world.contracts.set(OTHER, {
    code: new Uint8Array(0),
    codeVersion: '',
    actions: [...methods('go'), { name: nameFromText('free'), payable: false }],
  });
  change(world);
  return host(['send_inline', 64, bytes.length], { place: { 64: bytes }, world });
};

const outOfRange = (row: ErrorRow, text: string, raise: () => unknown): Refusal => ({
  row,
  code: 8,
  name: 'out_of_range_exception',
  message: `Out of Range: ${text}`,
  raise,
});

const FRAMES =
  'error unpacking graphene::chain::public_key_type::binary_key error unpacking graphene::chain::public_key_type::binary_key';

export const refusals: readonly Refusal[] = [
  assertion(
    TABLE.contract_payer,
    'payer == 0 || payer == sender || payer == origin || payer == receiver: db access violation, apayer 99 not in {0, sender 17, origin 17, receiver 2000}',
    host(['db_store_i64', SELF, TABLE_NAME, 99n, 1n, 64, 1]),
  ),
  assertion(TABLE.contract_table_access, 'table_obj.code == receiver: db access violation', () => {
    const world = new ContractWorld();
    const table = world.store.createTable(5n, 0n, TABLE_NAME, 5n);
    world.store.createRow(table.id, 1n, 5n, new Uint8Array(1));
    return probe(
      [
        ['db_find_i64', 5n, 0n, TABLE_NAME, 1n],
        ['db_remove_i64', 0],
      ],
      { world },
    );
  }),
  assertion(
    TABLE.contract_row_exists,
    'insert_result.second: Could not create object! Most likely a uniqueness constraint is violated.',
    afterwards(['db_store_i64', SELF, TABLE_NAME, 0n, 1n, 64, 1], ['db_store_i64', SELF, TABLE_NAME, 0n, 1n, 64, 1]),
  ),
  assertion(TABLE.contract_iterator_invalid, 'iterator != -1: invalid iterator', host(['db_remove_i64', -1])),
  assertion(TABLE.contract_iterator_end, 'iterator >= 0: dereference of end iterator', host(['db_remove_i64', -2])),
  assertion(
    TABLE.contract_iterator_range,
    'iterator < _iterator_to_object.size(): iterator out of range',
    host(['db_remove_i64', 0]),
  ),
  assertion(
    TABLE.contract_iterator_deleted,
    'result: dereference of deleted object',
    afterwards(['db_store_i64', SELF, TABLE_NAME, 0n, 1n, 64, 1], ['db_remove_i64', 0], ['db_remove_i64', 0]),
  ),
  assertion(TABLE.contract_iterator_not_end, 'tab: not a valid end iterator', host(['db_previous_i64', -5, 64])),

  assertion(ASSET.contract_balance_account, 'account >= 0: account id must > 0', host(['get_balance', -1n, 1n])),
  assertion(ASSET.contract_balance_asset, 'asset_id >= 0: asset id to must > 0', host(['get_balance', 1n, -1n])),
  assertion(
    ASSET.contract_withdraw_source,
    'from == receiver: can only withdraw from contract 2000',
    host(['withdraw_asset', 17n, SELF, 1n, 1n]),
  ),
  assertion(
    ASSET.contract_withdraw_self,
    'from != to: cannot transfer to self',
    host(['withdraw_asset', SELF, SELF, 1n, 1n]),
  ),
  assertion(
    ASSET.contract_withdraw_amount,
    'amount > 0: withdraw  amount -5 must > 0',
    host(['withdraw_asset', SELF, 17n, 1n, -5n]),
  ),
  assertion(
    ASSET.contract_transfer_to,
    'to >= 0: account id -1 to must > 0',
    host(['withdraw_asset', SELF, -1n, 1n, 1n]),
  ),
  assertion(
    ASSET.contract_transfer_asset,
    'asset_id >= 0: asset id -1 must > 0',
    host(['inline_transfer', SELF, 17n, -1n, 1n, 64, 0]),
  ),
  assertion(INSTANCE.contract_instance_range, '(i >> 48) == 0: ', host(['withdraw_asset', SELF, 1n << 48n, 1n, 1n])),
  assertion(
    ASSET.contract_withdraw_balance,
    'sufficient_balance: insufficient balance 1000 GXC, unable to withdraw 1001 from account 1.2.2000',
    () => probe([['withdraw_asset', SELF, 17n, 1n, 1001n]], rich()),
  ),
  assertion(ASSET.contract_inline_transfer_disabled, 'false: inline_transfer not enabled', () =>
    probe([['inline_transfer', SELF, 17n, 1n, 1n, 64, 0]], under({ inline_transfer: false })),
  ),
  assertion(
    ASSET.contract_transfer_source,
    'from == receiver: can only transfer from contract 2000',
    host(['inline_transfer', 17n, SELF, 1n, 1n, 64, 0]),
  ),

  assertion(BUILTIN.contract_divide_by_zero, 'rhs != 0: divide by zero', host(['__divti3', 64, 1n, 0n, 0n, 0n])),

  assertion(
    CHAIN.contract_block_num,
    'block_num to large, can not big than head block num:100',
    host(['get_block_id_for_num', 64, 101]),
  ),
  assertion(CHAIN.contract_block_missing, 'block 13 is not in the block store', host(['get_block_id_for_num', 64, 13])),
  assertion(CHAIN.contract_block_under_way, 'block 100 is not in the block store', () => {
    const world = new ContractWorld();
    world.currentTransaction = undefined;
    return probe([['get_block_id_for_num', 64, 100]], { world });
  }),
  assertion(
    CHAIN.contract_account_negative,
    'account_id >= 0: account_id -1 must > 0',
    host(['get_account_name_by_id', 64, 8, -1n]),
  ),
  assertion(CHAIN.contract_data_length, 'datalen > 0: datalen must > 0', host(['get_asset_precision', 64, 0])),
  assertion(CHAIN.contract_asset_precision_disabled, 'false: get_asset_precision can not be used', () =>
    probe([['get_asset_precision', 64, 3]], under({ asset_precision: false })),
  ),

  assertion(CRYPTO.contract_hash_mismatch, 'result == hash_val: hash mismatch', host(['assert_sha256', 64, 3, 128])),
  {
    row: CRYPTO.contract_signature_header,
    code: 0,
    name: 'exception',
    message: 'unspecified: unable to reconstruct public key from signature',
    raise: recover(key, broken(0, 26)),
  },
  assertion(
    CRYPTO.contract_signature_not_canonical,
    'is_canonical( c ): signature is not canonical',
    recover(key, broken(1, 0x80)),
  ),
  assertion(
    CRYPTO.contract_signature_unrecoverable,
    'secp256k1_ecdsa_recover_compact( detail::_get_context(), (unsigned char*) digest.data(), (unsigned char*) c.begin() + 1, (unsigned char*) my->_key.begin(), (int*) &pk_len, 1, (*c.begin() - 27) & 3 ): ',
    recover(key, noPoint),
  ),
  outOfRange(
    CRYPTO.contract_key_short,
    'read datastream of length 32 over by -31 fc::array<type,length>',
    recover(key.subarray(0, 32)),
  ),
  assertion(
    CRYPTO.contract_key_differs,
    'check == pub: Error expected key different than recovered key',
    recover(fromHex(testKey('other').publicKey)),
  ),
  assertion(KEY.contract_key_empty, 'base58str.size() > prefix_len: ', recover(ascii('GXC'))),
  {
    row: KEY.contract_key_letter,
    code: 4,
    name: 'parse_error_exception',
    message: 'Parse Error: Unable to decode base58 string 0OIl',
    raise: recover(ascii('GXC0OIl')),
  },
  outOfRange(
    KEY.contract_key_data_short,
    `read datastream of length 3 over by -2 fc::array<type,length> Error unpacking field data ${FRAMES}`,
    recover(ascii('GXCbad')),
  ),
  outOfRange(
    KEY.contract_key_check_short,
    `read datastream of length 35 over by -1 Error unpacking field check ${FRAMES}`,
    recover(ascii(`GXC${toBase58(new Uint8Array(35).fill(2))}`)),
  ),

  {
    row: MEMORY.contract_memory_overlap,
    code: 3070004,
    name: 'overlapping_memory_error',
    message: 'memcpy with overlapping memory: memcpy can only accept non-aliasing pointers',
    raise: host(['memcpy', 64, 65, 2]),
  },

  assertion(SYSTEM.contract_abort, 'false: abort() called', host(['abort'])),
  {
    row: SYSTEM.contract_assert_message,
    code: 3070008,
    name: 'graphene_assert_message_exception',
    message: 'graphene_assert_message assertion failure: assertion failure with message: lab says no',
    raise: host(['graphene_assert', 0, 64], { place: { 64: ascii('lab says no\0') } }),
  },
  {
    row: SYSTEM.contract_assert_code,
    code: 3070009,
    name: 'graphene_assert_code_exception',
    message: 'graphene_assert_code assertion failure: assertion failure with error code: 4242',
    raise: host(['graphene_assert_code', 0, 4242n]),
  },

  assertion(TRANSACTION.contract_no_transaction, 'trx != nullptr: current transaction not set', () => {
    const world = new ContractWorld();
    world.currentTransaction = undefined;
    return probe([['expiration']], { world });
  }),

  assertion(
    INLINE.contract_inline_disabled,
    'cross-contract calling can not serve before timestamp:2019-03-29T04:00:00',
    send(inlineBytes(), (world) => {
      world.rules = { ...world.rules, inline_calls: false };
    }),
  ),
  assertion(
    INLINE.contract_inline_size,
    'data_len <= inter_contract_calling_params.max_inline_action_size: inline action too big, max size=40 bytes',
    send(inlineBytes(), (world) => {
      world.inlineActionBytesMax = 40;
    }),
  ),
  assertion(
    INLINE.contract_inline_count,
    'inter_contract_calling_count <= inter_contract_calling_params.max_inter_contract_depth: max cross contract calling can not exceed -1',
    send(inlineBytes(), (world) => {
      world.inlineCallsMax = -1;
    }),
  ),
  outOfRange(
    INLINE.contract_inline_data,
    'read datastream of length 39 over by -6',
    send(inlineBytes().subarray(0, 39)),
  ),
  outOfRange(
    INLINE.contract_inline_data,
    'read datastream of length 42 over by 0',
    send(concatBytes(inlineBytes().subarray(0, 40), fromHex('05ff'))),
  ),
  outOfRange(
    READ_ERRORS.read_varint,
    'variable-length integer does not fit into 64 bits',
    send(concatBytes(inlineBytes().subarray(0, 40), fromHex('8080808080808080808000'))),
  ),
  assertion(
    INLINE.contract_inline_sender,
    'act.sender == receiver: the sender must be current contract, actually act.sender=17, current receiver=2000',
    send(inlineBytes({ sender: 17n })),
  ),
  assertion(
    INLINE.contract_inline_amount,
    'act.amount.amount >= 0: action amount must >= 0, actual amount: -1',
    send(inlineBytes({ amount: -1n })),
  ),
  assertion(INSTANCE.contract_instance_range, '(i >> 48) == 0: ', send(inlineBytes({ contract: 1n << 48n }))),
  assertion(
    INLINE.contract_inline_account,
    "contract_obj.code.size() > 0: inline action's code account 17 does not exist",
    send(inlineBytes({ contract: 17n })),
  ),
  assertion(
    INLINE.contract_method_unknown,
    'iter != actions.end(): method_name nope not found in abi',
    send(inlineBytes({ method: nameFromText('nope') })),
  ),
  assertion(
    INLINE.contract_method_not_payable,
    'iter->payable: method_name free not payable',
    send(inlineBytes({ method: nameFromText('free'), amount: 1n })),
  ),
];
