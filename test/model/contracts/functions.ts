import { createHash } from 'node:crypto';
import { fromHex } from '../../../src/base/bytes.js';
import { encode } from '../../../src/codec/binary.js';
import { transaction } from '../../../src/protocol/transaction.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { assetObject } from '../../../src/state/objects/asset.js';
import { dynamicGlobalPropertyObject } from '../../../src/state/objects/dynamic-global-property.js';
import { must } from '../tables.js';
import { type Action, Exit, type Host } from './action.js';
import { DATABASE } from './database.js';
import { FLOATS } from './floats.js';
import type { HostName } from './host-types.js';
import { sendInline } from './inline.js';
import { keyOfBytes, keyOfText, signerOf } from './signatures.js';
import { WIDE_NUMBERS } from './wide-numbers.js';

const BITS_48 = 1n << 48n;
const NONE = -1n;

const signed = (value: bigint): bigint => BigInt.asIntN(64, value);
const bytesAt = (a: Action, at: bigint, length: bigint): Uint8Array => a.memory.read(Number(at), Number(length));
const textAt = (a: Action, at: bigint, length: bigint): string => Buffer.from(bytesAt(a, at, length)).toString();
const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

function currentTransaction(a: Action) {
  must(a.run.transaction !== undefined, 'contract_no_transaction');
  return a.run.transaction;
}

const ACTION = {
  action_data_size: (a) => BigInt(a.given.data.length),
  read_action_data: (a, at, length) => a.memory.hand(a.given.data, Number(at), Number(length)),
  current_receiver: (a) => a.receiver,
  get_action_asset_id: (a) => BigInt(a.given.amount?.asset_id ?? 0),
  get_action_asset_amount: (a) => a.given.amount?.amount ?? 0n,
  send_inline: sendInline,
  transaction_size: (a) => BigInt(encode(transaction, currentTransaction(a)).length),
  read_transaction: (a, at, length) =>
    a.memory.hand(encode(transaction, currentTransaction(a)), Number(at), Number(length)),
  expiration: (a) => BigInt(currentTransaction(a).expiration),
  tapos_block_num: (a) => BigInt(currentTransaction(a).ref_block_num),
  tapos_block_prefix: (a) => BigInt(currentTransaction(a).ref_block_prefix),
} satisfies Partial<Record<HostName, Host>>;

const head = (a: Action) => a.m.get(dynamicGlobalPropertyObject, 0);

const CHAIN = {
  get_head_block_num: (a) => BigInt(head(a).head_block_number),
  get_head_block_id: (a, at) => a.memory.write(Number(at), fromHex(head(a).head_block_id)),
  get_head_block_time: (a) => BigInt(head(a).time),
  get_block_id_for_num(a, at, num = 0n) {
    must(num > 0n && num <= BigInt(head(a).head_block_number), 'contract_block_num');
    // The newest is stored when all of it has been applied, proposals that ran without a transaction among it.
    must(a.run.transaction !== undefined || num < BigInt(head(a).head_block_number), 'contract_block_under_way');
    a.memory.write(Number(at), fromHex(a.m.idOfBlock(Number(num))));
  },
  get_trx_sender: (a) => BigInt(a.given.sender),
  get_trx_origin: (a) => BigInt(a.run.origin),
  get_account_id(a, at = 0n, length = 0n) {
    const name = textAt(a, at, length);
    return BigInt(a.m.where(accountObject, (one) => one.name === name)?.id ?? -1);
  },
  get_account_name_by_id(a, at, length = 0n, given = 0n) {
    const id = signed(given);
    must(id >= 0n, 'contract_account_negative');
    must(id < BITS_48, 'contract_instance_range');
    const name = Buffer.from(a.m.find(accountObject, Number(id))?.name ?? '');
    if (name.length === 0 || name.length > Number(length)) return NONE;
    a.memory.write(Number(at), name);
    return 0n;
  },
  get_asset_id(a, at = 0n, length = 0n) {
    const symbol = textAt(a, at, length);
    return BigInt(a.m.where(assetObject, (one) => one.symbol === symbol)?.id ?? -1);
  },
  get_asset_precision(a, at = 0n, length = 0n) {
    must(a.m.isAfter('1023'), 'contract_asset_precision_disabled');
    must(length > 0n, 'contract_data_length');
    const symbol = textAt(a, at, length);
    return BigInt(a.m.where(assetObject, (one) => one.symbol === symbol)?.precision ?? -1);
  },
} satisfies Partial<Record<HostName, Host>>;

interface Moved {
  readonly to: bigint;
  readonly asset: bigint;
}

function checkIds({ to, asset }: Moved): void {
  must(to >= 0n, 'contract_transfer_to');
  must(asset >= 0n, 'contract_transfer_asset');
}

function transferOut(a: Action, { to, asset }: Moved, amount: bigint): void {
  must(to < BITS_48 && asset < BITS_48, 'contract_instance_range');
  a.m.transferFrom(a.given.contract, Number(to), { amount, asset_id: Number(asset) });
}

const ASSETS = {
  get_balance(a, account = 0n, asset = 0n) {
    must(signed(account) >= 0n, 'contract_balance_account');
    must(signed(asset) >= 0n, 'contract_balance_asset');
    return a.m.balance(Number(account % BITS_48), Number(asset % BITS_48));
  },
  withdraw_asset(a, ...given) {
    const [from = 0n, to = 0n, asset = 0n, amount = 0n] = given.map(signed);
    must(from === a.receiver, 'contract_withdraw_source');
    must(from !== to, 'contract_withdraw_self');
    must(amount > 0n, 'contract_withdraw_amount');
    checkIds({ to, asset });
    must(to < BITS_48 && asset < BITS_48, 'contract_instance_range');
    a.m.asset(Number(asset));
    must(a.m.balance(a.given.contract, Number(asset)) >= amount, 'contract_withdraw_balance');
    transferOut(a, { to, asset }, amount);
  },
  inline_transfer(a, ...given) {
    const [from = 0n, to = 0n, asset = 0n, amount = 0n] = given.map(signed);
    must(a.m.isAfter('1017'), 'contract_inline_transfer_disabled');
    must(from === a.receiver, 'contract_transfer_source');
    checkIds({ to, asset });
    transferOut(a, { to, asset }, amount);
  },
} satisfies Partial<Record<HostName, Host>>;

const hashOf = (name: string, bytes: Uint8Array): Uint8Array => createHash(name).update(bytes).digest();

const hash =
  (name: string): Host =>
  (a, at = 0n, length = 0n, out) =>
    a.memory.write(Number(out), hashOf(name, bytesAt(a, at, length)));

const assertHash =
  (name: string): Host =>
  (a, at = 0n, length = 0n, wanted = 0n) => {
    const found = hashOf(name, bytesAt(a, at, length));
    must(same(found, bytesAt(a, wanted, BigInt(found.length))), 'contract_hash_mismatch');
  };

const CRYPTO = {
  sha1: hash('sha1'),
  ripemd160: hash('ripemd160'),
  sha256: hash('sha256'),
  sha512: hash('sha512'),
  assert_sha1: assertHash('sha1'),
  assert_ripemd160: assertHash('ripemd160'),
  assert_sha256: assertHash('sha256'),
  assert_sha512: assertHash('sha512'),
  assert_recover_key(a, digest = 0n, signature = 0n, at = 0n, length = 0n) {
    const wanted = keyOfBytes(bytesAt(a, at, length), a.m.isAfter('1022'));
    const found = signerOf(bytesAt(a, digest, 32n), bytesAt(a, signature, 65n));
    must(found === wanted, 'contract_key_differs');
  },
  verify_signature(a, at, _length, signature = 0n, key) {
    const text = a.memory.text(Number(at));
    const wanted = keyOfText(a.memory.text(Number(key)));
    const { length } = text;
    const count = length < 128 ? [length] : [(length & 0x7f) | 0x80, length >> 7];
    const digest = hashOf('sha256', Uint8Array.of(...count, ...text));
    return signerOf(digest, bytesAt(a, signature, 65n)) === wanted ? 1n : 0n;
  },
} satisfies Partial<Record<HostName, Host>>;

const SYSTEM = {
  abort: () => must(false, 'contract_abort'),
  graphene_assert: (_, holds) => must(holds !== 0n, 'contract_assert_message'),
  graphene_assert_message: (_, holds) => must(holds !== 0n, 'contract_assert_message'),
  graphene_assert_code: (_, holds) => must(holds !== 0n, 'contract_assert_code'),
  graphene_exit() {
    throw new Exit();
  },
} satisfies Partial<Record<HostName, Host>>;

/** Pointers that come back have to point into the memory. */
function returned(a: Action, at: bigint): bigint {
  must(Number(at) < a.memory.size, 'contract_returned_pointer');
  return at;
}

function checkRanges(a: Action, length: bigint, ...pointers: bigint[]): void {
  for (const at of pointers) a.memory.checkRange(Number(at), Number(length));
}

const MEMORY = {
  memcpy(a, to = 0n, from = 0n, length = 0n) {
    checkRanges(a, length, to, from);
    must((to > from ? to - from : from - to) >= length, 'contract_memory_overlap');
    a.memory.write(Number(to), bytesAt(a, from, length));
    return returned(a, to);
  },
  memmove(a, to = 0n, from = 0n, length = 0n) {
    checkRanges(a, length, to, from);
    a.memory.write(Number(to), bytesAt(a, from, length));
    return returned(a, to);
  },
  memset(a, to = 0n, value = 0n, length = 0n) {
    checkRanges(a, length, to);
    a.memory.write(Number(to), new Uint8Array(Number(length)).fill(Number(value & 0xffn)));
    return returned(a, to);
  },
  memcmp(a, one = 0n, other = 0n, length = 0n) {
    checkRanges(a, length, one, other);
    return BigInt(Buffer.compare(bytesAt(a, one, length), bytesAt(a, other, length)));
  },
} satisfies Partial<Record<HostName, Host>>;

const nothing: Host = () => undefined;

const CONSOLE = {
  prints: nothing,
  prints_l: nothing,
  printi: nothing,
  printui: nothing,
  printi128: nothing,
  printui128: nothing,
  printsf: nothing,
  printdf: nothing,
  printqf: nothing,
  printn: nothing,
  printhex: nothing,
} satisfies Partial<Record<HostName, Host>>;

export const FUNCTIONS: Readonly<Record<HostName, Host>> = {
  ...ACTION,
  ...CHAIN,
  ...ASSETS,
  ...CRYPTO,
  ...SYSTEM,
  ...MEMORY,
  ...CONSOLE,
  ...DATABASE,
  ...WIDE_NUMBERS,
  ...FLOATS,
};
