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

function rotateWide(m: Machine, left: bigint): void {
  const value = m.leftU64();
  m.putI64((value << left) | (value >> (64n - left)));
}

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
  83: (m) => m.putTruth(m.leftI64() < m.topI64()),
  84: (m) => m.putTruth(m.leftU64() < m.topU64()),
  85: (m) => m.putTruth(m.leftI64() > m.topI64()),
  86: (m) => m.putTruth(m.leftU64() > m.topU64()),
  87: (m) => m.putTruth(m.leftI64() <= m.topI64()),
  88: (m) => m.putTruth(m.leftU64() <= m.topU64()),
  89: (m) => m.putTruth(m.leftI64() >= m.topI64()),
  90: (m) => m.putTruth(m.leftU64() >= m.topU64()),

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
  124: (m) => m.putI64(m.leftI64() + m.topI64()),
  125: (m) => m.putI64(m.leftI64() - m.topI64()),
  126: (m) => m.putI64(m.leftI64() * m.topI64()),
  127: divideWideSigned,
  128: (m) => m.putI64(m.leftU64() / wideDivisor(m.topU64())),
  129: (m) => m.putI64(m.leftI64() % wideDivisor(m.topI64())),
  130: (m) => m.putI64(m.leftU64() % wideDivisor(m.topU64())),
  131: (m) => m.putHalves(m.leftI32() & m.topI32(), m.leftHigh() & m.topHigh()),
  132: (m) => m.putHalves(m.leftI32() | m.topI32(), m.leftHigh() | m.topHigh()),
  133: (m) => m.putHalves(m.leftI32() ^ m.topI32(), m.leftHigh() ^ m.topHigh()),
  134: (m) => m.putI64(m.leftI64() << BigInt(m.topI32() & 63)),
  135: (m) => m.putI64(m.leftI64() >> BigInt(m.topI32() & 63)),
  136: (m) => m.putI64(m.leftU64() >> BigInt(m.topI32() & 63)),
  137: (m) => rotateWide(m, BigInt(m.topI32() & 63)),
  138: (m) => rotateWide(m, BigInt(-m.topI32() & 63)),

  // The lower half of an i64 is where the i32 has to be.
  167: () => undefined,
  172: (m) => m.setSigned(m.topI32()),
  173: (m) => m.setHalves(m.topI32(), 0),
};
