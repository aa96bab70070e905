import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { fromHex } from '../../src/base/bytes.js';
import { type Json, parseJson } from '../../src/codec/json.js';
import { abiDef } from '../../src/protocol/abi.js';
import { nameFromText } from '../../src/protocol/name.js';
import { index64Object } from '../../src/state/objects/contract-table.js';
import { AbiCodec, abiDefect } from '../../src/vm/abi/abi-codec.js';
import { CONTRACT_WORLD, callExample, deployContract, rowsOf } from '../support/example-contracts.js';
import { NETWORK } from '../support/network.js';
import { projectPath } from '../support/paths.js';
import { worldTest } from '../support/world.js';

const run = promisify(execFile);
const EXAMPLES = ['bank', 'escrow', 'hello', 'ledger', 'notes', 'shop'];

/** As the tutorial says: a folder with the kit beside the contract, and AssemblyScript installed. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-kit-'));
  cpSync(projectPath('docs/contracts/kit'), join(folder, 'kit'), { recursive: true });
  symlinkSync(projectPath('node_modules'), join(folder, 'node_modules'));
  return folder;
}

const folder = newFolder();
t.teardown(() => rmSync(folder, { recursive: true }));

/** What the program does, in this process, where the compiler has been compiled once. */
const { buildContract } = (await import(pathToFileURL(join(folder, 'kit', 'build.mjs')).href)) as {
  buildContract(file: string): Promise<{ wasm: Uint8Array; abi: Json }>;
};

async function build(name: string, source: string): Promise<{ code: Uint8Array; abi: Json }> {
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, source);
  const { wasm, abi } = await buildContract(file);
  return { code: Uint8Array.from(wasm), abi };
}

/** As the tutorial says. */
async function buildByProgram(name: string, source: string): Promise<{ code: Uint8Array; abi: Json }> {
  writeFileSync(join(folder, `${name}.ts`), source);
  await run(process.execPath, ['kit/build.mjs', `${name}.ts`], { cwd: folder });
  const abi = parseJson(readFileSync(join(folder, `${name}.abi`), 'utf8'));
  return { code: Uint8Array.from(readFileSync(join(folder, `${name}.wasm`))), abi };
}

async function complaint(source: string): Promise<string> {
  try {
    await build('refused', source);
    return 'built';
  } catch (error) {
    return (error as Error).message;
  }
}

t.test('the compiled examples are those of the sources', async (t) => {
  const out = mkdtempSync(join(tmpdir(), 'trustnode-examples-'));
  t.teardown(() => rmSync(out, { recursive: true }));
  const sources = EXAMPLES.map((name) => projectPath('docs/contracts/examples', `${name}.ts`));
  await run(process.execPath, [projectPath('docs/contracts/kit/build.mjs'), ...sources, '--out', out]);
  for (const name of EXAMPLES) {
    for (const kind of ['wasm', 'abi']) {
      const file = `${name}.${kind}`;
      const kept = readFileSync(projectPath('test/fixtures/contracts', file));
      t.ok(readFileSync(join(out, file)).equals(kept), `${file}: npm run build:contracts writes it anew`);
    }
    const abi = abiDef.fromJson(parseJson(readFileSync(join(out, `${name}.abi`), 'utf8')));
    t.equal(abiDefect(abi), undefined, `the ABI of ${name} contradicts itself nowhere`);
  }
});

const KINDS = `
import { Asset, Checksum160, Checksum256, Checksum512, Name, PublicKey, Signature, Table, TimePointSec } from './kit';

@struct
class Part { label: string = ''; numbers: u32[] = []; }

@table('thing')
class Thing {
  id: u64 = 0; flag: bool = false;
  a: u8 = 0; b: u16 = 0; c: u32 = 0; d: i8 = 0; e: i16 = 0; f: i32 = 0; g: i64 = 0; h: f32 = 0; i: f64 = 0;
  n: Name = 0; at: TimePointSec = 0; text: string = ''; data: Uint8Array = new Uint8Array(0);
  h160: Checksum160 = new Uint8Array(20); h256: Checksum256 = new Uint8Array(32); h512: Checksum512 = new Uint8Array(64);
  key: PublicKey = new Uint8Array(33); signature: Signature = new Uint8Array(65);
  money: Asset = new Asset(); part: Part = new Part(); parts: Array<Part> = []; words: string[] = [];
  note: string | null = null; gift: Asset | null = null;
  primaryKey(): u64 { return this.id; }
}

@action('keep.it')
function keep(thing: Thing, words: string[], gift: Asset | null, note: string | null): void {
  thing.words = words; thing.gift = gift; thing.note = note;
  new Table<Thing>().insert(thing);
}

@action
function listed(parts: Array<Part>): void {}
`;

const HEX = (bytes: number): string => '0123456789abcdef'.repeat(9).slice(0, 2 * bytes);

worldTest('every type of the ABI goes in and comes out', CONTRACT_WORLD, async (t, w) => {
  const { code, abi: json } = await build('kinds', KINDS);
  const abi = abiDef.fromJson(json);
  w.create('contract_deploy', { name: 'kinds', account: 'alice', vm_type: '0', vm_version: '0', code, abi });
  w.push('transfer', { from: 'alice', to: 'kinds', amount: { amount: 1_000_000n, asset_id: 1 } });
  const part = { label: 'λ', numbers: [1, 4_000_000_000] };
  const thing = {
    ...{ id: 7, flag: 1, a: 255, b: 65_535, c: 4_294_967_295, d: -128, e: -32_768, f: -2_147_483_648 },
    ...{ g: '-9223372036854775808', h: '0.50000000000000000', i: '-1.25000000000000000', n: 'some.name1' },
    ...{ at: '2024-01-02T03:04:05', text: 'text', data: 'c0ffee', h160: HEX(20), h256: HEX(32), h512: HEX(64) },
    key: 'GXC5NEGqM8BTnMm5NT7Vv2Shxh4eg4tk1kfmAUf3EGHtksig5vZdN',
    ...{ signature: HEX(65), money: { amount: 1, asset_id: 2 }, part, parts: [part, part] },
  };
  const outer = { words: ['a', '', 'c'], gift: { amount: -3, asset_id: 4 }, note: null };
  const args = { thing: { ...thing, words: [], note: null, gift: null }, ...outer };
  const data = new AbiCodec(abi, NETWORK).packAction('keep.it', args);
  w.push('contract_call', { account: 'bob', contract_id: 'kinds', method_name: nameFromText('keep.it'), data });
  t.same(rowsOf(w, 'kinds', 'thing'), [{ ...thing, ...outer }]);
  const list = (hex: string) =>
    w.push('contract_call', {
      account: 'bob',
      contract_id: 'kinds',
      method_name: nameFromText('listed'),
      data: fromHex(hex),
    });
  t.same(list('00')[0], 4);
  for (const length of ['01', 'ffffffff07', '8080808008', 'ffffffff0f']) {
    t.throws(() => list(length), { message: /message: read$/ }, `${length}: a list that is longer than what there is`);
  }
  w.block();
});

t.test('what the ABI cannot say is refused with a reason', async (t) => {
  const action = (parameters: string, more = ''): string => `${more}\n@action\nfunction go(${parameters}): void {}\n`;
  t.match(await complaint(action('a: u64[][]')), 'lists of lists have no ABI type');
  t.match(await complaint(action('a: Map<string, u64>')), 'is @struct missing on its class?');
  t.match(await complaint(action('a: Other', 'class Other { a: u64 = 0 }')), 'is @struct missing on its class?');
  t.match(
    await complaint(action('a: S | null', '@struct class S { a: u64 = 0 }')),
    'an optional struct cannot be packed',
  );
  t.match(await complaint(action('a: u64[] | null')), 'an optional list has no ABI type');
  t.match(await complaint(action('a: Array<string> | null')), 'an optional list has no ABI type');
  t.match(await complaint('@action function name(): void {}'), 'name is a type of the ABI');
  t.match(await complaint(action('', '@struct("symbol") class S { a: u64 = 0 }')), 'symbol is a type of the ABI');
  t.match(
    await complaint('@action function a(): void {}\n@action("a") function b(): void {}'),
    'two structs of the ABI',
  );
  t.match(await complaint('@action function goNow(): void {}'), '"goNow" is no name');
  t.match(await complaint('@action("far.too.long.x") function go(): void {}'), 'is no name');
  t.match(await complaint('function go(): void {}'), 'has no @action');
  const byProgram = await buildByProgram('refused', 'function go(): void {}').catch((error: unknown) => error);
  t.match(byProgram, { code: 1, stderr: /has no @action\n$/ }, 'the program says it and gives exit code 1');
  t.match(await complaint(action('', '@struct class go { a: u64 = 0 }')), 'two structs of the ABI are called go');
  t.match(await complaint(action('', 'const x: u64 = "text";')), 'not assignable', "the compiler's own errors");
  t.match(
    await complaint(
      action('', '@struct class S { a: u64 = 0 }\nclass T extends S {}\n@struct class U extends S { b: u8 = 0 }'),
    ),
    'extends no other class',
  );
});

const LISTED = (index: string): string => `
import { Asset, Table } from './kit';

@table('item')
class Item {
  id: u64 = 0; rank: u64 = 0;
  primaryKey(): u64 { return this.id; }
  ${index}
}

@action
function put(id: u64, rank: u64): void {
  const items = new Table<Item>();
  const item = new Item();
  item.id = id; item.rank = rank;
  if (items.has(id)) items.update(item);
  else items.insert(item);
}

@action
function append(): void {
  const items = new Table<Item>();
  const item = new Item();
  item.id = items.nextId();
  items.insert(item);
}

@action
function add(a: Asset, b: Asset): void { a.plus(b); }
`;

worldTest('amounts that are out of range do not add up to one that is in it', CONTRACT_WORLD, async (t, w) => {
  const { code, abi } = await build('amounts', LISTED(''));
  deployContract(w, 'amounts', { code, abi: abiDef.fromJson(abi) });
  const add = (a: bigint, b: bigint) => () =>
    callExample(w, 'alice', 'amounts', 'add', {
      a: { amount: String(a), asset_id: 1 },
      b: { amount: String(b), asset_id: 1 },
    });
  const [largest, most] = [2n ** 62n - 1n, 2n ** 63n - 1n];
  add(largest, 0n)();
  add(largest, -largest)();
  const outside: [bigint, bigint][] = [
    [most, most],
    [-most - 1n, -most - 1n],
    [largest + 1n, -1n],
    [1n, largest],
    [-largest, -1n],
  ];
  for (const [a, b] of outside) t.throws(add(a, b), { message: /amount out of range/ }, `${a} and ${b}`);
  w.block();
});

worldTest('rows from before an index was added get into it when they are updated', CONTRACT_WORLD, async (t, w) => {
  const before = await build('listed', LISTED(''));
  const contract = deployContract(w, 'listed', { code: before.code, abi: abiDef.fromJson(before.abi) });
  w.push('transfer', { from: 'alice', to: 'listed', amount: { amount: 1_000_000n, asset_id: 1 } });
  const put = (id: number, rank: number) => callExample(w, 'alice', 'listed', 'put', { id, rank });
  put(1, 0);
  put(2, 5);
  const after = await build('listed', LISTED('@index byRank(): u64 { return this.rank; }'));
  const fee = { amount: 200_000n, asset_id: 1 };
  w.push('contract_update', { fee, owner: 'alice', contract, code: after.code, abi: abiDef.fromJson(after.abi) });
  const ranks = () => [...w.state.all(index64Object)].map((entry) => [entry.primary_key, entry.secondary_key]);
  put(1, 0);
  put(2, 6);
  t.same(ranks(), [
    [1n, 0n],
    [2n, 6n],
  ]);
  put(1, 7);
  t.same(ranks(), [
    [1n, 7n],
    [2n, 6n],
  ]);
  w.block();
});

worldTest('ids end with the largest', CONTRACT_WORLD, async (t, w) => {
  const { code, abi } = await build('ids', LISTED(''));
  deployContract(w, 'ids', { code, abi: abiDef.fromJson(abi) });
  w.push('transfer', { from: 'alice', to: 'ids', amount: { amount: 1_000_000n, asset_id: 1 } });
  const append = () => callExample(w, 'alice', 'ids', 'append', {});
  callExample(w, 'alice', 'ids', 'put', { id: String(2n ** 64n - 2n), rank: 0 });
  append();
  t.throws(append, { message: /the table has no id left/ });
  w.block();
});

worldTest('the contract of the tutorial works as the tutorial says', CONTRACT_WORLD, async (t, w) => {
  const [, source = ''] =
    /```ts\n(.*?)```/s.exec(readFileSync(projectPath('docs/contracts/tutorial.md'), 'utf8')) ?? [];
  const { code, abi } = await buildByProgram('guestbook', source);
  deployContract(w, 'guestbook', { code, abi: abiDef.fromJson(abi) });
  callExample(w, 'alice', 'guestbook', 'sign', { text: 'the first one' });
  callExample(w, 'bob', 'guestbook', 'sign', { text: 'hello, world' }, 250_000);
  t.match(rowsOf(w, 'guestbook', 'entry'), [
    { id: 0, text: 'the first one', tip: 0 },
    { id: 1, author: w.id('bob'), text: 'hello, world', tip: 250_000 },
  ]);
  callExample(w, 'bob', 'guestbook', 'erase', { id: 1 });
  t.equal(w.balance('guestbook'), 0n, 'the tip goes back');
  const nothing = () => callExample(w, 'alice', 'guestbook', 'erase', { id: 9 });
  t.throws(nothing, { message: /there is no such entry/ });
  w.block();
});
