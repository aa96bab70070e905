import { fail } from '../../base/errors.js';
import { WASM_ERRORS } from '../errors.js';
import { VM_LIMITS } from '../limits.js';

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads the scalars of the WebAssembly binary format; every read is bounded by `end`. */
export class ByteReader {
  readonly bytes: Uint8Array;
  at: number;
  end: number;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  malformed(what: string): never {
    fail(WASM_ERRORS.wasm_malformed, { what, at: this.at });
  }

  u8(): number {
    if (this.at >= this.end) fail(WASM_ERRORS.wasm_end_of_stream);
    return this.bytes[this.at++] as number;
  }

  /** The bits of the last possible byte that do not belong to the value must be zero. */
  u32(): number {
    let byte = this.u8();
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let shift = 7; shift < 28; shift += 7) {
      byte = this.u8();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    byte = this.u8();
    if (byte > 0x0f) this.malformed('LEB128 integer is too long or has set unused bits');
    return (value | (byte << 28)) >>> 0;
  }

  i32(): number {
    let value = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.u8();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (value << (25 - shift)) >> (25 - shift);
    }
    const byte = this.u8();
    // Bits 4 to 6 must copy the sign, bit 3 of this byte.
    if (byte >= 0x80 || (byte & 0x78) !== ((byte & 0x08) === 0 ? 0 : 0x78)) {
      this.malformed('LEB128 integer is too long or has wrong unused bits');
    }
    return value | (byte << 28);
  }

  i64(): bigint {
    let low = 0n;
    for (let shift = 0; shift < 63; shift += 7) {
      const byte = this.u8();
      low |= BigInt(byte & 0x7f) << BigInt(shift);
      if (byte < 0x80) return BigInt.asIntN(shift + 7, low);
    }
    const byte = this.u8();
    if (byte !== 0 && byte !== 0x7f) this.malformed('LEB128 integer is too long or has wrong unused bits');
    return BigInt.asIntN(64, low | (BigInt(byte & 1) << 63n));
  }

  skip(count: number): void {
    if (count > this.end - this.at) fail(WASM_ERRORS.wasm_end_of_stream);
    this.at += count;
  }

  take(count: number): Uint8Array {
    const start = this.at;
    this.skip(count);
    return this.bytes.subarray(start, this.at);
  }

  /** Count of a vector; refused before anything is allocated for it. */
  count(): number {
    const size = this.u32();
    const end = VM_LIMITS.vector_entries_end;
    if (size >= end) fail(WASM_ERRORS.wasm_array_size, { size, over: size - end });
    return size;
  }

  name(): string {
    const size = this.u32();
    const end = VM_LIMITS.string_bytes_end;
    if (size >= end) fail(WASM_ERRORS.wasm_string_size, { size, over: size - end });
    const bytes = this.take(size);
    try {
      return UTF8.decode(bytes);
    } catch {
      return this.malformed('name is not UTF-8');
    }
  }
}
