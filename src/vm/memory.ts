import { fail } from '../base/errors.js';
import { RUN_ERRORS } from './errors.js';
import { WASM_PAGE_BYTES } from './limits.js';
import type { WasmGlobal, WasmMemory } from './web-assembly.js';

/** The largest length that the reference takes, exclusive. */
const LENGTH_END = 0x7fff_ffff;

const NO_BYTES = new Uint8Array(0);
const NO_VALUES = new DataView(NO_BYTES.buffer);

/**
 * Linear memory of a running contract, with the pointer checks of the reference. Pointers and lengths arrive as the
 * signed integers of WebAssembly and are read as unsigned. Slices are views: copy what outlives the host call.
 */
export class ContractMemory {
  private readonly memory: WasmMemory | undefined;
  private readonly pages: WasmGlobal<number>;
  private buffer: ArrayBuffer | undefined;
  private view = NO_BYTES;
  private data = NO_VALUES;

  constructor(memory: WasmMemory | undefined, pages: WasmGlobal<number>) {
    this.memory = memory;
    this.pages = pages;
  }

  /** As the contract sees it; after a shrink the engine's memory is larger. */
  get size(): number {
    return this.pages.value * WASM_PAGE_BYTES;
  }

  /** Growing detaches the buffer, so views are made anew when it has changed. */
  private bytes(): Uint8Array {
    const buffer = this.memory?.buffer;
    if (buffer !== undefined && buffer !== this.buffer) {
      this.buffer = buffer;
      this.view = new Uint8Array(buffer);
      this.data = new DataView(buffer);
    }
    return this.view;
  }

  private values(): DataView {
    this.bytes();
    return this.data;
  }

  /** Pointer and length given by the contract. */
  checkRange(pointer: number, length: number): void {
    const size = length >>> 0;
    if (size >= LENGTH_END) fail(RUN_ERRORS.contract_length_overflow);
    // Without a memory there is not even a place for no bytes.
    if (this.memory === undefined || (pointer >>> 0) + size > this.size) fail(RUN_ERRORS.contract_access_violation);
  }

  /** Pointer to a value of fixed size. */
  checkReference(pointer: number, length: number): void {
    if (pointer === 0) fail(RUN_ERRORS.contract_null_reference);
    if ((pointer >>> 0) + length > this.size) fail(RUN_ERRORS.contract_access_violation);
  }

  /** Bytes before the NUL. */
  textLength(pointer: number): number {
    const start = pointer >>> 0;
    const { size } = this;
    if (start + 1 > size) fail(RUN_ERRORS.contract_access_violation);
    const end = this.bytes().indexOf(0, start);
    if (end < 0 || end >= size) fail(RUN_ERRORS.contract_unterminated_string);
    return end - start;
  }

  /** View of bytes that were checked before. */
  slice(pointer: number, length: number): Uint8Array {
    const start = pointer >>> 0;
    return this.bytes().subarray(start, start + (length >>> 0));
  }

  text(pointer: number): Uint8Array {
    return this.slice(pointer, this.textLength(pointer));
  }

  write(pointer: number, bytes: Uint8Array): void {
    this.bytes().set(bytes, pointer >>> 0);
  }

  readU64(pointer: number): bigint {
    return this.values().getBigUint64(pointer >>> 0, true);
  }

  writeU64(pointer: number, value: bigint): void {
    this.values().setBigUint64(pointer >>> 0, BigInt.asUintN(64, value), true);
  }

  readU128(pointer: number): bigint {
    return this.readU64(pointer) | (this.readU64((pointer >>> 0) + 8) << 64n);
  }

  writeU128(pointer: number, value: bigint): void {
    this.writeU64(pointer, value);
    this.writeU64((pointer >>> 0) + 8, value >> 64n);
  }
}
