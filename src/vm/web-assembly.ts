import { setFlagsFromString } from 'node:v8'; // nondet-ok: chooses a compiler, both give the same results

/**
 * The few parts of the JavaScript API of WebAssembly that the engine uses. Compiling and running are synchronous and
 * pure: the result depends on the bytes alone.
 */

export interface WasmMemory {
  /** Another object after the memory has grown. */
  readonly buffer: ArrayBuffer;
}

export interface WasmTable {
  /** null: nothing was ever put there. */
  get(index: number): unknown;
}

export interface WasmGlobal<V extends number | bigint> {
  value: V;
}

export interface CompiledModule {
  readonly brand?: 'WebAssembly.Module';
}

export type WasmImports = Readonly<Record<string, Readonly<Record<string, (...args: never[]) => unknown>>>>;

interface WasmApi {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => CompiledModule;
  readonly Instance: new (module: CompiledModule, imports: WasmImports) => { readonly exports: unknown };
  readonly RuntimeError: new (message?: string) => Error;
  readonly CompileError: new () => Error;
}

/** A global of every JavaScript engine; Node's type definitions leave it out. */
export const webAssembly = (globalThis as unknown as { readonly WebAssembly: WasmApi }).WebAssembly;

// Quirk of the engine: its optimising compiler may keep thousands of values of a function on the native stack, whatever
// locals and operands that has, and decides in the background when it does. Then a contract that had run yesterday would
// run out of stack today, on some machines. Nor is there a bound to the memory that it takes for a function of megabytes.
// The frames of the baseline compiler hold locals and operands, which the module counts.
setFlagsFromString('--no-wasm-tier-up');
setFlagsFromString('--no-wasm-dynamic-tiering');

/** What every instrumented module exports. */
export interface ContractExports {
  /** The contract's own mutable globals, under names with a space that no other export has. */
  readonly [global: `global ${number}`]: WasmGlobal<number | bigint>;
  /** Of profiled modules: what each function of the contract has counted. */
  readonly [counter: `instructions ${number}` | `calls ${number}`]: WasmGlobal<bigint>;
  readonly apply: (receiver: bigint, code: bigint, action: bigint) => void;
  readonly start?: () => void;
  readonly memory?: WasmMemory;
  readonly instructions: WasmGlobal<bigint>;
  /** Levels of calls that are left, of compiled code alone: an interpreter counts anew for each action. */
  readonly depth?: WasmGlobal<bigint>;
  readonly trap: WasmGlobal<number>;
  readonly pages: WasmGlobal<number>;
  readonly slot: WasmGlobal<number>;
  readonly table?: WasmTable;
}
