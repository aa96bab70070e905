import { ChainError, check, type ErrorData, type ErrorRow, fail, invariant } from '../base/errors.js';
import { COST } from './cost.js';
import { RUN_ERRORS } from './errors.js';
import { TRAP } from './float-helpers.js';
import { HOST_TYPES } from './host/index.js';
import { INITIAL_DEPTH, type InstrumentOptions, instrument, type MutableGlobal } from './instrument.js';
import { memoryPagesMax, VM_LIMITS, WASM_PAGE_BYTES } from './limits.js';
import { APPLY_TYPE, applyType, isImportKnown } from './validate.js';
import { type Initialiser, sameParameters, type WasmModule } from './wasm/module.js';
import { parseModule } from './wasm/parse.js';
import { typeCheck } from './wasm/type-check.js';
import {
  type CompiledModule,
  type ContractExports,
  type WasmGlobal,
  type WasmImports,
  webAssembly,
} from './web-assembly.js';

/** A contract ready to be instantiated: compiled code, and what the engine does by itself at the start of an action. */
class CompiledContract {
  readonly codeBytes: number;
  /** Price of getting an instance ready. */
  readonly startCost: number;
  private readonly module: CompiledModule;
  private readonly data: readonly DataRange[];
  private readonly globals: readonly MutableGlobal[];
  private readonly memoryBytes: number;
  /** An instance whose last action succeeded. Contracts do not interrupt each other, so one is enough. */
  private idle: ContractExports | undefined;

  constructor(
    source: WasmModule,
    module: CompiledModule,
    data: readonly DataRange[],
    globals: readonly MutableGlobal[],
  ) {
    this.codeBytes = source.bytes.length;
    this.module = module;
    this.data = data;
    this.globals = globals;
    this.memoryBytes = memoryBytesOf(source);
    this.startCost = startCostOf(source);
  }

  /** Exports of an instance in its initial state; memory holds the data segments. */
  instance(imports: WasmImports): ContractExports {
    const exports = this.idle ?? (new webAssembly.Instance(this.module, imports).exports as ContractExports);
    if (exports === this.idle) this.clear(exports);
    this.idle = undefined;
    if (this.data.length > 0 && exports.memory !== undefined) {
      const memory = new Uint8Array(exports.memory.buffer);
      for (const { base, bytes } of this.data) memory.set(bytes, base);
    }
    return exports;
  }

  /** Whether the instance can be used again. Tables cannot change; everything else is set anew. */
  release(exports: ContractExports): boolean {
    const small = this.memoryBytes <= VM_LIMITS.reused_memory_bytes_max;
    const sameSize = (exports.memory?.buffer.byteLength ?? 0) === this.memoryBytes;
    if (small && sameSize && this.globals.every(canBeReset)) this.idle = exports;
    return this.idle !== undefined;
  }

  forgetInstance(): void {
    this.idle = undefined;
  }

  private clear(exports: ContractExports): void {
    if (exports.memory !== undefined) new Uint8Array(exports.memory.buffer).fill(0);
    for (const { name, initial } of this.globals)
      (exports[name as `global ${number}`] as WasmGlobal<number | bigint>).value = initial;
    exports.depth.value = INITIAL_DEPTH;
    exports.trap.value = TRAP.none;
    exports.pages.value = this.memoryBytes / WASM_PAGE_BYTES;
  }
}

interface DataRange {
  readonly base: number;
  readonly bytes: Uint8Array;
}

const memoryBytesOf = ({ memories }: WasmModule): number => (memories[0]?.min ?? 0) * WASM_PAGE_BYTES;

const compileStepsOf = ({ bodies }: WasmModule): number => bodies.reduce((sum, body) => sum + body.compileSteps, 0);

/** Steps that no compiler of contracts asks for, and that somebody has to pay for. */
function compileStepsBilled(source: WasmModule): number {
  const free = VM_LIMITS.compile_steps_free + VM_LIMITS.compile_steps_free_per_byte * source.bytes.length;
  return Math.max(compileStepsOf(source) - free, 0);
}

function startCostOf(source: WasmModule): number {
  const { globals, functionImports } = source;
  const repeated = functionImports.length - new Set(functionImports.map(({ name }) => name)).size;
  const pages = memoryBytesOf(source) / WASM_PAGE_BYTES;
  const parts = pages * COST.memory_page + globals.length * COST.global + repeated * COST.repeated_import;
  return COST.action + parts + compileStepsBilled(source) * COST.compile_step;
}

/**
 * What data segments leave in a memory of zeros, in few ranges: there may be thousands of segments, over each other or
 * of a byte each, and all of it is copied for every action.
 */
export function joinedData(given: readonly DataRange[]): DataRange[] {
  const segments = given.filter(({ bytes }) => bytes.length > 0);
  const spans: { start: number; end: number }[] = [];
  for (const { base, bytes } of [...segments].sort((a, b) => a.base - b.base)) {
    const last = spans[spans.length - 1];
    const end = base + bytes.length;
    // Zeros in between are copied with the rest, as long as they are no more than a page.
    if (last !== undefined && base - last.end < WASM_PAGE_BYTES) last.end = Math.max(last.end, end);
    else spans.push({ start: base, end });
  }
  const ranges = spans.map(({ start, end }) => ({ base: start, bytes: new Uint8Array(end - start) }));
  for (const { base, bytes } of segments) {
    const range = ranges.findLast((one) => one.base <= base);
    invariant(range !== undefined, 'every segment lies in a span');
    range.bytes.set(bytes, base - range.base);
  }
  return ranges;
}

/** JavaScript may change the bits of a NaN. */
function canBeReset({ initial }: MutableGlobal): boolean {
  return !(typeof initial === 'number' && Number.isNaN(initial));
}

const baseOf = (init: Initialiser): number => (init.kind === 'const' ? Number(init.bits) : 0);

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

/** What the compiler has no room or time for, on any machine: the reference interprets, and has both. */
function checkCompilable(module: WasmModule): void {
  const { operands_max, compile_steps_max } = VM_LIMITS;
  const isLow = module.bodies.every(({ operandsMax }) => operandsMax <= operands_max);
  check(isLow, RUN_ERRORS.contract_engine_limit, {
    reason: `a function has more than ${operands_max} operands at once`,
  });
  check(compileStepsOf(module) <= compile_steps_max, RUN_ERRORS.contract_engine_limit, {
    reason: 'it has too many branches in functions with many locals or operands',
  });
}

/** Parses, type-checks, instruments and compiles. */
export function compileContract(code: Uint8Array, options: InstrumentOptions = {}): CompiledContract {
  const module = parseModule(code);
  typeCheck(module);
  checkLoadable(module);
  checkCompilable(module);
  const memoryBytes = memoryBytesOf(module);
  const data = module.data.map(({ base, bytes }) => ({ base: baseOf(base), bytes }));
  for (const { base, bytes } of data) {
    check(base < memoryBytes && base + bytes.length <= memoryBytes, RUN_ERRORS.contract_data_range);
  }
  const { bytes, globals } = instrument(module, options);
  return new CompiledContract(module, compile(bytes), joinedData(data), globals);
}

function compile(bytes: Uint8Array<ArrayBuffer>): CompiledModule {
  try {
    return new webAssembly.Module(bytes);
  } catch (error) {
    // Code that passed our checks is refused for more than 1000 parameters only: functions that the meter makes too large
    // have its compact form.
    if (error instanceof webAssembly.CompileError) {
      return fail(RUN_ERRORS.contract_engine_limit, { reason: error.message });
    }
    throw error;
  }
}

/** Why a contract does not run at all: the same for every call of it, and as dear to find out as to compile it. */
class RefusedContract {
  readonly codeBytes: number;
  private readonly row: ErrorRow;
  private readonly data: ErrorData;

  constructor(codeBytes: number, { row, data }: ChainError) {
    this.codeBytes = codeBytes;
    this.row = row;
    this.data = data;
  }

  /** Anew for each call, because an error gathers where it has come through. */
  throw(): never {
    fail(this.row, this.data);
  }
}

/** Least recently used contracts leave first, and instances that wait before the compiled code they are of. */
export class ContractCache {
  private readonly options: InstrumentOptions;
  private readonly bytesMax: number;
  private readonly entries = new Map<string, CompiledContract | RefusedContract>();
  private readonly idle = new Set<CompiledContract>();
  private bytes = 0;

  constructor(options: InstrumentOptions = {}, bytesMax: number = VM_LIMITS.module_cache_bytes_max) {
    this.options = options;
    this.bytesMax = bytesMax;
  }

  get(codeVersion: string, code: Uint8Array): CompiledContract {
    let contract = this.entries.get(codeVersion);
    if (contract === undefined) {
      contract = this.compile(code);
      this.bytes += bytesOf(contract);
    } else this.entries.delete(codeVersion);
    this.entries.set(codeVersion, contract);
    this.evict();
    return contract instanceof RefusedContract ? contract.throw() : contract;
  }

  /** Takes back an instance after an action that succeeded. */
  release(contract: CompiledContract, exports: ContractExports): void {
    this.idle.delete(contract);
    if (!contract.release(exports)) return;
    this.idle.add(contract);
    if (this.idle.size <= VM_LIMITS.idle_instances_max) return;
    for (const oldest of this.idle) {
      this.forget(oldest);
      return;
    }
  }

  private forget(contract: CompiledContract): void {
    contract.forgetInstance();
    this.idle.delete(contract);
  }

  private compile(code: Uint8Array): CompiledContract | RefusedContract {
    try {
      return compileContract(code, this.options);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      return new RefusedContract(code.length, error);
    }
  }

  get size(): number {
    return this.entries.size;
  }

  get idleInstances(): number {
    return this.idle.size;
  }

  private evict(): void {
    for (const [codeVersion, contract] of this.entries) {
      if (this.bytes <= this.bytesMax || this.entries.size === 1) return;
      this.entries.delete(codeVersion);
      this.bytes -= bytesOf(contract);
      if (contract instanceof CompiledContract) this.forget(contract);
    }
  }
}

const bytesOf = ({ codeBytes }: CompiledContract | RefusedContract): number => codeBytes + VM_LIMITS.module_entry_bytes;
