import { readFileSync } from 'node:fs';
import t from 'tap';
import { type JsonObject, parseJson } from '../../../src/codec/json.js';
import { examineAbi } from '../../../src/commands/contract/abi.js';
import { inspect } from '../../../src/commands/contract/inspect.js';
import {
  PROFILE_ERRORS,
  type ProfiledCall,
  type ProfileReport,
  profileCall,
} from '../../../src/commands/contract/run-profile.js';
import { abiDef } from '../../../src/protocol/abi.js';
import { stateHash } from '../../../src/state/state-hash.js';
import { ABI_ERRORS } from '../../../src/vm/abi/errors.js';
import { CONTRACT_WORLD, callExample, deployExample, exampleContract, ramOf } from '../../support/example-contracts.js';
import { projectPath } from '../../support/paths.js';
import { refused } from '../../support/refused.js';
import { buildModule } from '../../support/wasm-builder.js';
import { type TestWorld, worldTest } from '../../support/world.js';

interface Import {
  readonly name: string;
  readonly type: string;
  readonly known: boolean;
}

t.test('inspect tells what is in a module', async (t) => {
  const { code } = exampleContract('notes');
  const found = inspect(code);
  t.match(found, {
    bytes: code.length,
    refused: [],
    fails_when_called: null,
    memory_pages: { min: 1, max: null },
    exports: [
      { name: 'apply', kind: 'function' },
      { name: 'memory', kind: 'memory' },
    ],
  });
  const imports = found.imports as Import[];
  t.ok(imports.every(({ known }) => known));
  t.match(
    imports.find(({ name }) => name === 'env.db_store_i64'),
    { type: '(i64 i64 i64 i64 i32 i32) -> i32' },
  );
});

t.test('inspect names everything that would be refused, in the order of the chain', async (t) => {
  const module = Buffer.from(buildModule({ memory: { min: 529 }, imports: ['get_trx_sender', 'abort'] }));
  module.write('bender', module.indexOf('sender'));
  const found = inspect(Uint8Array.from(module));
  t.match(found.refused, [
    { code: 3070002, name: 'wasm_execution_error', message: /initial memory size/ },
    { code: 10, message: /!"unresolvable": env.get_trx_bender/ },
  ]);
  const known = (found.imports as Import[]).map((entry) => [entry.name, entry.known]);
  t.same(known, [
    ['env.get_trx_bender', false],
    ['env.abort', true],
  ]);
  t.match(inspect(Uint8Array.of(1, 2, 3)).refused, [{ code: 3070003, message: /bad magic number/ }]);
  t.equal(inspect(module.subarray(0, 20)).refused.length, 1, 'a module that ends too early');
});

t.test('inspect sees what only a call would find', async (t) => {
  const late = buildModule({ memory: { min: 0 }, data: [{ at: 0, bytes: Uint8Array.of(1) }] });
  t.match(inspect(late), { refused: [], fails_when_called: { message: /data segment outside/ } });
});

t.test('an ABI is examined', async (t) => {
  const hello = parseJson(readFileSync(projectPath('test/vectors/contracts/hello.abi'), 'utf8')) as JsonObject;
  const examine = (change: JsonObject) => examineAbi(abiDef.fromJson({ ...hello, ...change }));
  t.match(examine({}), { refused: null, warnings: [], actions: ['hi'], tables: [], packed_bytes: 48 });
  t.match(examine({ actions: [] }), { refused: 'contract has no actions' });
  const unknown = [{ name: 'hi', base: '', fields: [{ name: 'user', type: 'strin' }] }];
  t.match(examine({ structs: unknown }), { refused: 'Unknown type strin', warnings: [] });
  const table = { name: 'rows', index_type: 'i128', key_names: ['a', 'b'], key_types: ['x', 'x'], type: 'hi' };
  const { warnings } = examine({ tables: [table, { name: 'abcdefghijklj', index_type: 'i64', type: 'hi' }] });
  t.match(warnings, [
    /decode its rows as a struct rows, which is missing/,
    /the only index type is i64/,
    /key_types repeat/,
    /struct abcdefghijklj, which is missing/,
    /with 13 characters/,
  ]);
  const odd = examine({ actions: [{ name: 'ho', type: 'hi', payable: false }] });
  t.match(odd.warnings, [/clients expect its arguments in a struct ho, not hi/]);
  const field = { name: 'user', type: 'string' };
  const hidden = examine({ structs: ['hi', 'name'].map((name) => ({ name, base: '', fields: [field] })) });
  t.match(hidden.warnings, [/struct name: is never read/]);
});

const CALL: ProfiledCall = {
  contract: 'notes',
  method: 'write',
  args: { text: 'bread', stars: 5 },
  caller: 'bob',
  amount: 0n,
  asset: undefined,
  code: undefined,
  abi: undefined,
};

function profile(w: TestWorld, change: Partial<ProfiledCall>): ProfileReport {
  const { chain } = w;
  return chain.snapshots.withHeadState((state) => {
    const before = stateHash(state);
    const blockId = (number: number): string | undefined => chain.queries.blockIdOf(number);
    const report = profileCall(state, { ...CALL, ...change }, blockId);
    if (stateHash(state) !== before) throw new Error('a profile has changed the state');
    return report;
  });
}

worldTest('a profile says what the same call costs then', CONTRACT_WORLD, (t, w) => {
  for (const name of ['notes', 'bank', 'shop', 'ledger']) deployExample(w, name);
  w.block();
  const report = profile(w, {});
  const [action] = report.actions;
  t.ok(action?.functions.some(({ name, calls }) => name === 'apply' && calls === 1));
  t.match(
    action?.host.find(({ name }) => name === 'db_idx64_store'),
    { calls: 2 },
  );
  t.same(profile(w, {}), report, 'again the same');
  const result = callExample(w, 'bob', 'notes', 'write', CALL.args);
  t.match(result, [4, { billed_cpu_time_us: report.billed_us }]);
  t.same(Object.fromEntries(report.ram.map(({ account, bytes }) => [account, bytes])), ramOf(w, result));
  w.block();

  const deposit = profile(w, { contract: 'bank', method: 'deposit', args: {}, amount: 500n, asset: '1.3.1' });
  t.match(deposit, { error: null, ram: [{ account: 'bob', bytes: 112 + 112 + 25 }] });
  t.match(profile(w, { contract: 'bank', method: 'deposit', args: {} }), {
    error: { code: 3070008, message: /attach what you want to deposit/ },
    receipt: null,
  });

  const items = [{ name: 'tea', price: { amount: 300, asset_id: 1 } }];
  callExample(w, 'alice', 'shop', 'open', { ledger: 'ledger', bank: 'bank', items });
  callExample(w, 'alice', 'ledger', 'setowner', { contract: 'shop' });
  w.block();
  const buy = profile(w, { contract: `1.2.${w.id('shop')}`, method: 'buy', args: { item: 'tea' }, amount: 300n });
  t.same(
    buy.actions.map(({ contract, method }) => `${contract}.${method}`),
    ['shop.buy', 'ledger.record', 'bank.deposit'],
    'inline calls follow the action that queued them',
  );
  t.equal(
    buy.actions.reduce((sum, { instructions }) => sum + instructions, 0),
    buy.instructions,
  );

  const { code, abi } = exampleContract('hello');
  const hello = profile(w, { code, abi, method: 'hi', args: { user: 'x' } });
  t.match(hello, { console: 'hi, x, from bob\n', ram: [] }, 'other code in place of the deployed one');

  refused(t, PROFILE_ERRORS.profile_account, () => profile(w, { contract: 'nobody' }));
  refused(t, PROFILE_ERRORS.profile_account, () => profile(w, { caller: '1.2.99999' }));
  refused(t, PROFILE_ERRORS.profile_contract, () => profile(w, { contract: 'alice' }));
  refused(t, PROFILE_ERRORS.profile_asset, () => profile(w, { amount: 1n, asset: 'NONE' }));
  refused(t, ABI_ERRORS.abi_action_unknown, () => profile(w, { method: 'hi' }));
});
