import { invariant } from '../../base/errors.js';
import { type DataRange, startCostOf } from '../contract-start.js';
import { TRAP } from '../float-helpers.js';
import type { WasmModule } from '../wasm/module.js';
import type { ContractExports, WasmImports } from '../web-assembly.js';
import { Budget } from './budget.js';
import { type HostFunction, Interpreter } from './interpreter.js';
import { Machine } from './machine.js';
import { Program } from './program.js';

export interface InterpretOptions {
  readonly isProfiled?: boolean;
  readonly instructionPrice?: number;
}

/** What is larger than the compiler is given: parameters of a type, bytes of a frame, or steps to compile all of it. */
export interface CompilerBound {
  readonly bound: 'parameters' | 'frame_bytes' | 'compile_steps';
  readonly found: number;
  readonly max: number;
}

/** What traps of compiled code leave behind; an interpreter says it all in its error. */
const NO_TRAP = { trap: { value: TRAP.none }, slot: { value: 0 } };

/** Up to twelve times their bytes, where compiled ones take about three times. */
const DECODED_FACTOR = 4;

/**
 * A contract that the compiler of the JavaScript engine is not given, see `load-contract.ts`. It does what the compiled
 * code would do, and refuses the same for the same reasons.
 */
export class InterpretedContract {
  /** More than there are, because decoded functions take more room than compiled ones. */
  readonly codeBytes: number;
  readonly startCost: number;
  readonly reason: CompilerBound | 'asked for' | 'refused by the compiler' | 'shrinks its memory';
  private readonly source: WasmModule;
  private readonly program: Program;
  private readonly data: readonly DataRange[];
  private readonly applyIndex: number;
  private readonly isProfiled: boolean;

  constructor(
    source: WasmModule,
    data: readonly DataRange[],
    reason: InterpretedContract['reason'],
    options: InterpretOptions = {},
  ) {
    const apply = source.exports.find(({ name, kind }) => name === 'apply' && kind === 'function');
    invariant(apply !== undefined, 'a module that is loaded exports apply');
    this.codeBytes = DECODED_FACTOR * source.bytes.length;
    this.reason = reason;
    this.source = source;
    this.program = new Program(source, options.instructionPrice);
    this.startCost = startCostOf(source, this.program.tableEntries);
    this.data = data;
    this.applyIndex = apply.index;
    this.isProfiled = options.isProfiled ?? false;
  }

  /** Exports of an instance in its initial state; memory holds the data segments. */
  instance(imports: WasmImports): ContractExports {
    const { functionImports, memories, start } = this.source;
    const machine = new Machine(this.source);
    const memory = new Uint8Array(machine.linearMemory.buffer);
    for (const { base, bytes } of this.data) memory.set(bytes, base);
    const hosts = functionImports.map(({ name }) => imports.env?.[name] as HostFunction);
    const interpreter = new Interpreter(this.program, machine, hosts, this.isProfiled);
    const call = (index: number, ...args: bigint[]): void => {
      // An imported function that is exported again is called as it is.
      const host = hosts[index];
      if (host === undefined) interpreter.call(index - hosts.length, args);
      else host(...args);
    };
    return {
      apply: (...args) => call(this.applyIndex, ...args),
      ...(start === undefined ? {} : { start: () => call(start) }),
      ...(memories.length === 0 ? {} : { memory: machine.linearMemory }),
      pages: machine.linearMemory.pages,
      instructions: new Budget(machine),
      ...NO_TRAP,
      ...interpreter.counters,
    };
  }

  /** A new instance costs next to nothing, so none is used again. */
  release(): boolean {
    return false;
  }

  forgetInstance(): void {
    // There is none.
  }
}
