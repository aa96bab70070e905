import { COST } from './cost.js';
import { TRAP } from './float-helpers.js';
import { Assembler } from './wasm/assembler.js';
import { EMPTY, F32, F64, type FunctionType, I32, I64, type ValueType } from './wasm/module.js';
import { OP } from './wasm/opcodes.js';

/** Indexes of the globals that instrumentation adds. */
export interface MeterGlobals {
  readonly instructions: number;
  /** Levels of calls that are left. */
  readonly depth: number;
  readonly trap: number;
  readonly pages: number;
  /** Where in the table the last indirect call went. */
  readonly slot: number;
}

/** What helpers need to know of the module that they are added to. */
export interface HelperContext {
  readonly globals: MeterGlobals;
  readonly memoryPagesMax: number;
  functionType(index: number): FunctionType;
  /** Adds a type. */
  typeIndex(type: FunctionType): number;
  /** What a direct call of the function becomes. */
  callee(index: number): number;
}

/** A function that instrumentation adds to a module. `code` is without the final `end`. */
export interface Helper {
  readonly typeIndex: number;
  readonly locals: readonly ValueType[];
  readonly code: Uint8Array;
}

const I32_ADD = 0x6a;
const I32_MUL = 0x6c;
const I32_EQZ = 0x45;
const I32_EQ = 0x46;
const I32_LT_U = 0x49;
const I32_GT_U = 0x4b;
const I64_ADD = 0x7c;
const I64_SUB = 0x7d;
const I64_LT_S = 0x53;
const I64_EXTEND_U = 0xad;

function trapWith(a: Assembler, context: HelperContext, trap: number): void {
  a.i32(trap).globalSet(context.globals.trap).op(OP.unreachable);
}

/** Takes one level; `scratch` is an i64 local. The stack that a level takes is bounded where a contract is loaded. */
export function enterFrame(a: Assembler, context: HelperContext, scratch: number): void {
  const { depth } = context.globals;
  a.globalGet(depth).i64(1).op(I64_SUB).localTee(scratch).globalSet(depth);
  a.localGet(scratch).i64(0).op(I64_LT_S);
  a.when(() => trapWith(a, context, TRAP.depth));
}

export function leaveFrame(a: Assembler, context: HelperContext): void {
  addToGlobal(a, context.globals.depth, 1);
}

/** A host function needs a free level, but takes none: it cannot call back. */
export function checkDepthForHost(a: Assembler, context: HelperContext): void {
  a.globalGet(context.globals.depth).i64(1).op(I64_LT_S);
  a.when(() => trapWith(a, context, TRAP.depth));
}

/** Counts in a global. */
export function addToGlobal(a: Assembler, global: number, value: number): void {
  a.globalGet(global).i64(value).op(I64_ADD).globalSet(global);
}

/** Takes `cost` from the budget in local `budget`; with `check` stops when it is used up. */
export function charge(a: Assembler, context: HelperContext, cost: number, budget: number, check: boolean): void {
  a.localGet(budget).i64(cost).op(I64_SUB);
  if (!check) {
    a.localSet(budget);
    return;
  }
  a.localTee(budget).i64(0).op(I64_LT_S);
  a.when(() => trapWith(a, context, TRAP.instructions));
}

/** Takes a price from the budget in its global: that one, or one that is given. `counted` is a global of a profile. */
export function chargeHelper(
  context: HelperContext,
  cost: number | undefined,
  isChecked: boolean,
  counted: number | undefined,
): Helper {
  const { instructions } = context.globals;
  const [given, left] = [0, cost === undefined ? 1 : 0];
  const a = new Assembler();
  const price = (): Assembler => (cost === undefined ? a.localGet(given) : a.i64(cost));
  a.globalGet(instructions);
  price().op(I64_SUB).localTee(left).globalSet(instructions);
  if (isChecked) {
    a.localGet(left).i64(0).op(I64_LT_S);
    a.when(() => trapWith(a, context, TRAP.instructions));
  }
  if (counted !== undefined) {
    a.globalGet(counted);
    price().op(I64_ADD).globalSet(counted);
  }
  const typeIndex = context.typeIndex({ parameters: cost === undefined ? [I64] : [], result: EMPTY });
  return { typeIndex, locals: [I64], code: a.finish() };
}

/** Keeps where in the table an indirect call goes, and gives it back. */
export function slotHelper(context: HelperContext): Helper {
  const code = new Assembler().localGet(0).globalSet(context.globals.slot).localGet(0).finish();
  return { typeIndex: context.typeIndex({ parameters: [I32], result: I32 }), locals: [], code };
}

/** A host function behind the check of the level that it needs; it takes none. */
export function checkedHost(context: HelperContext, index: number): Helper {
  const type = context.functionType(index);
  const callee = context.callee(index);
  const a = new Assembler();
  checkDepthForHost(a, context);
  for (let i = 0; i < type.parameters.length; i++) a.localGet(i);
  a.call(callee);
  return { typeIndex: context.typeIndex(type), locals: [], code: a.finish() };
}

/**
 * `memory.grow` by the rule of the reference: sizes wrap at 2^32, so a huge argument shrinks the memory. No compiled code
 * can give memory back and trap behind its end from then on, so this asks for the interpreter.
 */
export function growHelper(context: HelperContext): Helper {
  const [argument, wanted, old] = [0, 1, 2];
  const { pages, instructions } = context.globals;
  const a = new Assembler();
  a.globalGet(pages).localTee(old).localGet(argument).op(I32_ADD).localTee(wanted);
  a.i32(context.memoryPagesMax).op(I32_GT_U);
  a.when(() => a.i32(-1).op(OP.return));
  a.localGet(wanted).localGet(old).op(I32_LT_U);
  a.when(() => trapWith(a, context, TRAP.shrink));
  // The engine makes a new buffer for no pages too, which takes longer than it is billed.
  a.localGet(argument).op(I32_EQZ);
  a.when(() => a.localGet(old).op(OP.return));
  a.globalGet(instructions).localGet(argument).i32(COST.memory_page).op(I32_MUL);
  a.op(I64_EXTEND_U).op(I64_SUB).globalSet(instructions);
  a.localGet(argument).raw([OP.memory_grow, 0]).i32(-1).op(I32_EQ);
  a.when(() => trapWith(a, context, TRAP.memory));
  a.localGet(wanted).globalSet(pages).localGet(old);
  return {
    typeIndex: context.typeIndex({ parameters: [I32], result: I32 }),
    locals: [I32, I32],
    code: a.finish(),
  };
}

/** Calls a host function whose floats travel as bits: through JavaScript a NaN could lose its payload. */
export function bitsThunk(context: HelperContext, index: number): Helper {
  const type = context.functionType(index);
  const a = new Assembler();
  type.parameters.forEach((parameter, i) => {
    a.localGet(i);
    if (parameter === F32) a.op(0xbc);
    else if (parameter === F64) a.op(0xbd);
  });
  a.call(index);
  if (type.result === F32) a.op(0xbe);
  else if (type.result === F64) a.op(0xbf);
  return { typeIndex: context.typeIndex(type), locals: [], code: a.finish() };
}

/** A host function as table entry, which takes a level like a function of the contract. */
export function tableThunk(context: HelperContext, index: number): Helper {
  const type = context.functionType(index);
  const { instructions } = context.globals;
  const budget = type.parameters.length;
  const callee = context.callee(index);
  const a = new Assembler();
  enterFrame(a, context, budget);
  a.globalGet(instructions).localSet(budget);
  charge(a, context, COST.host_call, budget, true);
  a.localGet(budget).globalSet(instructions);
  for (let i = 0; i < type.parameters.length; i++) a.localGet(i);
  a.call(callee);
  leaveFrame(a, context);
  return { typeIndex: context.typeIndex(type), locals: [I64], code: a.finish() };
}
