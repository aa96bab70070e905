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
    for (let i = 0; i < left.length; i++) {
      const difference = (left[i] as number) - (right[i] as number);
      if (difference !== 0) return difference < 0 ? -1 : 1;
    }
    return 0;
  }),
];
