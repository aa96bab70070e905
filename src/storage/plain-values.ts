import { invariant } from '../base/errors.js';
import { smallNumber } from '../base/int.js';
import * as msgpack from './msgpack.js';

const ZERO = 0n;

/**
 * Reads the numbers, bigints and booleans that msgpackr has packed as an array, one by one into where they belong: a start
 * reads millions of such arrays, and each would be made for a moment. What is wider than 64 bits is left to the library.
 */
export class PlainValues {
  private bytes: Uint8Array = new Uint8Array(0);
  private view: DataView = new DataView(this.bytes.buffer);
  private readonly wide: (bytes: Uint8Array, start: number, end: number) => unknown;
  private at = 0;
  private end = 0;

  constructor(wide: (bytes: Uint8Array, start: number, end: number) => unknown) {
    this.wide = wide;
  }

  /** The array from `start` to `end`, of which the values are asked for in turn. `rule` says that there are so many. */
  open(bytes: Uint8Array, start: number, end: number, count: number, rule: string): void {
    // A page of many records is one piece of memory.
    if (bytes !== this.bytes) {
      this.bytes = bytes;
      this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    this.at = start;
    this.end = end;
    const first = this.byte();
    const found = first === msgpack.ARRAY_16 ? this.u16() : first & msgpack.SHORT_ARRAY_MAX;
    invariant(found === count && (first === msgpack.ARRAY_16 || first >> 4 === 9), rule);
  }

  close(): void {
    invariant(this.at === this.end, 'a record ends with its plain values');
  }

  boolean(): boolean {
    const tag = this.byte();
    invariant(tag === msgpack.TRUE || tag === msgpack.FALSE, 'a stored boolean is one');
    return tag === msgpack.TRUE;
  }

  /**
   * A bigint where an id is one that somebody has made up. Small ones are small to the engine as well: in a field of a
   * million objects anything else is a box for each.
   */
  number(): unknown {
    const tag = this.byte();
    if (tag < 0x80) return tag;
    if (tag >= 0xe0) return tag - 0x100;
    switch (tag) {
      case msgpack.UINT_8:
        return this.byte();
      case msgpack.UINT_16:
        return this.u16();
      case msgpack.UINT_32:
        return smallNumber(this.view.getUint32(this.take(4)));
      case msgpack.INT_8:
        return this.view.getInt8(this.take(1));
      case msgpack.INT_16:
        return this.view.getInt16(this.take(2));
      case msgpack.INT_32:
        return this.view.getInt32(this.take(4));
      case msgpack.FLOAT_64:
        return this.view.getFloat64(this.take(8));
      default:
        return this.long(tag);
    }
  }

  /** A zero is one for all objects. */
  bigint(): unknown {
    const tag = this.byte();
    if (tag !== msgpack.INT_64) return this.long(tag);
    const value = this.view.getBigInt64(this.take(8));
    return value === ZERO ? ZERO : value;
  }

  private long(tag: number): unknown {
    if (tag === msgpack.INT_64) return this.view.getBigInt64(this.take(8));
    if (tag === msgpack.UINT_64) return this.view.getBigUint64(this.take(8));
    const start = this.at - 1;
    if (tag === msgpack.EXTENSION_8) this.take(1 + this.byte());
    else {
      invariant(tag >= msgpack.EXTENSION_OF_1 && tag <= msgpack.EXTENSION_OF_16, 'a stored number is one');
      this.take(1 + 2 ** (tag - msgpack.EXTENSION_OF_1));
    }
    return this.wide(this.bytes, start, this.at);
  }

  private byte(): number {
    return this.bytes[this.take(1)] as number;
  }

  private u16(): number {
    return this.view.getUint16(this.take(2));
  }

  private take(count: number): number {
    const { at } = this;
    this.at = at + count;
    invariant(this.at <= this.end, 'a record holds its values');
    return at;
  }
}
