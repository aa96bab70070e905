import { invariant } from '../../base/errors.js';
import { OP } from '../wasm/opcodes.js';
import { ACCESS_OPERATIONS } from './accesses.js';
import { FLOAT_OPERATIONS } from './floats.js';
import { INTEGER_OPERATIONS } from './integers.js';
import type { Machine, Operation } from './machine.js';

function select(m: Machine): void {
  const condition = m.popI32();
  m.top--;
  if (condition === 0) m.move(m.top, m.top - 1);
}

function setLocal(m: Machine, index: number): void {
  m.top--;
  m.move(m.top, m.base + index);
}

function getGlobal(m: Machine, index: number): void {
  m.pushHalves(m.globals[2 * index] as number, m.globals[2 * index + 1] as number);
}

function setGlobal(m: Machine, index: number): void {
  m.globals[2 * index] = m.topI32();
  m.globals[2 * index + 1] = m.topHigh();
  m.top--;
}

/** The immediates of constants: the bits of 32 of them, of the others where they are kept. */
const STACK_OPERATIONS: Readonly<Record<number, Operation>> = {
  [OP.drop]: (m) => {
    m.top--;
  },
  [OP.select]: select,
  [OP.local_get]: (m, index) => m.move(m.base + index, m.top++),
  [OP.local_set]: setLocal,
  [OP.local_tee]: (m, index) => m.move(m.top - 1, m.base + index),
  [OP.global_get]: getGlobal,
  [OP.global_set]: setGlobal,
  [OP.memory_size]: (m) => m.pushI32(m.linearMemory.pages.value),
  [OP.memory_grow]: (m) => m.growMemory(),
  [OP.i32_const]: (m, bits) => m.pushI32(bits),
  [OP.f32_const]: (m, bits) => m.pushI32(bits),
};

/** By opcode; a hole stands for control flow and constants of 64 bits, which need more than the machine. */
export const OPERATIONS: readonly Operation[] = Array.from({ length: OP.numeric_last + 1 }, (_, op) => {
  const operation =
    STACK_OPERATIONS[op] ?? ACCESS_OPERATIONS[op] ?? INTEGER_OPERATIONS[op] ?? FLOAT_OPERATIONS[op] ?? unknown;
  invariant(op < OP.numeric_first || operation !== unknown, 'every numeric opcode has its operation');
  return operation;
});

function unknown(): never {
  invariant(false, 'decoded code has known operations only');
}
