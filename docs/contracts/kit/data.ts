// Bytes as the chain's ABI has them: little-endian numbers, texts and lists with their length in front.
import { action_data_size, read_action_data } from "./host";
import { check } from "./system";
import { Asset } from "./asset";

/** A 64-bit base-32 name; "name" in the ABI. */
export type Name = u64;
/** Seconds since 1970; "time_point_sec" in the ABI. */
export type TimePointSec = u32;
export type Checksum160 = Uint8Array;
export type Checksum256 = Uint8Array;
export type Checksum512 = Uint8Array;
/** 33 bytes, compressed. */
export type PublicKey = Uint8Array;
/** 65 bytes. */
export type Signature = Uint8Array;

export class Writer {
  private buffer: Uint8Array = new Uint8Array(64);
  length: i32 = 0;

  get start(): usize {
    return this.buffer.dataStart;
  }

  private take(count: i32): usize {
    const end = this.length + count;
    if (end > this.buffer.length) {
      const larger = new Uint8Array(max(end, 2 * this.buffer.length));
      memory.copy(larger.dataStart, this.buffer.dataStart, this.length);
      this.buffer = larger;
    }
    const at = this.buffer.dataStart + this.length;
    this.length = end;
    return at;
  }

  bool(value: bool): Writer { store<u8>(this.take(1), value ? 1 : 0); return this; }
  u8(value: u8): Writer { store<u8>(this.take(1), value); return this; }
  u16(value: u16): Writer { store<u16>(this.take(2), value); return this; }
  u32(value: u32): Writer { store<u32>(this.take(4), value); return this; }
  u64(value: u64): Writer { store<u64>(this.take(8), value); return this; }
  i8(value: i8): Writer { store<i8>(this.take(1), value); return this; }
  i16(value: i16): Writer { store<i16>(this.take(2), value); return this; }
  i32(value: i32): Writer { store<i32>(this.take(4), value); return this; }
  i64(value: i64): Writer { store<i64>(this.take(8), value); return this; }
  f32(value: f32): Writer { store<f32>(this.take(4), value); return this; }
  f64(value: f64): Writer { store<f64>(this.take(8), value); return this; }

  /** The length of what follows. */
  count(value: u32): Writer {
    let rest = value;
    while (rest >= 0x80) {
      this.u8(<u8>(rest | 0x80));
      rest >>= 7;
    }
    return this.u8(<u8>rest);
  }

  string(value: string): Writer {
    const bytes = String.UTF8.byteLength(value);
    this.count(bytes);
    String.UTF8.encodeUnsafe(changetype<usize>(value), value.length, this.take(bytes));
    return this;
  }

  bytes(value: Uint8Array): Writer {
    this.count(value.length);
    return this.raw(value, value.length);
  }

  /** Bytes of a fixed length, such as a hash. */
  raw(value: Uint8Array, length: i32): Writer {
    check(value.length == length, "wrong number of bytes");
    memory.copy(this.take(length), value.dataStart, length);
    return this;
  }

  asset(value: Asset): Writer {
    return this.i64(value.amount).u64(value.asset);
  }

  /** A copy of what has been written. */
  finish(): Uint8Array {
    return this.buffer.slice(0, this.length);
  }
}

/** Reads what a Writer has written; an end that comes too early fails the action with `read`. */
export class Reader {
  private at: i32 = 0;

  constructor(private readonly data: Uint8Array) {}

  private take(count: i32): usize {
    check(count >= 0 && count <= this.data.length - this.at, "read");
    const at = this.data.dataStart + this.at;
    this.at += count;
    return at;
  }

  bool(): bool { return load<u8>(this.take(1)) != 0; }
  u8(): u8 { return load<u8>(this.take(1)); }
  u16(): u16 { return load<u16>(this.take(2)); }
  u32(): u32 { return load<u32>(this.take(4)); }
  u64(): u64 { return load<u64>(this.take(8)); }
  i8(): i8 { return load<i8>(this.take(1)); }
  i16(): i16 { return load<i16>(this.take(2)); }
  i32(): i32 { return load<i32>(this.take(4)); }
  i64(): i64 { return load<i64>(this.take(8)); }
  f32(): f32 { return load<f32>(this.take(4)); }
  f64(): f64 { return load<f64>(this.take(8)); }

  /** No data are long enough for a length that is negative as an i32: a loop up to it would read nothing. */
  count(): i32 {
    let value: u32 = 0;
    for (let shift: u32 = 0; shift < 35; shift += 7) {
      const byte = this.u8();
      value |= (<u32>byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    check(<i32>value >= 0, "read");
    return <i32>value;
  }

  string(): string {
    const length = this.count();
    return String.UTF8.decodeUnsafe(this.take(length), length);
  }

  bytes(): Uint8Array {
    return this.raw(this.count());
  }

  raw(length: i32): Uint8Array {
    const from = this.take(length);
    const out = new Uint8Array(length);
    memory.copy(out.dataStart, from, length);
    return out;
  }

  asset(): Asset {
    const amount = this.i64();
    return new Asset(amount, this.u64());
  }
}

/** Used by generated code for classes with `@struct` or `@table`. */
export function readStruct<T>(reader: Reader): T {
  const value = instantiate<T>();
  value.__unpack(reader);
  return value;
}

/** The packed arguments of the action; generated code decodes them. */
export function actionData(): Reader {
  const data = new Uint8Array(action_data_size());
  read_action_data(data.dataStart, data.length);
  return new Reader(data);
}
