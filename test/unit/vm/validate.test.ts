import t from 'tap';
import { fromHex, toHex } from '../../../src/base/bytes.js';
import type { ErrorRow } from '../../../src/base/errors.js';
import { DEPLOY_ERRORS, WASM_ERRORS } from '../../../src/vm/errors.js';
import { HOST_TYPES } from '../../../src/vm/host/index.js';
import { validateModule } from '../../../src/vm/validate.js';
import { ByteWriter } from '../../../src/vm/wasm/byte-writer.js';
import { EMPTY, F32, F64, I32, I64, type ValueType } from '../../../src/vm/wasm/module.js';
import { OP } from '../../../src/vm/wasm/opcodes.js';
import { contractFile } from '../../support/contract-world.js';
import { refused } from '../../support/refused.js';
import { buildModule, type FunctionSource, type ModuleSource } from '../../support/wasm-builder.js';

const HEADER = '0061736d01000000';
/** Type section with apply's type, function and export sections for one function. */
const TYPES = '01 07 01 60 03 7e 7e 7e 00';
const FUNCTIONS = '03 02 01 00';
const EXPORTS = '07 09 01 05 6170706c79 00 00';
const CODE = '0a 04 01 02 00 0b';

/** A number of ten bytes, of which the last has one bit too many. */
const LONG_I64 = '80 80 80 80 80 80 80 80 80 02';

/** A second function, of the second type, which gives an i32. */
const RETURNING = `03 03 02 00 01 ${EXPORTS}`;
const RETURNED = '0a 09 02 02 00 0b 04 00 41 00 0b';

const hex = (...parts: readonly string[]): Uint8Array => fromHex((HEADER + parts.join('')).replaceAll(' ', ''));
const validate = (code: Uint8Array) => validateModule(code, HOST_TYPES);
const build = (source: ModuleSource) => () => validate(buildModule(source));
const body = (...bytes: readonly number[]): ModuleSource => ({ apply: (a) => a.raw(bytes) });

/** Import section with one global. */
const imported = (mutability: 0 | 1): string => `02 0a 01 03 656e76 01 67 03 7f 0${mutability}`;

t.test('good modules', async (t) => {
  t.ok(validate(hex(TYPES, FUNCTIONS, EXPORTS, CODE)));
  t.ok(validate(hex('01 0b 02 60 03 7e 7e 7e 00 60 00 01 7f', RETURNING, RETURNED)), 'a function that gives something');
  t.ok(validate(hex('00 03 02 4142', TYPES, '00 01 00', FUNCTIONS, EXPORTS, CODE)), 'custom sections anywhere');
  for (const name of ['hello.wasm', 'bank.wasm', 'lab.wasm']) t.ok(validate(contractFile(name)), name);
});

t.test('every cut of a good module is refused', async (t) => {
  const bank = contractFile('bank.wasm');
  for (let length = 0; length < bank.length; length += length < 600 ? 1 : 97) {
    t.throws(() => validate(bank.subarray(0, length)), { name: 'ChainError' }, `${length} bytes`);
  }
});

t.test('malformed', async (t) => {
  const cases: [string, Uint8Array][] = [
    ['magic', fromHex('0061736e01000000')],
    ['version', fromHex('0061736d02000000')],
    ['section order', hex(FUNCTIONS, TYPES, EXPORTS, CODE)],
    ['section twice', hex(TYPES, TYPES, FUNCTIONS, EXPORTS, CODE)],
    ['data count section', hex(TYPES, FUNCTIONS, EXPORTS, '0c 01 00', CODE)],
    ['section size', hex('01 08 01 60 03 7e 7e 7e 00 00', FUNCTIONS, EXPORTS, CODE)],
    ['a section in another one', hex('01 0b 01 60 03 7e 7e 7e 00 00 02 01 61', FUNCTIONS, EXPORTS, CODE)],
    ['form of type', hex('01 07 01 61 03 7e 7e 7e 00', FUNCTIONS, EXPORTS, CODE)],
    ['value type', hex('01 07 01 60 03 7e 7e 7b 00', FUNCTIONS, EXPORTS, CODE)],
    ['two results', hex('01 06 01 60 00 02 7f 7f', FUNCTIONS, EXPORTS, CODE)],
    ['unknown type', hex(TYPES, '03 02 01 01', EXPORTS, CODE)],
    ['more code than functions', hex(TYPES, FUNCTIONS, EXPORTS, '0a 07 02 02 00 0b 02 00 0b')],
    ['less code than functions', hex(TYPES, '03 03 02 00 00', EXPORTS, CODE)],
    ['code without functions', hex(TYPES, CODE)],
    ['count of results in two bytes', hex('01 08 01 60 03 7e 7e 7e 80 00', FUNCTIONS, EXPORTS, CODE)],
    ['type of locals in two bytes', hex(TYPES, FUNCTIONS, EXPORTS, '0a 06 01 04 01 00 ff 0b')],
    ['type of one local', hex(TYPES, FUNCTIONS, EXPORTS, '0a 06 01 04 01 01 00 0b')],
    ['unused bits of LEB128', hex('01 87 80 80 80 10 01 60 03 7e 7e 7e 00', FUNCTIONS, EXPORTS, CODE)],
    ['unused bits of a global of 64 bits', hex(TYPES, FUNCTIONS, `06 0f 01 7e 01 42 ${LONG_I64} 0b`, EXPORTS, CODE)],
    ['wrong sign of a global of 32 bits', hex(TYPES, FUNCTIONS, '06 0a 01 7f 00 41 80 80 80 80 40 0b', EXPORTS, CODE)],
    ['unknown export', hex(TYPES, FUNCTIONS, '07 09 01 05 6170706c79 00 01', CODE)],
    ['export twice', hex(TYPES, FUNCTIONS, '07 09 02 01 61 00 00 01 61 00 00', CODE)],
    ['export of nothing', hex(TYPES, FUNCTIONS, '07 05 01 01 61 02 00', CODE)],
    ['kind of export', hex(TYPES, FUNCTIONS, '07 05 01 01 61 04 00', CODE)],
    ['name is not UTF-8', hex(TYPES, FUNCTIONS, '07 05 01 01 ff 00 00', CODE)],
    ['table of other elements', hex(TYPES, FUNCTIONS, '04 04 01 6f 00 01', EXPORTS, CODE)],
    ['two tables', hex(TYPES, FUNCTIONS, '04 07 02 70 00 01 70 00 01', EXPORTS, CODE)],
    ['two memories', hex(TYPES, FUNCTIONS, '05 05 02 00 01 00 01', EXPORTS, CODE)],
    ['minimum above maximum', hex(TYPES, FUNCTIONS, '05 04 01 01 02 01', EXPORTS, CODE)],
    ['maximum of the memory', hex(TYPES, FUNCTIONS, '05 06 01 01 01 81 80 04', EXPORTS, CODE)],
    ['mutability', hex(TYPES, FUNCTIONS, '06 06 01 7f 02 41 00 0b', EXPORTS, CODE)],
    ['mutable global exported', hex(TYPES, FUNCTIONS, '06 06 01 7f 01 41 00 0b', '07 05 01 01 61 03 00', CODE)],
    ['global without constant', hex(TYPES, FUNCTIONS, '06 05 01 7f 01 01 0b', EXPORTS, CODE)],
    ['global without end', hex(TYPES, FUNCTIONS, '06 06 01 7f 00 41 00 0c', EXPORTS, CODE)],
    ['global of a wrong type', hex(TYPES, FUNCTIONS, '06 06 01 7e 01 41 00 0b', EXPORTS, CODE)],
    ['global from a global', hex(TYPES, FUNCTIONS, '06 0b 02 7f 00 41 00 0b 7f 00 23 00 0b', EXPORTS, CODE)],
    ['global from a mutable one', hex(TYPES, imported(1), FUNCTIONS, '06 06 01 7f 00 23 00 0b', EXPORTS, CODE)],
    ['start with parameters', hex(TYPES, FUNCTIONS, EXPORTS, '08 01 00', CODE)],
    ['start with a result', hex('01 0b 02 60 03 7e 7e 7e 00 60 00 01 7f', RETURNING, '08 01 01', RETURNED)],
    ['elements without table', hex(TYPES, FUNCTIONS, EXPORTS, '09 06 01 00 41 00 0b 00', CODE)],
    ['data without memory', hex(TYPES, FUNCTIONS, EXPORTS, CODE, '0b 06 01 00 41 00 0b 00')],
  ];
  for (const [what, code] of cases) refused(t, WASM_ERRORS.wasm_malformed, () => validate(code), what);
  refused(t, WASM_ERRORS.wasm_end_of_stream, () => validate(fromHex('0061736d010000')), {});
  refused(t, WASM_ERRORS.wasm_end_of_stream, () => validate(hex('01 7f')));
});

t.test('instructions that the MVP does not have', async (t) => {
  const cases: [string, number[]][] = [
    ['sign extension', [0x41, 0, 0xc0, OP.drop]],
    ['saturating truncation', [0x43, 0, 0, 0, 0, 0xfc, 0, OP.drop]],
    ['try', [0x06, EMPTY, OP.end]],
    ['tail call', [0x12, 0]],
    ['typed select', [0x41, 0, 0x41, 0, 0x41, 0, 0x1c, 1, I32, OP.drop]],
    ['table.get', [0x41, 0, 0x25, 0, OP.drop]],
    ['reference null', [0xd0, 0x70, OP.drop]],
    ['vector', [0xfd, 0x0c]],
    ['block type by index', [OP.block, 1, OP.end]],
    ['reserved byte of memory.size', [OP.memory_size, 1, OP.drop]],
    ['constant of 32 bits in six bytes', [0x41, 0x80, 0x80, 0x80, 0x80, 0x80, 0, OP.drop]],
    ['unused bits of a constant of 32 bits', [0x41, 0x80, 0x80, 0x80, 0x80, 0x10, OP.drop]],
    ['unused bits of a constant of 64 bits', [0x42, ...many(9, [0x80]), 2, OP.drop]],
    ['long reserved byte', [OP.memory_size, 0x80, 0, OP.drop]],
  ];
  for (const [what, bytes] of cases) refused(t, WASM_ERRORS.wasm_malformed, build(body(...bytes)), what);
});

t.test('type check', async (t) => {
  const cases: [string, number[]][] = [
    ['operand missing', [OP.drop]],
    ['operand left', [0x41, 0]],
    ['wrong operand', [0x41, 0, 0x42, 0, 0x6a, OP.drop]],
    ['select of two types', [0x41, 0, 0x42, 0, 0x41, 0, OP.select, OP.drop]],
    ['unknown label', [OP.br, 2]],
    ['unknown local', [OP.local_get, 3, OP.drop]],
    ['unknown global', [OP.global_get, 0, OP.drop]],
    ['unknown function', [OP.call, 5]],
    ['no table', [0x42, 0, 0x42, 0, 0x42, 0, 0x41, 0, OP.call_indirect, 0, 0]],
    ['else without if', [OP.block, EMPTY, OP.else, OP.end]],
    ['if that yields without else', [0x41, 0, OP.if, I32, 0x41, 0, OP.end, OP.drop]],
    ['branch without its value', [OP.block, I32, OP.br, 0, OP.end, OP.drop]],
    ['targets that differ', [OP.block, I32, 0x41, 0, 0x41, 0, OP.br_table, 1, 0, 1, OP.end, OP.drop]],
    ['alignment', [0x41, 0, 0x28, 3, 0, OP.drop]],
    ['alignment in two bytes', [0x41, 0, 0x28, 0x82, 0, 0, OP.drop]],
    ['operand left in a block', [OP.block, EMPTY, 0x41, 0, OP.end]],
    ['wrong type in dead code', [OP.unreachable, 0x41, 0, 0x42, 0, 0x6a, OP.drop]],
  ];
  for (const [what, bytes] of cases) refused(t, WASM_ERRORS.wasm_type_mismatch, build(body(...bytes)), what);
  const ofMemory: [string, number[]][] = [
    ['memory.size', [OP.memory_size, 0, OP.drop]],
    ['memory.grow', [0x41, 0, OP.memory_grow, 0, OP.drop]],
    ['load', [0x41, 0, 0x2d, 0, 0, OP.drop]],
    ['store', [0x41, 0, 0x41, 0, 0x3a, 0, 0]],
    ['load that nobody comes to', [OP.unreachable, 0x2d, 0, 0, OP.drop]],
  ];
  for (const [what, bytes] of ofMemory) {
    t.doesNotThrow(build(body(...bytes)), what);
    refused(t, WASM_ERRORS.wasm_type_mismatch, build({ ...body(...bytes), memory: null }), `${what} without a memory`);
  }
  const immutable = [{ type: I32, mutable: false, value: 0 }] as const;
  refused(t, WASM_ERRORS.wasm_type_mismatch, build({ ...body(0x41, 0, OP.global_set, 0), globals: immutable }));
  t.doesNotThrow(build(body(OP.unreachable, 0x6a, OP.drop)), 'dead code takes operands from nowhere');
  t.doesNotThrow(build(body(OP.block, I32, OP.unreachable, OP.select, OP.end, OP.drop)));
  t.doesNotThrow(build(body(OP.loop, I32, OP.br, 0, OP.end, OP.drop)), 'a loop is entered again with nothing');
  t.doesNotThrow(build(body(0x42, ...many(9, [0x80]), 0x7f, OP.drop)), 'a constant of 64 bits in ten bytes');
});

t.test('forms that only the reference knows', async (t) => {
  const good: [string, Uint8Array][] = [
    ['memory of the shared form', hex(TYPES, FUNCTIONS, '05 03 01 02 01', EXPORTS, CODE)],
    ['memory of the shared form with a maximum', hex(TYPES, FUNCTIONS, '05 04 01 03 01 02', EXPORTS, CODE)],
    ['the largest maximum of a memory', hex(TYPES, FUNCTIONS, '05 06 01 01 01 80 80 04', EXPORTS, CODE)],
    ['flags in two bytes', hex(TYPES, FUNCTIONS, '05 05 01 81 00 01 02', EXPORTS, CODE)],
    ['table of the shared form', hex(TYPES, FUNCTIONS, '04 04 01 70 02 01', EXPORTS, CODE)],
    ['result of type none', hex('01 08 01 60 03 7e 7e 7e 01 00', FUNCTIONS, EXPORTS, CODE)],
    ['block of type none', hex(TYPES, FUNCTIONS, EXPORTS, '0a 07 01 05 00 02 00 0b 0b')],
    ['no locals of no type', hex(TYPES, FUNCTIONS, EXPORTS, '0a 06 01 04 01 00 00 0b')],
    ['no locals of another type', hex(TYPES, FUNCTIONS, EXPORTS, '0a 06 01 04 01 00 7b 0b')],
    ['functions without code', hex(TYPES, FUNCTIONS, EXPORTS)],
    ['nop behind the end', hex(TYPES, FUNCTIONS, EXPORTS, '0a 05 01 03 00 0b 01')],
    ['constant behind the end', hex(TYPES, FUNCTIONS, EXPORTS, '0a 06 01 04 00 0b 41 00')],
    ['block behind the end', hex(TYPES, FUNCTIONS, EXPORTS, '0a 07 01 05 00 0b 02 40 0b')],
  ];
  for (const [what, code] of good) t.doesNotThrow(() => validate(code), what);
  refused(
    t,
    WASM_ERRORS.wasm_malformed,
    () => validate(hex(TYPES, FUNCTIONS, '05 04 01 03 02 01', EXPORTS, CODE)),
    'the maximum of the shared form counts',
  );
  const bad: [string, string][] = [
    ['drop', '0a 05 01 03 00 0b 1a'],
    ['end', '0a 05 01 03 00 0b 0b'],
    ['else', '0a 05 01 03 00 0b 05'],
    ['unreachable', '0a 05 01 03 00 0b 00'],
    ['return', '0a 05 01 03 00 0b 0f'],
    ['branch', '0a 06 01 04 00 0b 0c 00'],
    ['block without end', '0a 06 01 04 00 0b 02 40'],
  ];
  for (const [what, code] of bad) {
    refused(
      t,
      WASM_ERRORS.wasm_type_mismatch,
      () => validate(hex(TYPES, FUNCTIONS, EXPORTS, code)),
      `${what} behind the end`,
    );
  }
});

const many = (count: number, bytes: number[]): number[] => Array.from({ length: count }, () => bytes).flat();

/** A module whose type section says it has `count` types. */
const vectorOf = (count: number): Uint8Array => {
  const types = new ByteWriter().u32(count).raw(many(count, [0x60, 0, 0]));
  return new ByteWriter().raw(hex('')).section(1, types).finish();
};

t.test('limits of the format, on both sides', async (t) => {
  refused(t, DEPLOY_ERRORS.wasm_apply_missing, () => validate(vectorOf(8191)));
  refused(t, WASM_ERRORS.wasm_array_size, () => validate(vectorOf(8192)), {
    data: { size: 8192, over: 0 },
  });
  refused(t, WASM_ERRORS.wasm_array_size, () => validate(hex('01 05 ffffffff0f')), 'refused before it is allocated');

  const imports = (count: number) => build({ imports: Array.from({ length: count }, () => 'abort') });
  t.doesNotThrow(imports(1023));
  refused(t, WASM_ERRORS.wasm_function_imports, imports(1024));
  const functions = (count: number) =>
    build({ functions: Array.from({ length: count - 1 }, () => ({ code: () => 0 })) });
  t.doesNotThrow(functions(1023));
  refused(t, WASM_ERRORS.wasm_function_definitions, functions(1024));

  const name = (bytes: number) =>
    new ByteWriter().raw(buildModule({})).section(0, new ByteWriter().name('x'.repeat(bytes)));
  t.doesNotThrow(() => validate(name(8191).finish()));
  refused(t, WASM_ERRORS.wasm_string_size, () => validate(name(8192).finish()), { data: { size: 8192, over: 0 } });
  const custom = (payload: number) => () =>
    validate(
      new ByteWriter()
        .raw(buildModule({}))
        .section(0, new ByteWriter().name('debug').raw(new Uint8Array(payload)))
        .finish(),
    );
  t.doesNotThrow(custom(65_535));
  refused(t, WASM_ERRORS.wasm_custom_size, custom(65_536), { data: { size: 65_536, over: 0 } });
  refused(t, WASM_ERRORS.wasm_custom_size, custom(65_540), { data: { size: 65_540, over: 4 } });
  refused(t, WASM_ERRORS.wasm_body_size, () => validate(hex(TYPES, FUNCTIONS, EXPORTS, '0a 05 01 80 80 80 0a')));

  const groups = (count: number) => {
    const code = new ByteWriter()
      .u32(count)
      .raw(many(count, [0, I32]))
      .u8(OP.end);
    const section = new ByteWriter().u32(1).u32(code.length).raw(code.view());
    return () =>
      validate(
        new ByteWriter()
          .raw(hex(TYPES, FUNCTIONS, EXPORTS))
          .section(10, section)
          .finish(),
      );
  };
  t.doesNotThrow(groups(1023));
  refused(t, WASM_ERRORS.wasm_local_sets, groups(1024));

  const locals = (count: number, type: ValueType) => build({ applyLocals: new Array(count).fill(type) });
  refused(t, WASM_ERRORS.wasm_locals, locals(2049, I32));
  const group = (type: ValueType) => new Array<ValueType>(1025).fill(type);
  refused(t, WASM_ERRORS.wasm_locals, build({ applyLocals: [...group(I32), ...group(F32)] }), 'of all groups together');
  t.doesNotThrow(locals(2042, F32), 'three parameters of 8 bytes, 2042 locals of 4');
  refused(t, DEPLOY_ERRORS.wasm_stack_usage, locals(2043, F32));
  t.doesNotThrow(locals(1021, F64));
  refused(t, DEPLOY_ERRORS.wasm_stack_usage, locals(1022, I64));

  const targets = (count: number) =>
    build({ apply: (a) => a.i32(0).op(OP.br_table).u32(count).raw(new Uint8Array(count)).u32(0) });
  t.doesNotThrow(targets(8191));
  refused(t, WASM_ERRORS.wasm_array_size, targets(8192));
  const data = (at: number, bytes: number) => build({ data: [{ at, bytes: new Uint8Array(bytes) }] });
  t.doesNotThrow(data(65_536 - 8191, 8191));
  refused(t, WASM_ERRORS.wasm_array_size, data(0, 8192));
  refused(t, DEPLOY_ERRORS.wasm_data_range, data(65_536 - 8190, 8191));
  refused(t, DEPLOY_ERRORS.wasm_data_range, data(-1, 1), 'the base is unsigned');
});

t.test('limits of contracts, on both sides', async (t) => {
  const cases: [ErrorRow, string, ModuleSource, ModuleSource][] = [
    [DEPLOY_ERRORS.wasm_memory_size, 'memory', { memory: { min: 528 } }, { memory: { min: 529 } }],
    [DEPLOY_ERRORS.wasm_table_size, 'table', { table: 1024 }, { table: 1025 }],
    [
      DEPLOY_ERRORS.wasm_mutable_globals,
      'globals',
      { globals: new Array(128).fill({ type: I64, mutable: true, value: 0 }) },
      { globals: new Array(257).fill({ type: I32, mutable: true, value: 0 }) },
    ],
    [
      DEPLOY_ERRORS.wasm_memory_offset,
      'offset',
      { apply: (a) => a.i32(0).op(0x28).u32(0).u32(34_603_007).op(OP.drop) },
      { apply: (a) => a.i32(0).op(0x28).u32(0).u32(34_603_008).op(OP.drop) },
    ],
    [
      DEPLOY_ERRORS.wasm_memory_offset,
      'offset of a store',
      { apply: (a) => a.i32(0).i32(0).op(0x36).u32(0).u32(34_603_007) },
      { apply: (a) => a.i32(0).i32(0).op(0x36).u32(0).u32(34_603_008) },
    ],
    [
      DEPLOY_ERRORS.wasm_memory_offset,
      'offset of the last store of all',
      { apply: (a) => a.i32(0).i64(0).op(0x3e).u32(0).u32(34_603_007) },
      { apply: (a) => a.i32(0).i64(0).op(0x3e).u32(0).u32(34_603_008) },
    ],
    [
      DEPLOY_ERRORS.wasm_nesting,
      'nesting',
      body(...many(1023, [OP.block, EMPTY]), ...many(1023, [OP.end])),
      body(...many(1024, [OP.block, EMPTY]), ...many(1024, [OP.end])),
    ],
  ];
  for (const [row, what, good, bad] of cases) {
    t.doesNotThrow(build(good), what);
    refused(t, row, build(bad), what);
  }
  const constants = new Array(1000).fill({ type: I64, mutable: false, value: 0 });
  t.doesNotThrow(build({ globals: constants }), 'what cannot be changed counts for nothing');
});

t.test('of several faults the first in this order is told', async (t) => {
  const named = (code: Uint8Array, from: string, to: string): Uint8Array =>
    fromHex(toHex(code).replace(toHex(Buffer.from(from)), toHex(Buffer.from(to))));
  const inOrder: [ErrorRow, ModuleSource, from?: string, to?: string][] = [
    [WASM_ERRORS.wasm_type_mismatch, { apply: (a) => a.op(OP.drop) }],
    [DEPLOY_ERRORS.wasm_memory_size, { memory: { min: 529 } }],
    [DEPLOY_ERRORS.wasm_data_range, { data: [{ at: 65_536, bytes: Uint8Array.of(1) }] }],
    [DEPLOY_ERRORS.wasm_table_size, { table: 1025 }],
    [DEPLOY_ERRORS.wasm_mutable_globals, { globals: new Array(257).fill({ type: I32, mutable: true, value: 0 }) }],
    [DEPLOY_ERRORS.wasm_stack_usage, { applyLocals: new Array(2043).fill(F32) }],
    [DEPLOY_ERRORS.wasm_apply_missing, {}, 'apply', 'apple'],
    [DEPLOY_ERRORS.wasm_memory_offset, { apply: (a) => a.i32(0).op(0x28).u32(0).u32(34_603_008).op(OP.drop) }],
    [DEPLOY_ERRORS.wasm_import_refused, { imports: ['abort'] }, 'abort', 'about'],
  ];
  let all: ModuleSource = {};
  const renamed: [string, string][] = [];
  for (const [row, fault, from, to] of inOrder.reverse()) {
    all = { ...all, ...fault };
    if (from !== undefined && to !== undefined) renamed.push([from, to]);
    const code = renamed.reduce<Uint8Array>((code, [from, to]) => named(code, from, to), buildModule(all));
    refused(t, row, () => validate(code));
  }
});

t.test('data must stand at a constant', async (t) => {
  // An imported global is refused later, so that this is what its use is refused for.
  const data = '0b 07 01 00 23 00 0b 01 00';
  refused(t, DEPLOY_ERRORS.wasm_data_base, () =>
    validate(hex(TYPES, imported(0), FUNCTIONS, '05 03 01 00 01', EXPORTS, CODE, data)),
  );
});

t.test('the nesting counter drifts by the number of else', async (t) => {
  const ifElse = [0x41, 0, OP.if, EMPTY, OP.else, OP.end];
  t.doesNotThrow(build(body(...many(1022, ifElse))));
  refused(t, DEPLOY_ERRORS.wasm_nesting, build(body(...many(1023, ifElse))));
  const two = { code: (a: { raw(bytes: number[]): unknown }) => a.raw(many(600, ifElse)) };
  refused(t, DEPLOY_ERRORS.wasm_nesting, build({ functions: [two, two] }), 'it runs through all functions');

  const nested = (levels: number): FunctionSource => ({
    code: (a) => a.raw([...many(levels, [OP.block, EMPTY]), ...many(levels, [OP.end])]),
  });
  const empty = nested(0);
  t.doesNotThrow(build({ functions: [nested(1023)] }));
  t.doesNotThrow(build({ functions: [empty, nested(1022)] }));
  // The end of the first function adds one, that of a second one takes it away again.
  refused(t, DEPLOY_ERRORS.wasm_nesting, build({ functions: [empty, nested(1023)] }), 'an end at zero adds');
  t.doesNotThrow(build({ functions: [empty, empty, nested(1023)] }), 'and the next one takes');
});

t.test('apply and imports', async (t) => {
  refused(t, DEPLOY_ERRORS.wasm_apply_missing, () => validate(hex(TYPES, FUNCTIONS, CODE)));
  refused(t, DEPLOY_ERRORS.wasm_apply_missing, () => validate(hex('01 04 01 60 00 00', FUNCTIONS, EXPORTS, CODE)));
  // The function of the same number would have the right type.
  const memory = hex(TYPES, FUNCTIONS, '05 03 01 00 01', '07 09 01 05 6170706c79 02 00', CODE);
  refused(t, DEPLOY_ERRORS.wasm_apply_missing, () => validate(memory), 'a memory of that name');
  const importing = (module: string, name: string, kind: number[]) => {
    const section = new ByteWriter().u32(1).name(module).name(name).raw(kind);
    const index = kind[0] === 0 ? '01' : '00';
    return () =>
      validate(
        new ByteWriter()
          .raw(hex('01 0a 02 60 03 7e 7e 7e 00 60 00 00'))
          .section(2, section)
          .raw(hex(FUNCTIONS, `07 09 01 05 6170706c79 00 ${index}`, CODE).subarray(8))
          .finish(),
      );
  };
  t.doesNotThrow(importing('env', 'abort', [0, 1]));
  const row = DEPLOY_ERRORS.wasm_import_refused;
  refused(t, row, importing('env', 'abort', [0, 0]), 'other type');
  refused(t, row, importing('env', 'db_idx128_store', [0, 1]), { data: { module: 'env', name: 'db_idx128_store' } });
  refused(t, row, importing('gxc_injection', 'checktime', [0, 1]), 'other module');
  refused(t, row, importing('eny', 'abort', [0, 1]), { data: { module: 'eny', name: 'abort' } });
  refused(t, row, importing('env', 'memory', [2, 0, 1]), 'memory');
  refused(t, row, importing('env', 'table', [1, 0x70, 0, 1]), 'table');
  refused(t, row, importing('env', 'global', [3, I32, 0]), 'global');
});
