import { check } from '../base/errors.js';
import { CompiledContract } from './compiled-contract.js';
import { baseOf, type DataRange, joinedData, memoryBytesOf } from './contract-start.js';
import { frameBytesOf } from './cost.js';
import { RUN_ERRORS } from './errors.js';
import { HOST_TYPES } from './host/index.js';
import { type CompilerBound, InterpretedContract } from './interpreted/interpreted-contract.js';
import { memoryPagesMax, VM_LIMITS } from './limits.js';
import type { MeterChoice } from './rewrite-function.js';
import { APPLY_TYPE, applyType, isImportKnown } from './validate.js';
import { sameParameters, type WasmModule } from './wasm/module.js';
import { parseModule } from './wasm/parse.js';
import { typeCheck } from './wasm/type-check.js';
import { webAssembly } from './web-assembly.js';

export type LoadedContract = CompiledContract | InterpretedContract;

/** How contracts run: as their code asks for, or all of them in one way, as tests want it. */
export type Execution = MeterChoice | 'interpreted';

export interface LoadOptions {
  readonly isProfiled?: boolean;
  readonly execution?: Execution;
  /** It wants to give memory back, which compiled code cannot do. */
  readonly isShrinking?: boolean;
}

/**
 * What the interpreter of the reference wants when it loads a contract. The limits of deployment are not asked for
 * again: contracts from before there were any go on running. What is refused here may have been deployed all the same,
 * and fails every call.
 */
function checkLoadable(module: WasmModule): void {
  for (const entry of module.imports) {
    const { module: from, name } = entry;
    check(isImportKnown(entry, HOST_TYPES), RUN_ERRORS.contract_import_unknown, { module: from, name });
  }
  const defined = module.functionTypes.length - module.functionImports.length;
  check(module.bodies.length === defined, RUN_ERRORS.contract_bodies_missing);
  check(!module.bodies.some(({ hasTrailingCode }) => hasTrailingCode), RUN_ERRORS.contract_trailing_code);
  for (const size of module.memories) {
    const max = memoryPagesMax(size);
    check(size.min <= max, RUN_ERRORS.contract_memory_bounds, { min: size.min, max });
  }
  const tableSize = module.tables[0]?.min ?? 0;
  for (const { base, functions } of module.elements) {
    check(baseOf(base) + functions.length <= tableSize, RUN_ERRORS.contract_elements_range);
  }
  const apply = applyType(module);
  check(apply !== undefined, RUN_ERRORS.contract_apply_missing);
  // What it leaves on the stack is nobody's business.
  check(sameParameters(apply, APPLY_TYPE), RUN_ERRORS.contract_apply_type);
}

/**
 * What the compiler of the JavaScript engine has no room or time for, if there is something. The native stack has to
 * hold every chain of calls that the levels allow.
 */
function beyondCompiler({ types, bodies, bytes }: WasmModule): CompilerBound | undefined {
  const { parameters_max, call_depth_max, frame_stack_bytes_max } = VM_LIMITS;
  const parameters = types.reduce((most, type) => Math.max(most, type.parameters.length), 0);
  if (parameters > parameters_max) return { bound: 'parameters', found: parameters, max: parameters_max };
  const widest = bodies.reduce((most, body) => Math.max(most, frameBytesOf(body)), 0);
  const frameMax = Math.floor(frame_stack_bytes_max / (call_depth_max + 1));
  if (widest > frameMax) return { bound: 'frame_bytes', found: widest, max: frameMax };
  const steps = bodies.reduce((sum, body) => sum + body.compileSteps, 0);
  const stepsMax = VM_LIMITS.compile_steps_max + VM_LIMITS.compile_steps_max_per_byte * bytes.length;
  return steps > stepsMax ? { bound: 'compile_steps', found: steps, max: stepsMax } : undefined;
}

/** What data segments leave in memory. */
function dataOf(module: WasmModule): DataRange[] {
  const memoryBytes = memoryBytesOf(module);
  const data = module.data.map(({ base, bytes }) => ({ base: baseOf(base), bytes }));
  for (const { base, bytes } of data) {
    check(base < memoryBytes && base + bytes.length <= memoryBytes, RUN_ERRORS.contract_data_range);
  }
  return joinedData(data);
}

/** Undefined for code that is refused for a limit of the compiler that is not known here. */
function compile(...args: ConstructorParameters<typeof CompiledContract>): CompiledContract | undefined {
  try {
    return new CompiledContract(...args);
  } catch (error) {
    if (!(error instanceof webAssembly.CompileError)) throw error;
    return undefined;
  }
}

/** Parses and type-checks, then compiles what can be compiled. */
export function loadContract(code: Uint8Array, options: LoadOptions = {}): LoadedContract {
  const { isProfiled = false, execution = 'by size', isShrinking = false } = options;
  const module = parseModule(code);
  typeCheck(module);
  checkLoadable(module);
  const data = dataOf(module);
  if (isShrinking || execution === 'interpreted') {
    // At the price of compiled code: whoever asks for a way of running compares them.
    const price = execution === 'by size' ? {} : { instructionPrice: 1 };
    const reason = isShrinking ? 'shrinks its memory' : 'asked for';
    return new InterpretedContract(module, data, reason, { isProfiled, ...price });
  }
  const beyond = beyondCompiler(module);
  const compiled = beyond === undefined ? compile(module, data, { isProfiled, meter: execution }) : undefined;
  return compiled ?? new InterpretedContract(module, data, beyond ?? 'refused by the compiler', { isProfiled });
}
