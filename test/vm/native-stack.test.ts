import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { InvariantError } from '../../src/base/errors.js';
import { RUN_ERRORS } from '../../src/vm/errors.js';
import { checkNativeStack, STACK_ERRORS } from '../../src/vm/native-stack.js';
import { I32, I64 } from '../../src/vm/wasm/module.js';
import { OP } from '../../src/vm/wasm/opcodes.js';
import { STACK_SIZE } from '../runner/stack-size.js';
import { ContractWorld, methods } from '../support/contract-world.js';
import { refused } from '../support/refused.js';
import { runModule } from '../support/vm-run.js';
import { buildModule, type FunctionSource } from '../support/wasm-builder.js';

/** Calls itself on top of so many operands. */
const runWide = (operands: number) => () => {
  const wide: FunctionSource = {
    parameters: [I64],
    code: (a) => {
      for (let i = 0; i <= operands; i++) a.localGet(0);
      a.call(0);
      for (let i = 0; i < operands; i++) a.op(OP.drop);
    },
  };
  return runModule({ functions: [wide], apply: (a) => a.localGet(0).call(0) }, 1n << 40n);
};
/** As many as are compiled. */
const WIDEST = 1200;

/** Values that an optimising compiler keeps across the call, each in the frame, so as not to compute them again. */
const repeated: FunctionSource = {
  parameters: [I32],
  code: (a) => {
    const products = () => {
      for (let i = 0; i < 4000; i++) {
        a.i32(16)
          .localGet(0)
          .i32(1_000_003 + 7 * i)
          .op(0x6c)
          .raw([0x36, 2, 0]);
      }
    };
    products();
    a.localGet(0);
    a.when(() => a.localGet(0).i32(1).op(0x6b).call(0));
    products();
  },
};

/** Often enough that a compiler in the background would long have finished. */
function runRepeated(): void {
  const world = new ContractWorld();
  world.deploy(1, buildModule({ functions: [repeated], apply: (a) => a.i32(240).call(0) }), methods('run'));
  for (let call = 0; call < 1000; call++) world.call(1, 'run', { instructions: 1n << 40n });
}

const inProcess: Readonly<Record<string, (t: Test) => void>> = {
  'a small stack': (t) => {
    refused(t, STACK_ERRORS.native_stack_too_small, checkNativeStack);
    t.throws(runWide(WIDEST), InvariantError, 'a small stack is no verdict on the contract');
  },
  'a large stack': (t) => {
    t.doesNotThrow(checkNativeStack);
    for (const operands of [WIDEST, 2 * WIDEST, 30_000]) refused(t, RUN_ERRORS.contract_call_depth, runWide(operands));
    t.doesNotThrow(runRepeated, 'frames stay as wide as their locals and operands, however often a contract runs');
  },
};

const asked = process.argv[2];
if (asked !== undefined) {
  t.test(asked, async (t) => inProcess[asked]?.(t));
} else {
  // The same file again, with the stack that Node gives and with the one that a node must have.
  for (const [what, flag] of [
    ['a small stack', '--stack-size=984'],
    ['a large stack', STACK_SIZE],
  ] as const) {
    t.test(what, async (t) => {
      const child = spawnSync(process.execPath, [flag, fileURLToPath(import.meta.url), what], { encoding: 'utf8' });
      t.equal(child.status, 0, what, { output: child.stdout + child.stderr });
    });
  }
}
