import { pathToFileURL } from 'node:url';
import { nameFromText } from '../src/protocol/name.js';
import { HOST_TYPES } from '../src/vm/host/index.js';
import { instrument } from '../src/vm/instrument.js';
import { validateModule } from '../src/vm/validate.js';
import type { Assembler } from '../src/vm/wasm/assembler.js';
import { EMPTY, I32 } from '../src/vm/wasm/module.js';
import { OP } from '../src/vm/wasm/opcodes.js';
import { type ContractExports, webAssembly } from '../src/vm/web-assembly.js';
import { ContractWorld, contractFile, methods } from '../test/support/contract-world.js';
import { IndexedContractStore } from '../test/support/indexed-contract-store.js';
import { buildModule } from '../test/support/wasm-builder.js';

/**
 * Contracts per second on one core, once compiled. Starting an action costs about 12 microseconds (a new instance),
 * so 20,000 simple calls per second must be possible; metering should cost a compute loop well under 40 %.
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

function compareMetering(print: Print, label: string, code: Uint8Array<ArrayBuffer>): void {
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
  print([`${label} metered`, `${(after * 1000).toFixed(1)} ms`, `${((after / before - 1) * 100).toFixed(0)} % more`]);
}

function callsPerSecond(print: Print, label: string, calls: number, call: (i: number) => void): void {
  for (let i = 0; i < Math.min(calls, 200); i++) call(i);
  const seconds = secondsOf(() => {
    for (let i = 0; i < calls; i++) call(200 + i);
  }, 1);
  print([label, `${Math.round(calls / seconds)}/s`]);
}

const TABLE = nameFromText('rec');

/** `put` stores a row under the number in the data; `scan` walks all rows. */
const TABLES = buildModule({
  imports: ['db_store_i64', 'read_action_data', 'db_lowerbound_i64', 'db_next_i64', 'current_receiver'],
  applyLocals: [I32],
  apply: (a) => {
    a.localGet(2).i64(nameFromText('put')).op(0x51).op(OP.if).u8(EMPTY);
    a.i32(64).i32(8).call(1).op(OP.drop);
    a.i64(0n).i64(TABLE).i64(0n).i32(64).op(0x29).u32(3).u32(0).i32(64).i32(32).call(0).op(OP.drop);
    a.op(OP.else);
    a.localGet(0).i64(0n).i64(TABLE).i64(0n).call(2).localSet(3);
    a.op(OP.loop).u8(EMPTY);
    a.localGet(3).i32(64).call(3).localTee(3).i32(0).op(0x4e).op(OP.br_if).u32(0).end();
    a.end();
  },
});

/** Calls hello through `send_inline`. */
function inlineCaller(): Uint8Array {
  const action = new DataView(new ArrayBuffer(45));
  action.setBigUint64(0, 3n, true);
  action.setBigUint64(8, 1n, true);
  action.setBigUint64(32, nameFromText('hi'), true);
  action.setUint32(40, 0x796c_0304, true);
  return buildModule({
    imports: ['send_inline'],
    data: [{ at: 64, bytes: new Uint8Array(action.buffer) }],
    apply: (a) => a.i32(64).i32(45).call(0),
  });
}

export async function run(print: Print, size: 'small' | 'full'): Promise<void> {
  const calls = size === 'full' ? 20_000 : 500;
  const world = new ContractWorld(undefined, new IndexedContractStore());
  world.deploy(1, contractFile('hello.wasm'), methods('hi'));
  world.deploy(2, TABLES, methods('put', 'scan'));
  const greeting = Uint8Array.of(3, 0x6c, 0x7a, 0x79);
  callsPerSecond(print, 'hello', calls, () => world.call(1, 'hi', { data: greeting }));
  callsPerSecond(print, 'unknown action', calls, () => world.call(1, 'other'));
  const id = new DataView(new ArrayBuffer(8));
  const put = (i: number): void => {
    id.setUint32(0, i, true);
    world.call(2, 'put', { data: new Uint8Array(id.buffer.slice(0)) });
  };
  let next = 0;
  for (; next < 1000; next++) put(next);
  callsPerSecond(print, 'scan of 1000 rows', calls / 50, () => world.call(2, 'scan'));
  world.deploy(3, inlineCaller(), methods('go'));
  callsPerSecond(print, 'inline call of hello', calls, () => world.call(3, 'go'));
  callsPerSecond(print, 'table insert', calls, () => put(next++));
  if (size === 'small') return;
  compareMetering(print, 'compute loop', COMPUTE);
  compareMetering(print, 'recursion', RECURSION);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await run((row) => console.log(row.join('\t')), process.argv.includes('small') ? 'small' : 'full');
}
