import { check, defineErrors } from '../../base/errors.js';
import {
  addFloat,
  compareFloat,
  convertFloat,
  divFloat,
  FLOAT32,
  FLOAT64,
  FLOAT128,
  type FloatFormat,
  floatFromInt,
  intFromFloat,
  isNegativeBits,
  mulFloat,
  negateFloat,
  subFloat,
} from '../softfloat.js';
import { host } from './define.js';

/** Functions that compilers call for 128-bit integers and floats. */
export const BUILTIN_ERRORS = defineErrors({ contract_divide_by_zero: { text: 'rhs != 0: divide by zero' } });

const INTEGER = 40;
/** Between integers and floats, or between floats. */
const CONVERSION = 300;
const COMPARISON = 100;
/** On bigints. */
const FLOAT = 3000;

const unsigned = (low: bigint, high: bigint): bigint => BigInt.asUintN(64, low) | (BigInt.asUintN(64, high) << 64n);
const signed = (low: bigint, high: bigint): bigint => BigInt.asIntN(128, unsigned(low, high));

type Shift = (value: { unsigned: bigint; signed: bigint }, count: bigint) => bigint;

/** The count is an unsigned 32-bit number, so it can be far larger than the value is wide. */
const shift = (name: string, apply: Shift) =>
  host(name, 'R16 I I i >', INTEGER, (call, out: number, low: bigint, high: bigint, count: number) =>
    call.memory.writeU128(
      out,
      apply({ unsigned: unsigned(low, high), signed: signed(low, high) }, BigInt(count >>> 0)),
    ),
  );

type Operation = (a: bigint, b: bigint) => bigint;

const integers = (name: string, read: (low: bigint, high: bigint) => bigint, apply: Operation) =>
  host(name, 'R16 I I I I >', INTEGER, (call, out: number, lowA: bigint, highA: bigint, lowB: bigint, highB: bigint) =>
    call.memory.writeU128(out, apply(read(lowA, highA), read(lowB, highB))),
  );

function nonZero(divisor: bigint): bigint {
  check(divisor !== 0n, BUILTIN_ERRORS.contract_divide_by_zero);
  return divisor;
}

const floats = (name: string, apply: (f: FloatFormat, a: bigint, b: bigint) => bigint) =>
  host(name, 'R16 I I I I >', FLOAT, (call, out: number, lowA: bigint, highA: bigint, lowB: bigint, highB: bigint) =>
    call.memory.writeU128(out, apply(FLOAT128, unsigned(lowA, highA), unsigned(lowB, highB))),
  );

const comparison = (name: string, withNaN: number) =>
  host(name, 'I I I I > i', COMPARISON, (_call, lowA: bigint, highA: bigint, lowB: bigint, highB: bigint) => {
    return compareFloat(FLOAT128, unsigned(lowA, highA), unsigned(lowB, highB)) ?? withNaN;
  });

const WIDE_END = 1n << 128n;

/**
 * From any float to a 128-bit integer: truncates and saturates; a NaN counts as an infinity of its sign.
 * Quirk: signed numbers saturate from 2^128 up only. Smaller ones that do not fit lose their highest bit.
 */
function toWide(f: FloatFormat, bits: bigint, isSigned: boolean): bigint {
  const value = intFromFloat(f, bits, 'truncate') ?? (isNegativeBits(f, bits) ? -WIDE_END : WIDE_END);
  if (!isSigned) return value < 0n ? 0n : value >= WIDE_END ? WIDE_END - 1n : value;
  if (value >= WIDE_END) return (1n << 127n) - 1n;
  return value <= -WIDE_END ? -(1n << 127n) : BigInt.asIntN(128, value);
}

/** Quirk: rounds to nearest even. What does not fit becomes the bits that x86 gives for an invalid conversion. */
function toNarrow(bits: bigint, width: bigint, isSigned: boolean): bigint {
  const value = intFromFloat(FLOAT128, bits, 'nearest');
  const [least, most] = isSigned ? [-(1n << (width - 1n)), (1n << (width - 1n)) - 1n] : [0n, (1n << width) - 1n];
  if (value !== undefined && value >= least && value <= most) return value;
  return isSigned ? 1n << (width - 1n) : most;
}

const asI32 = (value: bigint): number => Number(BigInt.asIntN(32, value));
const bits32 = (bits: number): bigint => BigInt(bits >>> 0);
const bits64 = (bits: bigint): bigint => BigInt.asUintN(64, bits);

const fromWide = (name: string, read: (low: bigint, high: bigint) => bigint) =>
  host(name, 'I I > F', CONVERSION, (_call, low: bigint, high: bigint) => floatFromInt(FLOAT64, read(low, high)));

const narrow = (name: string, width: 32 | 64, isSigned: boolean) =>
  host(name, width === 32 ? 'I I > i' : 'I I > I', CONVERSION, (_call, low: bigint, high: bigint) => {
    const value = toNarrow(unsigned(low, high), BigInt(width), isSigned);
    return width === 32 ? asI32(value) : value;
  });

const wideFromQuad = (name: string, isSigned: boolean) =>
  host(name, 'R16 I I >', CONVERSION, (call, out: number, low: bigint, high: bigint) =>
    call.memory.writeU128(out, toWide(FLOAT128, unsigned(low, high), isSigned)),
  );

const wideFromSingle = (name: string, isSigned: boolean) =>
  host(name, 'R16 f >', CONVERSION, (call, out: number, bits: number) =>
    call.memory.writeU128(out, toWide(FLOAT32, bits32(bits), isSigned)),
  );

const wideFromDouble = (name: string, isSigned: boolean) =>
  host(name, 'R16 F >', CONVERSION, (call, out: number, bits: bigint) =>
    call.memory.writeU128(out, toWide(FLOAT64, bits64(bits), isSigned)),
  );

const shiftLeft: Shift = ({ unsigned: value }, count) => (count >= 128n ? 0n : value << count);

export const BUILTIN_FUNCTIONS = [
  shift('__ashlti3', shiftLeft),
  shift('__lshlti3', shiftLeft),
  shift('__lshrti3', ({ unsigned: value }, count) => (count >= 128n ? 0n : value >> count)),
  // Counts of 128 and more are undefined in the reference; the hardware's shift takes them modulo 128.
  shift('__ashrti3', ({ signed: value }, count) => value >> (count % 128n)),
  integers('__multi3', signed, (a, b) => a * b),
  integers('__divti3', signed, (a, b) => a / nonZero(b)),
  integers('__modti3', signed, (a, b) => a % nonZero(b)),
  integers('__udivti3', unsigned, (a, b) => a / nonZero(b)),
  integers('__umodti3', unsigned, (a, b) => a % nonZero(b)),
  floats('__addtf3', addFloat),
  floats('__subtf3', subFloat),
  floats('__multf3', mulFloat),
  floats('__divtf3', divFloat),
  host('__negtf2', 'R16 I I >', INTEGER, (call, out: number, low: bigint, high: bigint) =>
    call.memory.writeU128(out, negateFloat(FLOAT128, unsigned(low, high))),
  ),
  comparison('__eqtf2', 1),
  comparison('__netf2', 1),
  comparison('__letf2', 1),
  comparison('__cmptf2', 1),
  comparison('__lttf2', 0),
  comparison('__gttf2', 0),
  comparison('__getf2', -1),
  host('__unordtf2', 'I I I I > i', COMPARISON, (_call, lowA: bigint, highA: bigint, lowB: bigint, highB: bigint) =>
    compareFloat(FLOAT128, unsigned(lowA, highA), unsigned(lowB, highB)) === undefined ? 1 : 0,
  ),
  host('__floatsitf', 'R16 i >', CONVERSION, (call, out: number, value: number) =>
    call.memory.writeU128(out, floatFromInt(FLOAT128, BigInt(value))),
  ),
  host('__floatunsitf', 'R16 i >', CONVERSION, (call, out: number, value: number) =>
    call.memory.writeU128(out, floatFromInt(FLOAT128, BigInt(value >>> 0))),
  ),
  host('__floatditf', 'R16 I >', CONVERSION, (call, out: number, value: bigint) =>
    call.memory.writeU128(out, floatFromInt(FLOAT128, value)),
  ),
  host('__floatunditf', 'R16 I >', CONVERSION, (call, out: number, value: bigint) =>
    call.memory.writeU128(out, floatFromInt(FLOAT128, BigInt.asUintN(64, value))),
  ),
  fromWide('__floattidf', signed),
  fromWide('__floatuntidf', unsigned),
  host('__floatsidf', 'i > F', CONVERSION, (_call, value: number) => floatFromInt(FLOAT64, BigInt(value))),
  host('__extendsftf2', 'R16 f >', CONVERSION, (call, out: number, bits: number) =>
    call.memory.writeU128(out, convertFloat(FLOAT32, FLOAT128, bits32(bits))),
  ),
  host('__extenddftf2', 'R16 F >', CONVERSION, (call, out: number, bits: bigint) =>
    call.memory.writeU128(out, convertFloat(FLOAT64, FLOAT128, bits64(bits))),
  ),
  host('__trunctfdf2', 'I I > F', CONVERSION, (_call, low: bigint, high: bigint) =>
    convertFloat(FLOAT128, FLOAT64, unsigned(low, high)),
  ),
  host('__trunctfsf2', 'I I > f', CONVERSION, (_call, low: bigint, high: bigint) =>
    asI32(convertFloat(FLOAT128, FLOAT32, unsigned(low, high))),
  ),
  narrow('__fixtfsi', 32, true),
  narrow('__fixtfdi', 64, true),
  narrow('__fixunstfsi', 32, false),
  narrow('__fixunstfdi', 64, false),
  wideFromQuad('__fixtfti', true),
  wideFromQuad('__fixunstfti', false),
  wideFromSingle('__fixsfti', true),
  wideFromDouble('__fixdfti', true),
  wideFromSingle('__fixunssfti', false),
  wideFromDouble('__fixunsdfti', false),
];
