import { Writer } from '../codec/writer.js';
import * as msgpack from './msgpack.js';

const INT_64_MIN = -(2n ** 63n);
const UINT_64_END = 2n ** 64n;

/**
 * A writer that packs numbers, bigints and booleans one by one as msgpackr packs an array of them: a block changes thirty
 * objects, and for each an array would be made, whose values the library asks for their types one after the other. What
 * is wider than 64 bits is left to it.
 */
export class PlainWriter extends Writer {
  private readonly wide: (value: bigint) => Uint8Array;

  constructor(wide: (value: bigint) => Uint8Array) {
    super();
    this.wide = wide;
  }

  /** So many values follow. */
  plainArray(count: number): void {
    if (count <= msgpack.SHORT_ARRAY_MAX) this.u8(msgpack.SHORT_ARRAY | count);
    else this.tagged(msgpack.ARRAY_16, 2).setUint16(this.length - 2, count);
  }

  plainBoolean(value: boolean): void {
    this.u8(value ? msgpack.TRUE : msgpack.FALSE);
  }

  /** An id that somebody has made up may be a bigint. */
  plainNumber(value: number | bigint): void {
    if (typeof value === 'bigint') this.plainBigint(value);
    else if (value >>> 0 === value) this.unsigned(value);
    else if (value >> 0 === value) this.negative(value);
    else this.tagged(msgpack.FLOAT_64, 8).setFloat64(this.length - 8, value);
  }

  private unsigned(value: number): void {
    if (value < 0x80) this.u8(value);
    else if (value < 0x100) this.tagged(msgpack.UINT_8, 1).setUint8(this.length - 1, value);
    else if (value < 0x10000) this.tagged(msgpack.UINT_16, 2).setUint16(this.length - 2, value);
    else this.tagged(msgpack.UINT_32, 4).setUint32(this.length - 4, value);
  }

  private negative(value: number): void {
    if (value >= -0x20) this.u8(value);
    else if (value >= -0x80) this.tagged(msgpack.INT_8, 1).setInt8(this.length - 1, value);
    else if (value >= -0x8000) this.tagged(msgpack.INT_16, 2).setInt16(this.length - 2, value);
    else this.tagged(msgpack.INT_32, 4).setInt32(this.length - 4, value);
  }

  plainBigint(value: bigint): void {
    // The engine compares a bigint that it has cut to 64 bits with the one that it came from, and makes none.
    if (BigInt.asIntN(64, value) === value) this.tagged(msgpack.INT_64, 8).setBigInt64(this.length - 8, value);
    else if (value >= INT_64_MIN && value < UINT_64_END)
      this.tagged(msgpack.UINT_64, 8).setBigUint64(this.length - 8, value);
    else this.raw(this.wide(value));
  }

  /** Room for a tag and so many bytes behind it, which are to be filled at the end. */
  private tagged(tag: number, bytes: number): DataView {
    const at = this.room(1 + bytes);
    this.bytes[at] = tag;
    return this.view;
  }
}
