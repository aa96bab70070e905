import { ChainError, check } from '../base/errors.js';
import { DEPLOY_ERRORS } from './errors.js';
import { VM_LIMITS, WASM_PAGE_BYTES } from './limits.js';
import { InstructionReader } from './wasm/instruction.js';
import {
  EMPTY,
  type FunctionType,
  I64,
  type ImportEntry,
  sameType,
  typeBytes,
  type WasmModule,
} from './wasm/module.js';
import { OP } from './wasm/opcodes.js';
import { parseModule } from './wasm/parse.js';
import { typeCheck } from './wasm/type-check.js';

/** Types of the functions that a contract can import from `env`. */
export type ImportTypes = ReadonlyMap<string, FunctionType>;

export const APPLY_TYPE: FunctionType = { parameters: [I64, I64, I64], result: EMPTY };

/** The order is the reference's: it decides which error is seen. */
const RULES: readonly ((module: WasmModule, imports: ImportTypes) => void)[] = [
  typeCheck,
  checkMemory,
  checkData,
  checkTable,
  checkMutableGlobals,
  checkFrames,
  checkApply,
  checkInstructions,
  checkImports,
];

/** The deployment check of contract code. */
export function validateModule(code: Uint8Array, imports: ImportTypes): WasmModule {
  const module = parseModule(code);
  for (const rule of RULES) rule(module, imports);
  return module;
}

/** For authors of contracts: every rule that a module breaks, where a deployment ends with the first one. */
export function brokenRules(module: WasmModule, imports: ImportTypes): ChainError[] {
  const errors: ChainError[] = [];
  for (const rule of RULES) {
    try {
      rule(module, imports);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      errors.push(error);
    }
  }
  return errors;
}

/** Whether a contract may import this. */
export function isImportKnown(entry: ImportEntry, imports: ImportTypes): boolean {
  const expected = entry.module === 'env' ? imports.get(entry.name) : undefined;
  return entry.type !== undefined && expected !== undefined && sameType(entry.type, expected);
}

function checkMemory(module: WasmModule): void {
  const limit = (VM_LIMITS.memory_pages_max * WASM_PAGE_BYTES) / 1024;
  for (const { min } of module.memories) {
    check(min <= VM_LIMITS.memory_pages_max, DEPLOY_ERRORS.wasm_memory_size, { limit });
  }
}

/** Whether the data fits the memory is looked at when the contract first runs, not here. */
function checkData(module: WasmModule): void {
  for (const { base, bytes } of module.data) {
    check(base.kind === 'const', DEPLOY_ERRORS.wasm_data_base);
    const end = Number(base.bits) + bytes.length;
    check(end <= VM_LIMITS.data_end_max, DEPLOY_ERRORS.wasm_data_range, { limit: VM_LIMITS.data_end_max / 1024 });
  }
}

function checkTable(module: WasmModule): void {
  const limit = VM_LIMITS.table_elements_max;
  for (const { min } of module.tables) check(min <= limit, DEPLOY_ERRORS.wasm_table_size, { limit });
}

function checkMutableGlobals(module: WasmModule): void {
  const limit = VM_LIMITS.mutable_global_bytes_max;
  let bytes = 0;
  for (const { type, mutable } of module.globals) if (mutable) bytes += typeBytes(type);
  check(bytes <= limit, DEPLOY_ERRORS.wasm_mutable_globals, { limit });
}

function checkFrames(module: WasmModule): void {
  const limit = VM_LIMITS.frame_bytes_max;
  for (const { type, locals } of module.bodies) {
    let bytes = 0;
    for (const parameter of type.parameters) bytes += typeBytes(parameter);
    for (const local of locals) bytes += typeBytes(local);
    check(bytes <= limit, DEPLOY_ERRORS.wasm_stack_usage, { limit });
  }
}

/** Type of the function that is exported as `apply`. */
export function applyType(module: WasmModule): FunctionType | undefined {
  const apply = module.exports.find(({ name, kind }) => name === 'apply' && kind === 'function');
  return apply === undefined ? undefined : module.types[module.functionTypes[apply.index] as number];
}

function checkApply(module: WasmModule): void {
  const type = applyType(module);
  check(type !== undefined && sameType(type, APPLY_TYPE), DEPLOY_ERRORS.wasm_apply_missing);
}

/**
 * Quirk: one nesting counter runs through all functions. `else` adds a level that has no `end` of its own, the end of
 * a function takes one away, and at zero an `end` adds instead.
 */
function checkInstructions(module: WasmModule): void {
  let nesting = 0;
  const deeper = (): void => {
    nesting++;
    check(nesting < VM_LIMITS.nesting_end, DEPLOY_ERRORS.wasm_nesting);
  };
  for (const { codeStart, codeEnd } of module.bodies) {
    const reader = new InstructionReader(module.bytes, codeStart, codeEnd);
    while (reader.at < codeEnd) {
      const op = reader.next();
      if (op >= OP.load_first && op <= OP.store_last) {
        check(reader.offset < VM_LIMITS.memory_offset_end, DEPLOY_ERRORS.wasm_memory_offset);
      } else if (op >= OP.block && op <= OP.else) deeper();
      else if (op === OP.end) {
        if (nesting > 0) nesting--;
        else deeper();
      }
    }
  }
}

function checkImports(module: WasmModule, imports: ImportTypes): void {
  for (const entry of module.imports) {
    const { module: from, name } = entry;
    check(isImportKnown(entry, imports), DEPLOY_ERRORS.wasm_import_refused, { module: from, name });
  }
}
