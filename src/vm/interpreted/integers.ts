import { type Machine, type Operation, trap } from './machine.js';

/** Operations on integers, by opcode. Results are cut to their width where they are stored. */

const MIN_I32 = -0x8000_0000;
const MIN_I64 = -0x8000_0000_0000_0000n;

function countOnes(value: number): number {
  const pairs = value - ((value >>> 1) & 0x5555_5555);
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

function trailingZeros(value: number): number {
  return value === 0 ? 32 : 31 - Math.clz32(value & -value);
}

const divisor = (value: number): number => (value === 0 ? trap('integer divide by zero') : value);
const wideDivisor = (value: bigint): bigint => (value === 0n ? trap('integer divide by zero') : value);

function divideSigned(m: Machine): void {
  const [a, b] = [m.leftI32(), divisor(m.topI32())];
  if (a === MIN_I32 && b === -1) trap('integer overflow');
  m.putI32((a / b) | 0);
}

function divideWideSigned(m: Machine): void {
  const [a, b] = [m.leftI64(), wideDivisor(m.topI64())];
  if (a === MIN_I64 && b === -1n) trap('integer overflow');
  m.putI64(a / b);
}

function rotateLeft(m: Machine): void {
  const [value, count] = [m.leftI32(), m.topI32()];
  m.putI32((value << count) | (value >>> -count));
}

function rotateRight(m: Machine): void {
  const [value, count] = [m.leftI32(), m.topI32()];
  m.putI32((value >>> count) | (value << -count));
}

// Integers of 64 bits are worked on by their halves where that is faster than a bigint, which is more often than not an
// object of its own. Sums and products of halves may have more than 32 bits: where they are stored, the upper ones go.

function addWide(m: Machine): void {
  const low = (m.leftI32() + m.topI32()) | 0;
  const carry = low >>> 0 < m.topI32() >>> 0 ? 1 : 0;
  m.putHalves(low, m.leftHigh() + m.topHigh() + carry);
}

function subtractWide(m: Machine): void {
  const [a, b] = [m.leftI32(), m.topI32()];
  const borrow = a >>> 0 < b >>> 0 ? 1 : 0;
  m.putHalves(a - b, m.leftHigh() - m.topHigh() - borrow);
}

/** Upper half of the product of two unsigned halves. */
function highProduct(a: number, b: number): number {
  const [aLow, aHigh, bLow, bHigh] = [a & 0xffff, a >>> 16, b & 0xffff, b >>> 16];
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const other = aLow * bHigh + (middle & 0xffff);
  return aHigh * bHigh + (middle >>> 16) + (other >>> 16);
}

function multiplyWide(m: Machine): void {
  const [a, b] = [m.leftI32(), m.topI32()];
  const crossed = Math.imul(a, m.topHigh()) + Math.imul(m.leftHigh(), b);
  m.putHalves(Math.imul(a, b), highProduct(a, b) + crossed);
}

/** Upper half of two that move to the left by less than 32 bits. */
const movedLeft = (high: number, low: number, count: number): number =>
  (high << count) | ((low >>> 1) >>> (31 - count));
/** Lower half of two that move to the right. */
const movedRight = (high: number, low: number, count: number): number =>
  (low >>> count) | ((high << 1) << (31 - count));

function shiftWideLeft(m: Machine): void {
  const [low, high, count] = [m.leftI32(), m.leftHigh(), m.topI32() & 63];
  if (count < 32) m.putHalves(low << count, movedLeft(high, low, count));
  else m.putHalves(0, low << count);
}

/** `fill` comes in from above. */
function shiftWideRight(m: Machine, fill: number): void {
  const [low, high, count] = [m.leftI32(), m.leftHigh(), m.topI32() & 63];
  if (count < 32) m.putHalves(movedRight(high, low, count), movedRight(fill, high, count));
  else m.putHalves(movedRight(fill, high, count & 31), fill);
}

function rotateWideLeft(m: Machine, count: number): void {
  const [low, high] = (count & 32) === 0 ? [m.leftI32(), m.leftHigh()] : [m.leftHigh(), m.leftI32()];
  m.putHalves(movedLeft(low, high, count & 31), movedLeft(high, low, count & 31));
}

const isBelow = (aHigh: number, aLow: number, bHigh: number, bLow: number): boolean =>
  aHigh < bHigh || (aHigh === bHigh && aLow >>> 0 < bLow >>> 0);

const isLess = (m: Machine): boolean => isBelow(m.leftHigh(), m.leftI32(), m.topHigh(), m.topI32());
const isMore = (m: Machine): boolean => isBelow(m.topHigh(), m.topI32(), m.leftHigh(), m.leftI32());
const isLessUnsigned = (m: Machine): boolean => isBelow(m.leftHigh() >>> 0, m.leftI32(), m.topHigh() >>> 0, m.topI32());
const isMoreUnsigned = (m: Machine): boolean => isBelow(m.topHigh() >>> 0, m.topI32(), m.leftHigh() >>> 0, m.leftI32());

const isEqual = (m: Machine): boolean => m.leftI32() === m.topI32() && m.leftHigh() === m.topHigh();

export const INTEGER_OPERATIONS: Readonly<Record<number, Operation>> = {
  69: (m) => m.setI32(m.topI32() === 0 ? 1 : 0),
  70: (m) => m.putTruth(m.leftI32() === m.topI32()),
  71: (m) => m.putTruth(m.leftI32() !== m.topI32()),
  72: (m) => m.putTruth(m.leftI32() < m.topI32()),
  73: (m) => m.putTruth(m.leftI32() >>> 0 < m.topI32() >>> 0),
  74: (m) => m.putTruth(m.leftI32() > m.topI32()),
  75: (m) => m.putTruth(m.leftI32() >>> 0 > m.topI32() >>> 0),
  76: (m) => m.putTruth(m.leftI32() <= m.topI32()),
  77: (m) => m.putTruth(m.leftI32() >>> 0 <= m.topI32() >>> 0),
  78: (m) => m.putTruth(m.leftI32() >= m.topI32()),
  79: (m) => m.putTruth(m.leftI32() >>> 0 >= m.topI32() >>> 0),
  80: (m) => m.setI32((m.topI32() | m.topHigh()) === 0 ? 1 : 0),
  81: (m) => m.putTruth(isEqual(m)),
  82: (m) => m.putTruth(!isEqual(m)),
  83: (m) => m.putTruth(isLess(m)),
  84: (m) => m.putTruth(isLessUnsigned(m)),
  85: (m) => m.putTruth(isMore(m)),
  86: (m) => m.putTruth(isMoreUnsigned(m)),
  87: (m) => m.putTruth(!isMore(m)),
  88: (m) => m.putTruth(!isMoreUnsigned(m)),
  89: (m) => m.putTruth(!isLess(m)),
  90: (m) => m.putTruth(!isLessUnsigned(m)),

  103: (m) => m.setI32(Math.clz32(m.topI32())),
  104: (m) => m.setI32(trailingZeros(m.topI32())),
  105: (m) => m.setI32(countOnes(m.topI32())),
  106: (m) => m.putI32(m.leftI32() + m.topI32()),
  107: (m) => m.putI32(m.leftI32() - m.topI32()),
  108: (m) => m.putI32(Math.imul(m.leftI32(), m.topI32())),
  109: divideSigned,
  110: (m) => m.putI32(((m.leftI32() >>> 0) / (divisor(m.topI32()) >>> 0)) >>> 0),
  111: (m) => m.putI32(m.leftI32() % divisor(m.topI32())),
  112: (m) => m.putI32((m.leftI32() >>> 0) % (divisor(m.topI32()) >>> 0)),
  113: (m) => m.putI32(m.leftI32() & m.topI32()),
  114: (m) => m.putI32(m.leftI32() | m.topI32()),
  115: (m) => m.putI32(m.leftI32() ^ m.topI32()),
  116: (m) => m.putI32(m.leftI32() << m.topI32()),
  117: (m) => m.putI32(m.leftI32() >> m.topI32()),
  118: (m) => m.putI32(m.leftI32() >>> m.topI32()),
  119: rotateLeft,
  120: rotateRight,

  121: (m) => m.setHalves(m.topHigh() === 0 ? 32 + Math.clz32(m.topI32()) : Math.clz32(m.topHigh()), 0),
  122: (m) => m.setHalves(m.topI32() === 0 ? 32 + trailingZeros(m.topHigh()) : trailingZeros(m.topI32()), 0),
  123: (m) => m.setHalves(countOnes(m.topI32()) + countOnes(m.topHigh()), 0),
  124: addWide,
  125: subtractWide,
  126: multiplyWide,
  127: divideWideSigned,
  128: (m) => m.putI64(m.leftU64() / wideDivisor(m.topU64())),
  129: (m) => m.putI64(m.leftI64() % wideDivisor(m.topI64())),
  130: (m) => m.putI64(m.leftU64() % wideDivisor(m.topU64())),
  131: (m) => m.putHalves(m.leftI32() & m.topI32(), m.leftHigh() & m.topHigh()),
  132: (m) => m.putHalves(m.leftI32() | m.topI32(), m.leftHigh() | m.topHigh()),
  133: (m) => m.putHalves(m.leftI32() ^ m.topI32(), m.leftHigh() ^ m.topHigh()),
  134: shiftWideLeft,
  135: (m) => shiftWideRight(m, m.leftHigh() >> 31),
  136: (m) => shiftWideRight(m, 0),
  137: (m) => rotateWideLeft(m, m.topI32()),
  138: (m) => rotateWideLeft(m, -m.topI32()),

  // The lower half of an i64 is where the i32 has to be.
  167: () => undefined,
  172: (m) => m.setSigned(m.topI32()),
  173: (m) => m.setHalves(m.topI32(), 0),
};
