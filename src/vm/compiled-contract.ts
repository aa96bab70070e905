import { type DataRange, memoryBytesOf, startCostOf } from './contract-start.js';
import { TRAP } from './float-helpers.js';
import { INITIAL_DEPTH, type InstrumentOptions, instrument, type MutableGlobal } from './instrument.js';
import { VM_LIMITS } from './limits.js';
import type { WasmModule } from './wasm/module.js';
import {
  type CompiledModule,
  type ContractExports,
  type WasmGlobal,
  type WasmImports,
  webAssembly,
} from './web-assembly.js';

/** A contract ready to be instantiated: compiled code, and what the engine does by itself at the start of an action. */
export class CompiledContract {
  readonly codeBytes: number;
  /** Price of getting an instance ready. */
  readonly startCost: number;
  private readonly module: CompiledModule;
  private readonly data: readonly DataRange[];
  private readonly globals: readonly MutableGlobal[];
  private readonly memoryBytes: number;
  /** An instance whose last action succeeded. Contracts do not interrupt each other, so one is enough. */
  private idle: ContractExports | undefined;

  constructor(source: WasmModule, data: readonly DataRange[], options: InstrumentOptions) {
    const { bytes, globals, tableEntries } = instrument(source, options);
    this.codeBytes = source.bytes.length;
    this.module = new webAssembly.Module(bytes);
    this.data = data;
    this.globals = globals;
    this.memoryBytes = memoryBytesOf(source);
    this.startCost = startCostOf(source, tableEntries);
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
    if (exports.depth !== undefined) exports.depth.value = INITIAL_DEPTH;
    exports.trap.value = TRAP.none;
  }
}

/** JavaScript may change the bits of a NaN. */
function canBeReset({ initial }: MutableGlobal): boolean {
  return !(typeof initial === 'number' && Number.isNaN(initial));
}
