import { must } from '../tables.js';
import type { Action, Host } from './action.js';

/** Numbers of 128 bits. */

const ONES = (1n << 64n) - 1n;

export const join = (low = 0n, high = 0n): bigint => (high << 64n) | low;
const signed = (value: bigint): bigint => BigInt.asIntN(128, value);

export function give(a: Action, at: bigint, value: bigint): void {
  a.memory.setNumber(Number(at), value & ONES);
  a.memory.setNumber(Number(at) + 8, (value >> 64n) & ONES);
}

const shift =
  (work: (value: bigint, bits: bigint) => bigint): Host =>
  (a, at = 0n, low, high, bits = 0n) =>
    give(a, at, work(join(low, high), BigInt.asUintN(32, bits)));

const left = shift((value, bits) => (bits >= 128n ? 0n : value << bits));

const withTwo =
  (work: (one: bigint, other: bigint) => bigint): Host =>
  (a, at = 0n, low, high, otherLow, otherHigh) =>
    give(a, at, work(join(low, high), join(otherLow, otherHigh)));

const dividing = (work: (one: bigint, other: bigint) => bigint): Host =>
  withTwo((one, other) => {
    must(other !== 0n, 'contract_divide_by_zero');
    return work(one, other);
  });

export const WIDE_NUMBERS = {
  __ashlti3: left,
  __lshlti3: left,
  __lshrti3: shift((value, bits) => (bits >= 128n ? 0n : value >> bits)),
  __ashrti3: shift((value, bits) => signed(value) >> (bits % 128n)),
  __multi3: withTwo((one, other) => one * other),
  __divti3: dividing((one, other) => signed(one) / signed(other)),
  __modti3: dividing((one, other) => signed(one) % signed(other)),
  __udivti3: dividing((one, other) => one / other),
  __umodti3: dividing((one, other) => one % other),
} satisfies Readonly<Record<string, Host>>;
