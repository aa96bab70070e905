import t, { type Test } from 'tap';
import { ChainError } from '../../src/base/errors.js';
import { COST } from '../../src/vm/cost.js';
import { RUN_ERRORS } from '../../src/vm/errors.js';
import { HOST_TYPES } from '../../src/vm/host/index.js';
import { instrument } from '../../src/vm/instrument.js';
import { contractKeys } from '../../src/vm/keys.js';
import type { Execution } from '../../src/vm/load-contract.js';
import type { ActionProfile } from '../../src/vm/profile.js';
import { createContractEngine } from '../../src/vm/runtime.js';
import { validateModule } from '../../src/vm/validate.js';
import type { Assembler } from '../../src/vm/wasm/assembler.js';
import { EMPTY, I32, I64 } from '../../src/vm/wasm/module.js';
import { OP } from '../../src/vm/wasm/opcodes.js';
import { webAssembly } from '../../src/vm/web-assembly.js';
import { type CallOptions, ContractWorld, contractFile, methods } from '../support/contract-world.js';
import { mutateCode, random } from '../support/module-mutator.js';
import { NETWORK } from '../support/network.js';
import { refused } from '../support/refused.js';
import { buildModule, type FunctionSource, type ModuleSource } from '../support/wasm-builder.js';

/**
 * Functions that the usual form of the meter makes too large for the compiler have another one, and contracts that the
 * compiler is not given are interpreted: all three do and cost the same.
 */

const CONTRACT = 2000;
const START = COST.action + COST.memory_page;
const EXECUTIONS = ['fast', 'compact', 'interpreted'] as const;
const [I32_SUB, I32_EQZ, F64_NEG] = [0x6b, 0x45, 0x9a];
/** What the compiler takes. */
const COMPILED_BODY_MAX = 7_654_321;

function worldOf(code: Uint8Array, execution: Execution, names: readonly string[] = ['run']): ContractWorld {
  const world = new ContractWorld(createContractEngine(contractKeys(NETWORK), undefined, execution));
  world.deploy(CONTRACT, code, methods(...names));
  return world;
}

/** All that can be seen of a call. */
function outcome(world: ContractWorld, name: string, options: CallOptions): object {
  try {
    const { session, console, ram } = world.call(CONTRACT, name, options);
    return { used: session.instructionsUsed, console, ram };
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return { key: error.key, message: error.message };
  }
}

function sameInAllForms(t: Test, what: string, code: Uint8Array, name = 'run', options: CallOptions = {}): void {
  const [fast, ...others] = EXECUTIONS.map((execution) => outcome(worldOf(code, execution, [name]), name, options));
  for (const other of others) t.same(other, fast, what);
}

const callee: FunctionSource = { parameters: [I32], result: I32, code: (a) => a.localGet(0).i32(1).op(I32_SUB) };
/** Function 1: calls itself so many times deep, then a host function. */
const descent: FunctionSource = {
  parameters: [I32],
  code: (a) => {
    a.localGet(0).op(I32_EQZ).op(OP.if).u8(EMPTY).i64(1n).call(0);
    a.op(OP.else).localGet(0).i32(1).op(I32_SUB).call(1).end();
  },
};

const MODULES: Readonly<Record<string, ModuleSource>> = {
  'host functions, floats among them': {
    imports: ['printi', 'printdf', 'current_receiver'],
    apply: (a) => a.i64(5n).call(0).f64Bits(0x7ff8_0000_0000_0001n).call(1).call(2).call(0),
  },
  'a host function that fails': { imports: ['abort'], apply: (a) => a.call(0) },
  'own functions': {
    functions: [callee],
    applyLocals: [I32],
    apply: (a) => {
      a.i32(1000).localSet(3).op(OP.loop).u8(EMPTY).localGet(3).call(0).localTee(3).op(OP.br_if).u32(0).end();
    },
  },
  'a table with a host function and one of its own': {
    imports: ['printi'],
    types: [{ parameters: [I64], result: EMPTY }],
    table: 4,
    elements: [{ base: 0, functions: [0, 1] }],
    functions: [{ parameters: [I64], code: (a) => a.localGet(0).call(0) }],
    apply: (a) => {
      for (const index of [0, 1]) a.i64(BigInt(index)).i32(index).op(OP.call_indirect).u32(0).u8(0);
    },
  },
  'an empty place of a table': {
    types: [{ parameters: [], result: EMPTY }],
    table: 2,
    functions: [callee],
    elements: [{ base: 0, functions: [0] }],
    apply: (a) => a.i32(1).op(OP.call_indirect).u32(0).u8(0),
  },
  'branches and returns': {
    imports: ['printi'],
    applyLocals: [I32],
    apply: (a) => {
      a.op(OP.block).u8(EMPTY).op(OP.block).u8(EMPTY).i32(1).op(OP.br_table).u32(1).u32(0).u32(1).end().end();
      a.i32(1).op(OP.if).u8(EMPTY).i64(3n).call(0).op(OP.else).op(OP.unreachable).end();
      a.i32(1).op(OP.if).u8(EMPTY).op(OP.return).end().i64(4n).call(0);
    },
  },
  'memory that grows and shrinks': {
    imports: ['printi'],
    apply: (a) => {
      for (const pages of [3, -2, 600]) a.i32(pages).raw([OP.memory_grow, 0]).op(0xac).call(0);
      a.raw([OP.memory_size, 0]).op(0xac).call(0);
    },
  },
  'a start function': {
    imports: ['printi'],
    functions: [{ code: (a) => a.i64(1n).call(0) }],
    start: 1,
    apply: (a) => a.i64(2n).call(0),
  },
};

t.test('small modules do and cost the same in all forms', async (t) => {
  for (const [what, source] of Object.entries(MODULES)) sameInAllForms(t, what, buildModule(source));
  for (const depth of [248, 249, 250]) {
    const code = buildModule({
      imports: ['printi'],
      functions: [descent],
      apply: (a) => a.i32(depth - 1).call(1),
    });
    sameInAllForms(t, `${depth} calls deep`, code);
  }
  sameInAllForms(t, 'hello', contractFile('hello.wasm'), 'hi', { data: '036c7a79' });
  const lab = { data: '0100000000000000000000000000f03f0000000000000040' };
  for (const name of ['put', 'math', 'spin']) {
    sameInAllForms(t, `lab ${name}`, contractFile('lab.wasm'), name, { ...lab, instructions: 5_000_000n });
  }
});

t.test('the budget ends at the same instruction', async (t) => {
  const code = buildModule(MODULES['own functions'] as ModuleSource);
  for (const execution of EXECUTIONS) {
    const world = worldOf(code, execution);
    const used = world.call(CONTRACT, 'run').session.instructionsUsed;
    t.doesNotThrow(() => world.call(CONTRACT, 'run', { instructions: used }), execution);
    refused(t, RUN_ERRORS.contract_time_exceeded, () => world.call(CONTRACT, 'run', { instructions: used - 1n }));
  }
});

t.test('a profile has the same sums in all forms', async (t) => {
  const [fast, ...others] = EXECUTIONS.map((execution) => {
    const actions: ActionProfile[] = [];
    const engine = createContractEngine(contractKeys(NETWORK), { onAction: (one) => actions.push(one) }, execution);
    const world = new ContractWorld(engine);
    world.deploy(CONTRACT, buildModule(MODULES['own functions'] as ModuleSource), methods('run'));
    world.call(CONTRACT, 'run');
    return actions;
  });
  for (const other of others) t.same(other, fast);
  t.equal(fast?.[0]?.functions[0]?.calls, 1000n);
});

t.test('mutated modules end in the same way', async (t) => {
  const source = contractFile('lab.wasm');
  let ran = 0;
  for (let round = 0; round < 400; round++) {
    const code = mutateCode(source, random(4711 + round * 7919));
    try {
      validateModule(code, HOST_TYPES);
    } catch (error) {
      if (error instanceof ChainError) continue;
      throw error;
    }
    ran++;
    const options = { data: '0100000000000000000000000000f03f0000000000000040', instructions: 500_000n };
    const [fast, compact] = (['fast', 'compact'] as const).map((meter) =>
      outcome(worldOf(code, meter, ['put']), 'put', options),
    );
    if (JSON.stringify(fast, digits) !== JSON.stringify(compact, digits)) t.same(compact, fast, `round ${round}`);
  }
  t.ok(ran > 40, `${ran} of them could be deployed`);
});

const digits = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}` : value);

/** As many units as make about 1.9 MB. */
function filled(unit: readonly number[], more: Omit<ModuleSource, 'apply'> = {}, bytes = 1_900_000) {
  const count = Math.floor(bytes / unit.length);
  const body = new Uint8Array(unit.length * count);
  for (let at = 0; at < body.length; at += unit.length) body.set(unit, at);
  const apply = (a: Assembler) => a.raw(body);
  return { count, code: buildModule({ ...more, apply }) };
}

t.test('bodies as large as a block run, at the price of their instructions', async (t) => {
  const own = { functions: [{ code: () => undefined }] };
  const cases: readonly (readonly [string, number, ReturnType<typeof filled>])[] = [
    [
      'calls of a host function',
      COST.call + COST.host_call + 1,
      filled([OP.call, 0, OP.drop], { imports: ['current_receiver'] }),
    ],
    ['calls of an own function', COST.call + 1, filled([OP.call, 0], own)],
    ['tiny loops', 1, filled([OP.loop, EMPTY, OP.end])],
  ];
  for (const [what, price, { count, code }] of cases) {
    const { session } = worldOf(code, 'by size').call(CONTRACT, 'run');
    t.equal(session.instructionsUsed, BigInt(START + 1 + price * count), what);
  }
});

t.test('whatever two megabytes hold, the compiler takes them', async (t) => {
  const MOST = 2 * 1024 * 1024;
  const imports = [...HOST_TYPES.keys()];
  // Indexes of functions take two bytes.
  const functions: FunctionSource[] = new Array(100).fill({ code: () => undefined });
  const longest: Readonly<Record<string, (a: Assembler) => unknown>> = {
    // Deep inside of blocks a return becomes a branch of three bytes.
    'blocks that return': (a) => {
      for (let depth = 0; depth < 200; depth++) a.op(OP.block).u8(EMPTY);
      for (let at = 0; at < MOST; at += 4) a.raw([OP.block, EMPTY, OP.return, OP.end]);
      for (let depth = 0; depth < 200; depth++) a.end();
    },
    'float helpers': (a) => a.f64Bits(0n).raw(new Uint8Array(MOST).fill(F64_NEG)).op(OP.drop),
    'conditions that stop': (a) => {
      for (let at = 0; at < MOST; at += 6) a.localGet(0).op(0xa7).raw([OP.if, EMPTY, OP.unreachable, OP.end]);
    },
    'calls of a function that ends the action': (a) => {
      for (let at = 0; at < MOST; at += 2) a.call(imports.indexOf('abort'));
    },
    'memory.grow': (a) => {
      a.i32(0);
      for (let at = 0; at < MOST; at += 2) a.raw([OP.memory_grow, 0]);
      a.op(OP.drop);
    },
  };
  for (const [what, apply] of Object.entries(longest)) {
    const module = validateModule(buildModule({ imports, functions, apply }), HOST_TYPES);
    const { bytes } = instrument(module);
    t.ok(bytes.length < COMPILED_BODY_MAX, `${what}: ${(bytes.length / MOST).toFixed(2)} times its size`);
    t.doesNotThrow(() => new webAssembly.Module(bytes), what);
  }
});
