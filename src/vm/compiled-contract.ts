import { check, fail } from '../base/errors.js';
import { RUN_ERRORS } from './errors.js';
import { HOST_TYPES } from './host/index.js';
import { instrument } from './instrument.js';
import { VM_LIMITS, WASM_PAGE_BYTES } from './limits.js';
import { validateModule } from './validate.js';
import type { Initialiser } from './wasm/module.js';
import { type CompiledModule, webAssembly } from './web-assembly.js';

/** A contract ready to be instantiated: compiled code, and what the engine does by itself at the start of an action. */
export interface CompiledContract {
  readonly module: CompiledModule;
  readonly data: readonly { readonly base: number; readonly bytes: Uint8Array }[];
  readonly codeBytes: number;
}

const baseOf = (init: Initialiser): number => (init.kind === 'const' ? Number(init.bits) : 0);

/**
 * Validates, instruments and compiles. Segments that do not fit pass the deployment check and fail every call, as in
 * the reference.
 */
export function compileContract(code: Uint8Array): CompiledContract {
  const module = validateModule(code, HOST_TYPES);
  const tableSize = module.tables[0]?.min ?? 0;
  for (const { base, functions } of module.elements) {
    check(baseOf(base) + functions.length <= tableSize, RUN_ERRORS.contract_elements_range);
  }
  const memoryBytes = (module.memories[0]?.min ?? 0) * WASM_PAGE_BYTES;
  const data = module.data.map(({ base, bytes }) => ({ base: baseOf(base), bytes }));
  for (const { base, bytes } of data) {
    check(base < memoryBytes && base + bytes.length <= memoryBytes, RUN_ERRORS.contract_data_range);
  }
  return { module: compile(instrument(module).bytes), data, codeBytes: code.length };
}

function compile(bytes: Uint8Array<ArrayBuffer>): CompiledModule {
  try {
    return new webAssembly.Module(bytes);
  } catch (error) {
    // Code that passed our validation is refused only for its size, e.g. more than 1000 parameters.
    if (error instanceof webAssembly.CompileError) {
      return fail(RUN_ERRORS.contract_engine_limit, { reason: error.message });
    }
    throw error;
  }
}

/** Least recently used contracts leave first; the bounds are entries and bytes of contract code. */
export class ContractCache {
  private readonly entries = new Map<string, CompiledContract>();
  private codeBytes = 0;

  get(codeVersion: string, code: Uint8Array): CompiledContract {
    let contract = this.entries.get(codeVersion);
    if (contract === undefined) {
      contract = compileContract(code);
      this.codeBytes += contract.codeBytes;
    } else this.entries.delete(codeVersion);
    this.entries.set(codeVersion, contract);
    this.evict();
    return contract;
  }

  get size(): number {
    return this.entries.size;
  }

  private evict(): void {
    for (const [codeVersion, { codeBytes }] of this.entries) {
      const fits =
        this.entries.size <= VM_LIMITS.module_cache_entries_max &&
        this.codeBytes <= VM_LIMITS.module_cache_code_bytes_max;
      if (fits || this.entries.size === 1) return;
      this.entries.delete(codeVersion);
      this.codeBytes -= codeBytes;
    }
  }
}
