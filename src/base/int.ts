import { check, defineErrors, FAMILY } from './errors.js';

/**
 * Integers of the chain. Amounts are `bigint` and checked; counters that the chain lets wrap say so in their name.
 * Every division says how it rounds.
 */

export const INT_ERRORS = defineErrors({
  integer_overflow: { ...FAMILY.overflow, text: '', hint: 'integer overflow in ${what}' },
  integer_underflow: { ...FAMILY.underflow, text: '', hint: 'integer underflow in ${what}' },
  divide_by_zero: { ...FAMILY.divideByZero, text: '', hint: 'division by zero in ${what}' },
});

export const I64_MIN = -(1n << 63n);
export const I64_MAX = (1n << 63n) - 1n;
export const U64_MAX = (1n << 64n) - 1n;
export const U128_MASK = (1n << 128n) - 1n;

export function checkI64(value: bigint, what: string): bigint {
  if (value > I64_MAX) check(false, INT_ERRORS.integer_overflow, { what });
  if (value < I64_MIN) check(false, INT_ERRORS.integer_underflow, { what });
  return value;
}

export function add64(a: bigint, b: bigint): bigint {
  return checkI64(a + b, 'addition');
}

export function sub64(a: bigint, b: bigint): bigint {
  return checkI64(a - b, 'subtraction');
}

export function mul64(a: bigint, b: bigint): bigint {
  return checkI64(a * b, 'multiplication');
}

/** Toward zero, as signed division of the chain does. */
export function divTrunc64(a: bigint, b: bigint): bigint {
  check(b !== 0n, INT_ERRORS.divide_by_zero, { what: 'division' });
  return checkI64(a / b, 'division');
}

/** Toward minus infinity. */
export function divFloor(a: bigint, b: bigint): bigint {
  check(b !== 0n, INT_ERRORS.divide_by_zero, { what: 'division' });
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

/** Math.min for amounts: it takes no bigints. */
export function lesser(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

export function wrapU64(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

export function wrapU128(value: bigint): bigint {
  return BigInt.asUintN(128, value);
}

export function wrapI64(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

export function wrapU32(value: number): number {
  return value >>> 0;
}

export function wrapU16(value: number): number {
  return value & 0xffff;
}

/** Number of the highest set bit, zero-based; `value` must be positive. */
export function highestBit(value: bigint): number {
  return value.toString(2).length - 1;
}

/**
 * The same number as the engine keeps small ones. What code that is not compiled yet reads out of a Float64Array, or
 * calculates of large numbers, is an object to it; so it stays wherever it is stored, and compiled code that looks up an
 * array by it is thrown away again and again.
 */
export function smallNumber(value: number): number {
  const small = value | 0;
  return small === value ? small : value;
}
