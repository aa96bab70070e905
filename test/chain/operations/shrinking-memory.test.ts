import type { ChainEvent } from '../../../src/chain/events.js';
import { Writer } from '../../../src/codec/writer.js';
import { profileCall } from '../../../src/commands/contract/run-profile.js';
import { withConsole } from '../../../src/node/chain/contract-console.js';
import { abiDef } from '../../../src/protocol/abi.js';
import { nameFromText } from '../../../src/protocol/name.js';
import type { Operation } from '../../../src/protocol/operation-slot.js';
import { keyValueObject } from '../../../src/state/objects/contract-table.js';
import { stateHash } from '../../../src/state/state-hash.js';
import { RUN_ERRORS } from '../../../src/vm/errors.js';
import { EMPTY } from '../../../src/vm/wasm/module.js';
import { OP } from '../../../src/vm/wasm/opcodes.js';
import { testEngine } from '../../support/engine.js';
import { CONTRACT_WORLD, type Contract, callGiven, deployContract } from '../../support/example-contracts.js';
import { MemoryLog } from '../../support/memory-log.js';
import { deployVector } from '../../support/vector-contracts.js';
import { buildModule } from '../../support/wasm-builder.js';
import { core, type TestWorld, worldTest } from '../../support/world.js';

/** A memory that shrinks makes the operation begin anew: what it had done by then must be done once. */

const CALL = 'contract_call';
const [I64_EQ, I32_LOAD, I64_STORE] = [0x51, 0x28, 0x37];
const [GONE, KEY] = [70_000, 7n];
/** Two of them are more than contracts may write in one transaction, and five of these more than they may send. */
const [MEMO_BYTES, ARGUMENT_BYTES] = [40_000, 64_000];
const METHODS = ['inside', 'behind', 'only'];

/** Sends money and stores a row, but for `only`; then it gives a page back, and `behind` reads from it. */
const shrinker = (w: TestWorld): Contract => ({
  code: buildModule({
    imports: ['inline_transfer', 'db_store_i64'],
    apply: (a) => {
      const isMethod = (name: string) => a.localGet(2).i64(nameFromText(name)).op(I64_EQ);
      isMethod('only').op(OP.if).u8(EMPTY).op(OP.else).localGet(0);
      for (const value of [w.id('bob'), w.state.coreAsset, 1]) a.i64(BigInt(value));
      a.i32(16).i32(MEMO_BYTES).call(0);
      a.i64(0n).i64(nameFromText('kept')).i64(0n).i64(KEY).i32(16).i32(24).call(1).op(OP.drop).end();
      for (const pages of [1, -1]) a.i32(pages).raw([OP.memory_grow, 0]).op(OP.drop);
      isMethod('behind').when(() => a.i32(GONE).op(I32_LOAD).u8(2).u32(0).op(OP.drop));
    },
  }),
  abi: abiDef.fromJson({
    structs: METHODS.map((name) => ({ name, base: '', fields: [] })),
    actions: METHODS.map((name) => ({ name, type: name, payable: false })),
  }),
});

function open(w: TestWorld): void {
  deployVector(w, 'lab', 'lab-one');
  deployContract(w, 'shrinker', shrinker(w));
  for (const to of ['lab-one', 'shrinker']) w.push('transfer', { from: 'alice', to, amount: core(1_000_000) });
  w.block();
}

const call = (w: TestWorld, method: string, contract = 'shrinker') => ({
  account: 'alice',
  contract_id: w.id(contract),
  method_name: nameFromText(method),
  data: new Uint8Array(0),
});

/** By way of another contract, which is compiled. */
const relay = (w: TestWorld, method: string) =>
  callGiven(w, 'alice', 'lab-one', 'relay', {
    ...{ n: 1, sender: w.id('lab-one'), contract: w.id('shrinker') },
    ...{ amount: 0, asset: 1, method, data: '' },
  });

/** Tags of what contracts made the chain apply, first on trial and then in a block. */
function issuedBy(w: TestWorld, work: () => void): number[][] {
  const seen: number[][] = [];
  const stop = w.chain.blocks.subscribe((event: ChainEvent) => {
    if (event.kind !== 'pending' && event.kind !== 'applied') return;
    const issued = event.operations.filter(({ isVirtual }) => isVirtual);
    if (issued.length > 0) seen.push(issued.map(({ operation }) => (operation as Operation)[0]));
  });
  work();
  w.block();
  stop();
  return seen;
}

worldTest('a load behind a memory that has shrunk traps, and nothing is left of the call', CONTRACT_WORLD, (t, w) => {
  open(w);
  const hash = w.chain.snapshots.withHeadState(stateHash);
  for (let n = 0; n < 2; n++) {
    const data = { s: 'out of bounds memory access' };
    w.refuse(t, RUN_ERRORS.contract_trap, CALL, call(w, 'behind'), { data });
    w.refuse(t, RUN_ERRORS.contract_trap, CALL, relay(w, 'behind'), { data });
  }
  t.equal(w.chain.snapshots.withHeadState(stateHash), hash);
});

worldTest('a call that begins anew does everything once', CONTRACT_WORLD, (t, w) => {
  open(w);
  const before = w.balance('bob');
  t.same(
    issuedBy(w, () => w.push(CALL, call(w, 'inside'))),
    [[78], [78]],
  );
  t.equal(w.balance('bob'), before + 1n);
  const rows = [...w.state.all(keyValueObject)];
  t.same(
    rows.map(({ id, primary_key }) => [id, primary_key]),
    [[0, KEY]],
  );
});

worldTest('a call of another contract begins anew with it', CONTRACT_WORLD, (t, w) => {
  open(w);
  const before = w.balance('bob');
  t.same(
    issuedBy(w, () => w.push(CALL, relay(w, 'inside'))),
    [
      [79, 78],
      [79, 78],
    ],
  );
  t.equal(w.balance('bob'), before + 1n);
  t.equal([...w.state.all(keyValueObject)].length, 1);
});

worldTest('what a call costs does not depend on what has run before', CONTRACT_WORLD, (t, w) => {
  open(w);
  const billed = () => {
    const result = w.push(CALL, call(w, 'only'));
    return result[0] === 4 ? result[1].billed_cpu_time_us : undefined;
  };
  const first = billed();
  t.ok(first);
  t.equal(billed(), first);
});

worldTest('the run that was in vain is paid for', CONTRACT_WORLD, (t, w) => {
  // Hashes cost the same in both runs, and nearly all that these do.
  const code = (pages: number): Contract => ({
    code: buildModule({
      imports: ['sha512'],
      memory: { min: 2 },
      apply: (a) => {
        for (let n = 0; n < 4; n++) a.i32(16).i32(100_000).i32(16).call(0);
        a.i32(pages).raw([OP.memory_grow, 0]).op(OP.drop);
      },
    }),
    abi: shrinker(w).abi,
  });
  const billed = (name: string, pages: number): number => {
    deployContract(w, name, code(pages));
    const result = w.push(CALL, call(w, 'only', name));
    return result[0] === 4 ? result[1].billed_cpu_time_us : 0;
  };
  const [once, twice] = [billed('steady', 0), billed('shrinking', -1)];
  t.ok(once > 900, `${once}`);
  t.ok(twice > 1.95 * once && twice < 2.1 * once, `${twice} for ${once}`);
});

/** Calls `only` four times, with as many arguments as fit. */
const sender = (w: TestWorld): Contract => {
  const rest = new Writer();
  for (const value of [w.id('shrinker'), 0, 1]) rest.u64(BigInt(value));
  rest.u64(nameFromText('only'));
  rest.varint(ARGUMENT_BYTES);
  const code = buildModule({
    imports: ['send_inline'],
    data: [{ at: 24, bytes: rest.finish() }],
    apply: (a) => {
      a.i32(16).localGet(0).op(I64_STORE).u8(3).u32(0);
      for (let n = 0; n < 4; n++)
        a.i32(16)
          .i32(8 + rest.length + ARGUMENT_BYTES)
          .call(0);
    },
  });
  return { code, abi: shrinker(w).abi };
};

worldTest('memos and arguments of the first run do not count', CONTRACT_WORLD, (t, w) => {
  open(w);
  t.doesNotThrow(() => w.push(CALL, call(w, 'inside')));
  deployContract(w, 'sender', sender(w));
  t.doesNotThrow(() => w.push(CALL, call(w, 'only', 'sender')));
});

worldTest('a profile tells of the run that came to its end', CONTRACT_WORLD, (t, w) => {
  open(w);
  const nothing = { asset: undefined, code: undefined, abi: undefined };
  const given = { contract: 'shrinker', method: 'inside', args: {}, caller: 'alice', amount: 0n, ...nothing };
  const report = w.chain.snapshots.withHeadState((state) => profileCall(state, given, () => undefined));
  t.equal(report.error, null);
  const [action, ...others] = report.actions;
  t.same(others, []);
  t.same(action?.host.map(({ name, calls }) => [name, calls]).sort(), [
    ['db_store_i64', 1],
    ['inline_transfer', 1],
  ]);
  t.same(
    report.ram.map(({ account, bytes }) => [account, bytes]),
    [['shrinker', 112 + 112 + 24]],
  );
});

const console = new MemoryLog();
const LOGGED_WORLD = { ...CONTRACT_WORLD, engine: withConsole(testEngine(), console) };

worldTest('what the first run printed is printed once', LOGGED_WORLD, (t, w) => {
  const words = new TextEncoder().encode('begun\nended\n\0');
  const ended = 16 + 'begun\n'.length;
  const code = (pages: number): Contract => ({
    code: buildModule({
      imports: ['prints'],
      memory: { min: 2 },
      data: [{ at: 16, bytes: words }],
      apply: (a) => {
        a.i32(16).call(0).i32(pages).raw([OP.memory_grow, 0]).op(OP.drop);
        a.i32(ended).call(0);
      },
    }),
    abi: shrinker(w).abi,
  });
  const printed = (name: string, pages: number) => {
    deployContract(w, name, code(pages));
    console.entries.length = 0;
    w.push(CALL, call(w, 'only', name));
    return console.entries.map(({ values }) => values.line);
  };
  const lines = ['begun', 'ended', 'ended'];
  t.same(printed('steady', 0), lines);
  t.same(printed('shrinking', -1), lines);
});
