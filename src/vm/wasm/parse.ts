import { fail } from '../../base/errors.js';
import { WASM_ERRORS } from '../errors.js';
import { VM_LIMITS } from '../limits.js';
import { ByteReader } from './byte-reader.js';
import {
  EMPTY,
  EXTERNAL_KINDS,
  type ExternalKind,
  F32,
  F64,
  type FunctionType,
  I32,
  I64,
  type ImportEntry,
  type Initialiser,
  type Size,
  TYPE_NONE,
  type ValueType,
  type WasmModule,
} from './module.js';

/**
 * Reads the sections of a WebAssembly 1.0 binary. Nothing newer is accepted, every count is limited before memory is
 * taken for it, and each index is checked as soon as its target section must have been read.
 */
export function parseModule(bytes: Uint8Array): WasmModule {
  const reader = new ByteReader(bytes);
  const module: WasmModule = {
    bytes,
    types: [],
    imports: [],
    functionTypes: [],
    functionImports: [],
    bodies: [],
    tables: [],
    memories: [],
    globals: [],
    exports: [],
    start: undefined,
    elements: [],
    data: [],
  };
  for (const expected of [0x00, 0x61, 0x73, 0x6d]) if (reader.u8() !== expected) reader.malformed('bad magic number');
  for (const expected of [1, 0, 0, 0]) if (reader.u8() !== expected) reader.malformed('bad version');

  let last = 0;
  while (reader.at < bytes.length) {
    const id = reader.u8();
    const size = reader.u32();
    const start = reader.at;
    reader.skip(size);
    reader.at = start;
    reader.end = start + size;
    if (id === 0) skipCustom(reader);
    else {
      if (id <= last) reader.malformed('section out of order');
      last = id;
      const read = SECTIONS[id];
      if (read === undefined) return reader.malformed('unknown section');
      read(reader, module);
      if (reader.at !== reader.end) reader.malformed('section size does not match its content');
    }
    reader.end = bytes.length;
  }
  // Quirk: without a code section nobody compares it with the function section, and such a module can be deployed.
  return module;
}

function skipCustom(reader: ByteReader): void {
  reader.name();
  const size = reader.end - reader.at;
  const end = VM_LIMITS.custom_bytes_end;
  if (size >= end) fail(WASM_ERRORS.wasm_custom_size, { size, over: size - end });
  reader.at = reader.end;
}

type SectionReader = (reader: ByteReader, module: WasmModule) => void;

const SECTIONS: readonly (SectionReader | undefined)[] = [
  undefined,
  readTypes,
  readImports,
  readFunctions,
  readTables,
  readMemories,
  readGlobals,
  readExports,
  readStart,
  readElements,
  readCode,
  readData,
];

function valueType(reader: ByteReader, type: number): ValueType {
  if (type !== I32 && type !== I64 && type !== F32 && type !== F64) reader.malformed('invalid value type');
  return type;
}

function readValueType(reader: ByteReader): ValueType {
  return valueType(reader, reader.u8());
}

/** The count of results is one byte, not a LEB128 number. Quirk: 00 as the type of the one result says "none". */
function readResult(reader: ByteReader): ValueType | typeof EMPTY {
  const count = reader.u8();
  if (count > 1) reader.malformed('more than one result');
  if (count === 0) return EMPTY;
  const type = reader.u8();
  return type === TYPE_NONE ? EMPTY : valueType(reader, type);
}

function readTypes(reader: ByteReader, module: WasmModule): void {
  const count = reader.count();
  for (let i = 0; i < count; i++) {
    if (reader.u8() !== 0x60) reader.malformed('invalid function type');
    const parameters = Array.from({ length: reader.count() }, () => readValueType(reader));
    module.types.push({ parameters, result: readResult(reader) });
  }
}

function functionType(reader: ByteReader, module: WasmModule): { typeIndex: number; type: FunctionType } {
  const typeIndex = reader.u32();
  const type = module.types[typeIndex];
  return type === undefined ? reader.malformed('unknown type') : { typeIndex, type };
}

function readKind(reader: ByteReader): ExternalKind {
  return EXTERNAL_KINDS[reader.u8()] ?? reader.malformed('invalid external kind');
}

/** Quirk: the flags are a LEB128 number of which only the lowest bit counts, so the form of shared memories passes. */
function readSize(reader: ByteReader): Size {
  const hasMaximum = (reader.u32() & 1) !== 0;
  const min = reader.u32();
  const max = hasMaximum ? reader.u32() : undefined;
  if (max !== undefined && min > max) reader.malformed('minimum larger than maximum');
  return { min, max };
}

function readTable(reader: ByteReader): Size {
  if (reader.u8() !== 0x70) reader.malformed('invalid element type');
  return readSize(reader);
}

function readMemory(reader: ByteReader): Size {
  const size = readSize(reader);
  if (size.min > 65_536 || (size.max ?? 0) > 65_536) reader.malformed('memory larger than 65536 pages');
  return size;
}

function readGlobalType(reader: ByteReader): { type: ValueType; mutable: boolean } {
  const type = readValueType(reader);
  const mutability = reader.u8();
  if (mutability > 1) reader.malformed('invalid mutability');
  return { type, mutable: mutability === 1 };
}

function readImports(reader: ByteReader, module: WasmModule): void {
  const count = reader.u32();
  for (let i = 0; i < count; i++) {
    const from = reader.name();
    const name = reader.name();
    const kind = readKind(reader);
    if (kind === 'function') {
      const { typeIndex, type } = functionType(reader, module);
      const entry: ImportEntry = { module: from, name, kind, typeIndex, type };
      module.imports.push(entry);
      module.functionImports.push(entry);
      module.functionTypes.push(entry.typeIndex);
      if (module.functionImports.length >= VM_LIMITS.function_imports_end) fail(WASM_ERRORS.wasm_function_imports);
      continue;
    }
    module.imports.push({ module: from, name, kind, typeIndex: 0, type: undefined });
    if (kind === 'table') module.tables.push(readTable(reader));
    else if (kind === 'memory') module.memories.push(readMemory(reader));
    else module.globals.push({ ...readGlobalType(reader), imported: true, init: undefined });
  }
}

function readFunctions(reader: ByteReader, module: WasmModule): void {
  const count = reader.u32();
  if (count >= VM_LIMITS.functions_end) fail(WASM_ERRORS.wasm_function_definitions);
  for (let i = 0; i < count; i++) module.functionTypes.push(functionType(reader, module).typeIndex);
}

function readTables(reader: ByteReader, module: WasmModule): void {
  const count = reader.u32();
  for (let i = 0; i < count; i++) {
    module.tables.push(readTable(reader));
    if (module.tables.length > 1) reader.malformed('more than one table');
  }
}

function readMemories(reader: ByteReader, module: WasmModule): void {
  const count = reader.u32();
  for (let i = 0; i < count; i++) {
    module.memories.push(readMemory(reader));
    if (module.memories.length > 1) reader.malformed('more than one memory');
  }
}

function readInitialiser(reader: ByteReader, module: WasmModule, expected: ValueType): Initialiser {
  const start = reader.at;
  const init = readInitialiserValue(reader, module);
  if (reader.u8() !== 0x0b) reader.malformed('initialiser is not a single constant');
  if (init.type !== expected) {
    reader.at = start;
    reader.malformed('initialiser has the wrong type');
  }
  return init;
}

function readInitialiserValue(reader: ByteReader, module: WasmModule): Initialiser {
  switch (reader.u8()) {
    case 0x41:
      return { kind: 'const', type: I32, bits: BigInt.asUintN(32, BigInt(reader.i32())) };
    case 0x42:
      return { kind: 'const', type: I64, bits: BigInt.asUintN(64, reader.i64()) };
    case 0x43:
      return { kind: 'const', type: F32, bits: littleEndian(reader.take(4)) };
    case 0x44:
      return { kind: 'const', type: F64, bits: littleEndian(reader.take(8)) };
    case 0x23: {
      const index = reader.u32();
      const global = module.globals[index];
      if (global === undefined || !global.imported || global.mutable) {
        return reader.malformed('initialiser must be an imported immutable global');
      }
      return { kind: 'global', type: global.type, index };
    }
    default:
      return reader.malformed('initialiser is not a constant');
  }
}

function littleEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i] as number);
  return value;
}

function readGlobals(reader: ByteReader, module: WasmModule): void {
  const count = reader.count();
  for (let i = 0; i < count; i++) {
    const { type, mutable } = readGlobalType(reader);
    module.globals.push({ type, mutable, imported: false, init: readInitialiser(reader, module, type) });
  }
}

function readExports(reader: ByteReader, module: WasmModule): void {
  const count = reader.count();
  const names = new Set<string>();
  for (let i = 0; i < count; i++) {
    const name = reader.name();
    const kind = readKind(reader);
    const index = reader.u32();
    if (names.has(name)) reader.malformed('duplicate export name');
    names.add(name);
    const space = {
      function: module.functionTypes,
      table: module.tables,
      memory: module.memories,
      global: module.globals,
    }[kind];
    if (index >= space.length) reader.malformed(`unknown ${kind} exported`);
    if (kind === 'global' && module.globals[index]?.mutable === true) reader.malformed('mutable global exported');
    module.exports.push({ name, kind, index });
  }
}

function readFunctionIndex(reader: ByteReader, module: WasmModule): number {
  const index = reader.u32();
  if (index >= module.functionTypes.length) reader.malformed('unknown function');
  return index;
}

function readStart(reader: ByteReader, module: WasmModule): void {
  const index = readFunctionIndex(reader, module);
  const type = module.types[module.functionTypes[index] as number] as FunctionType;
  if (type.parameters.length > 0 || type.result !== EMPTY) reader.malformed('wrong type of the start function');
  module.start = index;
}

function readElements(reader: ByteReader, module: WasmModule): void {
  const count = reader.count();
  for (let i = 0; i < count; i++) {
    if (reader.u32() >= module.tables.length) reader.malformed('unknown table');
    const base = readInitialiser(reader, module, I32);
    const functions = Array.from({ length: reader.count() }, () => readFunctionIndex(reader, module));
    module.elements.push({ base, functions });
  }
}

function readCode(reader: ByteReader, module: WasmModule): void {
  const count = reader.u32();
  const imported = module.functionImports.length;
  if (count !== module.functionTypes.length - imported) {
    reader.malformed('function section and code section differ in length');
  }
  const sectionEnd = reader.end;
  for (let i = 0; i < count; i++) {
    const size = reader.u32();
    if (size >= VM_LIMITS.body_bytes_end) fail(WASM_ERRORS.wasm_body_size);
    const start = reader.at;
    reader.skip(size);
    reader.at = start;
    reader.end = start + size;
    const locals = readLocals(reader);
    const typeIndex = module.functionTypes[imported + i] as number;
    const type = module.types[typeIndex] as FunctionType;
    module.bodies.push({
      typeIndex,
      type,
      locals,
      codeStart: reader.at,
      codeEnd: reader.end,
      operandsMax: 0,
      compileSteps: 0,
      hasTrailingCode: false,
    });
    reader.at = reader.end;
    reader.end = sectionEnd;
  }
}

function readLocals(reader: ByteReader): ValueType[] {
  const groups = reader.u32();
  if (groups >= VM_LIMITS.local_groups_end) fail(WASM_ERRORS.wasm_local_sets);
  const locals: ValueType[] = [];
  for (let i = 0; i < groups; i++) {
    const count = reader.u32();
    if (locals.length + count > VM_LIMITS.locals_max) fail(WASM_ERRORS.wasm_locals);
    const byte = reader.u8();
    // Quirk: nobody looks at the type of a group without locals, as long as it is one byte.
    if (count === 0 && byte < 0x80) continue;
    const type = valueType(reader, byte);
    for (let k = 0; k < count; k++) locals.push(type);
  }
  return locals;
}

function readData(reader: ByteReader, module: WasmModule): void {
  const count = reader.count();
  for (let i = 0; i < count; i++) {
    if (reader.u32() >= module.memories.length) reader.malformed('unknown memory');
    const base = readInitialiser(reader, module, I32);
    module.data.push({ base, bytes: reader.take(reader.count()) });
  }
}
