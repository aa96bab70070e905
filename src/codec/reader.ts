import { isShortButOutside, newBytes, toHex } from '../base/bytes.js';
import { check, defineErrors, FAMILY, fail } from '../base/errors.js';
import { BYTE_BOUNDS, type DecodeRules, USUAL_RULES } from './decode-rules.js';
import { decodeText } from './text.js';

export const READ_ERRORS = defineErrors({
  read_past_end: { ...FAMILY.outOfRange, text: 'input ends ${missing} byte(s) too early' },
  read_left_over: { ...FAMILY.outOfRange, text: '${count} byte(s) left over after the value' },
  read_varint: { ...FAMILY.outOfRange, text: 'variable-length integer does not fit into 64 bits' },
  read_bool: { ...FAMILY.badCast, text: 'a boolean must be 0 or 1, not ${value}' },
  read_too_long: { text: 'length ${length} of ${what} is above the limit' },
  read_too_deep: { text: 'value is nested too deep' },
});

const PLAIN_VARINT_BITS = 28;

function copyOf(bytes: Uint8Array, at: number, length: number): Uint8Array {
  if (!isShortButOutside(length)) return bytes.slice(at, at + length);
  const out = newBytes(length);
  for (let i = 0; i < length; i++) out[i] = bytes[at + i] as number;
  return out;
}

/**
 * Cursor over untrusted bytes. Every length is compared with a limit and with what is left before anything
 * is allocated. Integers are little-endian.
 */
export class Reader {
  readonly bytes: Uint8Array;
  private readonly view: DataView;
  private readonly end: number;
  position = 0;
  /** Which of a container's bounds counts. */
  readonly column: DecodeRules['column'];
  /** Longest string of bytes. */
  private readonly lengthMax: number;
  /** What is left for nesting. */
  private depth: number;
  /** What is read lives long and is never changed in place: what is alike may be one value. */
  readonly shares: boolean;
  /** Where the hex text that was read last stands, and its length. */
  private hexAt = 0;
  private hexLength = -1;
  private hexText = '';

  constructor(bytes: Uint8Array, { column, depth, shares = false }: DecodeRules = USUAL_RULES) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.end = bytes.length;
    this.column = column;
    this.lengthMax = BYTE_BOUNDS[column];
    this.depth = depth;
    this.shares = shares;
  }

  get remaining(): number {
    return this.end - this.position;
  }

  /** Moves on by `count` bytes and gives the position before. */
  private take(count: number): number {
    const at = this.position;
    if (count > this.end - at) fail(READ_ERRORS.read_past_end, { missing: count - (this.end - at) });
    this.position = at + count;
    return at;
  }

  /** Moves on by `count` bytes, if there are as many. */
  pass(count: number): boolean {
    this.position += count;
    return this.position <= this.end;
  }

  /** A variable-length integer in the form that is written, of up to 28 bits; what is none of these is -1. */
  plainVarint(): number {
    let value = 0;
    for (let shift = 0; shift < PLAIN_VARINT_BITS; shift += 7) {
      // Behind the end there is no byte, which is not more than any.
      const byte = this.bytes[this.position++] as number;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return byte === 0 && shift > 0 ? -1 : value;
    }
    return -1;
  }

  u8(): number {
    return this.bytes[this.take(1)] as number;
  }

  i8(): number {
    return this.view.getInt8(this.take(1));
  }

  u16(): number {
    return this.view.getUint16(this.take(2), true);
  }

  i16(): number {
    return this.view.getInt16(this.take(2), true);
  }

  u32(): number {
    return this.view.getUint32(this.take(4), true);
  }

  i32(): number {
    return this.view.getInt32(this.take(4), true);
  }

  u64(): bigint {
    return this.view.getBigUint64(this.take(8), true);
  }

  i64(): bigint {
    return this.view.getBigInt64(this.take(8), true);
  }

  f32(): number {
    return this.view.getFloat32(this.take(4), true);
  }

  f64(): number {
    return this.view.getFloat64(this.take(8), true);
  }

  bool(): boolean {
    const value = this.u8();
    check(value <= 1, READ_ERRORS.read_bool, { value });
    return value === 1;
  }

  /** A number while it is exact, a bigint beyond. Non-minimal forms are accepted, as on the chain. */
  varint(): number | bigint {
    const first = this.u8();
    if (first < 0x80) return first;
    let value = first & 0x7f;
    let factor = 0x80;
    // 7 groups are 49 bits: exact in a number.
    for (let group = 1; group < 7; group++) {
      const byte = this.u8();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 0x80;
    }
    return this.wideVarint(BigInt(value));
  }

  private wideVarint(low: bigint): number | bigint {
    let value = low;
    for (let group = 7; ; group++) {
      const byte = this.u8();
      if (group > 9 || (group === 9 && byte > 1)) fail(READ_ERRORS.read_varint);
      value += BigInt(byte & 0x7f) << BigInt(7 * group);
      if (byte < 0x80) return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
    }
  }

  /** A count of things that take at least `bytesMin` here. The bound comes before anything that follows is looked at. */
  count(what: string, bytesMin: number, max: number): number {
    const length = this.varint();
    if (typeof length !== 'number' || length > max) fail(READ_ERRORS.read_too_long, { length, what });
    if (length * bytesMin > this.remaining) {
      fail(READ_ERRORS.read_past_end, { missing: length * bytesMin - this.remaining });
    }
    return length;
  }

  /** A copy: the input's buffer may be large and should not live as long as the value. */
  fixed(length: number): Uint8Array {
    const at = this.take(length);
    return copyOf(this.bytes, at, length);
  }

  hex(length: number): string {
    const at = this.take(length);
    if (this.shares && length === this.hexLength && this.isSame(this.hexAt, at, length)) return this.hexText;
    const text = toHex(this.bytes.subarray(at, at + length));
    if (!this.shares) return text;
    this.hexAt = at;
    this.hexLength = length;
    this.hexText = text;
    return text;
  }

  /** Whether so many bytes at both places are alike; there may be fewer left. */
  isSame(one: number, other: number, length: number): boolean {
    const { bytes } = this;
    if (other + length > this.end) return false;
    for (let i = 0; i < length; i++) if (bytes[one + i] !== bytes[other + i]) return false;
    return true;
  }

  lengthPrefixed(): Uint8Array {
    return this.fixed(this.count('bytes', 1, this.lengthMax));
  }

  text(): string {
    const length = this.count('string', 1, this.lengthMax);
    const at = this.take(length);
    return decodeText(this.bytes, at, at + length);
  }

  /** Goes one level down: it costs something, and what is on it needs something to be read. */
  enter(cost: number, need: number): void {
    if (this.depth < need) fail(READ_ERRORS.read_too_deep);
    this.depth -= cost;
  }

  leave(cost: number): void {
    this.depth += cost;
  }

  /** For what stands inside of the level that was entered last, where it is not known before. */
  need(depth: number): void {
    if (this.depth < depth) fail(READ_ERRORS.read_too_deep);
  }

  finish(): void {
    check(this.remaining === 0, READ_ERRORS.read_left_over, { count: this.remaining });
  }
}
