import { invariant } from '../base/errors.js';
import { tableContent } from './contract-start.js';
import type { Helper } from './helpers.js';
import { bitsType, hasFloats, InstrumentationContext } from './instrumentation-context.js';
import { VM_LIMITS } from './limits.js';
import { type MeterChoice, rewriteFunction } from './rewrite-function.js';
import { Assembler, writeLocals } from './wasm/assembler.js';
import { ByteWriter } from './wasm/byte-writer.js';
import { EMPTY, F32, type FunctionType, I32, I64, type Initialiser, type WasmModule } from './wasm/module.js';
import { OP } from './wasm/opcodes.js';

/**
 * Rewrites a validated module for execution by the compiler of the JavaScript engine:
 *
 * - every basic block takes its instruction count from a budget that is checked at function entries and loop heads;
 * - functions that this would make too large for the compiler have it all in helpers (`meter-form.ts`);
 * - function entries count call depth and native stack, calls of host functions check the depth;
 * - float operations whose NaN bits or traps would depend on the machine call helpers (`float-helpers.ts`);
 * - `memory.grow` follows the reference, the memory's maximum is fixed;
 * - code that cannot be reached is left out, so two validators cannot disagree about it;
 * - data segments leave the module (the runtime copies and checks them), the start function becomes an export,
 *   and only what the runtime needs is exported.
 */
export interface InstrumentedModule {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Imported functions by index, as the rewritten module declares them. */
  readonly imports: readonly string[];
  /** Places of the table that something stands in. */
  readonly tableEntries: number;
  /** The contract's own mutable globals under the names they are exported by. */
  readonly globals: readonly MutableGlobal[];
}

export interface MutableGlobal {
  readonly name: string;
  readonly initial: number | bigint;
}

const EXPORTS = {
  apply: 'apply',
  start: 'start',
  memory: 'memory',
  instructions: 'instructions',
  depth: 'depth',
  trap: 'trap',
  pages: 'pages',
  slot: 'slot',
  table: 'table',
} as const;

/** `apply` and the start function take a level themselves, which the reference does not count. */
export const INITIAL_DEPTH = BigInt(VM_LIMITS.call_depth_max + 1);

export interface InstrumentOptions {
  readonly isProfiled?: boolean;
  readonly meter?: MeterChoice;
}

export function instrument(
  module: WasmModule,
  { isProfiled = false, meter = 'by size' }: InstrumentOptions = {},
): InstrumentedModule {
  const context = new InstrumentationContext(module, isProfiled);
  const code = new ByteWriter();
  for (let body = 0; body < module.bodies.length; body++) {
    const rewritten = rewriteFunction(context, body, meter);
    code.u32(rewritten.length).raw(rewritten);
  }
  const content = tableContent(module);
  const elements = writeElements(context, content);
  const importTypes = module.functionImports.map((entry, index) => {
    const type = context.functionType(index);
    return hasFloats(type) ? context.typeIndex(bitsType(type)) : entry.typeIndex;
  });
  // From here on nothing may ask for another helper or type.
  const helpers = context.helperList;
  const out = new ByteWriter().raw([0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
  out.section(1, writeTypes(context.types));
  out.section(2, writeImports(module, importTypes));
  out.section(3, writeFunctions(module, helpers));
  const table = module.tables[0];
  if (table !== undefined) out.section(4, new ByteWriter().u32(1).raw([0x70, 1]).u32(table.min).u32(table.min));
  const memory = module.memories[0];
  if (memory !== undefined) {
    out.section(5, new ByteWriter().u32(1).u8(1).u32(memory.min).u32(context.memoryPagesMax));
  }
  out.section(6, writeGlobals(context));
  out.section(7, writeExports(context));
  out.section(9, elements);
  out.section(10, writeCode(module, code, helpers));
  return {
    bytes: out.finish(),
    imports: module.functionImports.map(({ name }) => name),
    tableEntries: content.length,
    globals: mutableGlobals(module).map(({ index, init }) => ({
      name: globalName(index),
      initial: initialValue(init),
    })),
  };
}

function writeTypes(types: readonly FunctionType[]): ByteWriter {
  const out = new ByteWriter().u32(types.length);
  for (const { parameters, result } of types) {
    out.u8(0x60).u32(parameters.length).raw(parameters);
    if (result === EMPTY) out.u32(0);
    else out.u32(1).u8(result);
  }
  return out;
}

/** Function imports only: validation refuses the others. */
function writeImports(module: WasmModule, typeIndexes: readonly number[]): ByteWriter {
  const out = new ByteWriter().u32(module.functionImports.length);
  module.functionImports.forEach(({ name }, index) => {
    out
      .name('env')
      .name(name)
      .u8(0)
      .u32(typeIndexes[index] as number);
  });
  return out;
}

function writeFunctions(module: WasmModule, helpers: readonly Helper[]): ByteWriter {
  const out = new ByteWriter().u32(module.bodies.length + helpers.length);
  for (const { typeIndex } of module.bodies) out.u32(typeIndex);
  for (const { typeIndex } of helpers) out.u32(typeIndex);
  return out;
}

function writeInitialiser(out: Assembler, init: Initialiser): void {
  invariant(init.kind === 'const', 'a validated module has no imported globals');
  if (init.type === I32) out.i32(Number(BigInt.asIntN(32, init.bits)));
  else if (init.type === I64) out.i64(init.bits);
  else if (init.type === F32) out.f32Bits(Number(init.bits));
  else out.f64Bits(init.bits);
  out.end();
}

function writeGlobals(context: InstrumentationContext): ByteWriter {
  const { module } = context;
  const out = new Assembler();
  out.u32(module.globals.length + 5 + context.profileGlobalCount);
  for (const { type, mutable, init } of module.globals) {
    invariant(init !== undefined, 'a validated module has no imported globals');
    out.u8(type).u8(mutable ? 1 : 0);
    writeInitialiser(out, init);
  }
  out.u8(I64).u8(1);
  out.i64(0n).end();
  out.u8(I64).u8(1);
  out.i64(INITIAL_DEPTH).end();
  out.u8(I32).u8(1);
  out.i32(0).end();
  out.u8(I32).u8(1);
  out.i32(module.memories[0]?.min ?? 0).end();
  out.u8(I32).u8(1);
  out.i32(0).end();
  for (let i = 0; i < context.profileGlobalCount; i++) {
    out.u8(I64).u8(1);
    out.i64(0n).end();
  }
  return out;
}

function mutableGlobals(module: WasmModule): { index: number; init: Initialiser }[] {
  return module.globals.flatMap(({ mutable, init }, index) => (mutable && init !== undefined ? [{ index, init }] : []));
}

function globalName(index: number): string {
  return `global ${index}`;
}

/** As JavaScript sees the global; a float that is not a number may lose its payload. */
function initialValue(init: Initialiser): number | bigint {
  invariant(init.kind === 'const', 'a validated module has no imported globals');
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, init.bits, true);
  if (init.type === I32) return view.getInt32(0, true);
  if (init.type === I64) return view.getBigInt64(0, true);
  return init.type === F32 ? view.getFloat32(0, true) : view.getFloat64(0, true);
}

function writeExports(context: InstrumentationContext): ByteWriter {
  const { module, globals } = context;
  const apply = module.exports.find(({ name, kind }) => name === EXPORTS.apply && kind === 'function');
  invariant(apply !== undefined, 'a validated module exports apply');
  const entries: [string, number, number][] = [
    [EXPORTS.apply, 0, apply.index],
    [EXPORTS.instructions, 3, globals.instructions],
    [EXPORTS.depth, 3, globals.depth],
    [EXPORTS.trap, 3, globals.trap],
    [EXPORTS.pages, 3, globals.pages],
    [EXPORTS.slot, 3, globals.slot],
  ];
  if (module.start !== undefined) entries.push([EXPORTS.start, 0, module.start]);
  if (module.tables.length > 0) entries.push([EXPORTS.table, 1, 0]);
  if (module.memories.length > 0) entries.push([EXPORTS.memory, 2, 0]);
  for (const { index } of mutableGlobals(module)) entries.push([globalName(index), 3, index]);
  if (context.isProfiled) {
    module.bodies.forEach((_, body) => {
      const { instructions, calls } = context.profileGlobals(body);
      entries.push([`instructions ${body}`, 3, instructions], [`calls ${body}`, 3, calls]);
    });
  }
  const out = new ByteWriter().u32(entries.length);
  for (const [name, kind, index] of entries) out.name(name).u8(kind).u32(index);
  return out;
}

/** As few entries as the table has places: all of them are written whenever an instance is made. */
function writeElements(context: InstrumentationContext, content: ReturnType<typeof tableContent>): ByteWriter {
  const runs: { start: number; functions: number[] }[] = [];
  for (const [slot, index] of content) {
    const last = runs[runs.length - 1];
    if (last !== undefined && last.start + last.functions.length === slot) last.functions.push(index);
    else runs.push({ start: slot, functions: [index] });
  }
  const out = new Assembler();
  out.u32(runs.length);
  for (const { start, functions } of runs) {
    out.u32(0).i32(start).end().u32(functions.length);
    for (const index of functions) out.u32(context.tableEntry(index));
  }
  return out;
}

function writeCode(module: WasmModule, bodies: ByteWriter, helpers: readonly Helper[]): ByteWriter {
  const out = new ByteWriter().u32(module.bodies.length + helpers.length).raw(bodies.view());
  for (const { locals, code } of helpers) {
    const body = new ByteWriter();
    writeLocals(body, locals);
    body.raw(code).u8(OP.end);
    out.u32(body.length).raw(body.view());
  }
  return out;
}
