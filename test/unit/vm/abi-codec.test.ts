import fc from 'fast-check';
import t from 'tap';
import { fromHex, toHex } from '../../../src/base/bytes.js';
import { encode } from '../../../src/codec/binary.js';
import { type Json, parseJson } from '../../../src/codec/json.js';
import { READ_ERRORS } from '../../../src/codec/reader.js';
import { SCALAR_ERRORS } from '../../../src/codec/scalars.js';
import { PUBLIC_KEY_ERRORS } from '../../../src/crypto/public-key.js';
import { abiDef } from '../../../src/protocol/abi.js';
import { NAME_ERRORS } from '../../../src/protocol/name.js';
import { AbiCodec, abiDefect } from '../../../src/vm/abi/abi-codec.js';
import { ABI_ERRORS } from '../../../src/vm/abi/errors.js';
import { contractFile } from '../../support/contract-world.js';
import { cpuMs } from '../../support/cpu-time.js';
import { NETWORK } from '../../support/network.js';
import { refused } from '../../support/refused.js';

const file = (name: string) => abiDef.fromJson(parseJson(new TextDecoder().decode(contractFile(name))));

const EMPTY = {
  version: 'gxc::abi/1.0',
  types: [],
  structs: [],
  actions: [],
  tables: [],
  error_messages: [],
  abi_extensions: [],
};

function codec(definition: Json): AbiCodec {
  return new AbiCodec(abiDef.fromJson({ ...EMPTY, ...(definition as object) }), NETWORK);
}

const field = (name: string, type: string) => ({ name, type });
const struct = (name: string, fields: Json[], base = '') => ({ name, base, fields });

t.test('the ABI itself as bytes', async (t) => {
  t.equal(
    toHex(encode(abiDef, file('hello.abi'))),
    '0c6778633a3a6162692f312e3000010268690001047573657206737472696e6701000000000000806b02686900000000',
  );
  t.match(toHex(encode(abiDef, file('bank.abi'))), /^0c6778633a3a6162692f312e30000307616363/);
});

t.test('arguments of the specification', async (t) => {
  const bank = new AbiCodec(file('bank.abi'), NETWORK);
  const args = { to_account: 'alice', amount: { amount: 1234567, asset_id: 1 } };
  const bytes = '05616c69636587d61200000000000100000000000000';
  t.equal(toHex(bank.packAction('withdraw', args)), bytes);
  t.same(bank.unpackAction('withdraw', fromHex(bytes)), args);
  t.equal(toHex(bank.pack('contract_asset', { amount: 1234567, asset_id: 4 })), '87d61200000000000400000000000000');
  t.throws(() => bank.packAction('nope', {}, 'bank'), {
    code: 3070005,
    message: 'Unknown action nope in contract bank',
  });

  const packet = codec({
    structs: [struct('issue', [field('pubkey', 'string'), field('number', 'uint64')])],
    actions: [{ name: 'issue', type: 'issue', payable: true }],
  });
  const pubkey = 'GXC5NEGqM8BTnMm5NT7Vv2Shxh4eg4tk1kfmAUf3EGHtksig5vZdN';
  t.equal(
    toHex(packet.packAction('issue', { pubkey, number: 10 })),
    '35475843354e4547714d3842546e4d6d354e54375676325368786834656734746b316b666d41556633454748746b73696735765a644e0a00000000000000',
  );
});

t.test('every built-in type: JSON in, bytes, JSON out', async (t) => {
  const abi = codec({});
  const key = 'GXC5NEGqM8BTnMm5NT7Vv2Shxh4eg4tk1kfmAUf3EGHtksig5vZdN';
  const cases: [type: string, given: Json, bytes: string, out?: Json][] = [
    ['bool', true, '01', 1],
    ['bool', false, '00', 0],
    ['int8', -1, 'ff'],
    ['int16', -2, 'feff'],
    ['int32', -3, 'fdffffff'],
    ['int64', -4, 'fcffffffffffffff'],
    ['int64', '3000000000', '005ed0b200000000', '3000000000'],
    ['uint8', 256, '00', 0],
    ['uint16', '65535', 'ffff', 65535],
    ['uint32', 4294967295, 'ffffffff'],
    ['uint64', 4294967295, 'ffffffff00000000'],
    ['uint64', 4294967296, '0000000001000000', '4294967296'],
    ['uint64', null, '0000000000000000', 0],
    ['float32', 1.5, '0000c03f', '1.50000000000000000'],
    ['float64', '-0.25', '000000000000d0bf', '-0.25000000000000000'],
    ['float64', 'inf', '000000000000f07f', 'inf'],
    ['float64', '-inf', '000000000000f0ff'],
    ['float64', 'nan', '000000000000f87f'],
    ['float64', '-nan', '000000000000f8ff'],
    ['float32', '-NaN', '0000c0ff', '-nan'],
    // As C prints them, where JavaScript would end in 13, and have no sign.
    ['float32', 33.333332, '55550542', '33.33333206176757812'],
    ['float64', '-0', '0000000000000080', '-0.00000000000000000'],
    ['time_point', '2018-01-01T00:00:00', '0080d2a9ab610500', '2018-01-01T00:00:00'],
    // Whole seconds only.
    ['time_point', '2018-01-01T00:00:00.5', '0080d2a9ab610500', '2018-01-01T00:00:00'],
    ['time_point_sec', '2018-01-01T00:00:00', '007a495a', '2018-01-01T00:00:00'],
    ['name', 'hi', '000000000000806b'],
    ['string', 'häuser', '0768c3a475736572'],
    ['bytes', '00ff', '0200ff'],
    ['checksum160', 'ab', `ab${'00'.repeat(19)}`, `ab${'00'.repeat(19)}`],
    ['checksum256', 'cd'.repeat(40), 'cd'.repeat(32), 'cd'.repeat(32)],
    ['checksum512', '11'.repeat(64), '11'.repeat(64)],
    ['block_id_type', '22'.repeat(20), '22'.repeat(20)],
    ['public_key', key, '', key],
    ['signature', '33'.repeat(65), '33'.repeat(65)],
    ['symbol', '4,ABC', '0441424300000000'],
    ['symbol', '0,A', '0041000000000000'],
    ['symbol', '18,ABCDEFG', '1241424344454647'],
    ['symbol', { m_value: 4 }, '0400000000000000', '4,'],
    ['symbol_code', 'ABC', '4142430000000000'],
    ['symbol_code', 'Z', '5a00000000000000'],
    ['contract_asset', { amount: '-5', asset_id: 1 }, 'fbffffffffffffff0100000000000000', { amount: -5, asset_id: 1 }],
  ];
  for (const [type, given, bytes, out = given] of cases) {
    const packed = abi.pack(type, given);
    if (bytes !== '') t.equal(toHex(packed), bytes, `${type} ${JSON.stringify(given)}`);
    t.same(abi.unpack(type, packed), out, `${type} back`);
  }
  t.equal(abi.pack('public_key', key).length, 33);
  const other = new AbiCodec(abiDef.fromJson(EMPTY), { keyPrefix: 'OTHER' });
  t.equal(other.unpack('public_key', abi.pack('public_key', key)), key.replace('GXC', 'OTHER'));
  refused(t, PUBLIC_KEY_ERRORS.public_key_prefix_wrong, () => other.pack('public_key', key));
  for (const type of ['int128', 'uint128', 'varint32', 'varuint32', 'float128', 'asset']) {
    refused(t, ABI_ERRORS.abi_struct_unknown, () => abi.pack(type, 0), type);
  }
  refused(t, ABI_ERRORS.abi_symbol, () => abi.pack('symbol', 'ABC'));
  for (const symbol of ['19,ABC', '4,', '4,ABCDEFGH', '004,A', '4,A1']) {
    refused(t, ABI_ERRORS.abi_symbol, () => abi.pack('symbol', symbol), symbol);
  }
  for (const [type, json] of [
    ['float32', {}],
    ['float64', []],
    ['time_point', 5],
    ['public_key', 5],
    ['symbol', 5],
    ['contract_asset', 5],
  ] as const) {
    refused(t, SCALAR_ERRORS.json_kind, () => abi.pack(type, json as Json), type);
  }
  refused(t, ABI_ERRORS.abi_symbol, () => abi.pack('symbol_code', 'abc'));
  refused(t, NAME_ERRORS.name_not_normalized, () => abi.pack('name', 'UPPER'));
  t.throws(() => abi.pack('float64', 'many'), { code: 7 });
});

t.test('composition: arrays, optional, inheritance, aliases', async (t) => {
  const abi = codec({
    types: [
      { new_type_name: 'amount', type: 'uint32' },
      { new_type_name: 'amounts', type: 'amount[]' },
      { new_type_name: 'boss', type: 'derived' },
    ],
    structs: [
      struct('base', [field('a', 'uint8')]),
      struct('derived', [field('b', 'amounts'), field('c', 'uint8?')], 'base'),
      struct('holder', [field('d', 'base[]'), field('e', 'base?')]),
      struct('plain', [field('x', 'uint8'), field('y', 'string')]),
      struct('nothing', []),
    ],
  });
  const value = { a: 1, b: [2, 3], c: null };
  t.equal(toHex(abi.pack('boss', value)), '010202000000' + '0300000000');
  t.same(abi.unpack('boss', abi.pack('boss', value)), value);
  t.equal(toHex(abi.pack('derived', { ...value, c: 9, ignored: 1 })), '0102020000000300000001' + '09');
  t.equal(toHex(abi.pack('base[]', [{ a: 1 }, { a: 2 }])), '020102');
  t.same(abi.unpack('holder', fromHex('01070105ffff')), { d: [{ a: 7 }], e: { a: 5 } }, 'trailing bytes are ignored');
  refused(t, ABI_ERRORS.abi_struct_unknown, () => abi.pack('holder', { d: [], e: { a: 1 } }));
  t.equal(toHex(abi.pack('plain', [5])), '0500', 'an array is positional, its missing tail null');
  refused(t, ABI_ERRORS.abi_array_with_base, () => abi.pack('derived', [1]));
  t.throws(() => abi.pack('plain', { x: 1 }), { message: /Missing 'y' in variant object/ });
  refused(t, ABI_ERRORS.abi_not_object, () => abi.pack('plain', 5));
  refused(t, ABI_ERRORS.abi_not_array, () => abi.pack('base[]', {}));
  t.equal(abi.pack('nothing', {}).length, 0);
  t.throws(() => abi.unpack('nothing', new Uint8Array(0)), { message: /^Unable to unpack stream/ });
  for (const type of ['uint8[][]', 'uint8[]?', 'uint8?[]']) {
    refused(t, ABI_ERRORS.abi_type_unknown, () => codec({ structs: [struct('s', [field('f', type)])] }), type);
  }
  refused(t, READ_ERRORS.read_past_end, () => abi.unpack('bytes', fromHex('ff00')));
});

t.test('what an ABI must not say', async (t) => {
  const cases: [Json, string][] = [
    [{ types: [{ new_type_name: 'a', type: 'b' }] }, 'abi_type_unknown'],
    [{ types: [{ new_type_name: 'a', type: 'a[]' }] }, 'abi_type_unknown'],
    [{ types: [{ new_type_name: 'uint8', type: 'uint16' }] }, 'abi_type_exists'],
    [{ types: [{ new_type_name: 'uint8', type: 'missing' }] }, 'abi_type_unknown'],
    [{ types: ['a', 'a'].map((new_type_name) => ({ new_type_name, type: 'uint8' })) }, 'abi_type_exists'],
    [{ structs: [struct('a', []), struct('a', [])] }, 'abi_duplicate'],
    [{ structs: [struct('a', [], 'b'), struct('b', [], 'a')] }, 'abi_struct_circular'],
    [{ structs: [struct('a', [], 'b')] }, 'abi_type_unknown'],
    [{ structs: [struct('a', [field('x', 'missing')])] }, 'abi_type_unknown'],
    [{ actions: [{ name: 'a', type: 'missing', payable: false }] }, 'abi_type_unknown'],
    [{ tables: [{ name: 'a', index_type: 'i64', key_names: [], key_types: [], type: 'missing' }] }, 'abi_type_unknown'],
    [
      {
        error_messages: [
          { error_code: 1, error_msg: '' },
          { error_code: 1, error_msg: '' },
        ],
      },
      'abi_duplicate',
    ],
  ];
  for (const [definition, key] of cases) {
    t.equal(abiDefect(abiDef.fromJson({ ...EMPTY, ...(definition as object) }))?.key, key, JSON.stringify(definition));
  }
  const name = 'twice.1';
  const twice = { structs: [struct('a', [])], actions: [1, 2].map(() => ({ name, type: 'a', payable: false })) };
  const action = abiDefect(abiDef.fromJson({ ...EMPTY, ...twice }))?.message;
  t.equal(action, 'duplicate action definition twice.1');
  const tables = (count: number) => ({
    ...{ structs: [struct('a', [])], actions: [{ name, type: 'a', payable: false }] },
    tables: new Array(count).fill({ name, index_type: 'i64', key_names: [], key_types: [], type: 'a' }),
  });
  t.equal(abiDefect(abiDef.fromJson({ ...EMPTY, ...tables(1) })), undefined, 'an action and a table may share a name');
  const table = abiDefect(abiDef.fromJson({ ...EMPTY, ...tables(2) }))?.message;
  t.equal(table, 'duplicate table definition twice.1');
  t.equal(abiDefect(file('bank.abi')), undefined);
  t.equal(abiDefect(file('lab.abi')), undefined);
});

t.test('definitions that build on each other are checked in time that grows with their number', async (t) => {
  const count = 60_000;
  const numbers = Array.from({ length: count }, (_, i) => i);
  const started = cpuMs();
  // The longest lines of ancestors come first.
  const structs = numbers.map((i) => struct(`s${i}`, [], i === count - 1 ? '' : `s${i + 1}`));
  const types = numbers.map((i) => ({ new_type_name: `a${i}`, type: i === 0 ? 'uint8' : `a${i - 1}` }));
  const abi = codec({ structs: structs as never, types });
  t.equal(toHex(abi.pack(`a${count - 1}`, 7)), '07');
  refused(t, ABI_ERRORS.abi_recursion, () => abi.pack('s0', {}));
  const milliseconds = cpuMs() - started;
  t.ok(milliseconds < 5000, `${milliseconds.toFixed(0)} ms`);
  const circle = structs.map((one, i) => (i === count - 1 ? struct(`s${i}`, [], 's5') : one));
  refused(t, ABI_ERRORS.abi_struct_circular, () => codec({ structs: circle as never }));
});

t.test('a fraction of a second is not shown', async (t) => {
  const abi = codec({});
  t.equal(abi.unpack('time_point', fromHex('2021daa9ab610500')), '2018-01-01T00:00:00', 'half a second');
});

t.test('structs nest 29 levels deep to pack and 14 to unpack', async (t) => {
  const levels = Array.from({ length: 40 }, (_, i) => i + 1);
  const structs = levels.map((i) => struct(`s${i}`, [field('x', i === 1 ? 'uint8' : `s${i - 1}`)]));
  const abi = codec({ structs });
  const nested = (depth: number): Json => (depth === 0 ? 7 : { x: nested(depth - 1) });
  t.equal(toHex(abi.pack('s29', nested(29))), '07');
  refused(t, ABI_ERRORS.abi_recursion, () => abi.pack('s30', nested(30)));
  t.same(abi.unpack('s14', Uint8Array.of(7)), nested(14));
  refused(t, ABI_ERRORS.abi_recursion, () => abi.unpack('s15', Uint8Array.of(7)));
  const listed = (depth: number): Json => (depth === 0 ? 7 : [listed(depth - 1)]);
  t.equal(toHex(abi.pack('s29', listed(29))), '07', 'given as lists');
  refused(t, ABI_ERRORS.abi_recursion, () => abi.pack('s30', listed(30)));
});

t.test('a struct given as a list', async (t) => {
  const abi = codec({ structs: [struct('two', [field('a', 'uint8'), field('b', 'uint16')])] });
  t.equal(toHex(abi.pack('two', [1, 2])), '010200');
  t.equal(toHex(abi.pack('two', [1])), '010000', 'what is missing at the end is null');
  t.equal(toHex(abi.pack('two', [])), '', 'of nothing nothing is written');
  t.throws(() => abi.pack('two', { b: 2 }), { message: /Missing 'a' in variant object/ });
  const named = codec({ structs: [struct('named', [field('key', 'public_key')])] });
  refused(t, SCALAR_ERRORS.json_kind, () => named.pack('named', {}), 'a type that refuses null says so itself');
  for (const given of [null, 'text', 5, true] as const) {
    refused(t, ABI_ERRORS.abi_not_object, () => abi.pack('two', given), `${given}: refused, not written as nothing`);
  }
});

t.test('recursion ends at 32 steps', async (t) => {
  const abi = codec({ structs: [struct('list', [field('next', 'list[]')])] });
  const nested = (levels: number): Json => ({ next: levels === 0 ? [] : [nested(levels - 1)] });
  // A level of the value is two steps: the array and its element.
  t.ok(abi.pack('list', nested(14)).length > 0);
  t.throws(() => abi.pack('list', nested(40)), { message: /recursive definition, max_recursion_depth 32$/ });
  refused(t, ABI_ERRORS.abi_recursion, () => abi.unpack('list', new Uint8Array(100).fill(1)));
  // With three bytes for its length.
  t.equal(abi.pack('string', 'x'.repeat(2 ** 20 - 3)).length, 2 ** 20);
  refused(t, ABI_ERRORS.abi_packed_size, () => abi.pack('string', 'x'.repeat(2 ** 20 - 2)));
});

t.test('what comes out of bytes may be limited: values, long names, and keys, which take longer', async (t) => {
  const long = 'n'.repeat(640);
  const abi = codec({
    structs: [
      struct('small', [field('x', 'uint8')]),
      struct('named', [field(long, 'uint8')]),
      struct('lists', [field('a', 'uint8[]'), field('b', 'uint8?')]),
    ],
  });
  const bytes = new Uint8Array(1000).fill(1);
  bytes[0] = 10;
  for (const [type, values] of [
    ['uint8[]', 11],
    ['small[]', 21],
    ['named[]', 121],
    ['lists[]', 51],
    ['public_key[]', 101],
  ] as const) {
    t.equal((abi.unpack(type, bytes, values) as Json[]).length, 10, type);
    refused(t, ABI_ERRORS.abi_values, () => abi.unpack(type, bytes, values - 1));
  }
});

t.test('random values survive the way through bytes', async (t) => {
  const abi = codec({
    structs: [
      struct('row', [
        field('id', 'uint64'),
        field('delta', 'int64'),
        field('note', 'string'),
        field('tags', 'uint32[]'),
        field('flag', 'uint8?'),
      ]),
    ],
  });
  const row = fc.record({
    id: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    delta: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    note: fc.string(),
    tags: fc.array(fc.nat(2 ** 32 - 1)),
    flag: fc.option(fc.nat(255)),
  });
  fc.assert(
    fc.property(row, (value) => {
      const bytes = abi.pack('row', value as unknown as Json);
      const back = abi.unpack('row', bytes);
      t.same(toHex(abi.pack('row', back)), toHex(bytes));
    }),
    { seed: 4, numRuns: 100 },
  );
});
