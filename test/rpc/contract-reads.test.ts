import { readFileSync } from 'node:fs';
import t from 'tap';
import { parseJson } from '../../src/codec/json.js';
import { type AbiDef, abiDef } from '../../src/protocol/abi.js';
import { makeAsset } from '../../src/protocol/asset.js';
import { nameFromText } from '../../src/protocol/name.js';
import { keyValueObject } from '../../src/state/objects/contract-table.js';
import { stateHash } from '../../src/state/state-hash.js';
import { OP } from '../../src/vm/wasm/opcodes.js';
import { assetOptions } from '../support/asset-options.js';
import { contractFile } from '../support/contract-world.js';
import { CONTRACT_WORLD, callExample, deployContract } from '../support/example-contracts.js';
import { projectPath } from '../support/paths.js';
import { deployVector } from '../support/vector-contracts.js';
import { buildModule } from '../support/wasm-builder.js';
import { core, TestWorld } from '../support/world.js';
import { askable, goldenPorts } from './support/golden-rpc.js';

/** What clients read of contracts: pages of rows by every index, arguments packed for them. */

const U64_MAX = '18446744073709551615';

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly message: string; readonly data: { readonly code: number; readonly key: string } };
}

interface Page {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly more: boolean;
}

function reader(w: TestWorld, clock?: { monotonicMs(): number }) {
  const ports = goldenPorts(w.chain);
  const { ask } = askable(clock === undefined ? ports : { ...ports, clock: { ...ports.clock, ...clock } as never });
  /** The arguments as JSON text, so that every number can be written. */
  const answer = async (method: string, params: string): Promise<Answer> =>
    JSON.parse((await ask('http', `{"id":1,"method":"${method}","params":${params}}`)) ?? '') as Answer;
  return {
    answer,
    async result(method: string, params: string): Promise<unknown> {
      const { result, error } = await answer(method, params);
      if (error !== undefined) throw new Error(`${method} ${params}: ${error.message}`);
      return result;
    },
    async key(method: string, params: string): Promise<string | undefined> {
      return (await answer(method, params)).error?.data.key;
    },
  };
}

const ROW = ['id', 'group', 'rank'] as const;

/** Each call stores a row `(id, group, rank)` with group and rank as secondary keys 0 and 1. */
const CODE = buildModule({
  imports: ['read_action_data', 'db_store_i64', 'db_idx64_store', 'get_trx_sender', 'current_receiver'],
  apply: (a) => {
    const table = nameFromText('rec');
    a.i32(64).i32(24).call(0).op(OP.drop);
    const id = () => a.i32(64).op(0x29).u32(3).u32(0);
    a.call(4).i64(table).call(3);
    id().i32(64).i32(24).call(1).op(OP.drop);
    a.call(4).i64(table).call(3);
    id().i32(72).call(2).op(OP.drop);
    a.call(4)
      .i64(table | 1n)
      .call(3);
    id().i32(80).call(2).op(OP.drop);
  },
});

const fields = ROW.map((name) => ({ name, type: 'uint64' }));

const ABI: AbiDef = {
  ...abiDef.default(),
  structs: [
    { name: 'put', base: '', fields },
    { name: 'rec', base: '', fields },
    { name: 'wrong', base: '', fields: [{ name: 'x', type: 'string' }] },
  ],
  actions: [{ name: nameFromText('put'), type: 'put', payable: false }],
  tables: [
    // The type that is declared does not count, the struct with the table's name does.
    { name: nameFromText('rec'), index_type: 'i64', key_names: ['id'], key_types: ['uint64'], type: 'wrong' },
    { name: nameFromText('other'), index_type: 'i64', key_names: [], key_types: [], type: 'rec' },
  ],
};

/** Ids, groups and ranks; one key is the largest that there is. */
const ROWS: readonly (readonly [bigint, bigint, bigint])[] = [
  [1n, 20n, 900n],
  [2n, 10n, 800n],
  [3n, 20n, 700n],
  [5n, 30n, 600n],
  [2n ** 63n, 10n, 500n],
  [2n ** 64n - 1n, 2n ** 64n - 1n, 2n ** 64n - 1n],
];

function tableWorld(): TestWorld {
  const w = new TestWorld(CONTRACT_WORLD);
  deployContract(w, 'table', { code: CODE, abi: ABI });
  w.block();
  for (const [id, group, rank] of ROWS) {
    callExample(w, 'alice', 'table', 'put', { id: `${id}`, group: `${group}`, rank: `${rank}` });
  }
  w.block();
  return w;
}

const world = tableWorld();
const { answer, key, result } = reader(world);
const idsOf = ({ rows }: Page): string[] => rows.map(({ id }) => String(id));
const page = async (params: string): Promise<Page> =>
  (await result('get_table_rows_ex', `["table","rec",${params}]`)) as Page;
const ids = async (params: string): Promise<string[]> => idsOf(await page(params));
const HALF = '9223372036854775808';

t.test('get_table_rows_ex: defaults and bounds', async (t) => {
  t.same(await page('{}'), {
    rows: ROWS.slice(0, 5).map(([id, group, rank]) => ({
      id: id > 2n ** 32n ? `${id}` : Number(id),
      group: Number(group),
      rank: Number(rank),
    })),
    more: false,
  });
  t.same(await ids(`{"lower_bound":2}`), ['2', '3', '5', HALF], 'the lower bound is in');
  t.same(await ids(`{"upper_bound":3}`), ['1', '2'], 'the upper bound is not, nor is the largest key ever');
  t.same(await ids(`{"lower_bound":4,"upper_bound":6}`), ['5']);
  t.same(await ids(`{"lower_bound":4,"upper_bound":5}`), []);
  t.same(await ids(`{"lower_bound":"2","upper_bound":"5"}`), ['2', '3'], 'numbers as text');
  t.same(await ids(`{"lower_bound":5,"upper_bound":-1}`), ['5', HALF], '-1 is the largest number');
  t.same(await ids(`{"lower_bound":5,"upper_bound":"${U64_MAX}"}`), ['5', HALF]);
  for (const bounds of ['"lower_bound":5,"upper_bound":5', '"lower_bound":6,"upper_bound":5', '"upper_bound":0']) {
    t.equal(await key('get_table_rows_ex', `["table","rec",{${bounds}}]`), 'table_bounds', bounds);
  }
});

t.test('get_table_rows_ex: limit, more and reverse', async (t) => {
  t.same(await page(`{"limit":0}`), { rows: [], more: true });
  const first = await page(`{"limit":2}`);
  t.same([idsOf(first), first.more], [['1', '2'], true]);
  const all = await page(`{"limit":5}`);
  t.same([idsOf(all), all.more], [['1', '2', '3', '5', HALF], false], 'nothing is left');
  const inside = await page(`{"limit":2,"upper_bound":3}`);
  t.same([idsOf(inside), inside.more], [['1', '2'], false], 'what is outside of the range does not count');
  t.same(await ids(`{"reverse":true}`), [HALF, '5', '3', '2', '1']);
  t.same(await ids(`{"reverse":1,"limit":2}`), [HALF, '5']);
  t.same(await ids(`{"reverse":true,"lower_bound":2,"upper_bound":5}`), ['3', '2']);
  t.same(await ids(`{"reverse":false,"limit":1}`), ['1']);
});

t.test('get_table_rows_ex: secondary indexes', async (t) => {
  t.same(await ids(`{"index_position":2}`), ['2', HALF, '1', '3', '5'], 'by group, then by id');
  t.same(await ids(`{"index_position":"2","reverse":true}`), ['5', '3', '1', HALF, '2']);
  t.same(await ids(`{"index_position":2,"lower_bound":20,"upper_bound":30}`), ['1', '3']);
  t.same(await ids(`{"index_position":2,"lower_bound":11}`), ['1', '3', '5']);
  t.same(await page(`{"index_position":2,"limit":3}`).then(({ more }) => more), true);
  t.same(await ids(`{"index_position":3}`), [HALF, '5', '3', '2', '1'], 'by rank');
  t.same(await ids(`{"index_position":3,"lower_bound":600,"upper_bound":800}`), ['5', '3']);
  t.same(await ids(`{"index_position":4}`), [], 'there is no such index');
  const names: Readonly<Record<string, number>> = {
    '': 1,
    first: 1,
    primary: 1,
    one: 1,
    0: 1,
    1: 1,
    secondary: 2,
    sec: 2,
    two: 2,
    tertiary: 3,
    third: 3,
    three: 3,
    fourth: 4,
    fifth: 5,
    sixth: 6,
    seventh: 7,
    eighth: 8,
    ninth: 9,
    tenth: 10,
    17: 17,
    18: 2,
    19: 3,
    34: 2,
    '18446744073709551615': 15,
  };
  for (const [name, number] of Object.entries(names)) {
    t.same(await ids(`{"index_position":"${name}"}`), await ids(`{"index_position":${number}}`), `“${name}”`);
  }
  for (const bad of ['Primary', 'x', '-1', '18446744073709551616', 'one ', '1.0']) {
    const params = `["table","rec",{"index_position":"${bad}"}]`;
    const { error } = await answer('get_table_rows_ex', params);
    t.equal(error?.data.key, 'table_index_position', bad);
    t.match(error?.message, `Invalid index_position: ${bad}`);
  }
});

t.test('get_table_rows_ex: a page ends where its table does', async (t) => {
  const w = new TestWorld(CONTRACT_WORLD);
  const keys: Readonly<Record<string, readonly number[]>> = { one: [1, 2], two: [3, 4] };
  for (const name of Object.keys(keys)) deployContract(w, name, { code: CODE, abi: ABI });
  for (const [name, numbers] of Object.entries(keys)) {
    for (const id of numbers) callExample(w, 'alice', name, 'put', { id, group: id, rank: id });
  }
  const read = reader(w);
  for (const [name, numbers] of Object.entries(keys)) {
    for (const position of [1, 2, 3]) {
      for (const reverse of [false, true]) {
        const params = `["${name}","rec",{"index_position":${position},"reverse":${reverse}}]`;
        const { rows, more } = (await read.result('get_table_rows_ex', params)) as Page;
        const expected = reverse ? numbers.toReversed() : numbers;
        t.same([rows.map(({ id }) => id), more], [expected, false], params);
      }
    }
  }
});

/** Ten rows; the n-th index after the primary one has an entry of row n + 1 alone, the first also one of no row. */
const TEN_INDEXES = buildModule({
  imports: ['db_store_i64', 'db_idx64_store', 'get_trx_sender', 'current_receiver'],
  apply: (a) => {
    const table = nameFromText('rec');
    for (let n = 1; n <= 10; n++) {
      const id = BigInt(n);
      a.i32(64).i64(id).op(0x37).u32(3).u32(0);
      a.call(3).i64(table).call(2).i64(id).i32(64).i32(24).call(0).op(OP.drop);
      a.call(3)
        .i64(table | BigInt(Math.max(n - 2, 0)))
        .call(2);
      a.i64(n === 1 ? 0n : id)
        .i32(64)
        .call(1)
        .op(OP.drop);
    }
  },
});

t.test('get_table_rows_ex: the words for indexes', async (t) => {
  const w = new TestWorld(CONTRACT_WORLD);
  deployContract(w, 'table', { code: TEN_INDEXES, abi: ABI });
  callExample(w, 'alice', 'table', 'put', { id: 0, group: 0, rank: 0 });
  const read = reader(w);
  const words: readonly (readonly [number, readonly string[]])[] = [
    [2, ['2', 'sec', 'secondary', 'two']],
    [3, ['3', 'ter', 'tertiary', 'th', 'third']],
    [4, ['4', 'fou', 'fourth']],
    [5, ['5', 'fi', 'fifth', 'firsts']],
    [6, ['6', 'six', 'sixth']],
    [7, ['7', 'sev', 'seventh']],
    [8, ['8', 'eig', 'eighth']],
    [9, ['9', 'nin', 'ninth']],
    [10, ['10', 'ten', 'tenth']],
  ];
  for (const [row, names] of words) {
    for (const name of names) {
      const { rows } = (await read.result('get_table_rows_ex', `["table","rec",{"index_position":"${name}"}]`)) as Page;
      t.same(
        rows.map(({ id }) => id),
        [row],
        name,
      );
    }
  }
  for (const bad of ['twos', 'ones', 'primarily', 'se', 't', 'fo']) {
    t.equal(await read.key('get_table_rows_ex', `["table","rec",{"index_position":"${bad}"}]`), 'table_index_position');
  }
});

t.test('get_table_rows_ex: names and wrong arguments', async (t) => {
  const empty = { rows: [], more: false };
  t.same(await result('get_table_rows_ex', '["nobody","rec",{}]'), empty);
  t.same(await result('get_table_rows_ex', '["alice","rec",{}]'), empty, 'an account without code');
  t.same(await result('get_table_rows_ex', '["table","none",{}]'), empty);
  t.same(await result('get_table_rows_ex', '["table","other",{}]'), empty, 'listed, but nothing was ever stored');
  t.equal(
    (await answer('get_table_rows_ex', '["table","abcdefghijklj",{}]')).error?.message,
    'Assert Exception: index == table: Unsupported table name: abcdefghijklj',
  );
  t.same(await result('get_table_rows_ex', '["table","abcdefghijkl",{}]'), empty);
  for (const bad of ['Rec', 'rec.', 'rec-', '6', 'abcdefghijklz']) {
    t.equal(await key('get_table_rows_ex', `["table","${bad}",{}]`), 'name_not_normalized', bad);
    t.equal(await key('get_table_rows', `["table","${bad}",0,10]`), 'name_not_normalized', bad);
  }
  t.equal(await key('get_table_rows_ex', '["table","abcdefghijklmn",{}]'), 'name_too_long');
  t.equal(await key('get_table_rows', '["table","abcdefghijklmn",0,10]'), 'name_too_long');
  t.same(await result('get_table_rows_ex', '["nobody","Rec",{}]'), empty, 'of nobody nothing is asked');
  for (const params of ['["table","rec"]', '["table"]', '[]', '["table","rec",5]', '["table","rec",[]]']) {
    t.ok((await answer('get_table_rows_ex', params)).error, params);
  }
  for (const params of ['{"limit":"x"}', '{"lower_bound":{}}', '{"upper_bound":[]}', '{"reverse":{}}']) {
    t.ok((await answer('get_table_rows_ex', `["table","rec",${params}]`)).error, params);
  }
});

t.test('a page ends when it takes too long, and says that there is more', async (t) => {
  let now = 0;
  const slow = reader(world, { monotonicMs: () => (now += 4) });
  const { rows, more } = (await slow.result('get_table_rows_ex', '["table","rec",{}]')) as Page;
  t.ok(rows.length > 0 && rows.length < 5, `${rows.length} rows`);
  t.equal(more, true);
  const busy = reader(world, { monotonicMs: () => (now += 1000) });
  const least = (await busy.result('get_table_rows_ex', '["table","rec",{}]')) as Page;
  t.same([idsOf(least), least.more], [['1'], true], 'one row comes however long the machine was busy with others');
});

t.test('get_table_rows: a window of keys', async (t) => {
  const window = async (start: string, limit: string): Promise<Page> =>
    (await result('get_table_rows', `["table","rec",${start},${limit}]`)) as Page;
  t.same(idsOf(await window('0', '10')), ['1', '2', '3', '5']);
  t.same(idsOf(await window('2', '3')), ['2', '3'], 'keys 2 to 4');
  t.same(idsOf(await window('4', '1')), []);
  t.same(idsOf(await window('2', '0')), []);
  t.same(idsOf(await window(`"${HALF}"`, '1')), [HALF]);
  t.same(idsOf(await window('3', `"${U64_MAX}"`)), ['3', '5', HALF], 'the sum does not wrap');
  t.same((await window('0', '10')).more, false);
  t.same(await result('get_table_rows', '["nobody","rec",0,10]'), { rows: [], more: false });
});

t.test('get_table_objects: by numbers', async (t) => {
  const code = world.id('table');
  const table = nameFromText('rec');
  const read = async (params: string): Promise<string[]> =>
    idsOf({ rows: (await result('get_table_objects', params)) as Page['rows'], more: false });
  t.same(await read(`[${code},${code},"${table}",0,-1,10]`), ['1', '2', '3', '5', HALF]);
  t.same(await read(`["${code}",12345,"${table}","2","5",10]`), ['2', '3'], 'the scope is ignored');
  const whole = (1n << 56n) | (2n << 48n) | BigInt(code);
  t.same(await read(`["${whole}",0,"${table}",0,-1,2]`), ['1', '2'], 'the whole id as a number');
  t.same(await read(`[999999,0,"${table}",0,-1,10]`), []);
  t.same(await read(`[${code},0,1,0,-1,10]`), []);
  t.same(await read(`[${code},0,"${table}",5,5,10]`), [], 'bounds are not compared');
  t.same(await read(`[${code},0,"${table}",5,4,10]`), []);
  t.ok((await answer('get_table_objects', `[${code},0,"rec",0,-1,10]`)).error, 'a name is no number');
});

t.test('a row of more values than are shown is refused, and the others are not', async (t) => {
  const w = new TestWorld(CONTRACT_WORLD);
  const table = nameFromText('rec');
  const [few, many] = [19_998, 19_999];
  const list = (length: number): Uint8Array =>
    Uint8Array.of((length & 0x7f) | 0x80, (length >> 7) | 0x80, length >> 14);
  const code = buildModule({
    imports: ['db_store_i64', 'get_trx_sender', 'current_receiver'],
    data: [{ at: 0, bytes: list(few) }],
    apply: (a) => {
      a.call(2)
        .i64(table)
        .call(1)
        .i64(1n)
        .i32(0)
        .i32(few + 3)
        .call(0)
        .op(OP.drop);
      for (const [at, byte] of list(many).entries()) a.i32(at).i32(byte).op(0x3a).u32(0).u32(0);
      a.call(2)
        .i64(table)
        .call(1)
        .i64(2n)
        .i32(0)
        .i32(many + 3)
        .call(0)
        .op(OP.drop);
    },
  });
  const structs = ['put', 'rec', 'wrong'].map((name) => ({
    name,
    base: '',
    fields: [{ name: 'all', type: 'uint8[]' }],
  }));
  deployContract(w, 'table', { code, abi: { ...ABI, structs } });
  w.block();
  callExample(w, 'alice', 'table', 'put', { all: [] });
  const read = reader(w);
  const { rows } = (await read.result('get_table_rows_ex', '["table","rec",{"upper_bound":2}]')) as Page;
  t.equal((rows[0]?.all as unknown[]).length, few);
  t.equal(await read.key('get_table_rows_ex', '["table","rec",{}]'), 'abi_values');
  t.equal(await read.key('get_table_rows', '["table","rec",2,1]'), 'abi_values');
  t.equal(await read.key('get_table_objects', `[${w.id('table')},0,"${table}",0,-1,10]`), 'abi_values');
});

t.test('rows of pending calls are there at once', async (t) => {
  const w = tableWorld();
  const pending = reader(w);
  callExample(w, 'bob', 'table', 'put', { id: 4, group: 1, rank: 1 });
  const before = (await pending.result('get_table_rows_ex', '["table","rec",{"lower_bound":4}]')) as Page;
  t.same(idsOf(before), ['4', '5', HALF]);
  w.chain.pending.clear();
  const after = (await pending.result('get_table_rows_ex', '["table","rec",{"lower_bound":4}]')) as Page;
  t.same(idsOf(after), ['5', HALF]);
});

t.test('get_contract_tables', async (t) => {
  t.same(await result('get_contract_tables', '["table"]'), ['rec', 'other']);
  t.same(await result('get_contract_tables', '["alice"]'), []);
  t.same(await result('get_contract_tables', '["nobody"]'), []);
});

t.test('packing arguments', async (t) => {
  const w = new TestWorld(CONTRACT_WORLD);
  for (const name of ['bank', 'hello']) {
    const abi = parseJson(readFileSync(projectPath('test/vectors/contracts', `${name}.abi`), 'utf8'));
    deployContract(w, name, { code: contractFile(`${name}.wasm`), abi: abiDef.fromJson(abi) });
  }
  w.block();
  const packing = reader(w);
  const both = async (contract: string, action: string, args: string): Promise<unknown[]> => [
    await packing.result('serialize_contract_call_args', JSON.stringify([contract, action, args])),
    await packing.result('serialize_contract_params', `["${contract}","${action}",${args === '' ? '{}' : args}]`),
  ];
  const withdraw = '{"to_account":"alice","amount":{"amount":1234567,"asset_id":1}}';
  const packed = '05616c69636587d61200000000000100000000000000';
  t.same(await both('bank', 'withdraw', withdraw), [packed, packed], 'the vector of the specification');
  t.same(await both('bank', 'withdraw', '["alice",{"amount":1234567,"asset_id":1}]'), [packed, packed], 'positional');
  t.same(await both('hello', 'hi', '{"user":"lzy"}'), ['036c7a79', '036c7a79']);
  t.same(await both('bank', 'deposit', '{}'), ['', '']);
  t.same(await both('bank', 'deposit', ''), ['', ''], 'no arguments at all');
  t.same(await both('nobody', 'hi', '{}'), ['', '']);
  const refusals: readonly (readonly [string, string, string])[] = [
    ['missing', '{}', 'abi_action_unknown'],
    ['Withdraw', '{}', 'name_not_normalized'],
    // As recorded: what is missing is packed as null first.
    ['withdraw', '{"to_account":"alice"}', 'json_kind'],
    ['withdraw', '{"amount":{"amount":1,"asset_id":1}}', 'abi_member_missing'],
    ['withdraw', '5', 'abi_not_object'],
    ['withdraw', '{"to_account":"alice","amount":7}', 'json_kind'],
  ];
  for (const [action, args, row] of refusals) {
    const texts = JSON.stringify(['bank', action, args]);
    t.equal(await packing.key('serialize_contract_call_args', texts), row, `${action} ${args}`);
    t.equal(await packing.key('serialize_contract_params', `["bank","${action}",${args}]`), row);
  }
  const { error } = await packing.answer('serialize_contract_call_args', '["bank","missing","{}"]');
  t.equal(error?.data.code, 3070005);
  t.match(error?.message, 'Unknown action missing in contract bank');
  t.equal(await packing.key('serialize_contract_call_args', '["bank","withdraw","{"]'), 'json_syntax');
});

t.test('an ABI that contradicts itself is refused when it is used', async (t) => {
  const w = new TestWorld(CONTRACT_WORLD);
  const tables = [{ name: nameFromText('rec'), index_type: 'i64', key_names: [], key_types: [], type: 'nothing' }];
  deployContract(w, 'table', { code: CODE, abi: { ...ABI, tables } });
  w.block();
  const { key: refusal } = reader(w);
  let looked = 0;
  const structs = () => {
    looked++;
    return ABI.structs;
  };
  Object.defineProperty(w.account('table').abi, 'structs', { get: structs });
  t.equal(await refusal('get_table_rows_ex', '["table","rec",{}]'), 'abi_type_unknown');
  const once = looked;
  t.ok(once > 0);
  t.equal(await refusal('get_table_rows_ex', '["table","rec",{}]'), 'abi_type_unknown');
  t.equal(await refusal('serialize_contract_call_args', '["table","put","{}"]'), 'abi_type_unknown');
  t.equal(looked, once, 'and is gone through once: it may be large, and nobody pays for requests');
});

t.test('rows are read as the struct with the name of their table', async (t) => {
  const read = (abi: AbiDef) => {
    const w = new TestWorld(CONTRACT_WORLD);
    deployContract(w, 'table', { code: CODE, abi });
    w.block();
    callExample(w, 'alice', 'table', 'put', { id: 1, group: 2, rank: 3 });
    return reader(w);
  };
  const row = { id: 1, group: 2, rank: 3 };
  const table = (type: string) => [
    { name: nameFromText('rec'), index_type: 'i64', key_names: [], key_types: [], type },
  ];
  const params = '["table","rec",{}]';
  t.same(await read({ ...ABI, tables: [] }).result('get_table_rows_ex', params), { rows: [row], more: false });
  const without = ABI.structs.filter(({ name }) => name !== 'rec');
  t.equal(await read({ ...ABI, structs: without, tables: [] }).key('get_table_rows_ex', params), 'abi_struct_unknown');
  const declared = read({ ...ABI, structs: without, tables: table('put') });
  t.same(
    await declared.result('get_table_rows_ex', params),
    { rows: [row], more: false },
    'ours: by the declared type',
  );
});

t.test('bytes that are not what the ABI says end in a coded error', async (t) => {
  const w = new TestWorld(CONTRACT_WORLD);
  const structs = [...ABI.structs.filter(({ name }) => name !== 'rec'), { name: 'rec', base: 'wrong', fields }];
  deployContract(w, 'table', { code: CODE, abi: { ...ABI, structs } });
  w.block();
  callExample(w, 'alice', 'table', 'put', { id: 255, group: 1, rank: 1 });
  const { answer: read } = reader(w);
  const { error } = await read('get_table_rows_ex', '["table","rec",{}]');
  t.ok(error !== undefined && error.data.code > 0, `${error?.message}`);
});

t.test('what a call costs is asked by running it, whatever fee it names', async (t) => {
  const w = new TestWorld({ accounts: { ...CONTRACT_WORLD.accounts, poor: 0n } });
  deployVector(w, 'bank');
  const common_options = assetOptions({ core_exchange_rate: { base: core(1), quote: makeAsset(2n, 2) } });
  const thing = w.create('asset_create', { issuer: 'alice', symbol: 'THING', common_options });
  w.push('asset_issue', { issuer: 'alice', asset_to_issue: makeAsset(100_000n, thing), issue_to_account: 'poor' });
  w.push('asset_fund_fee_pool', { from_account: 'alice', asset_id: thing, amount: 10n ** 6n });
  w.block();
  const asking = reader(w);
  const asked = (account: string, asset: number, more: object = {}) => {
    const call = {
      ...{ fee: { amount: 0, asset_id: '1.3.1' }, account: `1.2.${w.id(account)}` },
      ...{ contract_id: `1.2.${w.id('bank-one')}`, method_name: 'deposit', data: '', extensions: [], ...more },
    };
    return asking.answer('get_required_fees', JSON.stringify([[[75, call]], `1.3.${asset}`]));
  };
  const hash = w.chain.snapshots.withHeadState(stateHash);
  const price = [{ amount: 200, asset_id: `1.3.${thing}` }];
  t.same((await asked('alice', thing)).result, price);
  const amount = { amount: 500, asset_id: '1.3.1' };
  t.same((await asked('alice', thing, { amount })).result, price, 'RAM does not count');
  for (const fee of [
    { amount: 10 ** 12, asset_id: '1.3.1' },
    { amount: 1, asset_id: '1.3.99' },
  ]) {
    t.same((await asked('alice', thing, { fee })).result, price, JSON.stringify(fee));
  }
  t.equal((await asked('poor', 1)).error?.data.key, 'balance_missing');
  t.same((await asked('poor', thing)).result, price, 'who has but the other asset');
  t.equal((await asked('alice', 1, { method_name: 'nothing' })).error?.data.key, 'call_method_unknown');
  t.equal(w.chain.snapshots.withHeadState(stateHash), hash);
  t.equal(w.state.count(keyValueObject), 0, 'nothing stays');
});
