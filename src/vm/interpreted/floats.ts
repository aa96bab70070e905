import { fail } from '../../base/errors.js';
import { RUN_ERRORS } from '../errors.js';
import { conversionName } from '../float-helpers.js';
import type { Machine, Operation } from './machine.js';

/**
 * Operations on floats, by opcode, with the results of `float-helpers.ts`: numbers come from JavaScript, which rounds as
 * the instructions do; whenever a NaN is involved, the result is built from bits.
 */

const SIGN = 0x8000_0000 | 0;
const SINGLE_QUIET = 0x0040_0000;
const SINGLE_GENERATED = 0xffc0_0000 | 0;
/** In the upper half of a double. */
const DOUBLE_QUIET = 0x0008_0000;
const DOUBLE_GENERATED = 0xfff8_0000 | 0;

/** The one operand of an operation that gave a NaN lies on top. */
function singleNaN(m: Machine): void {
  const value = m.topF32();
  m.setI32(Number.isNaN(value) ? m.topI32() | SINGLE_QUIET : SINGLE_GENERATED);
}

function doubleNaN(m: Machine): void {
  const value = m.topF64();
  if (Number.isNaN(value)) m.setHalves(m.topI32(), m.topHigh() | DOUBLE_QUIET);
  else m.setHalves(0, DOUBLE_GENERATED);
}

/** Keeps the first of the two operands, or the second. */
function choose(m: Machine, first: boolean): void {
  if (first) m.top--;
  else m.cut(m.top - 2, 1);
}

/** The first operand that is a NaN decides of a result that is one, if one is. */
function putF32(m: Machine, value: number): void {
  if (Number.isNaN(value)) {
    choose(m, Number.isNaN(m.leftF32()) || !Number.isNaN(m.topF32()));
    singleNaN(m);
    return;
  }
  m.top--;
  m.setF32(value);
}

function putF64(m: Machine, value: number): void {
  if (Number.isNaN(value)) {
    choose(m, Number.isNaN(m.leftF64()) || !Number.isNaN(m.topF64()));
    doubleNaN(m);
    return;
  }
  m.top--;
  m.setF64(value);
}

function setRoot32(m: Machine): void {
  const root = Math.sqrt(m.topF32()); // nondet-ok: processors round it exactly, as for the instruction
  if (Number.isNaN(root)) singleNaN(m);
  else m.setF32(root);
}

function setRoot64(m: Machine): void {
  const root = Math.sqrt(m.topF64()); // nondet-ok: as above
  if (Number.isNaN(root)) doubleNaN(m);
  else m.setF64(root);
}

/** A NaN, signalling or not, comes out unchanged. */
function setRounded32(m: Machine, value: number): void {
  if (!Number.isNaN(value)) m.setF32(value);
}

function setRounded64(m: Machine, value: number): void {
  if (!Number.isNaN(value)) m.setF64(value);
}

/** Doubles from here on have no fraction. */
const WHOLE_FROM = 2 ** 52;

/** To the nearest whole number, ties to even; a zero keeps the sign. */
function nearest(value: number): number {
  const size = Math.abs(value);
  if (!(size < WHOLE_FROM)) return value;
  const rounded = size + WHOLE_FROM - WHOLE_FROM;
  return value < 0 || Object.is(value, -0) ? -rounded : rounded;
}

/** A NaN comes out unchanged; of operands with different signs the sign decides. */
function extreme32(m: Machine, isMax: boolean): void {
  const [a, b] = [m.leftF32(), m.topF32()];
  if (Number.isNaN(a)) choose(m, true);
  else if (Number.isNaN(b)) choose(m, false);
  else if ((m.leftI32() ^ m.topI32()) < 0) choose(m, m.leftI32() < 0 !== isMax);
  else choose(m, isMax ? a > b : a < b);
}

function extreme64(m: Machine, isMax: boolean): void {
  const [a, b] = [m.leftF64(), m.topF64()];
  if (Number.isNaN(a)) choose(m, true);
  else if (Number.isNaN(b)) choose(m, false);
  else if ((m.leftHigh() ^ m.topHigh()) < 0) choose(m, m.leftHigh() < 0 !== isMax);
  else choose(m, isMax ? a > b : a < b);
}

/** Sign kept, payload aligned at its upper end, quiet bit set. */
function promote(m: Machine): void {
  const value = m.topF32();
  if (!Number.isNaN(value)) {
    m.setF64(value);
    return;
  }
  const bits = m.topI32();
  m.setHalves(bits << 29, (bits & SIGN) | 0x7ff8_0000 | ((bits & 0x007f_ffff) >>> 3));
}

function demote(m: Machine): void {
  const value = m.topF64();
  if (!Number.isNaN(value)) {
    m.setF32(value);
    return;
  }
  const [low, high] = [m.topI32(), m.topHigh()];
  m.setI32((high & SIGN) | 0x7fc0_0000 | (((high << 3) | (low >>> 29)) & 0x003f_ffff));
}

/** What is cut to a whole number must lie between these two, or be the lower one if that is allowed. */
interface Bounds {
  readonly low: number;
  readonly isLowAllowed: boolean;
  readonly high: number;
}

const SIGNED_32: Bounds = { low: -(2 ** 31), isLowAllowed: true, high: 2 ** 31 };
const UNSIGNED_32: Bounds = { low: -1, isLowAllowed: false, high: 2 ** 32 };
const SIGNED_64: Bounds = { low: -(2 ** 63), isLowAllowed: true, high: 2 ** 63 };
const UNSIGNED_64: Bounds = { low: -1, isLowAllowed: false, high: 2 ** 64 };

/** The number, if it can be cut to an integer. Quirk: see `float-helpers.ts` of -2147483648.5. */
function inBounds(op: number, value: number, { low, isLowAllowed, high }: Bounds): number {
  if (Number.isNaN(value)) refuseConversion(op, 'unrepresentable');
  if ((isLowAllowed ? value < low : value <= low) || value >= high) refuseConversion(op, 'overflow');
  return value;
}

function refuseConversion(op: number, reason: string): never {
  fail(RUN_ERRORS.contract_float_conversion, { operation: conversionName(op), reason });
}

const HALF = 2 ** 32;

/** Cut to a whole number; the halves keep their lower bits. */
function setWhole(m: Machine, value: number): void {
  const whole = Math.trunc(value);
  m.setHalves(whole, Math.floor(whole / HALF));
}

/** Neither a single has room for the lowest of these bits, nor does a double need them. */
const SPARE_BITS = 0xffff;
const LAST_KEPT_BIT = SPARE_BITS + 1;

/** Halves as a double, rounded once: the upper one has its sign. */
const doubleOf = (high: number, low: number): number => high * HALF + (low >>> 0);

/** Rounded once: what a double has no room for leaves a bit behind that says so. */
function singleOf(high: number, low: number): number {
  const value = doubleOf(high, low);
  if (Math.abs(value) < 2 ** 53 || (low & SPARE_BITS) === 0) return Math.fround(value);
  return Math.fround(doubleOf(high, (low & ~SPARE_BITS) | LAST_KEPT_BIT));
}

export const FLOAT_OPERATIONS: Readonly<Record<number, Operation>> = {
  91: (m) => m.putTruth(m.leftF32() === m.topF32()),
  92: (m) => m.putTruth(m.leftF32() !== m.topF32()),
  93: (m) => m.putTruth(m.leftF32() < m.topF32()),
  94: (m) => m.putTruth(m.leftF32() > m.topF32()),
  95: (m) => m.putTruth(m.leftF32() <= m.topF32()),
  96: (m) => m.putTruth(m.leftF32() >= m.topF32()),
  97: (m) => m.putTruth(m.leftF64() === m.topF64()),
  98: (m) => m.putTruth(m.leftF64() !== m.topF64()),
  99: (m) => m.putTruth(m.leftF64() < m.topF64()),
  100: (m) => m.putTruth(m.leftF64() > m.topF64()),
  101: (m) => m.putTruth(m.leftF64() <= m.topF64()),
  102: (m) => m.putTruth(m.leftF64() >= m.topF64()),

  139: (m) => m.setI32(m.topI32() & ~SIGN),
  140: (m) => m.setI32(m.topI32() ^ SIGN),
  141: (m) => setRounded32(m, Math.ceil(m.topF32())),
  142: (m) => setRounded32(m, Math.floor(m.topF32())),
  143: (m) => setRounded32(m, Math.trunc(m.topF32())),
  144: (m) => setRounded32(m, nearest(m.topF32())),
  145: setRoot32,
  146: (m) => putF32(m, m.leftF32() + m.topF32()),
  147: (m) => putF32(m, m.leftF32() - m.topF32()),
  148: (m) => putF32(m, m.leftF32() * m.topF32()),
  149: (m) => putF32(m, m.leftF32() / m.topF32()),
  150: (m) => extreme32(m, false),
  151: (m) => extreme32(m, true),
  152: (m) => m.putI32((m.leftI32() & ~SIGN) | (m.topI32() & SIGN)),

  153: (m) => m.setHalves(m.topI32(), m.topHigh() & ~SIGN),
  154: (m) => m.setHalves(m.topI32(), m.topHigh() ^ SIGN),
  155: (m) => setRounded64(m, Math.ceil(m.topF64())),
  156: (m) => setRounded64(m, Math.floor(m.topF64())),
  157: (m) => setRounded64(m, Math.trunc(m.topF64())),
  158: (m) => setRounded64(m, nearest(m.topF64())),
  159: setRoot64,
  160: (m) => putF64(m, m.leftF64() + m.topF64()),
  161: (m) => putF64(m, m.leftF64() - m.topF64()),
  162: (m) => putF64(m, m.leftF64() * m.topF64()),
  163: (m) => putF64(m, m.leftF64() / m.topF64()),
  164: (m) => extreme64(m, false),
  165: (m) => extreme64(m, true),
  166: (m) => m.putHalves(m.leftI32(), (m.leftHigh() & ~SIGN) | (m.topHigh() & SIGN)),

  168: (m) => m.setI32(inBounds(0xa8, m.topF32(), SIGNED_32)),
  169: (m) => m.setI32(inBounds(0xa9, m.topF32(), UNSIGNED_32)),
  170: (m) => m.setI32(inBounds(0xaa, m.topF64(), SIGNED_32)),
  171: (m) => m.setI32(inBounds(0xab, m.topF64(), UNSIGNED_32)),
  174: (m) => setWhole(m, inBounds(0xae, m.topF32(), SIGNED_64)),
  175: (m) => setWhole(m, inBounds(0xaf, m.topF32(), UNSIGNED_64)),
  176: (m) => setWhole(m, inBounds(0xb0, m.topF64(), SIGNED_64)),
  177: (m) => setWhole(m, inBounds(0xb1, m.topF64(), UNSIGNED_64)),

  178: (m) => m.setF32(m.topI32()),
  179: (m) => m.setF32(m.topI32() >>> 0),
  180: (m) => m.setF32(singleOf(m.topHigh(), m.topI32())),
  181: (m) => m.setF32(singleOf(m.topHigh() >>> 0, m.topI32())),
  182: demote,
  183: (m) => m.setF64(m.topI32()),
  184: (m) => m.setF64(m.topI32() >>> 0),
  185: (m) => m.setF64(doubleOf(m.topHigh(), m.topI32())),
  186: (m) => m.setF64(doubleOf(m.topHigh() >>> 0, m.topI32())),
  187: promote,

  // Integers and floats of a width have the same place.
  188: () => undefined,
  189: () => undefined,
  190: () => undefined,
  191: () => undefined,
};
