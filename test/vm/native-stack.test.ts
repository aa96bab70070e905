import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { InvariantError } from '../../src/base/errors.js';
import { RUN_ERRORS } from '../../src/vm/errors.js';
import { checkNativeStack, STACK_ERRORS } from '../../src/vm/native-stack.js';
import { OP } from '../../src/vm/wasm/opcodes.js';
import { STACK_SIZE } from '../runner/stack-size.js';
import { refused } from '../support/refused.js';
import { runModule } from '../support/vm-run.js';
import type { FunctionSource } from '../support/wasm-builder.js';

/** Pushes far more operands than any compiler does, and calls itself on top of them. */
const wide: FunctionSource = {
  code: (a) => {
    for (let i = 0; i < 30_000; i++) a.i64(1n);
    a.call(0);
    for (let i = 0; i < 30_000; i++) a.op(OP.drop);
  },
};
const runWide = () => runModule({ functions: [wide], apply: (a) => a.call(0) });

const inProcess: Readonly<Record<string, (t: Test) => void>> = {
  'a small stack': (t) => {
    refused(t, STACK_ERRORS.native_stack_too_small, checkNativeStack);
    t.throws(runWide, InvariantError, 'a small stack is no verdict on the contract');
  },
  'a large stack': (t) => {
    t.doesNotThrow(checkNativeStack);
    refused(t, RUN_ERRORS.contract_stack_bytes, runWide);
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
