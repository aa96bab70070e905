import t from 'tap';
import { ChainError } from '../../src/base/errors.js';
import { DEPLOY_ERRORS, WASM_ERRORS } from '../../src/vm/errors.js';
import { HOST_TYPES } from '../../src/vm/host/index.js';
import { validateModule } from '../../src/vm/validate.js';
import type { Assembler } from '../../src/vm/wasm/assembler.js';
import { EMPTY, I32 } from '../../src/vm/wasm/module.js';
import { OP } from '../../src/vm/wasm/opcodes.js';
import { ContractWorld, contractFile, methods } from '../support/contract-world.js';
import { cpuMs } from '../support/cpu-time.js';
import { eventually } from '../support/eventually.js';
import { mutate, mutateCode, random } from '../support/module-mutator.js';
import { refused } from '../support/refused.js';
import { buildModule } from '../support/wasm-builder.js';

/** Set by `npm run fuzz` for long runs. */
const ROUNDS = Number(process.env.VM_FUZZ_ROUNDS ?? 10_000);
const SEED = Number(process.env.VM_FUZZ_SEED ?? 20_240_601);
const BUDGET = 2_000_000n;

t.test(`${ROUNDS} mutations of good modules: success or a coded error, in bounded time`, async (t) => {
  const sources: [Uint8Array, string[], string][] = [
    [contractFile('hello.wasm'), ['hi'], '036c7a79'],
    [contractFile('lab.wasm'), ['put', 'math', 'relay'], '0100000000000000000000000000f03f0000000000000040'],
    [contractFile('bank.wasm'), ['deposit', 'withdraw'], '05616c696365c8000000000000000100000000000000'],
  ];
  const outcome = { refused: 0, ran: 0, failed: 0 };
  let slowest = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const next = random(SEED + round * 7919);
    const [source, names, data] = sources[next(sources.length)] as (typeof sources)[number];
    const code = round % 2 === 0 ? mutate(source, next) : mutateCode(source, next);
    const started = cpuMs();
    let deployed = false;
    try {
      const world = new ContractWorld();
      world.deploy(2000, code, methods(...names));
      deployed = true;
      for (const name of names) world.call(2000, name, { data, instructions: BUDGET });
      outcome.ran++;
    } catch (error) {
      if (!(error instanceof ChainError)) {
        t.fail(`seed ${SEED}, round ${round}: ${error instanceof Error ? error.stack : error}`);
        return;
      }
      if (deployed) outcome.failed++;
      else outcome.refused++;
    }
    slowest = Math.max(slowest, cpuMs() - started);
  }
  t.ok(ROUNDS < 1000 || (outcome.refused > 0 && outcome.ran > 0 && outcome.failed > 0), JSON.stringify(outcome));
  t.ok(slowest < 5000, `slowest took ${slowest.toFixed(0)} ms`);
});

t.test('modules that are large in one respect are judged quickly', async (t) => {
  const timed = (what: string, work: () => void): void => {
    const started = cpuMs();
    work();
    const milliseconds = cpuMs() - started;
    t.ok(milliseconds < 5000, `${what}: ${milliseconds.toFixed(0)} ms`);
  };
  const judge = (apply: (a: Assembler) => unknown) => validateModule(buildModule({ apply }), HOST_TYPES);
  timed('a million blocks', () => {
    refused(t, DEPLOY_ERRORS.wasm_nesting, () =>
      judge((a) => {
        for (let i = 0; i < 1_000_000; i++) a.raw([OP.block, EMPTY]);
        for (let i = 0; i < 1_000_000; i++) a.op(OP.end);
      }),
    );
  });
  timed('a million blocks that never end', () => {
    t.throws(() =>
      judge((a) => {
        for (let i = 0; i < 1_000_000; i++) a.raw([OP.loop, EMPTY]);
      }),
    );
  });
  timed('a million operands', () => {
    refused(t, WASM_ERRORS.wasm_type_mismatch, () =>
      judge((a) => {
        for (let i = 0; i < 1_000_000; i++) a.i32(1);
      }),
    );
  });
  timed('calls with thousands of arguments that nobody has given', () => {
    const parameters = new Array(8191).fill(I32);
    const types = [{ parameters, result: EMPTY } as const];
    const code = (calls: number, before: number) =>
      buildModule({
        types,
        table: 1,
        apply: (a) => {
          a.op(OP.unreachable);
          for (let i = 0; i < calls; i++) a.raw([OP.call_indirect, 0, 0]);
          if (before > 0) a.i64(1).i32(0).raw([OP.call_indirect, 0, 0]);
        },
      });
    validateModule(code(600_000, 0), HOST_TYPES);
    refused(
      t,
      WASM_ERRORS.wasm_type_mismatch,
      () => validateModule(code(1, 1), HOST_TYPES),
      'what is there is checked',
    );
  });
  timed('wide tables of branches', () => {
    judge((a) => {
      for (let i = 0; i < 200; i++) {
        a.raw([OP.block, EMPTY]).i32(0).op(OP.br_table).u32(8191).raw(new Uint8Array(8191)).u32(0).end();
      }
    });
  });
  timed('a table that is written a thousand times over, in a hundred calls', () => {
    const elements = Array.from({ length: 1500 }, () => ({ base: 0, functions: new Array(1000).fill(0) }));
    // An instance with so much memory is not used again.
    const code = buildModule({ table: 1024, elements, memory: { min: 5 } });
    const world = new ContractWorld();
    world.deploy(1, code, methods('run'));
    for (let i = 0; i < 100; i++) world.call(1, 'run');
  });
  timed('two megabytes of straight code, run', () => {
    const code = buildModule({
      apply: (a) => {
        for (let i = 0; i < 500_000; i++) a.i32(i & 63).op(OP.drop);
      },
    });
    const world = new ContractWorld();
    world.deploy(1, code, methods('run'));
    t.ok(world.call(1, 'run').session.instructionsUsed > 1_000_000n);
  });
});

t.test('memory of many contracts is given back', async (t) => {
  const world = new ContractWorld();
  const code = buildModule({ memory: { min: 528 }, apply: (a) => a.i32(34_000_000).i32(1).op(0x36).u32(2).u32(0) });
  world.deploy(1, code, methods('run'));
  const CALLS = 200;
  const heldMiB = (): number => process.memoryUsage().external / 2 ** 20;
  for (let i = 0; i < CALLS; i++) world.call(1, 'run');
  // Threads of the engine give it back, and may have to wait for their turn: what comes meanwhile takes more.
  await eventually('half of what 200 calls took is given back', () => {
    world.call(1, 'run');
    return heldMiB() < (CALLS * 33) / 2;
  });
  t.pass('it was');
});
