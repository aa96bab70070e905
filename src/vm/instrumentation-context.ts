import { invariant } from '../base/errors.js';
import { floatHelper } from './float-helpers.js';
import {
  bitsThunk,
  chargeHelper,
  checkedHost,
  growHelper,
  type Helper,
  type HelperContext,
  type MeterGlobals,
  slotHelper,
  tableThunk,
} from './helpers.js';
import { memoryPagesMax } from './limits.js';
import { EMPTY, F32, F64, type FunctionType, I32, I64, type ValueType, type WasmModule } from './wasm/module.js';

/** Globals that count for one function of the contract, when a module is profiled. */
export interface ProfileGlobals {
  readonly instructions: number;
  readonly calls: number;
}

/** What a function rewriter needs to know of the whole module, and the helpers collected on the way. */
export class InstrumentationContext implements HelperContext {
  readonly module: WasmModule;
  readonly globals: MeterGlobals;
  readonly types: FunctionType[];
  private readonly helpers: Helper[] = [];
  private readonly helperIndexes = new Map<string, number>();

  /** Whether every function counts its calls and its own instructions. */
  readonly isProfiled: boolean;

  constructor(module: WasmModule, isProfiled = false) {
    this.module = module;
    this.isProfiled = isProfiled;
    this.types = [...module.types];
    const first = module.globals.length;
    this.globals = { instructions: first, depth: first + 1, trap: first + 2, pages: first + 3, slot: first + 4 };
  }

  /** Two globals per function stand behind those of the meter. */
  get profileGlobalCount(): number {
    return this.isProfiled ? 2 * this.module.bodies.length : 0;
  }

  profileGlobals(body: number): ProfileGlobals {
    const first = this.globals.slot + 1 + 2 * body;
    return { instructions: first, calls: first + 1 };
  }

  typeIndex(type: FunctionType): number {
    return this.types.push(type) - 1;
  }

  get memoryPagesMax(): number {
    return memoryPagesMax(this.module.memories[0] ?? { max: undefined });
  }

  isImport(index: number): boolean {
    return index < this.module.functionImports.length;
  }

  functionType(index: number): FunctionType {
    const type = this.module.types[this.module.functionTypes[index] as number];
    invariant(type !== undefined, 'a validated module names existing functions');
    return type;
  }

  /** Function index of the helper that is made by `build` when it is wanted for the first time. */
  private helper(key: string, build: () => Helper): number {
    let index = this.helperIndexes.get(key);
    if (index === undefined) {
      const helper = build();
      index = this.module.functionTypes.length + this.helpers.push(helper) - 1;
      this.helperIndexes.set(key, index);
    }
    return index;
  }

  floatHelper(op: number): number {
    return this.helper(`float ${op}`, () => {
      const helper = floatHelper(op, this.globals.trap);
      invariant(helper !== undefined, 'only replaced float operations ask for a helper');
      return { typeIndex: this.typeIndex(helper.type), locals: helper.locals, code: helper.code };
    });
  }

  growHelper(): number {
    return this.helper('grow', () => growHelper(this));
  }

  chargeHelper(cost: number | undefined, isChecked: boolean, counted: number | undefined): number {
    return this.helper(`charge ${cost} ${isChecked} ${counted}`, () => chargeHelper(this, cost, isChecked, counted));
  }

  slotHelper(): number {
    return this.helper('slot', () => slotHelper(this));
  }

  checkedHost(index: number): number {
    return this.helper(`checked ${index}`, () => checkedHost(this, index));
  }

  /** What a direct call of the function becomes: host functions with floats are reached through their bits. */
  callee(index: number): number {
    if (!this.isImport(index) || !hasFloats(this.functionType(index))) return index;
    return this.helper(`bits ${index}`, () => bitsThunk(this, index));
  }

  /** A host function in a table does its own metering, because the caller does not know whom it calls. */
  tableEntry(index: number): number {
    return this.isImport(index) ? this.helper(`table ${index}`, () => tableThunk(this, index)) : index;
  }

  get helperList(): readonly Helper[] {
    return this.helpers;
  }
}

export function hasFloats(type: FunctionType): boolean {
  return type.result === F32 || type.result === F64 || type.parameters.some((p) => p === F32 || p === F64);
}

/** The same type with floats as integers of their width. */
export function bitsType(type: FunctionType): FunctionType {
  const bits = (value: ValueType): ValueType => (value === F32 ? I32 : value === F64 ? I64 : value);
  return { parameters: type.parameters.map(bits), result: type.result === EMPTY ? EMPTY : bits(type.result) };
}
