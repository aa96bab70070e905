import { EMPTY, F32, F64, I32, I64, type ValueType } from './module.js';

/** The instruction set of WebAssembly 1.0, as far as it can be put in tables. */

export const OP = {
  unreachable: 0x00,
  nop: 0x01,
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  else: 0x05,
  end: 0x0b,
  br: 0x0c,
  br_if: 0x0d,
  br_table: 0x0e,
  return: 0x0f,
  call: 0x10,
  call_indirect: 0x11,
  drop: 0x1a,
  select: 0x1b,
  local_get: 0x20,
  local_set: 0x21,
  local_tee: 0x22,
  global_get: 0x23,
  global_set: 0x24,
  load_first: 0x28,
  load_last: 0x35,
  store_first: 0x36,
  store_last: 0x3e,
  memory_size: 0x3f,
  memory_grow: 0x40,
  i32_const: 0x41,
  i64_const: 0x42,
  f32_const: 0x43,
  f64_const: 0x44,
  numeric_first: 0x45,
  numeric_last: 0xbf,
} as const;

export interface NumericSignature {
  readonly operands: readonly ValueType[];
  readonly result: ValueType;
}

/** Signatures by opcode for 0x45 to 0xbf, as runs of equal ones: operands, result, how many opcodes. */
const RUNS: readonly (readonly [readonly ValueType[], ValueType, number])[] = [
  [[I32], I32, 1],
  [[I32, I32], I32, 10],
  [[I64], I32, 1],
  [[I64, I64], I32, 10],
  [[F32, F32], I32, 6],
  [[F64, F64], I32, 6],
  [[I32], I32, 3],
  [[I32, I32], I32, 15],
  [[I64], I64, 3],
  [[I64, I64], I64, 15],
  [[F32], F32, 7],
  [[F32, F32], F32, 7],
  [[F64], F64, 7],
  [[F64, F64], F64, 7],
  [[I64], I32, 1],
  [[F32], I32, 2],
  [[F64], I32, 2],
  [[I32], I64, 2],
  [[F32], I64, 2],
  [[F64], I64, 2],
  [[I32], F32, 2],
  [[I64], F32, 2],
  [[F64], F32, 1],
  [[I32], F64, 2],
  [[I64], F64, 2],
  [[F32], F64, 1],
  [[F32], I32, 1],
  [[F64], I64, 1],
  [[I32], F32, 1],
  [[I64], F64, 1],
];

export const NUMERIC: readonly (NumericSignature | undefined)[] = (() => {
  const table: (NumericSignature | undefined)[] = new Array(OP.numeric_first).fill(undefined);
  for (const [operands, result, count] of RUNS) for (let i = 0; i < count; i++) table.push({ operands, result });
  return table;
})();

/** Value type and natural alignment (as a power of two) of loads and stores, from 0x28 on. */
const ACCESSES: readonly (readonly [ValueType, number])[] = [
  [I32, 2],
  [I64, 3],
  [F32, 2],
  [F64, 3],
  [I32, 0],
  [I32, 0],
  [I32, 1],
  [I32, 1],
  [I64, 0],
  [I64, 0],
  [I64, 1],
  [I64, 1],
  [I64, 2],
  [I64, 2],
  [I32, 2],
  [I64, 3],
  [F32, 2],
  [F64, 3],
  [I32, 0],
  [I32, 1],
  [I64, 0],
  [I64, 1],
  [I64, 2],
];

export function accessType(op: number): ValueType {
  return (ACCESSES[op - OP.load_first] as readonly [ValueType, number])[0];
}

export function accessAlignmentMax(op: number): number {
  return (ACCESSES[op - OP.load_first] as readonly [ValueType, number])[1];
}

/** Whether the opcode belongs to WebAssembly 1.0. */
export function isKnownOpcode(op: number): boolean {
  return (
    op <= OP.else ||
    (op >= OP.end && op <= OP.call_indirect) ||
    op === OP.drop ||
    op === OP.select ||
    (op >= OP.local_get && op <= OP.global_set) ||
    (op >= OP.load_first && op <= OP.numeric_last)
  );
}

export function isBlockType(type: number): type is ValueType | typeof EMPTY {
  return type === EMPTY || (type >= F64 && type <= I32);
}
