import { fromHexInto } from '../base/bytes.js';
import { encodeAsciiInto, encodeText } from './text.js';

const INITIAL_BYTES = 1024;
/** More than a block has: who has written something huge does not keep its memory for what comes next. */
const KEPT_BYTES = 4 * 1024 * 1024;

/** Growing buffer; integers are little-endian. Values come from our own types, so ranges are wrapped, not checked. */
export class Writer {
  protected bytes: Uint8Array<ArrayBuffer>;
  protected view: DataView;
  length = 0;

  /** `bytesMin`: what is known to come. */
  constructor(bytesMin = INITIAL_BYTES) {
    this.bytes = new Uint8Array(bytesMin);
    this.view = new DataView(this.bytes.buffer);
  }

  /** It begins anew. */
  clear(): void {
    this.length = 0;
    if (this.bytes.length <= KEPT_BYTES) return;
    this.bytes = new Uint8Array(INITIAL_BYTES);
    this.view = new DataView(this.bytes.buffer);
  }

  /** Makes room for `count` bytes and gives the position where they start. */
  protected room(count: number): number {
    const at = this.length;
    const needed = at + count;
    if (needed > this.bytes.length) this.grow(needed);
    this.length = needed;
    return at;
  }

  private grow(needed: number): void {
    const larger = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
  }

  u8(value: number): void {
    const at = this.room(1);
    this.bytes[at] = value;
  }

  u16(value: number): void {
    const at = this.room(2);
    this.view.setUint16(at, value, true);
  }

  u32(value: number): void {
    const at = this.room(4);
    this.view.setUint32(at, value, true);
  }

  /** Signed and unsigned alike: the low 64 bits. */
  u64(value: bigint): void {
    const at = this.room(8);
    this.view.setBigUint64(at, value, true);
  }

  f32(value: number): void {
    const at = this.room(4);
    this.view.setFloat32(at, value, true);
  }

  f64(value: number): void {
    const at = this.room(8);
    this.view.setFloat64(at, value, true);
  }

  varint(value: number | bigint): void {
    if (typeof value === 'bigint') {
      let rest = value;
      while (rest >= 0x80n) {
        this.u8(Number(rest & 0x7fn) | 0x80);
        rest >>= 7n;
      }
      this.u8(Number(rest));
      return;
    }
    let rest = value;
    while (rest >= 0x80) {
      // Division, not a shift: instances go up to 48 bits.
      const next = Math.floor(rest / 0x80);
      this.u8(rest - next * 0x80 + 0x80);
      rest = next;
    }
    this.u8(rest);
  }

  raw(part: Uint8Array): void {
    const at = this.room(part.length);
    this.bytes.set(part, at);
  }

  hex(text: string): void {
    const at = this.room(text.length >> 1);
    fromHexInto(text, this.bytes, at);
  }

  lengthPrefixed(part: Uint8Array): void {
    this.varint(part.length);
    this.raw(part);
  }

  text(value: string): void {
    // Short ASCII is the rule: one length byte and no copy.
    if (value.length < 0x80) {
      const at = this.room(1 + value.length);
      if (encodeAsciiInto(value, this.bytes, at + 1) >= 0) {
        this.bytes[at] = value.length;
        return;
      }
      this.length = at;
    }
    this.lengthPrefixed(encodeText(value));
  }

  /** What is written, behind what this one has written already. */
  append(other: Writer): void {
    if (other.length > 0) this.raw(other.peek());
  }

  /** Whether what was written from there on is this. */
  endsWith(from: number, part: Uint8Array): boolean {
    if (this.length - from !== part.length) return false;
    for (let i = 0; i < part.length; i++) if (this.bytes[from + i] !== part[i]) return false;
    return true;
  }

  /** Own copy of what was written. */
  finish(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  /** What was written from there on, valid until the next write. */
  peek(from = 0): Uint8Array {
    return this.bytes.subarray(from, this.length);
  }
}

/** How much `varint` writes of a length. */
export function varintBytes(length: number): number {
  let bytes = 1;
  for (let rest = length; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes++;
  return bytes;
}
