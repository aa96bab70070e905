import type { Assembler } from '../../src/vm/wasm/assembler.js';
import { EMPTY, F32, F64, type FunctionType, I32, I64, type ValueType } from '../../src/vm/wasm/module.js';
import { accessAlignmentMax, accessType, NUMERIC, OP } from '../../src/vm/wasm/opcodes.js';
import { buildModule, type FunctionSource } from './wasm-builder.js';

/**
 * Random contracts that use every instruction, on values of all types, with branches that carry values over others that
 * lie below. They end by themselves, by a trap, or because their budget does.
 */

export type Next = (below: number) => number;

const TYPES: readonly ValueType[] = [I32, I64, F32, F64];
const IMPORTS = ['printi', 'printsf', 'printdf', 'current_receiver', '__floatsidf'] as const;
const LOCALS_OF_A_TYPE = 3;
/** Behind the locals that hold values. */
const COUNTERS = 12;

const I32_VALUES = [0, 1, -1, 2, 31, 32, 33, 63, 0x7fff_ffff, -0x8000_0000, 0xff, 0x8000, 1_000_003];
const I64_VALUES = [
  0n,
  1n,
  -1n,
  63n,
  64n,
  1n << 31n,
  1n << 32n,
  -(1n << 63n),
  (1n << 63n) - 1n,
  0xdead_beef_cafen,
  (1n << 62n) + (1n << 38n) + 1n,
  -(1n << 62n) - (1n << 38n) - 1n,
];
const F32_VALUES = [
  0, 0x8000_0000, 0x3f80_0000, 0xbfc0_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0xffc0_0000, 0x7f80_0001,
  0xffa0_0123, 1, 0x807f_ffff, 0x4b00_0001, 0x4f00_0000, 0xcf00_0000, 0x5f00_0000, 0x3f00_0000, 0x4020_0000,
];
const F64_VALUES = [
  0n,
  0x8000000000000000n,
  0x3ff0000000000000n,
  0xbff8000000000000n,
  0x7ff0000000000000n,
  0xfff0000000000000n,
  0x7ff8000000000000n,
  0xfff8000000000000n,
  0x7ff0000000000001n,
  0xfff4000000000123n,
  1n,
  0x800fffffffffffffn,
  0x4330000000000001n,
  0x41e0000000000000n,
  0xc1e0000000200000n,
  0x43e0000000000000n,
  0x3fe0000000000000n,
  0x4004000000000000n,
  0x47f0000000000000n,
  0x36a0000000000000n,
];

const range = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** Divisions, remainders, floats to integers: chosen less often, for nobody gets behind a trap. */
const TRAPPING = [...range(0x6d, 0x70), ...range(0x7f, 0x82), ...range(0xa8, 0xab), ...range(0xae, 0xb1)];

/** Opcodes by what they give. */
const givers = (type: ValueType): number[] =>
  range(OP.numeric_first, OP.numeric_last).filter((op) => NUMERIC[op]?.result === type);
const NUMERIC_OF = new Map(TYPES.map((type) => [type, givers(type)]));
const LOADS_OF = new Map(
  TYPES.map((type) => [type, range(OP.load_first, OP.load_last).filter((op) => accessType(op) === type)]),
);

class RandomFunction {
  private readonly next: Next;
  private readonly a: Assembler;
  private readonly own: FunctionType;
  private readonly functions: readonly FunctionType[];
  /** What a branch to each open label carries, innermost last; undefined: a loop, which only its own counter enters again. */
  private readonly labels: (ValueType | typeof EMPTY | undefined)[] = [];
  private counters = 0;

  constructor(next: Next, a: Assembler, own: FunctionType, functions: readonly FunctionType[]) {
    this.next = next;
    this.a = a;
    this.own = own;
    this.functions = functions;
  }

  write(): void {
    this.labels.push(this.own.result);
    this.statements(1 + this.next(5), 3);
    if (this.own.result !== EMPTY) this.expression(this.own.result, 4);
  }

  private pick<T>(values: readonly T[]): T {
    return values[this.next(values.length)] as T;
  }

  /** Locals of a type stand together, behind the parameters. */
  private local(type: ValueType): number {
    return this.own.parameters.length + LOCALS_OF_A_TYPE * TYPES.indexOf(type) + this.next(LOCALS_OF_A_TYPE);
  }

  private constant(type: ValueType): void {
    const { a, next } = this;
    const isAny = next(3) === 0;
    if (type === I32) a.i32(isAny ? next(2 ** 32) : this.pick(I32_VALUES));
    else if (type === I64) a.i64(isAny ? BigInt(next(2 ** 32)) * BigInt(next(2 ** 32)) : this.pick(I64_VALUES));
    else if (type === F32) a.f32Bits(isAny ? next(2 ** 32) : this.pick(F32_VALUES));
    else a.f64Bits(isAny ? (BigInt(next(2 ** 32)) << 32n) | BigInt(next(2 ** 32)) : this.pick(F64_VALUES));
  }

  expression(type: ValueType, depth: number): void {
    const { a, next } = this;
    switch (depth <= 0 ? next(3) : next(16)) {
      case 0:
        this.constant(type);
        break;
      case 1:
        a.localGet(this.local(type));
        break;
      case 2:
        a.globalGet(TYPES.indexOf(type));
        break;
      case 3:
        this.load(type, depth);
        break;
      case 4:
        this.expression(type, depth - 1);
        this.expression(type, depth - 1);
        this.expression(I32, depth - 1);
        a.op(OP.select);
        break;
      case 5:
        this.choice(type, depth);
        break;
      case 6:
      case 7:
        this.block(type, depth);
        break;
      case 8:
        this.expression(type, depth - 1);
        a.localTee(this.local(type));
        break;
      case 9:
        this.call(type, depth);
        break;
      case 10:
        this.other(type, depth);
        break;
      default: {
        const ops = NUMERIC_OF.get(type) as number[];
        const op = this.pick(next(25) === 0 ? ops : ops.filter((one) => !TRAPPING.includes(one)));
        for (const operand of NUMERIC[op]?.operands ?? []) this.expression(operand, depth - 1);
        a.op(op);
      }
    }
  }

  /** Mostly inside of the memory. */
  private address(depth: number): void {
    const { a, next } = this;
    this.expression(I32, depth - 1);
    if (next(400) > 0) a.i32(0x7fff).op(0x71);
  }

  private access(op: number): void {
    const { a, next } = this;
    a.op(op)
      .u8(next(1 + accessAlignmentMax(op)))
      .u32(next(300) === 0 ? next(34_000_000) : next(0x7000));
  }

  private load(type: ValueType, depth: number): void {
    this.address(depth);
    this.access(this.pick(LOADS_OF.get(type) as number[]));
  }

  private choice(type: ValueType, depth: number): void {
    const { a } = this;
    this.expression(I32, depth - 1);
    a.op(OP.if).u8(type);
    this.labels.push(type);
    this.expression(type, depth - 1);
    a.op(OP.else);
    this.expression(type, depth - 1);
    a.end();
    this.labels.pop();
  }

  /** Depth of a label that takes such a value. */
  private target(type: ValueType | typeof EMPTY): number | undefined {
    const depths = this.labels.flatMap((carried, i) => (carried === type ? [this.labels.length - 1 - i] : []));
    return depths.length === 0 ? undefined : this.pick(depths);
  }

  /** A block that may be left with its value, over others that lie below it. */
  private block(type: ValueType, depth: number): void {
    const { a, next } = this;
    a.op(OP.block).u8(type);
    this.labels.push(type);
    const below = next(3);
    for (let i = 0; i < below; i++) this.expression(this.pick(TYPES), depth - 2);
    this.expression(type, depth - 1);
    switch (next(4)) {
      case 0:
        this.expression(I32, depth - 1);
        this.branchTable(type);
        break;
      case 1:
        a.op(OP.br).u32(this.target(type) ?? 0);
        break;
      case 2:
        if (this.own.result === type) a.op(OP.return);
        else a.op(OP.br).u32(0);
        break;
      default:
        this.expression(I32, depth - 1);
        a.op(OP.br_if).u32(this.target(type) ?? 0);
        a.op(OP.br).u32(0);
    }
    // Nobody gets here.
    if (next(2) === 0) a.op(0x6a).op(OP.drop).op(OP.block).u8(EMPTY).op(OP.unreachable).end().op(OP.unreachable);
    a.end();
    this.labels.pop();
  }

  /** The choice lies on the stack. */
  private branchTable(type: ValueType | typeof EMPTY): void {
    const { a, next } = this;
    if (next(4) > 0) a.i32(7).op(0x71);
    const targets = Array.from({ length: next(5) }, () => this.target(type) ?? 0);
    a.op(OP.br_table).u32(targets.length);
    for (const target of targets) a.u32(target);
    a.u32(this.target(type) ?? 0);
  }

  private call(type: ValueType, depth: number): void {
    const { a, next } = this;
    const candidates = this.functions.flatMap(({ result }, index) => (result === type ? [index] : []));
    if (candidates.length === 0) {
      this.constant(type);
      return;
    }
    const index = this.pick(candidates);
    const { parameters } = this.functions[index] as FunctionType;
    for (const parameter of parameters) this.expression(parameter, depth - 1);
    if (next(3) > 0) {
      a.call(IMPORTS.length + index);
      return;
    }
    a.i32(next(30) === 0 ? next(20) : index);
    a.op(OP.call_indirect)
      .u32(next(40) === 0 ? this.sameParameters(index) : index)
      .u8(0);
  }

  /** Types have the numbers of the functions; another result would not pass the type check. */
  private sameParameters(index: number): number {
    const wanted = JSON.stringify(this.functions[index]);
    return this.pick(this.functions.flatMap((type, i) => (JSON.stringify(type) === wanted ? [i] : [])));
  }

  private other(type: ValueType, depth: number): void {
    const { a, next } = this;
    if (type === I32 && next(3) === 0) {
      // Two of them have to change until it shrinks, and that is the end of what compiled code can do.
      a.i32(next(4) === 0 ? 600 : next(2))
        .i32(1023)
        .op(0x71)
        .raw([OP.memory_grow, 0]);
    } else if (type === I32) a.raw([OP.memory_size, 0]);
    else if (type === I64) a.call(3);
    else if (type === F64) {
      this.expression(I32, depth - 1);
      a.call(4);
    } else this.constant(type);
  }

  private statements(count: number, depth: number): void {
    for (let i = 0; i < count; i++) this.statement(depth);
  }

  private statement(depth: number): void {
    const { a, next } = this;
    const type = this.pick(TYPES);
    switch (depth <= 0 ? next(4) : next(12)) {
      case 0:
        this.expression(type, 2);
        a.localSet(this.local(type));
        break;
      case 1:
        this.expression(type, 2);
        a.globalSet(TYPES.indexOf(type));
        break;
      case 2: {
        const op = this.pick(range(OP.store_first, OP.store_last));
        this.address(1);
        this.expression(accessType(op), 2);
        this.access(op);
        break;
      }
      case 3:
        this.expression(type, 3);
        a.op(OP.drop);
        break;
      case 4:
        this.host();
        break;
      case 5:
        this.maybeLeave();
        break;
      case 6:
      case 7:
        this.nested(OP.block, depth);
        a.end();
        break;
      case 8:
        this.expression(I32, 2);
        this.nested(OP.if, depth);
        if (next(2) === 0) {
          a.op(OP.else);
          this.labels.push(EMPTY);
          this.statements(1 + next(2), depth - 1);
          this.labels.pop();
        }
        a.end();
        break;
      case 9:
      case 10:
        this.loop(depth);
        break;
      default:
        a.op(OP.nop);
    }
  }

  private host(): void {
    const index = this.next(3);
    this.expression([I64, F32, F64][index] as ValueType, 2);
    this.a.call(index);
  }

  private maybeLeave(): void {
    const { a, next } = this;
    const target = this.target(EMPTY);
    if (target !== undefined && next(3) > 0) {
      this.expression(I32, 2);
      a.op(OP.br_if).u32(target);
    } else if (next(10) === 0) {
      this.expression(I32, 2);
      a.when(() => a.op(OP.unreachable));
    }
  }

  private nested(op: number, depth: number): void {
    const { next } = this;
    this.a.op(op).u8(EMPTY);
    this.labels.push(EMPTY);
    this.statements(1 + next(3), depth - 1);
    if (op === OP.block && next(4) === 0) {
      this.expression(I32, 1);
      this.branchTable(EMPTY);
    }
    this.labels.pop();
  }

  private loop(depth: number): void {
    const { a, next } = this;
    const counter = this.own.parameters.length + LOCALS_OF_A_TYPE * TYPES.length + (this.counters++ % COUNTERS);
    a.i32(0).localSet(counter).op(OP.loop).u8(EMPTY);
    this.labels.push(undefined);
    this.statements(1 + next(3), depth - 1);
    a.localGet(counter).i32(1).op(0x6a).localTee(counter);
    a.i32(2 + next(6))
      .op(0x49)
      .op(OP.br_if)
      .u32(0)
      .end();
    this.labels.pop();
  }
}

export function randomProgram(next: Next): Uint8Array<ArrayBuffer> {
  const types = Array.from({ length: 5 + next(4) }, (): FunctionType => {
    const parameters = Array.from({ length: next(4) }, () => TYPES[next(4)] as ValueType);
    return { parameters, result: (next(5) === 0 ? EMPTY : TYPES[next(4)]) as ValueType };
  });
  const locals = [...TYPES.flatMap((type) => new Array<ValueType>(LOCALS_OF_A_TYPE).fill(type))];
  locals.push(...new Array<ValueType>(COUNTERS).fill(I32));
  const functions = types.map((type, index): FunctionSource => {
    const { parameters, result } = type;
    // Most call only those before them, so that most programs end.
    const callable = next(8) === 0 ? types : types.slice(0, index);
    const code = (a: Assembler): void => new RandomFunction(next, a, type, callable).write();
    return { parameters, ...(result === EMPTY ? {} : { result }), locals, code };
  });
  const elements = [
    { base: 0, functions: types.map((_, index) => IMPORTS.length + index) },
    { base: 12, functions: [0, 3] },
  ];
  return buildModule({
    imports: IMPORTS,
    types,
    functions,
    table: 16,
    elements,
    memory: { min: 1, max: 4 },
    data: [0, 1, 2, 3, 4, 5, 6, 7].map((part) => ({
      at: 8000 * part,
      bytes: Uint8Array.from({ length: 8000 }, () => next(256)),
    })),
    globals: TYPES.map((type) => ({ type, mutable: true, value: 0x7fa0_0000 + next(1000) })),
    apply: (a) => {
      types.forEach(({ parameters, result }, index) => {
        for (const parameter of parameters) a.globalGet(TYPES.indexOf(parameter));
        a.call(IMPORTS.length + index);
        if (result !== EMPTY) a.globalSet(TYPES.indexOf(result));
      });
      [0x36, 0x37, 0x38, 0x39].forEach((store, index) => {
        a.i32(8 * index)
          .globalGet(index)
          .op(store)
          .u32(0)
          .u32(0);
      });
    },
  });
}
