import type { Assembler } from '../../../src/vm/wasm/assembler.js';
import { EMPTY, I32, I64 } from '../../../src/vm/wasm/module.js';
import { OP } from '../../../src/vm/wasm/opcodes.js';
import { buildModule, type FunctionSource } from '../../support/wasm-builder.js';
import { HOST, type HostType, wasmTypes } from './host-types.js';
import { COMMANDS, RESULT_COUNT, RESULTS, SCRIPT, SCRIPT_BYTES } from './script.js';

/** A contract that does what the data of its action say, one host function after the other. */

const LOAD_I32_BYTE = 0x2d;
const LOAD_I64 = 0x29;
const STORE_I64 = 0x37;
const STORE_BYTE = 0x3a;
const AT = 0;
const END = 1;
const COUNT = 2;
const HOST_COUNT = HOST.length;
const READ = HOST.findIndex(({ name }) => name === 'read_action_data');
const ARGUMENT = HOST_COUNT;
const KEEP = HOST_COUNT + 1;
const FIRST_COMMAND = HOST_COUNT + 2;

const step = (a: Assembler, bytes: number) => a.globalGet(AT).i32(bytes).op(0x6a).globalSet(AT);

/** The next argument: eight bytes behind a zero, or a result that was kept. */
function argument(a: Assembler): void {
  a.globalGet(AT).op(LOAD_I32_BYTE).u32(0).u32(0).localSet(0);
  step(a, 1);
  a.localGet(0).op(OP.if).u8(EMPTY);
  a.localGet(0).i32(1).op(0x6b).i32(8).op(0x6c).op(LOAD_I64).u32(0).u32(RESULTS).op(OP.return);
  a.end();
  a.globalGet(AT).op(LOAD_I64).u32(0).u32(0).localSet(1);
  step(a, 8);
  a.localGet(1);
}

function keep(a: Assembler): void {
  a.globalGet(COUNT).i32(RESULT_COUNT).op(0x70).i32(8).op(0x6c).localGet(0).op(STORE_I64).u32(0).u32(RESULTS);
  a.globalGet(COUNT).i32(1).op(0x6a).globalSet(COUNT);
}

function hostCall(a: Assembler, { takes, gives }: HostType, index: number): void {
  for (const type of takes.flatMap(wasmTypes)) {
    a.call(ARGUMENT);
    if (type === 'i32' || type === 'f32') a.op(0xa7);
    if (type === 'f32') a.op(0xbe);
    if (type === 'f64') a.op(0xbf);
  }
  a.call(index);
  const [result] = wasmTypes(gives);
  if (result === 'f32') a.op(0xbc);
  if (result === 'f64') a.op(0xbd);
  if (result === 'i32' || result === 'f32') a.op(0xac);
  if (result !== undefined) a.call(KEEP);
}

/** Puts bytes that stand in the script somewhere else. */
function place(a: Assembler): void {
  for (const local of [0, 1]) a.call(ARGUMENT).op(0xa7).localSet(local);
  a.op(OP.block).u8(EMPTY).op(OP.loop).u8(EMPTY);
  a.localGet(1).op(0x45).op(OP.br_if).u32(1);
  a.localGet(0).globalGet(AT).op(LOAD_I32_BYTE).u32(0).u32(0).op(STORE_BYTE).u32(0).u32(0);
  step(a, 1);
  a.localGet(0).i32(1).op(0x6a).localSet(0);
  a.localGet(1).i32(1).op(0x6b).localSet(1);
  a.op(OP.br).u32(0).end().end();
}

const OTHERS: readonly FunctionSource[] = [
  { locals: [I32, I32], code: place },
  { code: (a) => a.call(ARGUMENT).op(0xa7).op(OP.memory_grow).u8(0).op(0xac).call(KEEP) },
  { code: (a) => a.op(OP.unreachable) },
];

function apply(a: Assembler): void {
  a.i32(SCRIPT).i32(SCRIPT_BYTES).call(READ).i32(SCRIPT).op(0x6a).globalSet(END);
  a.op(OP.loop).u8(EMPTY);
  a.globalGet(AT).globalGet(END).op(0x49).op(OP.if).u8(EMPTY);
  a.globalGet(AT).op(LOAD_I32_BYTE).u32(0).u32(0).localSet(3);
  step(a, 1);
  a.localGet(3).op(OP.call_indirect).u32(0).u8(0);
  a.op(OP.br).u32(1).end().end();
}

/** `bytes` is how much a section adds that does nothing. */
export function runnerCode(bytes: number): Uint8Array {
  const commands = [...HOST.map((host, i): FunctionSource => ({ code: (a) => hostCall(a, host, i) })), ...OTHERS];
  const code = buildModule({
    types: [{ parameters: [], result: EMPTY }],
    imports: HOST.map(({ name }) => name),
    functions: [{ result: I64, locals: [I32, I64], code: argument }, { parameters: [I64], code: keep }, ...commands],
    table: COMMANDS,
    elements: [{ base: 0, functions: commands.map((_, i) => FIRST_COMMAND + i) }],
    globals: [
      { type: I32, mutable: true, value: SCRIPT },
      { type: I32, mutable: true, value: 0 },
      { type: I32, mutable: true, value: 0 },
    ],
    applyLocals: [I32],
    apply,
  });
  return Uint8Array.of(...code, 0, bytes + 2, 1, 0x78, ...new Array<number>(bytes).fill(0));
}
