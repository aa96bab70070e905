import t, { type Test } from 'tap';
import { CompiledContract } from '../../src/vm/compiled-contract.js';
import { RUN_ERRORS } from '../../src/vm/errors.js';
import { loadContract } from '../../src/vm/load-contract.js';
import {
  addFloat,
  compareFloat,
  convertFloat,
  divFloat,
  FLOAT32,
  FLOAT64,
  type FloatFormat,
  generatedNaN,
  isNaNBits,
  mulFloat,
  subFloat,
} from '../../src/vm/softfloat.js';
import type { Assembler } from '../../src/vm/wasm/assembler.js';
import { F32, F64, I32, I64 } from '../../src/vm/wasm/module.js';
import { NUMERIC, OP } from '../../src/vm/wasm/opcodes.js';
import { refused } from '../support/refused.js';
import { consoleOf } from '../support/vm-run.js';
import { buildModule } from '../support/wasm-builder.js';

interface Width {
  readonly format: FloatFormat;
  readonly unary: number;
  readonly binary: number;
  readonly compare: number;
  readonly values: readonly bigint[];
}

const SINGLE: Width = {
  format: FLOAT32,
  unary: 0x8b,
  binary: 0x92,
  compare: 0x5b,
  values: [
    0x0n,
    0x80000000n,
    0x3f800000n,
    0xbf800000n,
    0x3fc00000n,
    0xc0200000n,
    0x1n,
    0x807fffffn,
    0x7f7fffffn,
    0x7f800000n,
    0xff800000n,
    0x7fc00000n,
    0xffc00000n,
    0x7f800001n,
    0xffa00123n,
    0x7fe54321n,
    0x3effffffn,
    0xbf000000n,
    0x4b000001n,
  ],
};
const DOUBLE: Width = {
  format: FLOAT64,
  unary: 0x99,
  binary: 0xa0,
  compare: 0x61,
  values: [
    0x0n,
    0x8000000000000000n,
    0x3ff0000000000000n,
    0xbff0000000000000n,
    0x3ff8000000000000n,
    0xc004000000000000n,
    0x1n,
    0x800fffffffffffffn,
    0x7fefffffffffffffn,
    0x7ff0000000000000n,
    0xfff0000000000000n,
    0x7ff8000000000000n,
    0xfff8000000000000n,
    0x7ff0000000000001n,
    0xfff4000000000123n,
    0x7ffc000054321000n,
    0x3fdfffffffffffffn,
    0xbfe0000000000000n,
    0x4330000000000001n,
  ],
};

/** Bits of the operation's result for all operands; one contract computes them all. */
function evaluate(w: Width, op: number, operands: readonly (readonly bigint[])[], result = w): bigint[] {
  const text = consoleOf({
    imports: ['printui', 'prints_l'],
    data: [{ at: 8, bytes: Uint8Array.of(0x20) }],
    apply: (a) => {
      for (const values of operands) {
        for (const bits of values) {
          // Through an integer, so that no compiler touches the bits on the way in.
          if (w.format === FLOAT32) a.i32(Number(bits)).op(0xbe);
          else a.i64(bits).op(0xbf);
        }
        a.op(op);
        if (result.format === FLOAT32) a.op(0xbc).op(0xad);
        else a.op(0xbd);
        a.call(0).i32(8).i32(1).call(1);
      }
    },
  });
  return text.trim().split(' ').map(BigInt);
}

const toNumber = (w: Width, bits: bigint): number => {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, convertFloat(w.format, FLOAT64, bits));
  return view.getFloat64(0);
};
const toBits = (w: Width, value: number): bigint => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return convertFloat(FLOAT64, w.format, view.getBigUint64(0));
};
const signOf = (w: Width): bigint => 1n << (w.format.bits - 1n);
const quiet = (w: Width, bits: bigint): bigint => bits | (1n << (w.format.mantissaBits - 1n));

function nearest(value: number): number {
  if (!Number.isFinite(value)) return value;
  const floor = Math.floor(value);
  const rest = value - floor;
  const rounded = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? floor + 1 : floor;
  return rounded === 0 && (value < 0 || Object.is(value, -0)) ? -0 : rounded;
}

function extreme(w: Width, a: bigint, b: bigint, max: boolean): bigint {
  if (isNaNBits(w.format, a)) return a;
  if (isNaNBits(w.format, b)) return b;
  const negative = (a & signOf(w)) !== 0n;
  if (negative !== ((b & signOf(w)) !== 0n)) return negative !== max ? a : b;
  const order = compareFloat(w.format, a, b);
  return (max ? order === 1 : order === -1) ? a : b;
}

for (const [name, w] of [
  ['f32', SINGLE],
  ['f64', DOUBLE],
] as const) {
  const pairs = w.values.flatMap((a) => w.values.map((b) => [a, b] as const));
  const check = (t: Test, what: string, op: number, expected: (a: bigint, b: bigint) => bigint): void => {
    const actual = evaluate(w, op, pairs);
    pairs.forEach(([a, b], i) => {
      const want = expected(a, b);
      if (actual[i] !== want)
        t.fail(`${what} ${a.toString(16)} ${b.toString(16)}`, {
          actual: actual[i]?.toString(16),
          want: want.toString(16),
        });
    });
    t.pass(what);
  };

  t.test(`${name}: operations of two operands, NaN bits included`, async (t) => {
    check(t, 'add', w.binary, (a, b) => addFloat(w.format, a, b));
    check(t, 'sub', w.binary + 1, (a, b) => subFloat(w.format, a, b));
    check(t, 'mul', w.binary + 2, (a, b) => mulFloat(w.format, a, b));
    check(t, 'div', w.binary + 3, (a, b) => divFloat(w.format, a, b));
    check(t, 'min', w.binary + 4, (a, b) => extreme(w, a, b, false));
    check(t, 'max', w.binary + 5, (a, b) => extreme(w, a, b, true));
    check(t, 'copysign', w.binary + 6, (a, b) => (a & ~signOf(w)) | (b & signOf(w)));
  });

  t.test(`${name}: operations of one operand`, async (t) => {
    const one = (what: string, offset: number, expected: (bits: bigint) => bigint): void => {
      const actual = evaluate(
        w,
        w.unary + offset,
        w.values.map((bits) => [bits]),
      );
      w.values.forEach((bits, i) => {
        t.equal(actual[i]?.toString(16), expected(bits).toString(16), `${what} ${bits.toString(16)}`);
      });
    };
    const rounding = (round: (value: number) => number) => (bits: bigint) =>
      isNaNBits(w.format, bits) ? bits : toBits(w, round(toNumber(w, bits)));
    one('abs', 0, (bits) => bits & ~signOf(w));
    one('neg', 1, (bits) => bits ^ signOf(w));
    one('ceil', 2, rounding(Math.ceil));
    one('floor', 3, rounding(Math.floor));
    one('trunc', 4, rounding(Math.trunc));
    one('nearest', 5, rounding(nearest));
    one('sqrt', 6, (bits) => {
      if (isNaNBits(w.format, bits)) return quiet(w, bits);
      const root = Math.sqrt(toNumber(w, bits));
      return Number.isNaN(root) ? generatedNaN(w.format) : toBits(w, root);
    });
  });
}

t.test('the compiler takes what stands for each instruction', async (t) => {
  const constants: Readonly<Record<number, (a: Assembler) => unknown>> = {
    [I32]: (a) => a.i32(1),
    [I64]: (a) => a.i64(1n),
    [F32]: (a) => a.f32Bits(0),
    [F64]: (a) => a.f64Bits(0n),
  };
  for (let op = OP.numeric_first; op <= OP.numeric_last; op++) {
    const apply = (a: Assembler): void => {
      for (const operand of NUMERIC[op]?.operands ?? []) constants[operand]?.(a);
      a.op(op).op(OP.drop);
    };
    // What it does not take would be interpreted, with the same results.
    t.ok(loadContract(buildModule({ apply })) instanceof CompiledContract, `0x${op.toString(16)}`);
  }
});

t.test('promote and demote', async (t) => {
  const promoted = evaluate(
    SINGLE,
    0xbb,
    SINGLE.values.map((bits) => [bits]),
    DOUBLE,
  );
  SINGLE.values.forEach((bits, i) => {
    t.equal(promoted[i], convertFloat(FLOAT32, FLOAT64, bits), `promote ${bits.toString(16)}`);
  });
  const demoted = evaluate(
    DOUBLE,
    0xb6,
    DOUBLE.values.map((bits) => [bits]),
    SINGLE,
  );
  DOUBLE.values.forEach((bits, i) => {
    t.equal(demoted[i], convertFloat(FLOAT64, FLOAT32, bits), `demote ${bits.toString(16)}`);
  });
});

t.test('truncation to integers', async (t) => {
  const truncate = (op: number, value: number): string =>
    consoleOf({
      imports: ['printi'],
      apply: (a) => {
        const single = op === 0xa8 || op === 0xa9 || op === 0xae || op === 0xaf;
        const w = single ? SINGLE : DOUBLE;
        if (single) a.f32Bits(Number(toBits(w, value)));
        else a.f64Bits(toBits(w, value));
        a.op(op);
        if (op <= 0xab) a.op(0xac);
        a.call(0);
      },
    });
  const cases: [number, string, number[], number[]][] = [
    [0xa8, 'f32.convert_s/i32', [-2147483648, 2147483520, -0.9], [2147483648, -2147483904]],
    [0xa9, 'f32.convert_u/i32', [-0.9, 4294967040], [-1, 4294967296]],
    // Quirk: -2147483648.5 would truncate into range, and is refused.
    [0xaa, 'f64.convert_s/i32', [-2147483648, 2147483647.9], [2147483648, -2147483648.5, -2147483649]],
    [0xab, 'f64.convert_u/i32', [-0.9, 4294967295.9], [-1, 4294967296]],
    [0xae, 'f32.convert_s/i64', [-(2 ** 63), 2 ** 63 - 2 ** 39], [2 ** 63]],
    [0xaf, 'f32.convert_u/i64', [-0.9, 2 ** 64 - 2 ** 40], [-1, 2 ** 64]],
    [0xb0, 'f64.convert_s/i64', [-(2 ** 63), 2 ** 63 - 2 ** 10], [2 ** 63, 1e300]],
    [0xb1, 'f64.convert_u/i64', [-0.9, 2 ** 64 - 2 ** 11], [-1, 2 ** 64]],
  ];
  for (const [op, operation, good, bad] of cases) {
    for (const value of good) {
      const exact = BigInt(Math.trunc(value));
      const shown = op <= 0xab ? BigInt.asIntN(32, exact) : BigInt.asIntN(64, exact);
      t.equal(truncate(op, value), shown.toString(), `${operation} ${value}`);
    }
    for (const value of bad) {
      refused(t, RUN_ERRORS.contract_float_conversion, () => truncate(op, value), {
        data: { operation, reason: 'overflow' },
      });
    }
    refused(t, RUN_ERRORS.contract_float_conversion, () => truncate(op, Number.NaN), {
      data: { operation, reason: 'unrepresentable' },
    });
  }
  t.throws(() => truncate(0xb0, 1e300), { code: 3070002, message: 'Error, f64.convert_s/i64 overflow' });
});

t.test('host functions get and give floats bit by bit', async (t) => {
  const text = consoleOf({
    imports: ['__extendsftf2', 'printhex', '__trunctfsf2', 'printui', '__trunctfdf2'],
    apply: (a) => {
      a.i32(16).f32Bits(0x7f800001).call(0).i32(16).i32(16).call(1);
      a.i64(0n).i64(0x7fff_4000_0000_0000n).call(2).op(0xbc).op(0xad).call(3);
      a.i64(1n << 60n)
        .i64(0x7fff_0000_0000_0000n)
        .call(4)
        .op(0xbd)
        .call(3);
    },
  });
  t.equal(text, `0000000000000000000000020080ff7f${0x7fe00000}${0x7ff8000000000001n}`);
});

t.test('a float function in the table keeps its type', async (t) => {
  const text = consoleOf({
    imports: ['printsf', '__floatsidf', 'printdf'],
    types: [
      { parameters: [0x7f], result: 0x7c },
      { parameters: [0x7d], result: 0x40 },
    ],
    table: 2,
    elements: [{ base: 0, functions: [1, 0] }],
    apply: (a) => {
      a.i32(-3).i32(0).op(OP.call_indirect).u32(0).u8(0).call(2);
      a.f32Bits(0x3f800000).i32(1).op(OP.call_indirect).u32(1).u8(0);
    },
  });
  t.equal(text, '-3.000000000000000e+001.000000e+00');
});
