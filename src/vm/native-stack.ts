import { defineErrors, fail } from '../base/errors.js';
import { HOST_TYPES } from './host/index.js';
import { instrument } from './instrument.js';
import { VM_LIMITS } from './limits.js';
import { validateModule } from './validate.js';
import { Assembler, writeLocals } from './wasm/assembler.js';
import { ByteWriter } from './wasm/byte-writer.js';
import { I32, I64 } from './wasm/module.js';
import { OP } from './wasm/opcodes.js';
import { type ContractExports, webAssembly } from './web-assembly.js';

export const STACK_ERRORS = defineErrors({
  native_stack_too_small: {
    kind: 'environment',
    text: 'contracts need a native stack of ${bytes} bytes: start the process with --stack-size=${kilobytes}',
  },
});

/**
 * Runs the deepest chain of the widest frames that a contract may build. A process that cannot do this must not apply
 * blocks, because it would stop at contracts that are valid. Call it once, at the start of a node.
 */
export function checkNativeStack(): void {
  const { bytes } = instrument(validateModule(widestRecursion(), HOST_TYPES));
  const exports = new webAssembly.Instance(new webAssembly.Module(bytes), {}).exports as ContractExports;
  exports.instructions.value = 1n << 40n;
  try {
    exports.apply(0n, 0n, 0n);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    fail(STACK_ERRORS.native_stack_too_small, {
      bytes: VM_LIMITS.native_stack_bytes_min,
      kilobytes: VM_LIMITS.native_stack_bytes_min / 1024,
    });
  }
}

/** 250 nested calls, each with 8 KiB of locals that stay in use across the call. */
function widestRecursion(): Uint8Array {
  const locals = VM_LIMITS.locals_max - 1;
  const recursion = new Assembler();
  writeLocals(recursion, new Array(locals).fill(I32));
  for (let local = 1; local <= locals; local++) recursion.localGet(0).i32(local).op(0x6a).localSet(local);
  recursion.localGet(0).op(OP.if).u8(I32).localGet(0).i32(1).op(0x6b).call(0).op(OP.else).i32(0).end();
  for (let local = 1; local <= locals; local++) recursion.localGet(local).op(0x6a);
  recursion.end();
  const apply = new Assembler();
  apply.u32(0);
  apply
    .i32(VM_LIMITS.call_depth_max - 1)
    .call(0)
    .op(OP.drop)
    .end();
  const code = new ByteWriter().u32(2);
  for (const body of [recursion, apply]) code.u32(body.length).raw(body.view());
  return new ByteWriter()
    .raw([0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0])
    .section(1, new ByteWriter().u32(2).raw([0x60, 1, I32, 1, I32, 0x60, 3, I64, I64, I64, 0]))
    .section(3, new ByteWriter().raw([2, 0, 1]))
    .section(7, new ByteWriter().u32(1).name('apply').raw([0, 1]))
    .section(10, code)
    .finish();
}
