import type { Json } from '../../src/codec/json.js';
import { abiDef } from '../../src/protocol/abi.js';
import { NAME_ERRORS as NAME, nameFromText } from '../../src/protocol/name.js';
import { contractTableMethods, TABLE_API_ERRORS as TABLE } from '../../src/rpc/apis/database/contract-tables.js';
import type { RpcContext } from '../../src/rpc/define.js';
import { AbiCodec } from '../../src/vm/abi/abi-codec.js';
import { ABI_ERRORS as ABI } from '../../src/vm/abi/errors.js';
import { FreeWorld } from '../support/free-world.js';
import { NETWORK } from '../support/network.js';
import { assertion, type Refusal } from './define.js';

/** What clients are refused who read tables of contracts or pack arguments for them. */

const codec = (given: Record<string, Json>) => new AbiCodec(abiDef.fromJson(given), NETWORK);
const field = (name: string, type: string) => ({ name, type });
const struct = (name: string, fields: Json[], base = '') => ({ name, base, fields });
const using = (given: Record<string, Json>) => () => codec(given);

const abi = codec({
  structs: [
    struct('pair', [field('a', 'uint8'), field('b', 'uint8')]),
    struct('derived', [], 'pair'),
    struct('empty', []),
    struct('list', [field('next', 'list[]')]),
    struct('holder', [field('x', 'pair?')]),
  ],
  actions: [{ name: 'go', type: 'pair', payable: false }],
});
const pack = (type: string, json: Json) => () => abi.pack(type, json);

const w = new FreeWorld();
w.account('table', { code: Uint8Array.of(1), abi: abiDef.default() });
// These methods look at the state and at the clock alone.
const context = { node: { chain: { state: w.state }, clock: { monotonicMs: () => 0 } } } as unknown as RpcContext;
const params = { lower_bound: 0n, upper_bound: 10n, limit: 10n, index_position: '1', reverse: false };
const rows =
  (table: string, more: Partial<typeof params> = {}) =>
  () =>
    contractTableMethods.get_table_rows_ex.run(context, { contract: 'table', table, params: { ...params, ...more } });

const invalidName = (row: Refusal['row'], text: string, raise: () => unknown): Refusal => ({
  row,
  code: 3010001,
  name: 'name_type_exception',
  message: `Invalid name: ${text}`,
  raise,
});

export const refusals: readonly Refusal[] = [
  assertion(
    ABI.abi_type_exists,
    'type already exists: uint8',
    using({ types: [{ new_type_name: 'uint8', type: 'bool' }] }),
  ),
  assertion(ABI.abi_type_unknown, 'Unknown type nothing', using({ structs: [struct('a', [field('x', 'nothing')])] })),
  assertion(ABI.abi_struct_unknown, 'Unknown struct pair?', pack('holder', { x: { a: 1, b: 2 } })),
  assertion(ABI.abi_duplicate, 'duplicate struct definition a', using({ structs: [struct('a', []), struct('a', [])] })),
  assertion(
    ABI.abi_struct_circular,
    'Circular reference in struct a',
    using({ structs: [struct('a', [], 'b'), struct('b', [], 'a')] }),
  ),
  assertion(ABI.abi_recursion, 'recursive definition, max_recursion_depth 32', () =>
    abi.unpack('list', new Uint8Array(100).fill(1)),
  ),
  assertion(ABI.abi_member_missing, "Missing 'b' in variant object", pack('pair', { a: 1 })),
  assertion(ABI.abi_not_array, "expected an array for type 'pair[]'", pack('pair[]', {})),
  assertion(ABI.abi_not_object, "unexpected input for struct 'pair'", pack('pair', null)),
  assertion(
    ABI.abi_array_with_base,
    'st.base == type_name(): support base class as array not yet implemented',
    pack('derived', [1, 2]),
  ),
  assertion(ABI.abi_unpack, 'Unable to unpack stream empty', () => abi.unpack('empty', new Uint8Array(0))),
  assertion(ABI.abi_packed_size, 'packed value is larger than 1048576 bytes', pack('string', 'x'.repeat(1_048_576))),
  assertion(ABI.abi_values, 'the packed value holds more than 2 values', () =>
    abi.unpack('pair', new Uint8Array(100), 2),
  ),
  assertion(ABI.abi_symbol, 'invalid symbol abc', pack('symbol', '4,abc')),
  {
    row: ABI.abi_action_unknown,
    code: 3070005,
    name: 'action_validate_exception',
    message: 'action exception: Unknown action nope in contract bank-c1',
    raise: () => abi.packAction('nope', {}, 'bank-c1'),
  },
  invalidName(NAME.name_too_long, 'Name is longer than 13 characters (abcdefghijklmn) ', rows('abcdefghijklmn')),
  invalidName(NAME.name_not_normalized, 'Name not properly normalized (name: Rec, normalized: .ec) ', rows('Rec')),
  invalidName(NAME.name_not_normalized, 'Name not properly normalized (name: Go, normalized: .o) ', () =>
    abi.packAction('Go', {}),
  ),
  invalidName(NAME.name_not_normalized, 'Name not properly normalized (name: 6, normalized: ) ', () =>
    nameFromText('6'),
  ),
  assertion(
    TABLE.table_bounds,
    'params.lower_bound < params.upper_bound: lower_bound must < upper_bound',
    rows('rec', { lower_bound: 10n }),
  ),
  assertion(
    TABLE.table_index_position,
    'false: Invalid index_position: bogus',
    rows('rec', { index_position: 'bogus' }),
  ),
  assertion(
    TABLE.table_name_unsupported,
    'index == table: Unsupported table name: abcdefghijklj',
    rows('abcdefghijklj'),
  ),
];
