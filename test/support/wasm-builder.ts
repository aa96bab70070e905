import { HOST_TYPES } from '../../src/vm/host/index.js';
import { Assembler, writeLocals } from '../../src/vm/wasm/assembler.js';
import { ByteWriter } from '../../src/vm/wasm/byte-writer.js';
import { EMPTY, F32, type FunctionType, I32, I64, type ValueType } from '../../src/vm/wasm/module.js';

/** Builds contract modules for tests. Functions are numbered with the imports first, as everywhere. */
export interface FunctionSource {
  readonly parameters?: readonly ValueType[];
  readonly result?: ValueType;
  readonly locals?: readonly ValueType[];
  /** Without the final `end`. */
  readonly code: (a: Assembler) => unknown;
}

export interface ModuleSource {
  readonly imports?: readonly string[];
  readonly functions?: readonly FunctionSource[];
  /** Becomes the last function; its parameters are receiver, code, action. */
  readonly apply?: (a: Assembler) => unknown;
  readonly applyLocals?: readonly ValueType[];
  readonly memory?: { readonly min: number; readonly max?: number } | null;
  readonly table?: number;
  readonly elements?: readonly { readonly base: number; readonly functions: readonly number[] }[];
  readonly globals?: readonly {
    readonly type: ValueType;
    readonly mutable: boolean;
    /** Of a float: its bits. */
    readonly value: number;
  }[];
  readonly data?: readonly { readonly at: number; readonly bytes: Uint8Array }[];
  readonly start?: number;
  readonly types?: readonly FunctionType[];
}

const APPLY: FunctionType = { parameters: [I64, I64, I64], result: EMPTY };

export function buildModule(source: ModuleSource): Uint8Array<ArrayBuffer> {
  const imports = source.imports ?? [];
  const functions: FunctionSource[] = [
    ...(source.functions ?? []),
    { parameters: APPLY.parameters, locals: source.applyLocals ?? [], code: source.apply ?? (() => undefined) },
  ];
  const types: FunctionType[] = [...(source.types ?? [])];
  const typeIndex = (type: FunctionType): number => types.push(type) - 1;
  const importSection = new ByteWriter().u32(imports.length);
  for (const name of imports) {
    const type = HOST_TYPES.get(name);
    if (type === undefined) throw new Error(`no host function ${name}`);
    importSection.name('env').name(name).u8(0).u32(typeIndex(type));
  }
  const functionSection = new ByteWriter().u32(functions.length);
  const code = new ByteWriter().u32(functions.length);
  for (const { parameters = [], result = EMPTY, locals = [], code: write } of functions) {
    functionSection.u32(typeIndex({ parameters, result }));
    const body = new Assembler();
    writeLocals(body, locals);
    write(body);
    body.end();
    code.u32(body.length).raw(body.view());
  }
  const typeSection = new ByteWriter().u32(types.length);
  for (const { parameters, result } of types) {
    typeSection.u8(0x60).u32(parameters.length).raw(parameters);
    if (result === EMPTY) typeSection.u32(0);
    else typeSection.u32(1).u8(result);
  }
  const out = new ByteWriter().raw([0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
  out.section(1, typeSection).section(2, importSection).section(3, functionSection);
  if (source.table !== undefined) out.section(4, new ByteWriter().u32(1).raw([0x70, 0]).u32(source.table));
  const { memory = { min: 1 } } = source;
  if (memory !== null) {
    const size = new ByteWriter().u32(1);
    if (memory.max === undefined) size.u8(0).u32(memory.min);
    else size.u8(1).u32(memory.min).u32(memory.max);
    out.section(5, size);
  }
  const globals = new Assembler();
  globals.u32(source.globals?.length ?? 0);
  for (const { type, mutable, value } of source.globals ?? []) {
    globals.u8(type).u8(mutable ? 1 : 0);
    if (type === I32) globals.i32(value).end();
    else if (type === I64) globals.i64(BigInt(value)).end();
    else if (type === F32) globals.f32Bits(value).end();
    else globals.f64Bits(BigInt(value)).end();
  }
  out.section(6, globals);
  out.section(
    7,
    new ByteWriter()
      .u32(1)
      .name('apply')
      .u8(0)
      .u32(imports.length + functions.length - 1),
  );
  if (source.start !== undefined) out.section(8, new ByteWriter().u32(source.start));
  if (source.elements !== undefined) {
    const elements = new Assembler();
    elements.u32(source.elements.length);
    for (const { base, functions: indexes } of source.elements) {
      elements.u32(0);
      elements.i32(base).end();
      elements.u32(indexes.length);
      for (const index of indexes) elements.u32(index);
    }
    out.section(9, elements);
  }
  out.section(10, code);
  if (source.data !== undefined) {
    const data = new Assembler();
    data.u32(source.data.length);
    for (const { at, bytes } of source.data) {
      data.u32(0);
      data.i32(at).end();
      data.u32(bytes.length).raw(bytes);
    }
    out.section(11, data);
  }
  return out.finish();
}
