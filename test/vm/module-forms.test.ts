import t from 'tap';
import { fromHex } from '../../src/base/bytes.js';
import type { ErrorRow } from '../../src/base/errors.js';
import { DEPLOY_ERRORS, RUN_ERRORS } from '../../src/vm/errors.js';
import type { Assembler } from '../../src/vm/wasm/assembler.js';
import { F64, I32, I64 } from '../../src/vm/wasm/module.js';
import { OP } from '../../src/vm/wasm/opcodes.js';
import { ContractWorld, methods } from '../support/contract-world.js';
import { refused } from '../support/refused.js';
import { CONTRACT, consoleOf, runModule } from '../support/vm-run.js';
import { buildModule, type ModuleSource } from '../support/wasm-builder.js';

/** Modules that may be deployed although no compiler takes them as they are, and those from before the deployment check. */

const HEADER = '0061736d01000000';
const TYPES = '01 07 01 60 03 7e 7e 7e 00';
const FUNCTIONS = '03 02 01 00';
const EXPORTS = '07 09 01 05 6170706c79 00 00';
const hex = (...parts: readonly string[]): Uint8Array => fromHex((HEADER + parts.join('')).replaceAll(' ', ''));
/** A module of one function with this body, locals included. */
const body = (bytes: string, ...sections: readonly string[]): Uint8Array => {
  const length = bytes.replaceAll(' ', '').length / 2;
  const size = (value: number) => value.toString(16).padStart(2, '0');
  return hex(TYPES, FUNCTIONS, ...sections, EXPORTS, `0a ${size(length + 2)} 01 ${size(length)}`, bytes);
};

t.test('forms that are rewritten before they are compiled', async (t) => {
  const good: [string, Uint8Array][] = [
    // Grows the memory by one page where that is allowed, and traps otherwise.
    ['memory of the shared form', body('00 41 01 40 00 41 7f 46 04 40 00 0b 0b', '05 03 01 02 01')],
    ['shared form with a maximum', body('00 41 01 40 00 41 7f 46 04 40 00 0b 0b', '05 04 01 03 01 02')],
    ['flags in two bytes', body('00 41 01 40 00 41 7f 46 04 40 00 0b 0b', '05 05 01 81 00 01 02')],
    ['table of the shared form', body('00 0b', '04 04 01 70 02 01')],
    ['block of type none', body('00 02 00 0b 0b')],
    ['loop of type none', body('00 03 00 0b 0b')],
    ['if of type none', body('00 41 01 04 00 05 0b 0b')],
    ['block of type none in dead code', body('00 02 40 0c 00 02 00 0b 0b 0b')],
    ['no locals of no type', body('01 00 00 0b')],
    ['no locals of no type between others', body('03 01 7f 00 40 01 7e 20 04 1a 0b')],
    ['result of type none', hex('01 08 01 60 03 7e 7e 7e 01 00', FUNCTIONS, EXPORTS, '0a 04 01 02 00 0b')],
  ];
  for (const [what, code] of good) t.doesNotThrow(() => runModule(code), what);
  const full = body('00 41 01 40 00 41 7f 46 04 40 00 0b 0b', '05 04 01 03 01 01');
  refused(t, RUN_ERRORS.contract_trap, () => runModule(full), 'the maximum of the shared form counts');
});

t.test('what can be deployed and fails every call', async (t) => {
  const cases: [ErrorRow, Uint8Array][] = [
    [RUN_ERRORS.contract_bodies_missing, hex(TYPES, FUNCTIONS, EXPORTS)],
    [RUN_ERRORS.contract_trailing_code, body('00 0b 01')],
    [RUN_ERRORS.contract_trailing_code, body('00 0b 02 40 0b')],
    [RUN_ERRORS.contract_elements_range, buildModule({ table: 1, elements: [{ base: 1, functions: [0] }] })],
    [RUN_ERRORS.contract_data_range, buildModule({ memory: { min: 0 }, data: [{ at: 0, bytes: Uint8Array.of(1) }] })],
  ];
  for (const [row, code] of cases) {
    const world = new ContractWorld();
    t.doesNotThrow(() => world.deploy(CONTRACT, code, methods('run')), row.key);
    refused(t, row, () => world.call(CONTRACT, 'run'));
  }
});

t.test('contracts from before the deployment check', async (t) => {
  const call = (code: Uint8Array) => () => {
    const world = new ContractWorld();
    world.install(CONTRACT, code, methods('run'));
    return world.call(CONTRACT, 'run');
  };
  const deep = 2000;
  const bytes = Uint8Array.of(7);
  /** Traps unless the byte of the data segment is where it should be. */
  const reads = (at: number) => (a: Assembler) =>
    a
      .i32(at)
      .op(0x2d)
      .u8(0)
      .u32(0)
      .i32(7)
      .op(0x47)
      .when(() => a.op(OP.unreachable));
  const running: [ErrorRow, ModuleSource][] = [
    [DEPLOY_ERRORS.wasm_data_range, { memory: { min: 2 }, data: [{ at: 65_536, bytes }], apply: reads(65_536) }],
    [DEPLOY_ERRORS.wasm_table_size, { table: 2000, elements: [{ base: 1999, functions: [0] }] }],
    [
      DEPLOY_ERRORS.wasm_mutable_globals,
      { globals: new Array(129).fill({ type: I64, mutable: true, value: 0 }), apply: (a) => a.i64(1n).globalSet(128) },
    ],
    [DEPLOY_ERRORS.wasm_stack_usage, { applyLocals: new Array(2048).fill(F64) }],
    [
      DEPLOY_ERRORS.wasm_memory_offset,
      { apply: (a) => a.i32(0).when(() => a.i32(0).op(0x28).u8(0).u32(34_603_008).op(OP.drop)) },
    ],
    [
      DEPLOY_ERRORS.wasm_nesting,
      {
        apply: (a) => {
          for (let i = 0; i < deep; i++) a.op(OP.block).u8(0x40);
          for (let i = 0; i < deep; i++) a.end();
        },
      },
    ],
  ];
  for (const [row, source] of running) {
    const code = buildModule(source);
    refused(t, row, () => runModule(code), `${row.key}: cannot be deployed any more`);
    t.doesNotThrow(call(code), `${row.key}: goes on running`);
  }
  const result = '01 08 01 60 03 7e 7e 7e 01 7f';
  t.doesNotThrow(call(hex(result, FUNCTIONS, EXPORTS, '0a 06 01 04 00 41 01 0b')), 'an apply that gives something');

  const failing: [ErrorRow, Uint8Array][] = [
    [RUN_ERRORS.contract_memory_bounds, buildModule({ memory: { min: 529 } })],
    [
      RUN_ERRORS.contract_import_unknown,
      hex(TYPES, '02 09 01 03 656e76 01 67 00 00', FUNCTIONS, EXPORTS, '0a 04 01 02 00 0b'),
    ],
    [RUN_ERRORS.contract_apply_missing, hex(TYPES, FUNCTIONS, '0a 04 01 02 00 0b')],
    [RUN_ERRORS.contract_apply_type, hex('01 04 01 60 00 00', FUNCTIONS, EXPORTS, '0a 04 01 02 00 0b')],
    [RUN_ERRORS.contract_data_range, buildModule({ data: [{ at: 65_536, bytes }] })],
    [RUN_ERRORS.contract_data_range, buildModule({ data: [{ at: 65_535, bytes: Uint8Array.of(7, 7) }] })],
  ];
  for (const [row, code] of failing) refused(t, row, call(code));
});

t.test('an empty slot of the table and a function of another type', async (t) => {
  const indirect = (slot: number) =>
    buildModule({
      table: 3,
      elements: [{ base: 1, functions: [0] }],
      functions: [{ parameters: [I32], code: () => undefined }],
      types: [{ parameters: [], result: 0x40 }],
      apply: (a) => a.i32(slot).op(OP.call_indirect).u32(0).u8(0),
    });
  const texts: [number, string][] = [
    [0, 'wabt execution failure (uninitialized table element)'],
    [1, 'wabt execution failure (indirect call signature mismatch)'],
    [2, 'wabt execution failure (uninitialized table element)'],
    [3, 'wabt execution failure (undefined table index)'],
    [-1, 'wabt execution failure (undefined table index)'],
  ];
  for (const [slot, message] of texts) t.throws(() => runModule(indirect(slot)), { message }, `slot ${slot}`);
});

t.test('functions stand in the table where their segments say, with holes between them', async (t) => {
  const print = (value: bigint) => ({ code: (a: Assembler) => a.i64(value).call(0) });
  const indirect = (...slots: readonly number[]): ModuleSource => ({
    imports: ['printi'],
    types: [{ parameters: [], result: 0x40 }],
    table: 8,
    elements: [
      { base: 5, functions: [2] },
      { base: 1, functions: [1, 2] },
    ],
    functions: [print(7n), print(8n)],
    apply: (a) => {
      for (const slot of slots) a.i32(slot).op(OP.call_indirect).u32(0).u8(0);
    },
  });
  t.equal(consoleOf(indirect(5, 1, 2)), '878');
  for (const slot of [0, 3, 4, 6]) refused(t, RUN_ERRORS.contract_trap, () => consoleOf(indirect(slot)), `${slot}`);
});

t.test('segments that lie over each other', async (t) => {
  const source = {
    table: 4,
    elements: [
      { base: 0, functions: [1, 1, 1] },
      { base: 3, functions: [] },
      { base: 1, functions: [2] },
    ],
    data: [
      { at: 8, bytes: Uint8Array.of(1, 1, 1, 1) },
      { at: 9, bytes: Uint8Array.of(2) },
      { at: 7, bytes: Uint8Array.of(3, 3) },
    ],
    imports: ['printi'],
    types: [{ parameters: [], result: 0x40 }] as const,
    functions: [1, 2].map((value) => ({ code: (a: Assembler) => a.i64(value).call(0) })),
  };
  const print = (a: Assembler, at: number) => a.i32(at).op(0x31).u8(0).u32(0).call(0);
  const printed = consoleOf({
    ...source,
    apply: (a) => {
      for (const slot of [0, 1, 2]) a.i32(slot).op(OP.call_indirect).u32(0).u8(0);
      for (let at = 6; at < 13; at++) print(a, at);
    },
  });
  t.equal(printed, '1210332110', 'the last one of them counts');
  const empty = buildModule({ ...source, apply: (a) => a.i32(3).op(OP.call_indirect).u32(0).u8(0) });
  t.throws(() => runModule(empty), { message: 'wabt execution failure (uninitialized table element)' });
});
