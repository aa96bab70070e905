import { newContext, type RunContext } from '../src/chain/context.js';
import { SKIP } from '../src/operations/define.js';
import { runOperation } from '../src/operations/pipeline.js';
import { type AbiDef, abiDef } from '../src/protocol/abi.js';
import { makeAsset } from '../src/protocol/asset.js';
import { nameFromText } from '../src/protocol/name.js';
import type { Operation } from '../src/protocol/operation-slot.js';
import type { ChainState } from '../src/state/chain-state.js';
import { accountObject } from '../src/state/objects/account.js';
import { HOST_TYPES } from '../src/vm/host/index.js';
import { instrument } from '../src/vm/instrument.js';
import { validateModule } from '../src/vm/validate.js';
import type { Assembler } from '../src/vm/wasm/assembler.js';
import { EMPTY, I32 } from '../src/vm/wasm/module.js';
import { OP } from '../src/vm/wasm/opcodes.js';
import { type ContractExports, webAssembly } from '../src/vm/web-assembly.js';
import { contractFile } from '../test/support/contract-world.js';
import { testEngine } from '../test/support/engine.js';
import { buildModule } from '../test/support/wasm-builder.js';
import { TestWorld } from '../test/support/world.js';
import type { Ratio } from './fixtures/ratios.js';
import { count, type Elapsed, timed } from './fixtures/stopwatch.js';

/**
 * Calls per second on one core, once compiled, as whole operations on a chain's state: 20,000 simple ones are asked
 * for.
 */

export type Print = (row: string[]) => void;

const I32_ADD = 0x6a;
const I32_MUL = 0x6c;
const I32_XOR = 0x73;
const I32_SHR_U = 0x76;
const I32_LT_U = 0x49;
const ITERATIONS = 10_000_000;

/** A xorshift loop over memory: shifts, a multiplication, a load and a store per round. */
function computeLoop(a: Assembler): void {
  const [counter, state] = [3, 4];
  a.i32(2463534242).localSet(state);
  a.op(OP.loop).u8(EMPTY);
  a.localGet(state).localGet(state).i32(13).op(0x74).op(I32_XOR).localSet(state);
  a.localGet(state).localGet(state).i32(17).op(I32_SHR_U).op(I32_XOR).localSet(state);
  a.localGet(state).localGet(state).i32(5).op(0x74).op(I32_XOR).localTee(state);
  a.i32(0xfffc).op(0x71).localGet(state).i32(2654435761).op(I32_MUL);
  a.localGet(state).i32(0xfffc).op(0x71).op(0x28).u32(2).u32(0).op(I32_ADD);
  a.op(0x36).u32(2).u32(0);
  a.localGet(counter).i32(1).op(I32_ADD).localTee(counter).i32(ITERATIONS).op(I32_LT_U).op(OP.br_if).u32(0);
  a.op(OP.end);
}

/** Recursive Fibonacci: nothing but calls, the worst case for the entry and exit of functions. */
const fibonacci = {
  parameters: [I32],
  result: I32,
  code: (a: Assembler): void => {
    a.localGet(0).i32(2).op(I32_LT_U).op(OP.if).u8(EMPTY).localGet(0).op(OP.return).end();
    a.localGet(0).i32(1).op(0x6b).call(0).localGet(0).i32(2).op(0x6b).call(0).op(I32_ADD);
  },
} as const;

const COMPUTE = buildModule({ applyLocals: [I32, I32], apply: computeLoop });
const RECURSION = buildModule({ functions: [fibonacci], apply: (a) => a.i32(30).call(0).op(OP.drop) });

function secondsOf(work: () => void, rounds = 3): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < rounds; i++) {
    const start = performance.now();
    work();
    best = Math.min(best, (performance.now() - start) / 1000);
  }
  return best;
}

function compareMetering(print: Print, ratio: Ratio, label: string, code: Uint8Array<ArrayBuffer>): void {
  const plain = new webAssembly.Instance(new webAssembly.Module(code), {}).exports as ContractExports;
  const metered = new webAssembly.Instance(
    new webAssembly.Module(instrument(validateModule(code, HOST_TYPES)).bytes),
    {},
  ).exports as ContractExports;
  metered.instructions.value = 1n << 62n;
  // In turns, so that a busy moment of the machine hits both.
  let [before, after] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let i = 0; i < 10; i++) {
    before = Math.min(
      before,
      secondsOf(() => plain.apply(1n, 1n, 1n), 1),
    );
    after = Math.min(
      after,
      secondsOf(() => metered.apply(1n, 1n, 1n), 1),
    );
  }
  print([`${label} unmetered`, `${(before * 1000).toFixed(1)} ms`]);
  ratio(`${label} metered`, before / after);
  print([`${label} metered`, `${(after * 1000).toFixed(1)} ms`, `${((after / before - 1) * 100).toFixed(0)} % more`]);
}

const TABLE = nameFromText('rec');

/** `put` stores a row under the number in the data; `scan` walks all rows. */
const TABLES = buildModule({
  imports: ['db_store_i64', 'read_action_data', 'db_lowerbound_i64', 'db_next_i64', 'get_trx_sender'],
  applyLocals: [I32],
  apply: (a) => {
    a.localGet(2).i64(nameFromText('put')).op(0x51).op(OP.if).u8(EMPTY);
    a.i32(64).i32(8).call(1).op(OP.drop);
    a.i64(0n).i64(TABLE).call(4).i32(64).op(0x29).u32(3).u32(0).i32(64).i32(32).call(0).op(OP.drop);
    a.op(OP.else);
    a.localGet(0).i64(0n).i64(TABLE).i64(0n).call(2).localSet(3);
    a.op(OP.loop).u8(EMPTY);
    a.localGet(3).i32(64).call(3).localTee(3).i32(0).op(0x4e).op(OP.br_if).u32(0).end();
    a.end();
  },
});

/** Calls `hi` of another contract through `send_inline`. */
function inlineCaller(self: number, target: number): Uint8Array {
  const action = new DataView(new ArrayBuffer(45));
  action.setBigUint64(0, BigInt(self), true);
  action.setBigUint64(8, BigInt(target), true);
  action.setBigUint64(32, nameFromText('hi'), true);
  action.setUint32(40, 0x796c_0304, true);
  return buildModule({
    imports: ['send_inline'],
    data: [{ at: 64, bytes: new Uint8Array(action.buffer) }],
    apply: (a) => a.i32(64).i32(45).call(0),
  });
}

const method = (name: string) => ({ name: nameFromText(name), type: name, payable: false });
const abiOf = (...names: string[]): AbiDef => ({
  ...abiDef.default(),
  structs: names.map((name) => ({ name, base: '', fields: [] })),
  actions: names.map(method),
});

/** Operations 75 as a block applies them: evaluation, effects, fees, RAM and receipt, in the frame of a block. */
class Calls {
  readonly #state: ChainState;
  readonly #context: RunContext;
  readonly #ids: ReadonlyMap<string, number>;

  constructor(state: ChainState, ids: ReadonlyMap<string, number>) {
    this.#state = state;
    this.#ids = ids;
    this.#context = newContext({
      skip: SKIP.none,
      engine: testEngine(),
      contractTimeUsMax: Number.POSITIVE_INFINITY,
      blockId: () => undefined,
    });
    // As in a block that says what was billed.
    this.#context.billedCpuUs = 100;
  }

  call(contract: string, action: bigint, data: Uint8Array): void {
    const body = {
      fee: makeAsset(0n, this.#state.coreAsset),
      account: this.#ids.get('alice'),
      contract_id: this.#ids.get(contract),
      amount: undefined,
      method_name: action,
      data,
      extensions: [],
    };
    runOperation(this.#state, [75, body] as Operation, this.#context);
  }

  perSecond(print: Print, label: string, calls: number, call: (i: number) => void): void {
    const warm = Math.min(calls, 2000);
    let done = 0;
    const round = (count: number): Elapsed =>
      timed(() => {
        for (let i = 0; i < count; i++) call(done++);
        // What is said of operations goes to listeners with the block.
        this.#context.journal.operations.length = 0;
      });
    round(warm);
    const rounds = [round(calls), round(calls), round(calls)];
    const seconds = Math.min(...rounds.map((one) => one.seconds));
    const cpu = Math.min(...rounds.map((one) => one.cpuSeconds));
    print([label, `${count(calls / seconds)} calls/s`, `${((cpu * 1e6) / calls).toFixed(1)} µs CPU each`]);
  }
}

const NAMES = {
  hi: nameFromText('hi'),
  put: nameFromText('put'),
  scan: nameFromText('scan'),
  go: nameFromText('go'),
} as const;

function wholeOperations(print: Print, calls: number): void {
  const w = new TestWorld({ accounts: { alice: 10n ** 15n, 'ram-account': 0n } });
  const contracts: readonly (readonly [string, Uint8Array, AbiDef])[] = [
    ['hello', contractFile('hello.wasm'), abiOf('hi')],
    ['nothing', buildModule({}), abiOf('hi')],
    ['tables', TABLES, abiOf('put', 'scan')],
  ];
  const ids = new Map([['alice', w.id('alice')]]);
  const deploy = (name: string, code: Uint8Array, abi: AbiDef): void => {
    ids.set(name, w.create('contract_deploy', { name, account: 'alice', vm_type: '0', vm_version: '0', code, abi }));
  };
  for (const [name, code, abi] of contracts) deploy(name, code, abi);
  const inline = w.state.nextInstance(accountObject);
  deploy('inline', inlineCaller(inline, ids.get('hello') ?? 0), abiOf('go'));
  w.block();
  w.chain.snapshots.withHeadState((state) => {
    state.openFrame();
    const chain = new Calls(state, ids);
    const greeting = Uint8Array.of(3, 0x6c, 0x7a, 0x79);
    const id = (i: number): Uint8Array => {
      const data = new Uint8Array(8);
      new DataView(data.buffer).setUint32(0, i, true);
      return data;
    };
    for (let i = 0; i < 1000; i++) chain.call('tables', NAMES.put, id(i));
    chain.perSecond(print, 'call of an empty contract', calls, () => chain.call('nothing', NAMES.hi, greeting));
    chain.perSecond(print, 'hello', calls, () => chain.call('hello', NAMES.hi, greeting));
    chain.perSecond(print, 'scan of 1000 rows', calls / 50, () => chain.call('tables', NAMES.scan, greeting));
    chain.perSecond(print, 'inline call of hello', calls / 2, () => chain.call('inline', NAMES.go, greeting));
    chain.perSecond(print, 'table insert', calls, (i) => chain.call('tables', NAMES.put, id(1000 + i)));
    state.undoFrame();
  });
}

export async function run(print: Print, size: 'small' | 'full', ratio: Ratio): Promise<void> {
  wholeOperations(print, size === 'full' ? 20_000 : 200);
  if (size === 'small') return;
  compareMetering(print, ratio, 'compute loop', COMPUTE);
  compareMetering(print, ratio, 'recursion', RECURSION);
}
