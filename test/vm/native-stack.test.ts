import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { InvariantError } from '../../src/base/errors.js';
import { RUN_ERRORS } from '../../src/vm/errors.js';
import { checkNativeStack, STACK_ERRORS } from '../../src/vm/native-stack.js';
import { OP } from '../../src/vm/wasm/opcodes.js';
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

/** The same file again, with the stack that a node must have. */
if (process.argv.includes('large-stack')) {
  t.test('a large stack is enough for everything that is allowed', async (t) => {
    t.doesNotThrow(checkNativeStack);
    refused(t, RUN_ERRORS.contract_stack_bytes, runWide);
  });
} else {
  t.test('with the default stack the check says what is missing', async (t) => {
    refused(t, STACK_ERRORS.native_stack_too_small, checkNativeStack);
    t.throws(runWide, InvariantError, 'a small stack is no verdict on the contract');
  });

  t.test('with the stack of a node', async (t) => {
    const file = fileURLToPath(import.meta.url);
    const child = spawnSync(process.execPath, ['--stack-size=6500', file, 'large-stack'], { encoding: 'utf8' });
    t.equal(child.status, 0, child.stdout + child.stderr);
  });
}
