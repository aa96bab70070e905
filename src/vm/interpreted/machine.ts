import { fail, invariant } from '../../base/errors.js';
import { RUN_ERRORS } from '../errors.js';
import { VM_LIMITS } from '../limits.js';
import type { GlobalEntry, WasmModule } from '../wasm/module.js';
import { webAssembly } from '../web-assembly.js';
import { LinearMemory } from './linear-memory.js';

const FIRST_VALUES = 4096;
const SIGN = 31;

/** What an instruction does that goes on to the next one. Its operands lie on the stack of the machine. */
export type Operation = (machine: Machine, immediate: number) => void;

/** Ends the action as a trap of compiled code does, with the reference's text. */
export function trap(text: string): never {
  throw new webAssembly.RuntimeError(text);
}

/**
 * Where interpreted code runs: one stack that holds the locals and operands of all frames, globals and memory.
 *
 * Every value has a place of 8 bytes, an i32 or f32 in its lower half. Values are moved as integers only, because
 * JavaScript may change the bits of a NaN that it moves as a number.
 */
export class Machine {
  /** First free place of the stack. */
  top = 0;
  /** First local of the running function. */
  base = 0;
  /** What is left to spend; counted exactly, see `Budget`. */
  budget = 0;
  i32 = new Int32Array(0);
  i64 = new BigInt64Array(0);
  u64 = new BigUint64Array(0);
  f32 = new Float32Array(0);
  f64 = new Float64Array(0);
  readonly globals: Int32Array<ArrayBuffer>;
  readonly linearMemory: LinearMemory;
  private capacity = 0;

  constructor(module: WasmModule) {
    this.reserve(FIRST_VALUES);
    this.globals = new Int32Array(2 * module.globals.length);
    setGlobals(this.globals, module.globals);
    this.linearMemory = new LinearMemory(module.memories[0]);
  }

  /** Room for so many values. */
  reserve(values: number): void {
    if (values <= this.capacity) return;
    const { values_max } = VM_LIMITS;
    if (values > values_max) fail(RUN_ERRORS.contract_stack_bytes, { limit: 8 * values_max });
    const old = this.i32.subarray(0, 2 * this.top);
    this.capacity = Math.min(Math.max(values, 2 * this.capacity), values_max);
    const buffer = new ArrayBuffer(8 * this.capacity);
    this.i32 = new Int32Array(buffer);
    this.i64 = new BigInt64Array(buffer);
    this.u64 = new BigUint64Array(buffer);
    this.f32 = new Float32Array(buffer);
    this.f64 = new Float64Array(buffer);
    this.i32.set(old);
  }

  // The last operand, and the one before it.

  topI32(): number {
    return this.i32[2 * this.top - 2] as number;
  }

  leftI32(): number {
    return this.i32[2 * this.top - 4] as number;
  }

  topHigh(): number {
    return this.i32[2 * this.top - 1] as number;
  }

  leftHigh(): number {
    return this.i32[2 * this.top - 3] as number;
  }

  topI64(): bigint {
    return this.i64[this.top - 1] as bigint;
  }

  leftI64(): bigint {
    return this.i64[this.top - 2] as bigint;
  }

  topU64(): bigint {
    return this.u64[this.top - 1] as bigint;
  }

  leftU64(): bigint {
    return this.u64[this.top - 2] as bigint;
  }

  topF32(): number {
    return this.f32[2 * this.top - 2] as number;
  }

  leftF32(): number {
    return this.f32[2 * this.top - 4] as number;
  }

  topF64(): number {
    return this.f64[this.top - 1] as number;
  }

  leftF64(): number {
    return this.f64[this.top - 2] as number;
  }

  // A result in the place of the last operand. Integers may be of any size: what counts are their lower bits.

  setI32(value: number): void {
    this.i32[2 * this.top - 2] = value;
  }

  setI64(value: bigint): void {
    this.i64[this.top - 1] = value;
  }

  setHalves(low: number, high: number): void {
    this.i32[2 * this.top - 2] = low;
    this.i32[2 * this.top - 1] = high;
  }

  setSigned(low: number): void {
    this.setHalves(low, low >> SIGN);
  }

  /** Not a NaN. */
  setF32(value: number): void {
    this.f32[2 * this.top - 2] = value;
  }

  /** Not a NaN. */
  setF64(value: number): void {
    this.f64[this.top - 1] = value;
  }

  // A result in the place of the last two operands.

  putI32(value: number): void {
    this.top--;
    this.setI32(value);
  }

  putTruth(value: boolean): void {
    this.putI32(value ? 1 : 0);
  }

  putI64(value: bigint): void {
    this.top--;
    this.setI64(value);
  }

  putHalves(low: number, high: number): void {
    this.top--;
    this.setHalves(low, high);
  }

  // Operands that come and go.

  popI32(): number {
    return this.i32[2 * --this.top] as number;
  }

  pushI32(value: number): void {
    this.i32[2 * this.top++] = value;
  }

  pushHalves(low: number, high: number): void {
    this.top++;
    this.setHalves(low, high);
  }

  pushI64(value: bigint): void {
    this.i64[this.top++] = value;
  }

  /** Any value from one place of the stack to another. */
  move(from: number, to: number): void {
    const { i32 } = this;
    i32[2 * to] = i32[2 * from] as number;
    i32[2 * to + 1] = i32[2 * from + 1] as number;
  }

  /** Cuts the stack down to this place; the last operand stays on it, if `kept` is 1 and not 0. */
  cut(place: number, kept: number): void {
    if (kept === 1) this.move(this.top - 1, place);
    this.top = place + kept;
  }

  clear(from: number, to: number): void {
    this.i32.fill(0, 2 * from, 2 * to);
  }

  /** Address on top of the stack, of so many bytes that are loaded. */
  address(offset: number, bytes: number): number {
    return this.checked((this.topI32() >>> 0) + (offset >>> 0), bytes);
  }

  /** Takes address and value from the stack; the value can still be read as `stored`. */
  takeAddress(offset: number, bytes: number): number {
    this.top -= 2;
    return this.checked(((this.i32[2 * this.top] as number) >>> 0) + (offset >>> 0), bytes);
  }

  storedLow(): number {
    return this.i32[2 * this.top + 2] as number;
  }

  storedHigh(): number {
    return this.i32[2 * this.top + 3] as number;
  }

  private checked(address: number, bytes: number): number {
    if (address + bytes > this.linearMemory.bytes) trap('out of bounds memory access');
    return address;
  }

  growMemory(): void {
    const old = this.linearMemory.grow(this.topI32(), (instructions) => {
      this.budget -= instructions;
    });
    this.setI32(old);
  }
}

function setGlobals(values: Int32Array<ArrayBuffer>, globals: readonly GlobalEntry[]): void {
  const bits = new BigUint64Array(values.buffer);
  globals.forEach(({ init }, index) => {
    invariant(init?.kind === 'const', 'a module that is loaded has no imported globals');
    bits[index] = init.bits;
  });
}
