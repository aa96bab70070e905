import { Assembler } from './wasm/assembler.js';
import { F32, F64, type FunctionType, I32, I64, type ValueType } from './wasm/module.js';
import { NUMERIC, type NumericSignature, OP } from './wasm/opcodes.js';

/**
 * Floating point as the reference's software floats give it, as WebAssembly functions.
 *
 * Numbers are computed by the native instruction, which rounds the same everywhere. What differs between machines are
 * the bits of a NaN, so whenever a NaN is involved the result is built from the operands' bits with integer
 * instructions only.
 */

/** What a trap of our own making means; stored in the trap global before `unreachable`. */
export const TRAP = {
  none: 0,
  instructions: 1,
  depth: 2,
  memory: 3,
  /** The memory was to shrink, which compiled code cannot do. */
  shrink: 4,
  /** `conversion_first + opcode`: out of range. */
  overflow_first: 0x100,
  /** `unrepresentable_first + opcode`: not a number. */
  unrepresentable_first: 0x200,
} as const;

const RETURN = OP.return;

/** Opcodes of one width, so that each helper is written once for both. */
interface Width {
  readonly type: ValueType;
  readonly bitsType: ValueType;
  readonly ne: number;
  readonly lt: number;
  readonly gt: number;
  readonly toBits: number;
  readonly fromBits: number;
  readonly bitsConst: (a: Assembler, value: bigint) => Assembler;
  readonly and: number;
  readonly or: number;
  readonly xor: number;
  readonly bitsLtS: number;
  readonly sign: bigint;
  readonly quiet: bigint;
  /** NaN that operations generate: sign set. */
  readonly generated: bigint;
}

const SINGLE: Width = {
  type: F32,
  bitsType: I32,
  ne: 0x5c,
  lt: 0x5d,
  gt: 0x5e,
  toBits: 0xbc,
  fromBits: 0xbe,
  bitsConst: (a, value) => a.i32(Number(BigInt.asIntN(32, value))),
  and: 0x71,
  or: 0x72,
  xor: 0x73,
  bitsLtS: 0x48,
  sign: 0x8000_0000n,
  quiet: 0x0040_0000n,
  generated: 0xffc0_0000n,
};

const DOUBLE: Width = {
  type: F64,
  bitsType: I64,
  ne: 0x62,
  lt: 0x63,
  gt: 0x64,
  toBits: 0xbd,
  fromBits: 0xbf,
  bitsConst: (a, value) => a.i64(value),
  and: 0x83,
  or: 0x84,
  xor: 0x85,
  bitsLtS: 0x53,
  sign: 0x8000_0000_0000_0000n,
  quiet: 0x0008_0000_0000_0000n,
  generated: 0xfff8_0000_0000_0000n,
};

export interface FloatHelper {
  readonly type: FunctionType;
  /** Types of locals beside the parameters. */
  readonly locals: readonly ValueType[];
  /** Body without the final `end`. */
  readonly code: Uint8Array;
}

/** Helper that replaces the opcode, or undefined where the native instruction is exact. */
export function floatHelper(op: number, trapGlobal: number): FloatHelper | undefined {
  const build = BUILDERS.get(op);
  if (build === undefined) return undefined;
  const { operands, result } = NUMERIC[op] as NumericSignature;
  const assembler = new Assembler();
  const locals = build(assembler, trapGlobal);
  return { type: { parameters: operands, result }, locals, code: assembler.finish() };
}

export function isReplacedFloat(op: number): boolean {
  return BUILDERS.has(op);
}

type Builder = (a: Assembler, trapGlobal: number) => readonly ValueType[];
const BUILDERS = new Map<number, Builder>();

function ifNaN(a: Assembler, w: Width, local: number, body: () => void): void {
  a.localGet(local).localGet(local).op(w.ne).when(body);
}

/** Leaves the NaN in `local` with its quiet bit set. */
function quieted(a: Assembler, w: Width, local: number): Assembler {
  a.localGet(local).op(w.toBits);
  return w.bitsConst(a, w.quiet).op(w.or).op(w.fromBits);
}

function binary(w: Width, op: number): Builder {
  return (a) => {
    a.localGet(0).localGet(1).op(op).localSet(2);
    ifNaN(a, w, 2, () => {
      ifNaN(a, w, 0, () => quieted(a, w, 0).op(RETURN));
      ifNaN(a, w, 1, () => quieted(a, w, 1).op(RETURN));
      w.bitsConst(a, w.generated).op(w.fromBits).op(RETURN);
    });
    a.localGet(2);
    return [w.type];
  };
}

function squareRoot(w: Width, op: number): Builder {
  return (a) => {
    a.localGet(0).op(op).localSet(1);
    ifNaN(a, w, 1, () => {
      ifNaN(a, w, 0, () => quieted(a, w, 0).op(RETURN));
      w.bitsConst(a, w.generated).op(w.fromBits).op(RETURN);
    });
    a.localGet(1);
    return [w.type];
  };
}

/** A NaN, signalling or not, comes out unchanged; of operands with different signs the sign decides. */
function extreme(w: Width, compare: number, firstWhenNegative: boolean): Builder {
  return (a) => {
    ifNaN(a, w, 0, () => a.localGet(0).op(RETURN));
    ifNaN(a, w, 1, () => a.localGet(1).op(RETURN));
    a.localGet(0).op(w.toBits).localGet(1).op(w.toBits).op(w.xor);
    w.bitsConst(a, 0n).op(w.bitsLtS);
    a.when(() => {
      const [whenNegative, otherwise] = firstWhenNegative ? [0, 1] : [1, 0];
      a.localGet(whenNegative).localGet(otherwise).localGet(0).op(w.toBits);
      w.bitsConst(a, 0n).op(w.bitsLtS).op(OP.select).op(RETURN);
    });
    a.localGet(0).localGet(1).localGet(0).localGet(1).op(compare).op(OP.select);
    return [];
  };
}

function rounding(w: Width, op: number): Builder {
  return (a) => {
    ifNaN(a, w, 0, () => a.localGet(0).op(RETURN));
    a.localGet(0).op(op);
    return [];
  };
}

function signBits(w: Width, kind: 'abs' | 'neg' | 'copysign'): Builder {
  return (a) => {
    a.localGet(0).op(w.toBits);
    if (kind === 'neg') w.bitsConst(a, w.sign).op(w.xor);
    else w.bitsConst(a, w.sign - 1n).op(w.and);
    if (kind === 'copysign') {
      a.localGet(1).op(w.toBits);
      w.bitsConst(a, w.sign).op(w.and).op(w.or);
    }
    a.op(w.fromBits);
    return [];
  };
}

/** Sign kept, payload aligned at its upper end, quiet bit set. */
function promote(a: Assembler): readonly ValueType[] {
  ifNaN(a, SINGLE, 0, () => {
    a.localGet(0).op(0xbc).op(0xad).localTee(1).i64(0x8000_0000n).op(0x83).i64(32n).op(0x86);
    a.localGet(1).i64(0x007f_ffffn).op(0x83).i64(29n).op(0x86).op(0x84);
    a.i64(0x7ff8_0000_0000_0000n).op(0x84).op(0xbf).op(RETURN);
  });
  a.localGet(0).op(0xbb);
  return [I64];
}

function demote(a: Assembler): readonly ValueType[] {
  ifNaN(a, DOUBLE, 0, () => {
    a.localGet(0).op(0xbd).localTee(1).i64(32n).op(0x88).op(0xa7).i32(0x8000_0000).op(0x71);
    a.localGet(1).i64(29n).op(0x88).op(0xa7).i32(0x003f_ffff).op(0x71).op(0x72);
    a.i32(0x7fc0_0000).op(0x72).op(0xbe).op(RETURN);
  });
  a.localGet(0).op(0xb6);
  return [I64];
}

function floatConst(a: Assembler, w: Width, value: number): Assembler {
  const view = new DataView(new ArrayBuffer(8));
  if (w.type === F32) {
    view.setFloat32(0, value);
    return a.f32Bits(view.getUint32(0));
  }
  view.setFloat64(0, value);
  return a.f64Bits(view.getBigUint64(0));
}

/** `low` is the last value refused below, or with `lowAllowed` the first value that is taken. */
function truncation(w: Width, op: number, low: number, lowAllowed: boolean, high: number): Builder {
  const ge = w.gt + 2;
  const le = w.gt + 1;
  return (a, trapGlobal) => {
    ifNaN(a, w, 0, () =>
      a
        .i32(TRAP.unrepresentable_first + op)
        .globalSet(trapGlobal)
        .op(OP.unreachable),
    );
    floatConst(a.localGet(0), w, low).op(lowAllowed ? w.lt : le);
    floatConst(a.localGet(0), w, high).op(ge);
    a.op(0x72).when(() =>
      a
        .i32(TRAP.overflow_first + op)
        .globalSet(trapGlobal)
        .op(OP.unreachable),
    );
    a.localGet(0).op(op);
    return [];
  };
}

for (const [w, unary, operations] of [
  [SINGLE, 0x8b, 0x92],
  [DOUBLE, 0x99, 0xa0],
] as const) {
  BUILDERS.set(unary, signBits(w, 'abs'));
  BUILDERS.set(unary + 1, signBits(w, 'neg'));
  for (let i = 2; i <= 5; i++) BUILDERS.set(unary + i, rounding(w, unary + i));
  BUILDERS.set(unary + 6, squareRoot(w, unary + 6));
  for (let i = 0; i <= 3; i++) BUILDERS.set(operations + i, binary(w, operations + i));
  BUILDERS.set(operations + 4, extreme(w, w.lt, true));
  BUILDERS.set(operations + 5, extreme(w, w.gt, false));
  BUILDERS.set(operations + 6, signBits(w, 'copysign'));
}
BUILDERS.set(0xb6, demote);
BUILDERS.set(0xbb, promote);
// Quirk: from f64 to i32 signed, every value below -2147483648.0 is refused, also those that would truncate into range.
BUILDERS.set(0xa8, truncation(SINGLE, 0xa8, -(2 ** 31), true, 2 ** 31));
BUILDERS.set(0xa9, truncation(SINGLE, 0xa9, -1, false, 2 ** 32));
BUILDERS.set(0xaa, truncation(DOUBLE, 0xaa, -(2 ** 31), true, 2 ** 31));
BUILDERS.set(0xab, truncation(DOUBLE, 0xab, -1, false, 2 ** 32));
BUILDERS.set(0xae, truncation(SINGLE, 0xae, -(2 ** 63), true, 2 ** 63));
BUILDERS.set(0xaf, truncation(SINGLE, 0xaf, -1, false, 2 ** 64));
BUILDERS.set(0xb0, truncation(DOUBLE, 0xb0, -(2 ** 63), true, 2 ** 63));
BUILDERS.set(0xb1, truncation(DOUBLE, 0xb1, -1, false, 2 ** 64));

/** Name of a conversion in the reference's messages, e.g. `f64.convert_s/i32`. */
export function conversionName(op: number): string {
  const { operands, result } = NUMERIC[op] as NumericSignature;
  const signed = op === 0xa8 || op === 0xaa || op === 0xae || op === 0xb0;
  return `${operands[0] === F32 ? 'f32' : 'f64'}.convert_${signed ? 's' : 'u'}/${result === I32 ? 'i32' : 'i64'}`;
}
