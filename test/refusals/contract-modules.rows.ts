import { fromHex } from '../../src/base/bytes.js';
import type { ErrorRow } from '../../src/base/errors.js';
import { DEPLOY_ERRORS as DEPLOY, RUN_ERRORS as RUN, WASM_ERRORS as WASM } from '../../src/vm/errors.js';
import { HOST_TYPES } from '../../src/vm/host/index.js';
import { validateModule } from '../../src/vm/validate.js';
import { ByteWriter } from '../../src/vm/wasm/byte-writer.js';
import { EMPTY, F64, I32, I64 } from '../../src/vm/wasm/module.js';
import { OP } from '../../src/vm/wasm/opcodes.js';
import { ContractWorld, methods } from '../support/contract-world.js';
import { probe } from '../support/host-probe.js';
import { runModule } from '../support/vm-run.js';
import { buildModule, type ModuleSource } from '../support/wasm-builder.js';
import { assertion, type Refusal } from './define.js';

const serialization = (row: ErrorRow, text: string, raise: () => unknown): Refusal => ({
  row,
  code: 3070003,
  name: 'wasm_serialization_error',
  message: `Serialization Error Processing WASM: ${text}`,
  raise,
});

const execution = (row: ErrorRow, text: string, raise: () => unknown): Refusal => ({
  row,
  code: 3070002,
  name: 'wasm_execution_error',
  message: `Runtime Error Processing WASM: ${text}`,
  raise,
});

const interpreter = (row: ErrorRow, text: string, raise: () => unknown): Refusal => ({
  row,
  code: 3070020,
  name: 'wabt_execution_error',
  message: `Runtime Error Processing WABT: ${text}`,
  raise,
});

const TYPES = '01 07 01 60 03 7e 7e 7e 00';
const FUNCTIONS = '03 02 01 00';
const EXPORTS = '07 09 01 05 6170706c79 00 00';
const CODE = '0a 04 01 02 00 0b';
const hex = (...parts: readonly string[]) => fromHex(`0061736d01000000${parts.join('')}`.replaceAll(' ', ''));

const check = (code: Uint8Array) => () => validateModule(code, HOST_TYPES);
const deploy = (source: ModuleSource) => check(buildModule(source));
const call = (source: ModuleSource | Uint8Array) => () => runModule(source);
/** Of a contract that nobody checked when it was deployed. */
const callOld = (code: Uint8Array) => () => {
  const world = new ContractWorld();
  world.install(2000, code, methods('run'));
  return world.call(2000, 'run');
};
const custom = (name: number, payload: number) => {
  const section = new ByteWriter().name('x'.repeat(name)).raw(new Uint8Array(payload));
  return check(new ByteWriter().raw(buildModule({})).section(0, section).finish());
};
const apply = (...bytes: readonly number[]): ModuleSource => ({ apply: (a) => a.raw(bytes) });
const recursion: ModuleSource = {
  functions: [{ code: (a) => a.call(0) }],
  apply: (a) => a.call(0),
};
/** Each call leaves 100,000 operands behind, which no contract has the time for that pays for them. */
const wideRecursion: ModuleSource = {
  functions: [
    {
      code: (a) => {
        for (let i = 0; i < 100_000; i++) a.i32(0);
        a.call(0).op(OP.unreachable);
      },
    },
  ],
  apply: (a) => a.call(0),
};
const f64 = (value: bigint) => (a: Parameters<NonNullable<ModuleSource['apply']>>[0]) => a.f64Bits(value);
const indirect = (slot: number): ModuleSource => ({
  table: 2,
  elements: [{ base: 1, functions: [0] }],
  functions: [{ parameters: [I32], code: () => undefined }],
  types: [{ parameters: [], result: EMPTY }],
  apply: (a) => a.i32(slot).op(OP.call_indirect).u32(0).u8(0),
});

export const refusals: readonly Refusal[] = [
  serialization(WASM.wasm_end_of_stream, 'expected data but found end of stream', check(fromHex('0061736d'))),
  serialization(WASM.wasm_malformed, 'bad magic number at byte 4', check(fromHex('0061736e01000000'))),
  serialization(
    WASM.wasm_type_mismatch,
    'type mismatch in function 0: operand missing at byte 48',
    deploy(apply(OP.drop)),
  ),
  serialization(
    WASM.wasm_array_size,
    'Trying to deserialize array of size : 8193, which is over by 1 bytes',
    check(hex('01 03 81 40 00')),
  ),
  serialization(
    WASM.wasm_string_size,
    'Trying to deserialize string of size : 8192, which is over by 0 bytes',
    custom(8192, 0),
  ),
  serialization(
    WASM.wasm_custom_size,
    'Trying to deserialize bytes of size : 65546, which is over by 10 bytes',
    custom(4, 65_546),
  ),
  serialization(
    WASM.wasm_body_size,
    'Function body too large',
    check(hex(TYPES, FUNCTIONS, EXPORTS, '0a 05 01 80 80 80 0a')),
  ),
  serialization(
    WASM.wasm_function_imports,
    'Too many function imports',
    deploy({ imports: new Array(1024).fill('abort') }),
  ),
  serialization(WASM.wasm_function_definitions, 'Too many function defs', check(hex(TYPES, '03 02 80 08'))),
  serialization(
    WASM.wasm_local_sets,
    'too many local sets',
    check(hex(TYPES, FUNCTIONS, EXPORTS, '0a 04 01 02 80 08')),
  ),
  serialization(WASM.wasm_locals, 'too many locals', deploy({ applyLocals: new Array(2049).fill(I32) })),

  execution(
    DEPLOY.wasm_stack_usage,
    'Smart contract function has more than 8192 bytes of stack usage',
    deploy({ applyLocals: new Array(1022).fill(F64) }),
  ),
  execution(
    DEPLOY.wasm_memory_size,
    'Smart contract initial memory size must be less than or equal to 33792KiB',
    deploy({ memory: { min: 529 } }),
  ),
  execution(
    DEPLOY.wasm_data_base,
    'Smart contract has unexpected memory base offset type',
    check(
      hex(
        TYPES,
        '02 0a 01 03 656e76 01 67 03 7f 00',
        FUNCTIONS,
        '05 03 01 00 01',
        EXPORTS,
        CODE,
        '0b 07 01 00 23 00 0b 01 00',
      ),
    ),
  ),
  execution(
    DEPLOY.wasm_data_range,
    'Smart contract data segments must lie in first 64KiB',
    deploy({ data: [{ at: 65_535, bytes: new Uint8Array(2) }] }),
  ),
  execution(DEPLOY.wasm_table_size, 'Smart contract table limited to 1024 elements', deploy({ table: 1025 })),
  execution(
    DEPLOY.wasm_mutable_globals,
    'Smart contract has more than 1024 bytes of mutable globals',
    deploy({ globals: new Array(129).fill({ type: I64, mutable: true, value: 0 }) }),
  ),
  execution(
    DEPLOY.wasm_memory_offset,
    'Smart contract used an invalid large memory store/load offset',
    deploy({ apply: (a) => a.i32(0).op(0x28).u8(0).u32(34_603_008).op(OP.drop) }),
  ),
  execution(
    DEPLOY.wasm_nesting,
    'Nested depth exceeded',
    deploy(apply(...new Array(1024).fill([OP.block, EMPTY]).flat(), ...new Array(1024).fill(OP.end))),
  ),
  execution(
    DEPLOY.wasm_apply_missing,
    "Smart contract's apply function not exported; non-existent; or wrong type",
    check(hex(TYPES, FUNCTIONS, CODE)),
  ),
  assertion(
    DEPLOY.wasm_import_refused,
    '!"unresolvable": env.db_idx128_store',
    check(
      hex(
        TYPES,
        '02 17 01 03 656e76 0f 64625f6964783132385f73746f7265 00 00',
        FUNCTIONS,
        '07 09 01 05 6170706c79 00 01',
        CODE,
      ),
    ),
  ),

  interpreter(RUN.contract_trap, 'wabt execution failure (unreachable executed)', call(apply(OP.unreachable))),
  interpreter(
    RUN.contract_trap,
    'wabt execution failure (out of bounds memory access)',
    call({ apply: (a) => a.i32(65_533).op(0x28).u8(0).u32(0).op(OP.drop) }),
  ),
  interpreter(
    RUN.contract_trap,
    'wabt execution failure (integer divide by zero)',
    call({ apply: (a) => a.i32(1).i32(0).op(0x6d).op(OP.drop) }),
  ),
  interpreter(
    RUN.contract_trap,
    'wabt execution failure (integer overflow)',
    call({ apply: (a) => a.i32(0x8000_0000).i32(-1).op(0x6d).op(OP.drop) }),
  ),
  interpreter(RUN.contract_trap, 'wabt execution failure (uninitialized table element)', call(indirect(0))),
  interpreter(RUN.contract_trap, 'wabt execution failure (indirect call signature mismatch)', call(indirect(1))),
  interpreter(RUN.contract_trap, 'wabt execution failure (undefined table index)', call(indirect(2))),
  interpreter(
    RUN.contract_trap_in_start,
    'wabt start function failure (unreachable executed)',
    call({ functions: [{ code: (a) => a.op(OP.unreachable) }], start: 0 }),
  ),
  interpreter(
    RUN.contract_elements_range,
    'Error building wabt interp: elem segment does not fit in table',
    call({ table: 1, elements: [{ base: 1, functions: [0] }] }),
  ),
  interpreter(
    RUN.contract_import_unknown,
    'Error building wabt interp: unknown import env.g',
    callOld(hex(TYPES, '02 09 01 03 656e76 01 67 00 00', FUNCTIONS, EXPORTS, CODE)),
  ),
  interpreter(
    RUN.contract_bodies_missing,
    'Error building wabt interp: functions without code',
    call(hex(TYPES, FUNCTIONS, EXPORTS)),
  ),
  interpreter(
    RUN.contract_trailing_code,
    'Error building wabt interp: function body must end with END opcode',
    call(hex(TYPES, FUNCTIONS, EXPORTS, '0a 05 01 03 00 0b 01')),
  ),
  interpreter(
    RUN.contract_memory_bounds,
    'Error building wabt interp: memory of 529 pages, at most 528',
    callOld(buildModule({ memory: { min: 529 } })),
  ),
  interpreter(
    RUN.contract_apply_missing,
    'wabt execution failure (unknown export)',
    callOld(hex(TYPES, FUNCTIONS, CODE)),
  ),
  interpreter(
    RUN.contract_apply_type,
    'wabt execution failure (argument type mismatch)',
    callOld(hex('01 04 01 60 00 00', FUNCTIONS, EXPORTS, CODE)),
  ),
  interpreter(RUN.contract_access_violation, 'access violation', () => probe([['prints_l', 65_536, 1]])),
  interpreter(RUN.contract_null_reference, 'references cannot be created for null pointers', () =>
    probe([['printi128', 0]]),
  ),
  interpreter(RUN.contract_length_overflow, 'length will overflow', () => probe([['prints_l', 0, 0x7fffffff]])),
  interpreter(RUN.contract_returned_pointer, 'returning pointer not in linear memory', () =>
    probe([['memcpy', 65_536, 0, 0]]),
  ),
  execution(RUN.contract_unterminated_string, 'unterminated string', () =>
    probe([['prints', 65_535]], { place: { 65535: Uint8Array.of(65) } }),
  ),
  execution(
    RUN.contract_data_range,
    'WASM data segment outside of valid memory range',
    call({ memory: { min: 0 }, data: [{ at: 0, bytes: Uint8Array.of(1) }] }),
  ),
  execution(RUN.contract_call_depth, 'Exceeded call depth maximum', call(recursion)),
  execution(
    RUN.contract_float_conversion,
    'Error, f64.convert_s/i64 overflow',
    call({ apply: (a) => f64(0x7fe0000000000000n)(a).op(0xb0).op(OP.drop) }),
  ),
  execution(
    RUN.contract_float_conversion,
    'Error, f64.convert_s/i64 unrepresentable',
    call({ apply: (a) => f64(0x7ff8000000000000n)(a).op(0xb0).op(OP.drop) }),
  ),
  execution(RUN.contract_stack_bytes, 'Exceeded call stack size of 134217728 bytes', () =>
    runModule(wideRecursion, 1n << 40n),
  ),
  {
    row: RUN.contract_time_exceeded,
    code: 3080004,
    name: 'tx_cpu_usage_exceeded',
    message:
      'transaction exceeded the current CPU usage limit imposed on the transaction: transaction was executing for too long',
    raise: call(apply(OP.loop, EMPTY, OP.br, 0, OP.end)),
  },
];
