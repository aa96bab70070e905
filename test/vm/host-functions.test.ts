import { createHash } from 'node:crypto';
import t from 'tap';
import { concatBytes, fromHex, toHex } from '../../src/base/bytes.js';
import type { ErrorRow } from '../../src/base/errors.js';
import type { Network } from '../../src/codec/type.js';
import { fromBase58, toBase58 } from '../../src/crypto/base58.js';
import { ripemd160, sha256 } from '../../src/crypto/hash.js';
import { PUBLIC_KEY_ERRORS, publicKeyToText } from '../../src/crypto/public-key.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { nameFromText } from '../../src/protocol/name.js';
import { RUN_ERRORS } from '../../src/vm/errors.js';
import { ASSET_HOST_ERRORS } from '../../src/vm/host/assets.js';
import { BUILTIN_ERRORS } from '../../src/vm/host/builtins.js';
import { CHAIN_HOST_ERRORS } from '../../src/vm/host/chain.js';
import { CRYPTO_HOST_ERRORS } from '../../src/vm/host/crypto.js';
import { MEMORY_HOST_ERRORS } from '../../src/vm/host/memory.js';
import { SYSTEM_ERRORS } from '../../src/vm/host/system.js';
import { TRANSACTION_HOST_ERRORS } from '../../src/vm/host/transaction.js';
import { INSTANCE_ERRORS } from '../../src/vm/instance.js';
import { KEY_TEXT_ERRORS } from '../../src/vm/key-text.js';
import { contractKeys } from '../../src/vm/keys.js';
import { createContractEngine } from '../../src/vm/runtime.js';
import { outcomeOf } from '../refusals/define.js';
import { blockId, ContractWorld } from '../support/contract-world.js';
import { PROBE, type ProbeCall, type ProbeOptions, probe } from '../support/host-probe.js';
import { NETWORK } from '../support/network.js';
import { refused } from '../support/refused.js';
import { testKey } from '../support/vm-keys.js';

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);
const result = (call: ProbeCall, options?: ProbeOptions) => probe([call], options).results[0];

t.test('action', async (t) => {
  const data = '0102030405';
  const amount = { amount: 7n, asset: 3 };
  const world = () => {
    const w = new ContractWorld();
    w.setBalance(17n, 3n, 100n);
    return w;
  };
  t.equal(result(['action_data_size'], { data }), 5n);
  t.equal(result(['read_action_data', 64, 0], { data }), 5n, 'length 0 asks for the size');
  t.match(probe([['read_action_data', 64, 3]], { data, dump: [64, 5] }), { results: [3n], memory: '0102030000' });
  t.match(probe([['read_action_data', 64, 9]], { data, dump: [64, 6] }), { results: [5n], memory: '010203040500' });
  t.equal(result(['current_receiver']), BigInt(PROBE));
  t.equal(result(['get_action_asset_id'], { amount, world: world() }), 3n);
  t.equal(result(['get_action_asset_amount'], { amount, world: world() }), 7n);
  t.same(probe([['get_action_asset_id'], ['get_action_asset_amount']]).results, [0n, 0n]);
});

t.test('transaction', async (t) => {
  t.equal(result(['transaction_size']), 10n);
  t.match(probe([['read_transaction', 64, 4]], { dump: [64, 5] }), { results: [4n], memory: '0102030400' });
  t.equal(result(['read_transaction', 64, 0]), 10n);
  t.same(probe([['expiration'], ['tapos_block_num'], ['tapos_block_prefix']]).results, [
    1_600_000_030n,
    65_535n,
    4_294_967_295n,
  ]);
  for (const name of ['transaction_size', 'read_transaction', 'expiration', 'tapos_block_num', 'tapos_block_prefix']) {
    const world = new ContractWorld();
    world.currentTransaction = undefined;
    refused(t, TRANSACTION_HOST_ERRORS.contract_no_transaction, () => probe([[name, 64, 4]], { world }), name);
  }
});

t.test('chain, accounts, assets', async (t) => {
  const world = new ContractWorld();
  world.accounts.set(17, 'alice');
  world.accounts.set(0, 'first');
  world.assets.set(4, { symbol: 'TOKEN', precision: 6 });
  const longest = 'a'.repeat(63);
  world.accounts.set(20, longest);
  const place = {
    64: ascii('alice'),
    80: ascii('TOKEN'),
    96: ascii('nobody'),
    128: new Uint8Array(32).fill(0xee),
    320: ascii(longest),
  };
  const call = (...call: ProbeCall) => result(call, { world, place });
  t.equal(call('get_head_block_num'), 100n);
  t.equal(call('get_head_block_time'), 1_600_000_000n);
  t.equal(probe([['get_head_block_id', 256]], { dump: [256, 21] }).memory, `${toHex(blockId(100))}00`);
  t.equal(probe([['get_block_id_for_num', 256, 7]], { dump: [256, 21] }).memory, `${toHex(blockId(7))}00`);
  t.equal(probe([['get_block_id_for_num', 256, 100]], { dump: [256, 20] }).memory, toHex(blockId(100)));
  for (const num of [0, 101, -1]) {
    refused(t, CHAIN_HOST_ERRORS.contract_block_num, () => call('get_block_id_for_num', 256, num), `${num}`);
  }
  refused(t, CHAIN_HOST_ERRORS.contract_block_missing, () => call('get_block_id_for_num', 256, 13));
  t.equal(result(['get_trx_sender'], { sender: 19 }), 19n);
  t.equal(result(['get_trx_origin'], { sender: 19 }), 19n);
  t.equal(call('get_account_id', 64, 5), 17n);
  t.equal(call('get_account_id', 64, 4), -1n);
  t.equal(call('get_account_id', 96, 6), -1n);
  t.equal(call('get_account_id', 320, 63), 20n, 'the longest name');
  t.equal(call('get_account_id', 320, 62), -1n);
  t.equal(call('get_account_id', 1024, 60_000 - 1024), -1n, 'a text longer than any name');
  const name = (length: number, id: bigint) =>
    probe([['get_account_name_by_id', 128, length, id]], { world, place, dump: [128, 7] });
  t.match(name(5, 17n), { results: [0n], memory: `${toHex(ascii('alice'))}eeee` }, 'no NUL behind it');
  t.match(name(4, 17n), { results: [-1n], memory: 'ee'.repeat(7) });
  t.match(name(5, 18n), { results: [-1n] });
  t.match(name(5, 0n), { results: [0n], memory: `${toHex(ascii('first'))}eeee` }, 'the first account has a name too');
  t.match(name(63, 20n), { results: [0n] });
  t.match(name(62, 20n), { results: [-1n] });
  refused(t, CHAIN_HOST_ERRORS.contract_account_negative, () => name(5, -1n));
  refused(t, INSTANCE_ERRORS.contract_instance_range, () => name(5, 1n << 48n));
  t.equal(call('get_asset_id', 80, 5), 4n);
  t.equal(call('get_asset_id', 64, 5), -1n);
  t.equal(call('get_asset_precision', 80, 5), 6n);
  t.equal(call('get_asset_precision', 64, 5), -1n);
  t.equal(call('get_asset_precision', 80, 1), -1n, 'one letter is enough to ask');
  refused(t, CHAIN_HOST_ERRORS.contract_data_length, () => call('get_asset_precision', 80, 0));
  world.rules = { ...world.rules, asset_precision: false };
  refused(t, CHAIN_HOST_ERRORS.contract_asset_precision_disabled, () => call('get_asset_precision', 80, 5));
});

t.test('assets', async (t) => {
  const world = () => {
    const w = new ContractWorld();
    w.setBalance(BigInt(PROBE), 1n, 1000n);
    return w;
  };
  const self = BigInt(PROBE);
  const call = (...call: ProbeCall) => result(call, { world: world() });
  t.equal(call('get_balance', self, 1n), 1000n);
  t.equal(call('get_balance', 5n, 9n), 0n);
  t.equal(call('get_balance', self | (1n << 60n), 1n), 1000n, 'ids are cut to 48 bits');
  t.equal(call('get_balance', self, 1n | (1n << 48n)), 1000n, 'those of assets too');
  refused(t, ASSET_HOST_ERRORS.contract_balance_account, () => call('get_balance', -1n, 1n));
  refused(t, ASSET_HOST_ERRORS.contract_balance_asset, () => call('get_balance', self, -1n));
  refused(t, ASSET_HOST_ERRORS.contract_balance_account, () => call('get_balance', -1n, -1n));

  const paid = world();
  const { results } = probe(
    [
      ['withdraw_asset', self, 17n, 1n, 300n],
      ['get_balance', self, 1n],
    ],
    { world: paid },
  );
  t.equal(results[1], 700n, 'visible at once');
  t.match(paid.transfers, [{ from: self, to: 17n, asset: 1n, amount: 300n }]);
  t.equal(paid.transfers[0]?.memo.length, 0);
  const cases: [ErrorRow, ProbeCall][] = [
    [ASSET_HOST_ERRORS.contract_withdraw_source, ['withdraw_asset', 17n, self, 1n, 1n]],
    [ASSET_HOST_ERRORS.contract_withdraw_source, ['withdraw_asset', -1n, self, 1n, 1n]],
    [ASSET_HOST_ERRORS.contract_withdraw_source, ['withdraw_asset', self - (1n << 63n), 17n, 1n, 1n]],
    [ASSET_HOST_ERRORS.contract_transfer_source, ['inline_transfer', self - (1n << 63n), 17n, 1n, 1n, 64, 0]],
    [ASSET_HOST_ERRORS.contract_withdraw_self, ['withdraw_asset', self, self, 1n, 1n]],
    [ASSET_HOST_ERRORS.contract_withdraw_amount, ['withdraw_asset', self, 17n, 1n, 0n]],
    [ASSET_HOST_ERRORS.contract_withdraw_amount, ['withdraw_asset', self, 17n, -1n, -5n]],
    [ASSET_HOST_ERRORS.contract_transfer_to, ['withdraw_asset', self, -1n, 1n, 1n]],
    [ASSET_HOST_ERRORS.contract_transfer_asset, ['withdraw_asset', self, 17n, -1n, 1n]],
    [ASSET_HOST_ERRORS.contract_withdraw_balance, ['withdraw_asset', self, 17n, 1n, 1001n]],
    [INSTANCE_ERRORS.contract_instance_range, ['withdraw_asset', self, (1n << 48n) | 17n, 1n, 1n]],
    [INSTANCE_ERRORS.contract_instance_range, ['withdraw_asset', self, 17n, (1n << 48n) | 1n, 1n]],
    [INSTANCE_ERRORS.contract_instance_range, ['inline_transfer', self, (1n << 48n) | 17n, 1n, 1n, 64, 0]],
    [INSTANCE_ERRORS.contract_instance_range, ['inline_transfer', self, 17n, (1n << 48n) | 1n, 1n, 64, 0]],
    [ASSET_HOST_ERRORS.contract_transfer_source, ['inline_transfer', 17n, self, 1n, 1n, 64, 0]],
    [ASSET_HOST_ERRORS.contract_transfer_to, ['inline_transfer', self, -1n, 1n, 1n, 64, 0]],
    [ASSET_HOST_ERRORS.contract_transfer_asset, ['inline_transfer', self, 17n, -1n, 1n, 64, 0]],
  ];
  for (const [row, c] of cases) refused(t, row, () => call(...c), c.join(' '));
  // Of several faults the first of these is told.
  const inOrder: [ErrorRow, [from: bigint, to: bigint, asset: bigint, amount: bigint]][] = [
    [ASSET_HOST_ERRORS.contract_withdraw_source, [-1n, -1n, -1n, -1n]],
    [ASSET_HOST_ERRORS.contract_withdraw_self, [self, self, -1n, -1n]],
    [ASSET_HOST_ERRORS.contract_withdraw_amount, [self, -1n, -1n, -1n]],
    [ASSET_HOST_ERRORS.contract_transfer_to, [self, -1n, -1n, 5000n]],
    [ASSET_HOST_ERRORS.contract_transfer_asset, [self, 17n, -1n, 5000n]],
    [ASSET_HOST_ERRORS.contract_transfer_asset, [self, 1n << 48n, -1n, 5000n]],
    [INSTANCE_ERRORS.contract_instance_range, [self, 1n << 48n, 1n, 5000n]],
  ];
  for (const [row, args] of inOrder) refused(t, row, () => call('withdraw_asset', ...args), args.join(' '));

  const first = world();
  first.setBalance(self, 0n, 7n);
  const toFirst: ProbeCall[] = [
    ['inline_transfer', self, 0n, 0n, 4n, 64, 0],
    ['withdraw_asset', self, 0n, 0n, 3n],
    ['get_balance', 0n, 0n],
  ];
  t.equal(probe(toFirst, { world: first }).results[2], 7n, 'all of the first asset, to the first account');

  const memo = world();
  const transfer: ProbeCall = ['inline_transfer', self, 17n, 1n, 300n, 64, 5];
  probe([transfer, ['memset', 64, 0, 5]], { world: memo, place: { 64: ascii('hello') } });
  t.equal(memo.transfers[0]?.amount, 300n);
  t.same(memo.transfers[0]?.memo, ascii('hello'), 'what the contract does with its memory afterwards changes nothing');
  t.equal(memo.chain.balance(17n, 1n), 300n);
  memo.rules = { ...memo.rules, inline_transfer: false };
  refused(t, ASSET_HOST_ERRORS.contract_inline_transfer_disabled, () => probe([transfer], { world: memo }));
});

t.test('hashes', async (t) => {
  const place = { 64: ascii('abc') };
  for (const [name, bytes] of [
    ['sha1', 20],
    ['sha256', 32],
    ['sha512', 64],
    ['ripemd160', 20],
  ] as const) {
    const expected = createHash(name).update('abc').digest('hex');
    t.equal(probe([[name, 64, 3, 256]], { place, dump: [256, bytes + 1] }).memory, `${expected}00`, name);
    const check = (hash: string) => () =>
      probe([[`assert_${name}`, 64, 3, 256]], { place: { ...place, 256: fromHex(hash) } });
    t.doesNotThrow(check(expected), `assert_${name}`);
    refused(t, CRYPTO_HOST_ERRORS.contract_hash_mismatch, check(`00${expected.slice(2)}`), `assert_${name}`);
  }
});

t.test('signatures', async (t) => {
  const { secret, publicKey } = testKey('contract signer');
  const digest = sha256(ascii('message'));
  const signature = signatureBackend().sign(digest, secret);
  const key = fromHex(publicKey);
  const text = ascii(publicKeyToText(publicKey, NETWORK.keyPrefix));
  const recover = (given: Uint8Array, sig: Uint8Array = signature, world = new ContractWorld()) =>
    probe([['assert_recover_key', 64, 128, 256, given.length]], { world, place: { 64: digest, 128: sig, 256: given } });
  t.doesNotThrow(() => recover(key), 'raw bytes');
  t.doesNotThrow(() => recover(concatBytes(key, Uint8Array.of(1, 2))), 'more bytes are ignored');
  t.doesNotThrow(() => recover(text), 'text');
  refused(t, CRYPTO_HOST_ERRORS.contract_key_short, () => recover(key.subarray(0, 32)), {
    data: { length: 32, over: -31 },
  });
  refused(t, CRYPTO_HOST_ERRORS.contract_key_differs, () => recover(fromHex(testKey('other').publicKey)));
  t.throws(() => recover(concatBytes(key, ascii('GXC'))), { name: 'ChainError' }, 'GXC anywhere means text');
  t.doesNotThrow(() => recover(concatBytes(key, ascii('GAC XGX GXD CXG'))), 'and nothing less does');
  const old = new ContractWorld();
  old.rules = { ...old.rules, key_as_text: false };
  t.doesNotThrow(() => recover(concatBytes(key, ascii('GXC')), signature, old));
  // Half of all numbers are the x coordinate of no point.
  const noPoint = signature.slice().fill(0x21, 1, 33);
  const keys = contractKeys(NETWORK);
  while (keys.recover(digest, noPoint) !== undefined) noPoint[1] = (noPoint[1] as number) + 1;
  refused(t, CRYPTO_HOST_ERRORS.contract_signature_unrecoverable, () => recover(key, noPoint));
  const broken = (at: number, value: number) => {
    const copy = signature.slice();
    copy[at] = value;
    return copy;
  };
  refused(t, CRYPTO_HOST_ERRORS.contract_signature_header, () => recover(key, broken(0, 26)));
  refused(t, CRYPTO_HOST_ERRORS.contract_signature_header, () => recover(key, broken(0, 35)));
  const header = (signature[0] as number) - 4;
  t.doesNotThrow(() => recover(key, broken(0, header)), 'a signature for a key that is not compressed');
  for (const other of [27, 34].filter((one) => (one - header) % 4 !== 0)) {
    const found = outcomeOf(() => recover(key, broken(0, other)));
    const { contract_key_differs: differs, contract_signature_unrecoverable: none } = CRYPTO_HOST_ERRORS;
    t.ok(found !== 'not refused' && [differs.key, none.key].includes(found.key), `${other}: another key, or none`);
  }
  refused(t, CRYPTO_HOST_ERRORS.contract_signature_not_canonical, () => recover(key, broken(1, 0x80)));
  refused(t, CRYPTO_HOST_ERRORS.contract_signature_not_canonical, () => recover(key, broken(33, 0x80)));
  const zero = new Uint8Array(65);
  zero.set([31, 0, 0x80], 0);
  zero.set([0, 0x80], 33);
  zero.fill(0xff, 3, 33);
  const { key: notCanonical } = CRYPTO_HOST_ERRORS.contract_signature_not_canonical;
  const outcome = outcomeOf(() => recover(key, zero));
  t.not(outcome === 'not refused' ? notCanonical : outcome.key, notCanonical, 'what is just canonical comes further');
  for (const at of [2, 34]) {
    const below = zero.slice();
    below[at] = 0x7f;
    refused(t, CRYPTO_HOST_ERRORS.contract_signature_not_canonical, () => recover(key, below));
  }

  const message = ascii('text to sign');
  const packed = concatBytes(Uint8Array.of(message.length), message);
  const verify = (data: Uint8Array, keyText: Uint8Array, signed = packed) =>
    result(['verify_signature', 512, 3, 128, 256, 1], {
      place: {
        512: concatBytes(data, Uint8Array.of(0)),
        128: signatureBackend().sign(sha256(signed), secret),
        256: keyText,
      },
    });
  t.equal(verify(message, text), 1n, 'lengths are ignored, texts end at NUL');
  const longer = new Uint8Array(300).fill(0x61);
  t.equal(verify(longer, text, concatBytes(fromHex('ac02'), longer)), 1n, 'a length of two bytes');
  t.equal(verify(new Uint8Array(), text, Uint8Array.of(0)), 1n, 'nothing but its length');
  t.equal(verify(ascii('text to sigh'), text), 0n);
  t.equal(verify(message, ascii(publicKeyToText(testKey('other').publicKey, NETWORK.keyPrefix))), 0n);
  t.throws(() => verify(message, ascii('no key')), { name: 'ChainError' });
});

t.test('keys as text', async (t) => {
  const { secret, publicKey } = testKey('contract signer');
  const digest = sha256(ascii('message'));
  const signature = signatureBackend().sign(digest, secret);
  const text = publicKeyToText(publicKey, NETWORK.keyPrefix);
  const digits = text.slice(3);
  const recover = (given: string | Uint8Array) => () => {
    const bytes = typeof given === 'string' ? Uint8Array.from(given, (char) => char.charCodeAt(0)) : given;
    return probe([['assert_recover_key', 64, 128, 256, bytes.length]], {
      place: { 64: digest, 128: signature, 256: bytes },
    });
  };
  t.doesNotThrow(recover(`${text}\0`), 'the terminator of C');
  t.doesNotThrow(recover(`${text}\0 no digits: 0OIl`), 'nothing behind it is read');
  t.doesNotThrow(recover(`GXC \t\n\v\f\r${digits}`), 'white space behind the prefix');
  t.doesNotThrow(recover(`${text} \t\n\v\f\r`), 'white space at the end');
  t.doesNotThrow(recover(`${text}${' '.repeat(1000)}`), 'as much as one likes');
  const whole = fromBase58(digits);
  t.doesNotThrow(recover(`GXC${toBase58(concatBytes(whole, Uint8Array.of(1, 2, 3)))}`), 'bytes behind the 37th');
  t.doesNotThrow(recover(`GXC${toBase58(concatBytes(whole, new Uint8Array(400).fill(7)))}`), 'many of them');

  refused(t, KEY_TEXT_ERRORS.contract_key_letter, recover(`${text} x`), { data: { base58_str: `${digits} x` } });
  refused(t, KEY_TEXT_ERRORS.contract_key_letter, recover(`${text.slice(0, -1)}0`));
  refused(t, KEY_TEXT_ERRORS.contract_key_letter, recover(`GXC\u0080${digits}`));
  refused(t, KEY_TEXT_ERRORS.contract_key_empty, recover('GXC'));
  refused(t, PUBLIC_KEY_ERRORS.public_key_prefix_wrong, recover(` ${text}`));
  // As recorded: three bytes, of which the first is missing two.
  refused(t, KEY_TEXT_ERRORS.contract_key_data_short, recover('GXCbad'), { data: { length: 3, over: -2 } });
  refused(t, KEY_TEXT_ERRORS.contract_key_data_short, recover('GXC\0'), { data: { length: 0, over: 1 } });
  const cut = (length: number) => recover(`GXC${toBase58(whole.subarray(0, length))}`);
  refused(t, KEY_TEXT_ERRORS.contract_key_data_short, cut(32), { data: { length: 32, over: -31 } });
  // The key is whole, and it is the checksum that lacks bytes.
  refused(t, KEY_TEXT_ERRORS.contract_key_check_short, cut(33), { data: { length: 33, over: 1 } });
  refused(t, KEY_TEXT_ERRORS.contract_key_check_short, cut(36), { data: { length: 36, over: -2 } });
  const wrong = whole.slice();
  wrong[36] = (wrong[36] as number) ^ 1;
  refused(t, PUBLIC_KEY_ERRORS.public_key_checksum_wrong, recover(`GXC${toBase58(wrong)}`));
  const zeros = `GXC${toBase58(concatBytes(new Uint8Array(33), ripemd160(new Uint8Array(33)).subarray(0, 4)))}`;
  refused(t, CRYPTO_HOST_ERRORS.contract_key_differs, recover(zeros), 'zero bytes in front are digits too');
});

t.test('keys as text on a network with another prefix', async (t) => {
  const { secret, publicKey } = testKey('contract signer');
  const digest = sha256(ascii('message'));
  const recover = (prefix: string, network: Network) => () => {
    const given = ascii(publicKeyToText(publicKey, prefix));
    const place = { 64: digest, 128: signatureBackend().sign(digest, secret), 256: given };
    const world = new ContractWorld(createContractEngine(contractKeys(network)));
    return probe([['assert_recover_key', 64, 128, 256, given.length]], { world, place });
  };
  const other: Network = { keyPrefix: 'OTHER' };
  t.doesNotThrow(recover('OTHER', other));
  t.doesNotThrow(recover('GXC', NETWORK));
  // Without the letters of its own prefix a network takes the bytes for a raw key.
  refused(t, CRYPTO_HOST_ERRORS.contract_key_differs, recover('GXC', other));
  refused(t, CRYPTO_HOST_ERRORS.contract_key_differs, recover('OTHER', NETWORK));
});

t.test('system', async (t) => {
  refused(t, SYSTEM_ERRORS.contract_abort, () => probe([['abort']]));
  const place = { 64: ascii('no luck\0') };
  t.doesNotThrow(() =>
    probe([
      ['graphene_assert', 2, 64],
      ['graphene_assert', -1, 64],
      ['graphene_assert_message', 1, 64, 7],
      ['graphene_assert_message', -1, 64, 7],
      ['graphene_assert_code', -1, 5n],
    ]),
  );
  for (const call of [
    ['graphene_assert', 0, 64],
    ['graphene_assert_message', 0, 64, 7],
  ] as const) {
    t.throws(() => probe([call], { place }), { code: 3070008, message: 'assertion failure with message: no luck' });
  }
  t.throws(() => probe([['graphene_assert_code', 0, -1n]]), {
    code: 3070009,
    message: 'assertion failure with error code: 18446744073709551615',
  });
  const { printed } = probe([['printi', 1n], ['graphene_exit', 3], ['abort']]);
  t.equal(printed, '1', 'success, and nothing after it runs');
});

t.test('memory', async (t) => {
  const place = { 64: ascii('abcdef') };
  const run = (call: ProbeCall, dump: readonly [number, number] = [64, 8]) => probe([call], { place, dump });
  const shown = (text: string) => toHex(ascii(text));
  t.match(run(['memcpy', 128, 64, 6], [128, 6]), { results: [128n], memory: shown('abcdef') });
  t.match(run(['memcpy', 67, 64, 3]), { memory: shown('abcabc\0\0') });
  refused(t, MEMORY_HOST_ERRORS.contract_memory_overlap, () => run(['memcpy', 66, 64, 3]));
  refused(t, MEMORY_HOST_ERRORS.contract_memory_overlap, () => run(['memcpy', 64, 66, 3]));
  refused(t, MEMORY_HOST_ERRORS.contract_memory_overlap, () => run(['memcpy', 64, 64, 1]));
  t.match(run(['memmove', 66, 64, 6]), { results: [66n], memory: shown('ababcdef') });
  t.match(run(['memset', 65, 0x158, 3]), { results: [65n], memory: shown('aXXXef\0\0') });
  t.match(run(['memset', 65, -1, 2]), { memory: '61ffff6465660000' }, 'all bits of the lowest byte count');
  t.equal(run(['memcmp', 64, 65, 2]).results[0], -1n);
  t.equal(run(['memcmp', 65, 64, 2]).results[0], 1n);
  t.equal(run(['memcmp', 64, 64, 6]).results[0], 0n);
  t.equal(run(['memcmp', 65_536, 65_536, 0]).results[0], 0n);
  const bytes = Uint8Array.from({ length: 141 }, (_, i) => 0xf0 + (i % 13));
  for (const length of [1, 2, 3, 4, 5, 9, 127, 128, 129, 130, 131, 141]) {
    for (const at of [0, 1, 2, 3, 4, 5, 8, 126, 127, 128, 129, 130, 131, 140]) {
      const other = Uint8Array.from(bytes);
      other[at] = 0x80 + ((at & 1) << 6) + 0x3f;
      // One of the two is not where words begin.
      const { results } = probe([['memcmp', 1024, 2049, length]], { place: { 1024: bytes, 2049: other } });
      const wanted = at >= length ? 0n : (bytes[at] as number) > (other[at] as number) ? 1n : -1n;
      t.equal(results[0], wanted, `${length} bytes, another at ${at}`);
    }
  }
  for (const name of ['memcpy', 'memmove', 'memset']) {
    refused(t, RUN_ERRORS.contract_returned_pointer, () => run([name, 65_536, name === 'memset' ? 1 : 64, 0]), name);
  }
});

t.test('console', async (t) => {
  const place = { 64: ascii('text\0'), 80: fromHex('ff'.repeat(16)), 96: fromHex('0000000000000000000000000000ff3f') };
  const printed = (...call: ProbeCall) => probe([call], { place }).printed;
  /** Of two words of which each would be another number by itself. */
  const wide = (name: string, low: bigint, high: bigint) => {
    const words = Buffer.alloc(16);
    words.writeBigUInt64LE(low, 0);
    words.writeBigUInt64LE(high, 8);
    return probe([[name, 128]], { place: { 128: words } }).printed;
  };
  t.equal(printed('prints', 64), 'text');
  t.equal(printed('prints', 0), '', 'a text may lie at 0, where no value of a fixed size may');
  t.equal(printed('prints_l', 65, 2), 'ex');
  t.equal(printed('printi', -5n), '-5');
  t.equal(printed('printui', -1n), '18446744073709551615');
  t.equal(printed('printi128', 80), '-1');
  t.equal(printed('printui128', 80), '340282366920938463463374607431768211455');
  t.equal(wide('printi128', 2n ** 64n - 1n, 0n), '18446744073709551615');
  t.equal(wide('printi128', 5n, 2n ** 64n - 2n), '-36893488147419103227');
  t.equal(wide('printi128', 0n, 2n ** 63n), '-170141183460469231731687303715884105728');
  t.equal(wide('printui128', 5n, 2n), '36893488147419103237');
  t.equal(printed('printsf', 0xbfc00000), '-1.500000e+00');
  t.equal(printed('printdf', 0x3ff8000000000000n), '1.500000000000000e+00');
  t.equal(printed('printqf', 96), '1.000000000000000000e+00');
  // 64 bits of a number are shown: 2^63 + 1 has as many, and 2^65 + 34 is cut to 2^65 + 32.
  t.equal(wide('printqf', 1n << 49n, 0x403en << 48n), '9.223372036854775809e+18');
  t.equal(wide('printqf', 34n << 47n, 0x4040n << 48n), '3.689348814741910326e+19');
  t.equal(printed('printn', nameFromText('withdraw')), 'withdraw');
  t.equal(printed('printhex', 64, 4), '74657874');
});

t.test('128-bit integers', async (t) => {
  const m = (1n << 64n) - 1n;
  const wide = (name: string, ...args: (number | bigint)[]) => {
    const { memory } = probe([[name, 64, ...args]], { dump: [64, 16] });
    return BigInt(`0x${toHex(fromHex(memory).reverse())}`);
  };
  const two = (name: string, a: bigint, b: bigint) => {
    const value = wide(name, a & m, (a >> 64n) & m, b & m, (b >> 64n) & m);
    return name.startsWith('__u') ? value : BigInt.asIntN(128, value);
  };
  for (const name of ['__ashlti3', '__lshlti3']) {
    t.equal(wide(name, 5n, 0n, 65), 10n << 64n, name);
    t.equal(wide(name, 5n, 7n, 128), 0n, name);
    t.equal(wide(name, 5n, 7n, -1), 0n, name);
  }
  t.equal(wide('__lshrti3', 0n, -1n, 64), m);
  t.equal(wide('__lshrti3', 0n, -1n, 128), 0n);
  t.equal(BigInt.asIntN(128, wide('__ashrti3', 0n, -8n, 66)), -2n);
  t.equal(BigInt.asIntN(128, wide('__ashrti3', 0n, -8n, 128 + 66)), -2n, 'counts are taken modulo 128');
  t.equal(two('__multi3', -3n, 1n << 70n), -3n << 70n);
  t.equal(two('__multi3', 1n << 100n, 1n << 100n), 0n);
  t.equal(two('__divti3', -7n, 2n), -3n);
  t.equal(two('__modti3', -7n, 2n), -1n);
  t.equal(two('__divti3', -(1n << 127n), -1n), -(1n << 127n), 'wraps');
  t.equal(two('__udivti3', (1n << 128n) - 1n, 2n), (1n << 127n) - 1n);
  t.equal(two('__umodti3', (1n << 128n) - 1n, 10n), 5n);
  for (const name of ['__divti3', '__modti3', '__udivti3', '__umodti3']) {
    refused(t, BUILTIN_ERRORS.contract_divide_by_zero, () => two(name, 1n, 0n), name);
  }
});

const ONE = 0x3fff0000_00000000n << 64n;
const TWO = 0x40000000_00000000n << 64n;
const NAN = 0x7fff8000_00000000n << 64n;
const NEGATIVE = 1n << 127n;

/** A 128-bit float as its arguments. */
const halves = (value: bigint): [bigint, bigint] => [value & ((1n << 64n) - 1n), value >> 64n];

function wide(name: string, ...args: (number | bigint)[]): bigint {
  const { memory } = probe([[name, 64, ...args]], { dump: [64, 16] });
  return BigInt(`0x${toHex(fromHex(memory).reverse())}`);
}

const quad = (value: number): bigint => wide('__extenddftf2', f64(value));

t.test('128-bit floats: arithmetic and order', async (t) => {
  const HALF = 0x3ffe0000_00000000n << 64n;
  const two = (name: string, a: bigint, b: bigint) => wide(name, ...halves(a), ...halves(b));
  t.equal(two('__addtf3', ONE, ONE), TWO);
  t.equal(two('__subtf3', TWO, ONE), ONE);
  t.equal(two('__multf3', TWO, HALF), ONE);
  t.equal(two('__divtf3', ONE, TWO), HALF);
  t.equal(wide('__negtf2', ...halves(NAN)), NAN | NEGATIVE);
  const compare = (name: string, a: bigint, b: bigint) => Number(result([name, ...halves(a), ...halves(b)]));
  const table: [string, number][] = [
    ['__eqtf2', 1],
    ['__netf2', 1],
    ['__letf2', 1],
    ['__cmptf2', 1],
    ['__lttf2', 0],
    ['__gttf2', 0],
    ['__getf2', -1],
  ];
  for (const [name, withNaN] of table) {
    t.same([compare(name, ONE, TWO), compare(name, TWO, TWO), compare(name, TWO, ONE)], [-1, 0, 1], name);
    t.equal(compare(name, NAN, ONE), withNaN, name);
    t.equal(compare(name, 0n, NEGATIVE), 0, `${name}: zeros are equal`);
  }
  t.same([compare('__unordtf2', ONE, TWO), compare('__unordtf2', ONE, NAN)], [0, 1]);
});

t.test('128-bit floats: from and to numbers of up to 64 bits', async (t) => {
  t.equal(wide('__floatsitf', -1), ONE | NEGATIVE);
  t.equal(wide('__floatunsitf', -1), 0x401efffffffe0000n << 64n);
  t.equal(wide('__floatditf', -1n), ONE | NEGATIVE);
  t.equal(wide('__floatunditf', -1n), (0x403effffffffffffn << 64n) | 0xfffe000000000000n);
  const bits = (name: string, ...args: (number | bigint)[]) => BigInt.asUintN(64, result([name, ...args]) ?? 0n);
  t.equal(bits('__floattidf', -1n, -1n), 0xbff0000000000000n);
  t.equal(bits('__floatuntidf', -1n, -1n), 0x47f0000000000000n);
  t.equal(bits('__floatsidf', -2), 0xc000000000000000n);
  t.equal(wide('__extendsftf2', 0x3f800000), ONE);
  t.equal(wide('__extenddftf2', 0x4000000000000000n), TWO);
  t.equal(bits('__trunctfdf2', ...halves(TWO)), 0x4000000000000000n);
  t.equal(bits('__trunctfsf2', ...halves(ONE)), 0x3f800000n);

  const narrow = (name: string, value: bigint) => result([name, ...halves(value)]);
  t.same(
    [2.5, 3.5, -2.5, 0.4].map((v) => narrow('__fixtfsi', quad(v))),
    [2n, 4n, -2n, 0n],
    'nearest even, not toward zero',
  );
  t.same(
    [2.5, 3.5, -2.5].map((v) => narrow('__fixtfdi', quad(v))),
    [2n, 4n, -2n],
  );
  t.equal(narrow('__fixtfsi', quad(1e10)), -0x80000000n);
  t.equal(narrow('__fixtfsi', NAN), -0x80000000n);
  t.same(
    [-3e9, -(2 ** 31) - 0.5, 2 ** 31 - 0.75, 2 ** 31 - 0.5].map((v) => narrow('__fixtfsi', quad(v))),
    [-0x80000000n, -0x80000000n, 0x7fffffffn, -0x80000000n],
    'too small ones and too large ones become the same',
  );
  t.equal(narrow('__fixtfdi', quad(-1.5 * 2 ** 63)), -(1n << 63n));
  t.equal(narrow('__fixtfdi', quad(2 ** 63 - 1024)), (1n << 63n) - 1024n);
  t.equal(narrow('__fixtfdi', quad(2 ** 63)), -(1n << 63n), 'the first that does not fit');
  t.equal(narrow('__fixtfdi', quad(-(2 ** 63))), -(1n << 63n));
  t.equal(narrow('__fixtfdi', quad(1e30)), -(1n << 63n));
  t.same(
    [2.5, 3.5, -1, 1e10].map((v) => narrow('__fixunstfsi', quad(v))),
    [2n, 4n, -1n, -1n],
  );
  t.same(
    [2.5, -1, 1e30].map((v) => narrow('__fixunstfdi', quad(v))),
    [2n, -1n, -1n],
  );
  t.equal(narrow('__fixunstfdi', NAN), -1n);
  t.same(
    [2 ** 32 - 1, 2 ** 32 - 0.75, 2 ** 32 - 0.5, 2 ** 32, 2 ** 32 + 1, -0.5, -0.75].map((v) =>
      narrow('__fixunstfsi', quad(v)),
    ),
    [-1n, -1n, -1n, -1n, -1n, 0n, -1n],
    'the first that does not fit has all bits too, and so has what rounds to a negative number',
  );
  t.same(
    [2 ** 64 - 2048, 2 ** 64, 2 ** 64 + 4096].map((v) => narrow('__fixunstfdi', quad(v))),
    [-2048n, -1n, -1n],
  );
});

t.test('128-bit floats: to integers of 128 bits', async (t) => {
  const most = (1n << 127n) - 1n;
  const all = (1n << 128n) - 1n;
  const signed = (name: string, ...args: (number | bigint)[]) => BigInt.asIntN(128, wide(name, ...args));
  t.equal(signed('__fixtfti', ...halves(quad(-2.9))), -2n);
  t.equal(signed('__fixtfti', ...halves(quad(1e300))), most);
  t.equal(signed('__fixtfti', ...halves(quad(-1e300))), -most - 1n);
  t.equal(signed('__fixtfti', ...halves(NAN)), most);
  // From 2^127 to 2^128 the shift wraps; only larger numbers saturate.
  const [POW127, POW128] = [0x407en << 112n, 0x407fn << 112n];
  const ONE_AND_HALF = 1n << 111n;
  t.equal(signed('__fixtfti', ...halves(POW127)), -most - 1n);
  t.equal(signed('__fixtfti', ...halves(POW127 | NEGATIVE)), -most - 1n);
  t.equal(signed('__fixtfti', ...halves(POW127 | ONE_AND_HALF)), -(1n << 126n));
  t.equal(signed('__fixtfti', ...halves(POW127 | ONE_AND_HALF | NEGATIVE)), 1n << 126n);
  t.equal(signed('__fixtfti', ...halves(POW128)), most);
  t.equal(signed('__fixtfti', ...halves(POW128 | NEGATIVE)), -most - 1n);
  t.equal(signed('__fixdfti', f64(2 ** 127)), -most - 1n);
  t.equal(signed('__fixdfti', f64(1.5 * 2 ** 127)), -(1n << 126n));
  t.equal(signed('__fixdfti', f64(-1.5 * 2 ** 127)), 1n << 126n);
  t.equal(signed('__fixdfti', f64(2 ** 128)), most);
  t.equal(signed('__fixsfti', 0x7f000000), -most - 1n);
  t.equal(signed('__fixsfti', 0x7f400000), -(1n << 126n));
  t.equal(signed('__fixsfti', 0xff400000), 1n << 126n);
  t.equal(signed('__fixsfti', 0x7f800000), most, 'infinity');
  t.equal(signed('__fixtfti', ...halves(NAN | NEGATIVE)), -most - 1n);
  t.equal(wide('__fixunstfti', ...halves(quad(2.9))), 2n);
  t.equal(wide('__fixunstfti', ...halves(quad(-2.9))), 0n);
  t.equal(wide('__fixunstfti', ...halves(quad(1e300))), all);
  t.equal(wide('__fixunstfti', ...halves(POW128)), all, 'the first that does not fit');
  t.equal(wide('__fixunstfti', ...halves(POW127 | ONE_AND_HALF)), 3n << 126n);
  t.equal(signed('__fixsfti', 0xc0390000), -2n);
  t.equal(signed('__fixdfti', f64(-2.9)), -2n);
  t.equal(wide('__fixunssfti', 0x40390000), 2n);
  t.equal(wide('__fixunssfti', 0xc0390000), 0n);
  t.equal(wide('__fixunsdfti', f64(1e300)), all);
});

function f64(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigUint64(0);
}
