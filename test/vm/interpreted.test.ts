import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { ChainError } from '../../src/base/errors.js';
import { COST } from '../../src/vm/cost.js';
import { RUN_ERRORS } from '../../src/vm/errors.js';
import { TRAP } from '../../src/vm/float-helpers.js';
import { HOST_TYPES } from '../../src/vm/host/index.js';
import { decodeFunction } from '../../src/vm/interpreted/decode.js';
import { InterpretedContract } from '../../src/vm/interpreted/interpreted-contract.js';
import { type Execution, loadContract } from '../../src/vm/load-contract.js';
import { errorOfTrap } from '../../src/vm/trap.js';
import { validateModule } from '../../src/vm/validate.js';
import type { Assembler } from '../../src/vm/wasm/assembler.js';
import { EMPTY, F32, F64, type FunctionType, I32, I64 } from '../../src/vm/wasm/module.js';
import { NUMERIC, type NumericSignature, OP } from '../../src/vm/wasm/opcodes.js';
import { parseModule } from '../../src/vm/wasm/parse.js';
import { STACK_SIZE } from '../runner/stack-size.js';
import { type CallOutcome, ContractWorld, methods } from '../support/contract-world.js';
import { cpuMs } from '../support/cpu-time.js';
import { mutateCode, random } from '../support/module-mutator.js';
import { randomProgram } from '../support/random-program.js';
import { refused } from '../support/refused.js';
import { CONTRACT, consoleOf, runModule } from '../support/vm-run.js';
import { buildModule, type ModuleSource } from '../support/wasm-builder.js';

/** Contracts that are interpreted do and cost what the compiled ones do. */

const ROUNDS = Number(process.env.VM_FUZZ_ROUNDS ?? 300);
const SEED = Number(process.env.VM_FUZZ_SEED ?? 20_261_127);
const PAGE = 65_536;

interface Outcome {
  readonly error: string | undefined;
  /** Of a run that succeeds: who fails does not say how far it came. */
  readonly left: bigint | undefined;
  readonly calls: readonly string[];
  readonly memory: Buffer;
}

/** Compiled code that wants to give memory back is interpreted from its beginning, so there is nothing to compare. */
const SHRINKS = 'shrinks';

function errorText(known: unknown): string {
  if (!(known instanceof ChainError)) throw known;
  return `${known.key} ${known.message}`;
}

/** All that an execution leaves. Host functions keep what they are given, bit by bit. */
function run(code: Uint8Array, execution: Execution, budget: bigint): Outcome {
  const calls: string[] = [];
  const env = {
    printi: (...args: unknown[]) => void calls.push(`i ${args}`),
    printsf: (...args: unknown[]) => void calls.push(`f ${args}`),
    printdf: (...args: unknown[]) => void calls.push(`d ${args}`),
    current_receiver: () => 2000n - (1n << 62n),
    __floatsidf: (value: number) => (BigInt(value) << 40n) ^ 0x7ff0_0000_0000_0001n,
  };
  const contract = loadContract(code, { execution });
  // Rewritten code that is no module would be interpreted in silence.
  const isInterpreted = contract instanceof InterpretedContract;
  if (isInterpreted !== (execution === 'interpreted')) throw new Error(`runs in another way than ${execution}`);
  const exports = contract.instance({ env });
  exports.instructions.value = budget;
  let error: string | undefined;
  try {
    exports.apply(1n, -1n, 1n << 40n);
  } catch (thrown) {
    error = exports.trap.value === TRAP.shrink ? SHRINKS : errorText(errorOfTrap(thrown, exports, false));
  }
  const { buffer } = exports.memory as { readonly buffer: ArrayBuffer };
  const memory = Buffer.from(buffer, 0, PAGE * exports.pages.value);
  return { error, left: error === undefined ? exports.instructions.value : undefined, calls, memory };
}

/** What differs, if anything does. */
function difference(code: Uint8Array, budget: bigint): { seen: Outcome; what: string | undefined } {
  const seen = run(code, 'fast', budget);
  if (seen.error === SHRINKS) return { seen, what: undefined };
  const other = run(code, 'interpreted', budget);
  const same = {
    error: seen.error === other.error,
    left: seen.left === other.left,
    calls: seen.calls.join() === other.calls.join(),
    memory: seen.memory.equals(other.memory),
  };
  const what = Object.entries(same).flatMap(([key, isSame]) => {
    const of = (one: Outcome) => (key === 'memory' ? one.memory.length : String(one[key as keyof Outcome]).slice(-300));
    return isSame ? [] : [`${key}: ${of(seen)}, interpreted ${of(other)}`];
  });
  return { seen, what: what.length === 0 ? undefined : what.join('; ') };
}

t.test(`${ROUNDS} random programs, changed ones, and small budgets`, async (t) => {
  const errors = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++) {
    const next = random(SEED + round * 7919);
    const source = randomProgram(next);
    for (let change = 0; change < 4; change++) {
      const code = change === 0 ? source : mutateCode(source, next);
      try {
        validateModule(code, HOST_TYPES);
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        if (change === 0) t.fail(`seed ${SEED}, round ${round}: ${error.message}`);
        continue;
      }
      const budget = BigInt(next(3) === 0 ? next(3000) : 300_000);
      const { seen, what } = difference(code, budget);
      errors.set(seen.error ?? 'none', 1 + (errors.get(seen.error ?? 'none') ?? 0));
      if (what !== undefined) t.fail(`seed ${SEED}, round ${round}, change ${change}: ${what}`);
    }
  }
  t.comment([...errors].map(([error, times]) => `${times} ${error}`).join('\n'));
  t.ok((errors.get('none') ?? 0) > ROUNDS / 10, 'many succeed');
  t.ok(errors.size > 5 || ROUNDS < 100, 'others end in many ways');
});

const START = COST.action + COST.memory_page;

/** One call, and who pays for it does not look at the price. */
function call(source: ModuleSource): CallOutcome {
  const world = new ContractWorld();
  world.deploy(CONTRACT, buildModule(source), methods('run'));
  return world.call(CONTRACT, 'run', { instructions: 1n << 60n });
}

/** Beyond the start of the action. */
const instructionsOf = (source: ModuleSource): number => Number(call(source).session.instructionsUsed) - START;

t.test('integers of 64 bits are rounded once on their way to a float of 32', async (t) => {
  // With a bit beyond the middle between two singles, for which a double has no room.
  for (const value of [(1n << 62n) + (1n << 38n), (1n << 63n) + (1n << 39n), (1n << 61n) + 3n * (1n << 37n)]) {
    for (const bits of [value - 1n, value, value + 1n, -value, -value - 1n]) {
      const apply = (a: Assembler) => {
        for (const op of [0xb4, 0xb5]) a.i64(bits).op(op).op(0xbc).op(0xad).call(0);
      };
      const { what, seen } = difference(buildModule({ imports: ['printi'], apply }), 1000n);
      t.equal(what, undefined, `${bits}: ${seen.calls}`);
    }
  }
});

/** Where halves of 64 bits carry, borrow, and change their sign. */
const WIDE_EDGES = [
  0,
  1,
  2,
  31,
  32,
  33,
  63,
  64,
  2 ** 16 - 1,
  2 ** 16,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 32,
  2 ** 53,
]
  .map(BigInt)
  .concat([(1n << 53n) + 1n, (1n << 62n) + (1n << 38n) + 1n, (1n << 63n) - 1n, 0x1234_5678_9abc_def1n]);
/** Floats to integers of 64 bits. */
const CUTS: readonly number[] = [0xae, 0xaf, 0xb0, 0xb1];
const WIDE_VALUES = [...WIDE_EDGES, ...WIDE_EDGES.map((value) => -value - 1n)];

t.test('integers of 64 bits, operation by operation', async (t) => {
  for (let op = OP.numeric_first; op <= OP.numeric_last; op++) {
    const { operands, result } = NUMERIC[op] as NumericSignature;
    const isWide = [...operands, result].includes(I64);
    // Floats that are cut have bounds of their own, below.
    if (!isWide || CUTS.includes(op)) continue;
    const apply = (a: Assembler) => {
      const print = () => {
        if (result === I32 || result === F32) a.raw(result === F32 ? [0xbc, 0xad] : [0xad]);
        if (result === F64) a.op(0xbd);
        a.call(0);
      };
      const give = (value: bigint, type: number | undefined) => {
        if (type === I64) a.i64(value);
        else if (type === I32) a.i32(Number(BigInt.asIntN(32, value)));
        else a.i64(value).op(0xbf);
      };
      for (const value of WIDE_VALUES) {
        for (const other of operands.length === 2 ? WIDE_VALUES : [0n]) {
          // Both traps of divisions are tested elsewhere.
          if (op >= 0x7f && op <= 0x82 && (other === 0n || other === -1n)) continue;
          give(value, operands[0]);
          if (operands.length === 2) give(other, operands[1]);
          a.op(op);
          print();
        }
      }
    };
    const { what, seen } = difference(buildModule({ imports: ['printi'], apply }), 10_000_000n);
    t.equal(seen.error, undefined, `0x${op.toString(16)}`);
    t.equal(what, undefined, `0x${op.toString(16)}`);
  }
});

t.test('floats are cut to integers of 64 bits at their bounds', async (t) => {
  const bounds = [2 ** 31, 2 ** 32, 2 ** 53, 2 ** 63 - 1024, 2 ** 63, 2 ** 64 - 2048, 2 ** 64, 0.5, 1, 0];
  const values = bounds.flatMap((value) => [value, -value, value + 0.75, -value - 0.75, value * 0.999, -value * 0.999]);
  for (const value of values) {
    const bits = new BigInt64Array(Float64Array.of(value).buffer)[0] as bigint;
    for (const op of CUTS) {
      const apply = (a: Assembler) => {
        a.f64Bits(bits);
        if (op <= 0xaf) a.op(0xb6);
        a.op(op).call(0);
      };
      const { what } = difference(buildModule({ imports: ['printi'], apply }), 1000n);
      t.equal(what, undefined, `${value} 0x${op.toString(16)}`);
    }
  }
});

t.test('functions with more parameters than the compiler takes', async (t) => {
  const sum = (count: number): ModuleSource => ({
    imports: ['printi'],
    functions: [
      {
        parameters: new Array(count).fill(I32),
        result: I32,
        code: (a) => {
          a.i32(0);
          for (let i = 0; i < count; i++) a.localGet(i).op(0x6a);
        },
      },
    ],
    apply: (a) => {
      for (let i = 1; i <= count; i++) a.i32(i);
      a.call(1).op(0xac).call(0);
    },
  });
  t.equal(consoleOf(sum(1000)), '500500', 'compiled');
  t.equal(consoleOf(sum(1001)), '501501');
  t.equal(consoleOf(sum(2048)), `${(2048 * 2049) / 2}`, 'as many as can be deployed');
  const cost = (count: number) => 1 + count + COST.call + 1 + 1 + 2 * count + 1 + COST.call + COST.host_call;
  t.equal(instructionsOf(sum(1000)), cost(1000) + 20);
  t.equal(instructionsOf(sum(1001)), COST.interpreted * cost(1001) + 20);
  const type: FunctionType = { parameters: new Array(1001).fill(I32), result: EMPTY };
  t.equal(consoleOf({ imports: ['printi'], types: [type], apply: (a) => a.i64(7n).call(0) }), '7', 'only a type of it');
});

t.test('functions with more operands than the native stack holds', async (t) => {
  const source = (operands: number): ModuleSource => ({
    imports: ['printi'],
    functions: [
      { code: () => undefined },
      {
        parameters: [I64],
        result: I64,
        code: (a) => {
          for (let i = 0; i < operands; i++) a.localGet(0);
          a.call(1);
          for (let i = 1; i < operands; i++) a.op(0x7c);
        },
      },
    ],
    apply: (a) => a.i64(3n).call(2).call(0),
  });
  for (const operands of [1000, 2000, 65_537, 500_000]) {
    t.equal(call(source(operands)).console, `${3 * operands}`, `${operands}`);
  }
  const started = cpuMs();
  // Left behind by a return.
  const left = (a: Assembler) => {
    for (let i = 0; i < 900_000; i++) a.localGet(0);
    a.op(OP.return);
  };
  t.equal(instructionsOf({ apply: left }), COST.interpreted * (1 + 900_000 + 1));
  t.ok(cpuMs() - started < 5000, 'quickly');
});

t.test('branches among many locals, which the compiler copies for each of them', async (t) => {
  const source = (bytes: number, write: (a: Assembler) => Assembler): ModuleSource => ({
    imports: ['current_receiver', 'printi'],
    applyLocals: new Array(2040).fill(I32),
    apply: (a) => {
      const start = a.length;
      while (a.length - start < bytes) write(a);
      a.i64(9n).call(1);
    },
  });
  const forms: Readonly<Record<string, (a: Assembler) => Assembler>> = {
    if: (a) => a.i32(0).op(OP.if).u8(EMPTY).end(),
    loop: (a) => a.op(OP.loop).u8(EMPTY).end(),
    br_if: (a) => a.op(OP.block).u8(EMPTY).i32(0).op(OP.br_if).u32(0).end(),
    br_table: (a) => a.op(OP.block).u8(EMPTY).i32(0).op(OP.br_table).u32(1).u32(0).u32(0).end(),
    'host function': (a) => a.call(0).op(OP.drop),
  };
  for (const [what, write] of Object.entries(forms)) {
    for (const bytes of [50_000, 2_000_000]) {
      const started = cpuMs();
      t.equal(call(source(bytes, write)).console, '9', `${what}, ${bytes} bytes`);
      t.ok(cpuMs() - started < 5000, `${(cpuMs() - started).toFixed(0)} ms`);
    }
  }
});

t.test('a memory that shrinks is out of reach at once, and empty when it grows again', async (t) => {
  const shrunk = (parameters: number, rest: (a: Assembler) => unknown): ModuleSource => ({
    imports: ['printi'],
    types: [{ parameters: new Array(parameters).fill(I32), result: EMPTY }],
    apply: (a) => {
      a.i32(2).raw([OP.memory_grow, 0]).op(OP.drop).i32(70_000).i32(77).op(0x36).u32(2).u32(0);
      a.i32(-2).raw([OP.memory_grow, 0]).op(OP.drop);
      rest(a);
      a.i32(70_000).op(0x35).u32(2).u32(0).call(0);
    },
  });
  // Interpreted from the beginning, or from where it has to be.
  for (const parameters of [1001, 0]) {
    refused(t, RUN_ERRORS.contract_trap, () => consoleOf(shrunk(parameters, () => undefined)), {
      data: { s: 'out of bounds memory access' },
    });
    t.equal(consoleOf(shrunk(parameters, (a) => a.i32(1).raw([OP.memory_grow, 0]).op(OP.drop))), '0');
  }
});

t.test('a memory that shrinks keeps what lies in front of its end, and gets its pages back for nothing', async (t) => {
  const grow = (a: Assembler, pages: number) => a.i32(pages).raw([OP.memory_grow, 0]).op(OP.drop);
  const [last, gone] = [2 * PAGE - 1, 2 * PAGE];
  const text = consoleOf({
    imports: ['printi'],
    apply: (a) => {
      grow(a, 2);
      for (const at of [0, last, gone]) a.i32(at).i32(7).op(0x3a).u8(0).u32(0);
      for (const pages of [-1, 1]) grow(a, pages);
      for (const at of [0, last, gone]) a.i32(at).op(0x31).u8(0).u32(0).call(0);
    },
  });
  t.equal(text, '770');
  const budget = 1_000_000n;
  for (const [sizes, pages] of [
    [[3], 3],
    [[3, -2], 3 + 2],
    [[3, -2, 1, 1], 3 + 2],
    [[3, -2, 3], 3 + 2 + 1],
    [[3, -2, 600], 3 + 2],
  ] as const) {
    const code = buildModule({ apply: (a) => sizes.forEach((size) => void grow(a, size)) });
    const { left = 0n } = run(code, 'interpreted', budget);
    const price = 1 + sizes.length * (1 + COST.memory_grow + 1) + pages * COST.memory_page;
    t.equal(Number(budget - left), price, `${sizes}`);
  }
});

t.test('frames lie on the heap: the widest recursion needs no native stack, and has an end', async (t) => {
  const recursion = (operands: number): ModuleSource => ({
    functions: [
      {
        code: (a) => {
          for (let i = 0; i < operands; i++) a.i32(0);
          a.call(0).op(OP.unreachable);
        },
      },
    ],
    apply: (a) => a.call(0),
  });
  refused(t, RUN_ERRORS.contract_call_depth, () => runModule(recursion(60_000), 1n << 40n));
  refused(t, RUN_ERRORS.contract_stack_bytes, () => runModule(recursion(70_000), 1n << 40n));
  refused(
    t,
    RUN_ERRORS.contract_time_exceeded,
    () => runModule(recursion(70_000), 4_000_000n),
    'who pays stops before',
  );
});

t.test('ends of blocks are nothing to run, since nobody pays for them', async (t) => {
  const codesOf = (depth: number): number => {
    const apply = (a: Assembler) => {
      for (let i = 0; i < depth; i++) a.op(OP.block).u8(EMPTY);
      a.i32(0)
        .op(OP.br_table)
        .u32(depth - 1);
      for (let i = 0; i < depth; i++) a.u32(i);
      for (let i = 0; i < depth; i++) a.end();
    };
    return decodeFunction(parseModule(buildModule({ apply })), 0).code.length;
  };
  t.equal(codesOf(1000), codesOf(2));
});

/** Tests of the engine that hold for interpreted contracts too, at the price of compiled code. */
const SAME_TESTS = [
  'floats',
  'golden-calls',
  'host-functions',
  'host-pointers',
  'hostile',
  'inline-calls',
  'metering',
  'module-forms',
  'profile',
  'reference-contracts',
  'tables',
];

for (const name of SAME_TESTS) {
  t.test(`${name}, interpreted`, async (t) => {
    const file = fileURLToPath(new URL(`./${name}.test.js`, import.meta.url));
    const env = { VM_FUZZ_ROUNDS: '300', ...process.env, VM_EXECUTION: 'interpreted' };
    const child = spawnSync(process.execPath, [STACK_SIZE, file], { encoding: 'utf8', env });
    t.equal(child.status, 0, name, { output: child.stdout.slice(-10_000) + child.stderr });
  });
}
