import { ChainError, InvariantError, invariant } from '../base/errors.js';
import { RUN_ERRORS } from './errors.js';
import { conversionName, TRAP } from './float-helpers.js';
import { VM_LIMITS } from './limits.js';
import { type ContractExports, webAssembly } from './web-assembly.js';

const SIGNATURE_MISMATCH = 'indirect call signature mismatch';

/** Texts of the interpreter by those of the engine. They are for people; which of them appears decides nothing. */
const TRAP_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/unreachable/, 'unreachable executed'],
  [/memory access out of bounds/, 'out of bounds memory access'],
  [/divide by zero|remainder by zero/, 'integer divide by zero'],
  [/divide result unrepresentable/, 'integer overflow'],
  [/table index is out of bounds/, 'undefined table index'],
  [/null function|signature mismatch/, SIGNATURE_MISMATCH],
];

function trapText(message: string, { slot, table }: ContractExports): string {
  const text = TRAP_TEXTS.find(([pattern]) => pattern.test(message))?.[1] ?? message;
  // The engine has one message for both.
  return text === SIGNATURE_MISMATCH && table?.get(slot.value) === null ? 'uninitialized table element' : text;
}

/** What a failed execution means to the chain; errors that are our own bugs come back as they are. */
export function errorOfTrap(error: unknown, exports: ContractExports, inStart: boolean): unknown {
  if (error instanceof RangeError) {
    // Never a verdict on the contract: another machine would have had room.
    return new InvariantError(`the native stack holds ${VM_LIMITS.native_stack_bytes_min} bytes: ${error.message}`);
  }
  if (!(error instanceof webAssembly.RuntimeError)) return error;
  const trap = exports.trap.value;
  switch (trap) {
    case TRAP.instructions:
      return new ChainError(RUN_ERRORS.contract_time_exceeded);
    case TRAP.depth:
      return new ChainError(RUN_ERRORS.contract_call_depth);
    case TRAP.memory:
      return new InvariantError('the machine has the memory that a contract may use');
    case TRAP.none: {
      const s = trapText(error.message, exports);
      return new ChainError(inStart ? RUN_ERRORS.contract_trap_in_start : RUN_ERRORS.contract_trap, { s });
    }
    default: {
      const unrepresentable = trap >= TRAP.unrepresentable_first;
      const op = trap - (unrepresentable ? TRAP.unrepresentable_first : TRAP.overflow_first);
      invariant(op >= 0xa8 && op <= 0xb1, 'instrumented code sets known traps only');
      return new ChainError(RUN_ERRORS.contract_float_conversion, {
        operation: conversionName(op),
        reason: unrepresentable ? 'unrepresentable' : 'overflow',
      });
    }
  }
}
