import { check, defineErrors } from '../../base/errors.js';
import { RUN_ERRORS } from '../errors.js';
import type { HostCall } from '../host-call.js';
import { bytesCost, host } from './define.js';

export const MEMORY_HOST_ERRORS = defineErrors({
  contract_memory_overlap: {
    code: 3070004,
    name: 'overlapping_memory_error',
    title: 'memcpy with overlapping memory',
    text: 'memcpy can only accept non-aliasing pointers',
  },
});

function prepare(call: HostCall, first: number, second: number | undefined, length: number): void {
  if (second !== undefined) call.memory.checkRange(second, length);
  call.memory.checkRange(first, length);
  call.charge(bytesCost(length, 16));
}

/** Quirk: a length of 0 at the very end of the memory passes the check of the range, but not that of the result. */
function returned(call: HostCall, pointer: number): number {
  check(pointer >>> 0 < call.memory.size, RUN_ERRORS.contract_returned_pointer);
  return pointer;
}

/** From here on it pays to compare words. */
const WORDS_FROM = 128;

/** Byte by byte, a comparison of many takes longer than it is billed. */
function firstDifference(left: Uint8Array, right: Uint8Array): number {
  let at = left.length < WORDS_FROM ? 0 : equalWords(wordsOf(left), wordsOf(right));
  while (at < left.length && left[at] === right[at]) at++;
  return at;
}

/** Bytes of the words at the beginning that are equal. */
function equalWords(left: DataView, right: DataView): number {
  let at = 0;
  while (at + 4 <= left.byteLength && left.getInt32(at) === right.getInt32(at)) at += 4;
  return at;
}

const wordsOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

export const MEMORY_FUNCTIONS = [
  host('memcpy', 'i i i > i', 40, (call, to: number, from: number, length: number) => {
    prepare(call, to, from, length);
    const distance = Math.abs((to >>> 0) - (from >>> 0));
    check(distance >= length >>> 0, MEMORY_HOST_ERRORS.contract_memory_overlap);
    call.memory.write(to, call.memory.slice(from, length));
    return returned(call, to);
  }),
  host('memmove', 'i i i > i', 40, (call, to: number, from: number, length: number) => {
    prepare(call, to, from, length);
    call.memory.write(to, call.memory.slice(from, length));
    return returned(call, to);
  }),
  host('memset', 'i i i > i', 40, (call, to: number, value: number, length: number) => {
    prepare(call, to, undefined, length);
    call.memory.slice(to, length).fill(value & 0xff);
    return returned(call, to);
  }),
  host('memcmp', 'i i i > i', 40, (call, a: number, b: number, length: number) => {
    prepare(call, a, b, length);
    call.charge(bytesCost(length, 2));
    const [left, right] = [call.memory.slice(a, length), call.memory.slice(b, length)];
    const at = firstDifference(left, right);
    if (at === left.length) return 0;
    return (left[at] as number) < (right[at] as number) ? -1 : 1;
  }),
];
